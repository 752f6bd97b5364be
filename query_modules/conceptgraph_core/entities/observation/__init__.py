"""Record messages by session: their entities, mentions, claims and relations."""
