"""Facts, opinions and entities as JSON lines."""
