"""Run the query modules in process, over one SQLite file."""
