"""The tools in the order in which models see them, and which of them a connection has."""

from typing import Any, Literal

from hippod.mcp import bank, documents, recalling, remembering
from hippod.mcp.tool import Tool
from hippod.scope import Scope

Toolset = Literal["default", "all"]

TOOLS: tuple[Tool[Any], ...] = (
    recalling.SEARCH,
    documents.READ,
    documents.WRITE,
    documents.TREE,
    remembering.RETAIN,
    remembering.WORKING,
    documents.APPEND,
    documents.REPLACE,
    documents.INSERT,
    bank.REFLECT,
    bank.ENTITY,
    bank.OPINIONS,
    bank.WHY,
    bank.FORGET,
    remembering.CONTEXT,
    bank.HEARTBEAT,
)


def of(scope: Scope, toolset: Toolset) -> dict[str, Tool[Any]]:
    """Return the tools of a connection by name."""
    chosen = (each for each in TOOLS if each.always or toolset == "all")
    return {each.name: each for each in chosen if each.group or scope == "main"}


def why_not(name: str, scope: Scope) -> str:
    """Say why a connection has no tool of this name; empty if there is none at all."""
    tool = next((each for each in TOOLS if each.name == name), None)
    if tool is None:
        return ""
    if scope != "main" and not tool.group:
        return f"{name} is not for scope {scope!r}"
    return f"{name} is not among the tools of this connection (start it with --tools all)"
