"""What is claimed, tested."""
