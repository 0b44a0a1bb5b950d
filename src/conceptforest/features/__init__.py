"""Pictures and videos to vectors."""
