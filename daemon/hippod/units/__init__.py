"""The unit files of systemd and launchd: rendered, installed, and the services they make."""
