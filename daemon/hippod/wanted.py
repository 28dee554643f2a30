"""What is wrong with a field of a request, in our words rather than pydantic's."""

from collections.abc import Mapping
from typing import Any, Final

_WANTED: Final = {
    "missing": "is missing",
    "extra_forbidden": "unknown field",
    "literal_error": "is none of {expected}",
    "string_type": "is no text",
    "string_pattern_mismatch": "has another form than {pattern}",
    "string_too_short": "is empty",
    "too_short": "is empty",
    "bool_type": "is neither true nor false",
    "bool_parsing": "is neither true nor false",
    "int_type": "is no whole number",
    "int_parsing": "is no whole number",
    "int_from_float": "is no whole number",
    "int_parsing_size": "is too large",
    "float_type": "is no number",
    "float_parsing": "is no number",
    "finite_number": "is no number",
    "greater_than": "must be more than {gt:.12g}",
    "greater_than_equal": "must be at least {ge:.12g}",
    "less_than": "must be less than {lt:.12g}",
    "less_than_equal": "must be at most {le:.12g}",
    "tuple_type": "is no list",
    "list_type": "is no list",
    "dict_type": "is no object",
    "model_type": "is no object",
    "model_attributes_type": "is no object",
}


def said(fault: Mapping[str, Any]) -> str:
    """Return what is wrong, of one entry of `ValidationError.errors()`."""
    words = _WANTED.get(fault["type"])
    if words is None:
        return str(fault["msg"]).removeprefix("Value error, ")
    return words.format_map(fault.get("ctx") or {})


def of_a_request(fault: Mapping[str, Any]) -> str:
    """Return the same of a field that a client sent: its own size tells it more than the bound."""
    if fault["type"] == "too_long":
        length, most = fault["ctx"]["actual_length"], fault["ctx"]["max_length"]
        of_what = "characters" if isinstance(fault["input"], str) else "entries"
        return f"has {length} {of_what}, at most {most} are taken"
    if fault["type"] == "too_short" and not fault["input"]:
        return "empty"
    return said(fault)
