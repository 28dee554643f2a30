"""The MCP server that the daemon runs, and the bridge that connects a host to it by stdio."""
