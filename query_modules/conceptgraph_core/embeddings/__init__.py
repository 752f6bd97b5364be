"""Of which embedding the vectors of a store are."""
