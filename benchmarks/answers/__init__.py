"""How much of what is stored is answered, in one table."""
