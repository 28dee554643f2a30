"""The labelled transcripts, and how a case becomes turns.

A set is a JSON list of cases `{id, lang, user, agent, date, tags, turns, expected, must_not,
acceptable}`. `given` was there before the rules and shaped them; `independent` was labelled by
people who had not seen the rules, and is never edited.
"""

import json
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from hippod.transcripts.turns import Turn

ZONE = ZoneInfo("Europe/Vienna")
SETS = Path(__file__).parent / "sets"

Case = dict[str, Any]


def load(name: str) -> list[Case]:
    """Return a set by its name, or the cases of a file by its path."""
    path = SETS / f"{name}.json"
    cases: list[Case] = json.loads((path if path.exists() else Path(name)).read_text("utf-8"))
    for wanted in (each for case in cases for each in case["expected"]):
        if isinstance(wanted["resolved"], str):  # annotators may write one pattern without a list
            wanted["resolved"] = [wanted["resolved"]]
    return cases


def names() -> list[str]:
    """Return the names of the sets that lie here."""
    return sorted(path.stem for path in SETS.glob("*.json"))


def turns(case: Case) -> list[Turn]:
    """Return a case's turns, a minute apart from 10:00 on its date."""
    start = datetime.fromisoformat(case["date"]).replace(hour=10, tzinfo=ZONE)
    return [
        Turn(
            id=f"t{turn['i']}",
            key=f"{case['id']}-{turn['i']}",
            role=turn["role"],
            speaker=turn.get("name") if turn["role"] == "user" else None,
            text=turn["text"],
            time=start + timedelta(minutes=turn["i"]),
            line=turn["i"],
        )
        for turn in case["turns"]
    ]


def said(case: Case, numbers: Sequence[int]) -> str:
    """Return some turns of a case, each with who says it."""
    return "\n".join(f"{t['name']}: {t['text']}" for t in case["turns"] if t["i"] in numbers)
