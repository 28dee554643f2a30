"""The labelled pairs: statements and later texts, older facts and newer ones.

Both sets were written before and without sight of the rules that are measured on them, and are
frozen. Each lies in `sets/` as JSON with a word about its labels.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

Stance = Literal["supports", "contradicts", "related", "unrelated"]

_SETS = Path(__file__).parent / "sets"


@dataclass(frozen=True, slots=True)
class OpinionPair:
    """A statement of somebody's opinion, a later text of that person, and what it is to it."""

    id: str
    lang: str
    tag: str
    statement: str
    text: str
    stance: Stance


@dataclass(frozen=True, slots=True)
class FactPair:
    """Two facts of one entity, and whether the newer one replaces the older."""

    id: str
    lang: str
    tag: str
    older: str
    newer: str
    replaces: bool


def opinions() -> list[OpinionPair]:
    """Return the labelled pairs of statement and text."""
    return [OpinionPair(**each) for each in _pairs("opinions")]


def supersession() -> list[FactPair]:
    """Return the labelled pairs of facts."""
    return [FactPair(**each) for each in _pairs("supersession")]


def _pairs(name: str) -> list[dict[str, Any]]:
    loaded = json.loads((_SETS / f"{name}.json").read_text("utf-8"))
    pairs: list[dict[str, Any]] = loaded["pairs"]
    return pairs
