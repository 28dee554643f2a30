"""A workspace as one archive, and back."""
