"""JSON schemas in words: what a value is, and within which bounds."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

Schema = dict[str, Any]
Name = Callable[[str], str]
"""How an object that a schema refers to is named."""

_WORDS = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "object": "object",
    "null": "null",
}
_BOUNDS = (
    ("minimum", "at least {}"),
    ("ge", "at least {}"),
    ("exclusiveMinimum", "more than {}"),
    ("gt", "more than {}"),
    ("maximum", "at most {}"),
    ("le", "at most {}"),
    ("exclusiveMaximum", "less than {}"),
    ("maxLength", "at most {} characters"),
    ("minItems", "at least {} of them"),
    ("maxItems", "at most {} of them"),
)


def kind(schema: Schema, name: Name) -> str:
    """Say what a value is: `text`, `a` or `b`, list of numbers, or an object by its name."""
    if reference := reference_of(schema):
        return name(reference)
    if choices := schema.get("anyOf") or schema.get("oneOf"):
        return _either(kind(choice, name) for choice in choices)
    if "const" in schema or "enum" in schema:
        values = schema.get("enum") or [schema["const"]]
        return _either(f"`{value}`" if value != "" else "empty" for value in values)
    if schema.get("type") == "array":
        return f"list of {kind(schema.get('items', {}), name)}"
    if schema.get("type") == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"object of {kind(schema['additionalProperties'], name)}"
    return _WORDS.get(schema.get("type", ""), "any value")


def _either(words: Iterable[str]) -> str:
    """Join what is one or the other, each once: `a`, `b` or `c`."""
    *others, last = dict.fromkeys(words)
    return f"{', '.join(others)} or {last}" if others else last


def bounds(schema: Schema, shown: Callable[[float], str] = "{:,.12g}".format) -> str:
    """Say between what a value must be; empty if nothing bounds it."""
    parts = [schema, *schema.get("anyOf", ())]
    found = (
        words.format(shown(part[key])) for part in parts for key, words in _BOUNDS if key in part
    )
    return ", ".join(dict.fromkeys(found))


def reference_of(schema: Schema) -> str:
    """Return the name of the schema that this one refers to; empty if it is written out."""
    return str(schema.get("$ref", "")).rpartition("/")[2]


def references_in(schema: object) -> Iterator[str]:
    """Yield the name of each schema that one refers to, however deep."""
    if isinstance(schema, dict):
        if reference := reference_of(schema):
            yield reference
        schema = list(schema.values())
    if isinstance(schema, list):
        for part in schema:
            yield from references_in(part)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table, without columns behind the second that say nothing."""
    cells = [[_cell(text) for text in row] for row in rows]
    kept = [n for n in range(len(head)) if n < 2 or any(row[n] for row in cells)]
    lines = [head, ["---"] * len(head), *cells]
    return "".join(f"| {' | '.join(line[n] for n in kept)} |\n" for line in lines)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
