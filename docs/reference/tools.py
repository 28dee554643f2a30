"""The table of tools in docs/mcp.md, from the list that the server itself offers."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docs.reference import schemas

from hippod.mcp.tool import Tool
from hippod.mcp.tools import TOOLS

PAGE = Path(__file__).parent.parent / "mcp.md"
_REGION = re.compile(r"(<!-- tools: .*? -->\n).*?(<!-- /tools -->)", re.DOTALL)


def page() -> str:
    """Return docs/mcp.md with its table as the tools are now."""
    return _REGION.sub(lambda region: f"{region[1]}\n{_table()}\n{region[2]}", PAGE.read_text())


def _table() -> str:
    return schemas.table(
        ("tool", "when to use it, as models are told", "arguments"), map(_row, TOOLS)
    )


def _row(tool: Tool[Any]) -> tuple[str, str, str]:
    said = ", ".join(_said(tool))
    return f"`{tool.name}`<br>{said}", tool.about, _arguments(tool.takes.model_json_schema())


def _said(tool: Tool[Any]) -> Iterator[str]:
    yield "default" if tool.always else "all"
    yield "read-only" if not tool.changes else "destructive" if tool.destroys else "writes"
    if not tool.group:
        yield "not for groups"


def _arguments(schema: schemas.Schema) -> str:
    needed = schema.get("required", ())
    names = (f"**`{name}`**" if name in needed else f"`{name}`" for name in schema["properties"])
    return ", ".join(names) or "none"
