"""One call a message: what `recall` answers of a family, and where it keeps silent."""
