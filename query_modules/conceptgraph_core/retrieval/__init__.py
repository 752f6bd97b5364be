"""Find the texts that share words with a question or a sentence."""
