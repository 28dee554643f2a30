"""What agents run at the start and end of a session: context out, turns in."""
