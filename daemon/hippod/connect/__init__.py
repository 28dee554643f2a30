"""Makes hippod known to agents: their MCP entries, hooks and transcript sources, and back."""
