"""Two years of people who tell changes in plain words, and what is told of them at the end."""
