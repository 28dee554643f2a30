"""Three simulated months: what the schedule and the heartbeat do against what they should."""
