"""The pages of docs/ that are made from the program, so that they cannot differ from it."""

from pathlib import Path

from docs.reference import api, configuration, tools

DOCS = Path(__file__).parent.parent
PAGES = {"configuration.md": configuration.page, "api.md": api.page, "mcp.md": tools.page}
"""What makes each page, by its name in docs/."""
