"""Facts, opinions and entities out of JSON lines, once."""
