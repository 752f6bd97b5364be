"""The embedding of a store: the one model that all its vectors come from."""
