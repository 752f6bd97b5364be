"""The concept layer: concepts, episodes, relations, affect and recall."""
