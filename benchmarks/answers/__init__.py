"""Answers, precision and silence of one `recall`, in one table."""
