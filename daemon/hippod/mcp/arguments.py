"""The arguments of a tool: their JSON schema for a model, kept short, and what is wrong with some.

A model is met half way where it is plain what it means: a number too large is cut to the most, one
value stands for a list of one, null for nothing.
"""

from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from hippod import wanted, wire
from hippod.errors import InvalidInput

_MOST_FAULTS = 5
_MOST_OF_A_NAME = 60

T = TypeVar("T")

MOST_OF_A_PATH = 4_096
"""Characters of what goes to the daemon in a URL, whose length has an end; no path is longer."""
Name = Annotated[wire.Text, Field(max_length=MOST_OF_A_PATH)]
"""A path, a session or the name of an entity."""


class Arguments(BaseModel):
    """What a tool is called with: other names are refused, null is as good as left out."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def _several(value: object) -> object:
    return [value] if isinstance(value, str) else value


Several = Annotated[tuple[T, ...], BeforeValidator(_several)]
"""A list, or the one value of it."""


def schema(kind: type[Arguments]) -> dict[str, Any]:
    """Return the JSON schema of a tool's arguments without what only costs tokens."""
    made = kind.model_json_schema()
    found = _lean(made, made.get("$defs", {}))
    found.pop("description", None)
    return {"type": "object", "properties": {}, **found}


def checked(tool: str, kind: type[Arguments], given: Mapping[str, Any] | None) -> Arguments:
    """Return the arguments of a call. Raises `InvalidInput`, naming each field that is wrong."""
    try:
        return kind.model_validate({k: v for k, v in (given or {}).items() if v is not None})
    except ValidationError as error:
        faults = error.errors()[:_MOST_FAULTS]
        is_named = any(fault["type"] in _OF_NAMES for fault in faults)
        hint = f"{tool} takes {', '.join(kind.model_fields)}" if is_named else ""
        raise InvalidInput("; ".join(map(_said, faults)), hint) from None


_OF_NAMES = ("extra_forbidden", "missing")


def _said(fault: Mapping[str, Any]) -> str:
    place = [str(part)[:_MOST_OF_A_NAME] for part in fault["loc"]]
    if isinstance(fault["loc"][-1], int):  # one value stands for a list of one
        place = place[:-1]
    say = wanted.of_a_request if fault["type"] == "too_long" else wanted.said
    return f"{'.'.join(place)}: {say(fault)}"


def _lean(part: Any, shared: Mapping[str, Any]) -> Any:
    """Leave out titles and defaults of null, and write out what is only referred to."""
    if isinstance(part, list):
        return [_lean(each, shared) for each in part]
    if not isinstance(part, dict):
        return part
    if "$ref" in part:
        part = {**shared[part["$ref"].rpartition("/")[2]], "description": ""} | part
    if "anyOf" in part:  # a field that may be left out is one of its type or null
        (only,) = (each for each in part["anyOf"] if each != {"type": "null"})
        part = {**{name: value for name, value in part.items() if name != "anyOf"}, **only}
        return _lean(part, shared)
    return {
        name: _fields(value, shared) if name == "properties" else _lean(value, shared)
        for name, value in part.items()
        if not _is_noise(name, value)
    }


def _fields(properties: Mapping[str, Any], shared: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _lean(value, shared) for name, value in properties.items()}


def _is_noise(name: str, value: object) -> bool:
    if name in ("$ref", "$defs", "title"):
        return True
    if name == "default":
        return value is None or value in ([], "", False)
    return name in ("minLength", "maxLength", "maxItems") or (name == "description" and not value)
