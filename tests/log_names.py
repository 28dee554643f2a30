"""Every event that the program may log, read from its source."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "daemon" / "hippod"
LEVELS = {"exception": "error"}
METHODS = ("debug", "info", "warning", "error", "critical", "exception", "log")


@dataclass
class Logged:
    """One event: where it is logged, at which levels, with which fields."""

    places: list[str] = field(default_factory=list)
    levels: set[str] = field(default_factory=set)
    fields: set[str] = field(default_factory=set)


def logged() -> dict[str, Logged]:
    """Return all events by name."""
    found: dict[str, Logged] = {}
    for file in sorted(SOURCE.rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        for call in _calls(ast.parse(text)) if "logger" in text else ():
            name, levels = _said(call)
            event = found.setdefault(name, Logged())
            event.places.append(f"{file.relative_to(SOURCE)}:{call.lineno}")
            names = {word.arg for word in call.keywords if word.arg}
            if "exc_info" in names or "exception" in levels:
                names = names - {"exc_info"} | {"exception"}
            event.levels |= {LEVELS.get(level, level) for level in levels}
            event.fields |= names
    return found


def _calls(tree: ast.AST) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if node.func.attr in METHODS and _is_logger(node.func.value):
            yield node


def _is_logger(node: ast.expr) -> bool:
    """Say whether it is the module's `logger`, or one that is fetched on the spot."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Attribute) and node.func.attr == "get_logger"
    return isinstance(node, ast.Name) and node.id == "logger"


def _said(call: ast.Call) -> tuple[str, set[str]]:
    assert isinstance(call.func, ast.Attribute)
    method, first = call.func.attr, call.args[0]
    levels = {method}
    if method == "log":  # the level is a value: any that it names
        names = {node.attr for node in ast.walk(first) if isinstance(node, ast.Attribute)}
        levels = {name.lower() for name in names if name.isupper()}
        first = call.args[1]
    assert isinstance(first, ast.Constant), f"line {call.lineno}: an event without a fixed name"
    return str(first.value), levels
