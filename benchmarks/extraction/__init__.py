"""How good what a message mentions is told: entities, identities and facts."""
