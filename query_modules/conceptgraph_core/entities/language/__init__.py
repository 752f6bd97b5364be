"""Words, their forms, dates, and cues of a text: closed lists and rules."""
