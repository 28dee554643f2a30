"""Renders `hippod/answer_types.py` out of the wire models.

`python -m tests.answer_text > daemon/hippod/answer_types.py`, then `ruff format`.
"""

import datetime
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel

from hippod import wire, wire_bank, wire_context, wire_doctor, wire_exchange, wire_heartbeat

ROOTS: tuple[type[BaseModel], ...] = (
    wire.RecallAnswer,
    wire.RetainAnswer,
    wire.FileContent,
    wire.Written,
    wire.Tree,
    wire.DailyLog,
    wire_context.Context,
    wire_context.WorkingContent,
    wire_context.WorkingCleared,
    wire.Why,
    wire.Log,
    wire.LoggedChange,
    wire.Undone,
    wire_bank.EntityList,
    wire_bank.EntityDetail,
    wire_bank.EntityChanged,
    wire_bank.Reflected,
    wire_bank.HygieneReport,
    wire_bank.Forgotten,
    wire_bank.OpinionList,
    wire.OpinionDetail,
    wire_bank.OpinionsRecomputed,
    wire_bank.ProposalList,
    wire_bank.ProposalDetail,
    wire_bank.ProposalDecided,
    wire.Status,
    wire_doctor.Diagnosis,
    wire.Health,
    wire.JobList,
    wire_heartbeat.Beat,
    wire_heartbeat.BeatList,
    wire.Reindexed,
    wire_exchange.Imported,
    wire.ConfigValue,
    wire.ConfigReloaded,
)
"""What the verbs answer."""
HEAD = '''"""The answers of the verbs as type checkers see them: the JSON of the wire models.

Made from `hippod.wire` by `tests/answer_text.py`; a test holds them equal. At run time every
answer is a plain `dict`, so an older daemon may leave newer fields out.
"""

from typing import Any, Literal, TypedDict
'''


def render() -> str:
    """Return the text of the module; its layout is left to ruff."""
    return HEAD + "".join(_class(model) for model in _models())


def _models() -> list[type[BaseModel]]:
    """Return the roots and all that they hold, each behind what it holds."""
    found: dict[type[BaseModel], None] = {}
    for root in ROOTS:
        _gather(root, found)
    names = [model.__name__ for model in found]
    assert len(names) == len(set(names)), "two wire models of one name"
    return list(found)


def _gather(model: type[BaseModel], found: dict[type[BaseModel], None]) -> None:
    for annotation in _annotations(model).values():
        for inner in _inside(annotation):
            if inner not in found:
                _gather(inner, found)
    found[model] = None


def _annotations(model: type[BaseModel]) -> dict[str, Any]:
    return {name: field.annotation for name, field in model.model_fields.items()}


def _inside(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _inside(part)


def _class(model: type[BaseModel]) -> str:
    doc = (model.__doc__ or "").strip().partition("\n")[0]
    lines = [f"    {name}: {_said(each)}" for name, each in _annotations(model).items()]
    return "\n".join(
        ["", "", f"class {model.__name__}(TypedDict):", f'    """{doc}"""', "", *lines, ""]
    )


def _said(annotation: Any) -> str:
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _said(parts[0])
    if origin is Literal:
        return f"Literal[{', '.join(map(repr, parts))}]"
    if origin in (Union, types.UnionType):
        return " | ".join(dict.fromkeys(map(_said, parts)))
    if origin in (tuple, list, set, frozenset):
        held = dict.fromkeys(_said(part) for part in parts if part is not Ellipsis)
        return f"list[{' | '.join(held)}]"
    if origin is dict:
        return f"dict[str, {_said(parts[1])}]"
    return _name(annotation)


def _name(annotation: Any) -> str:
    if annotation in (datetime.datetime, datetime.date, Path):
        return "str"
    if annotation is type(None):
        return "None"
    known = (str, int, float, bool, Any)
    is_model = isinstance(annotation, type) and issubclass(annotation, BaseModel)
    assert annotation in known or is_model, f"{annotation!r} is not known to be JSON"
    return str(annotation.__name__)


if __name__ == "__main__":
    print(render(), end="")
