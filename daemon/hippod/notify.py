"""What a service manager is told."""
