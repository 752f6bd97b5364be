"""Observing a whole history: which messages are one session, and what each of them mentions."""
