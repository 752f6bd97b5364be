"""Let all that rests on a text go and come with it: forgotten, replaced, restored, purged."""
