"""Words, their forms, dates, and the cues of a text: closed lists and rules, English and German."""
