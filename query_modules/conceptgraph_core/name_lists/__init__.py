"""Lists of names, in which a store that has no index of parts of texts looks for these parts."""
