"""The checklist in HEARTBEAT.md: its items, and what code can say of each. Pure."""
