"""hippod beside other memories for agents, on the same notes: `python -m bench.peers`."""
