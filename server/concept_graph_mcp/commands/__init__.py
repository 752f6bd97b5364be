"""The command line's commands, one module for each purpose, imported only when it is called."""
