"""The daemon's door: HTTP/1.1 with JSON on a private Unix socket."""
