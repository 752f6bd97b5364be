"""The in-process host of the query modules, over one SQLite file."""
