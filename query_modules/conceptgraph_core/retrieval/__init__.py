"""What a question or a sentence brings to mind, by the words that texts share with it."""
