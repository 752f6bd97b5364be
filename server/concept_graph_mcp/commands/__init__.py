"""The command line's commands, one file an occasion; each is imported only when it is called."""
