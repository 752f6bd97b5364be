"""Extract the entities of a whole history, session by session and message by message."""
