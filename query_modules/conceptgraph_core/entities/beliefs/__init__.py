"""Facts with two pairs of times, their contradictions, and the trust of an entity."""
