"""The work that time makes: who does it, whether they may, and what was done."""
