"""What the features and the other tags of an item say about each of its tags."""
