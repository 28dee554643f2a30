"""The soak: everybody works on one memory at once while the daemon is killed, then an audit."""
