"""Near-duplicate detection between Java files."""
