"""Memories: texts that an agent keeps, their links, and their fading without loss."""
