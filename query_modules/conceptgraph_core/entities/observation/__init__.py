"""What a message says of whom, taken in: entities, mentions, claims and relations, by session."""
