"""What the daemon counts, as Prometheus reads it."""
