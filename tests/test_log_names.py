"""Every event that the daemon logs has a stable name, and stands in docs/logs.md."""

import re
from pathlib import Path

import pytest

from tests.log_names import Logged, logged

LISTED = (Path(__file__).parent.parent / "docs" / "logs.md").read_text(encoding="utf-8")
CONTENT = {"content", "text", "query", "body", "bullet", "snippet", "turn", "fact", "message"}


@pytest.fixture(scope="module")
def events() -> dict[str, Logged]:
    return logged()


def listed() -> dict[str, tuple[set[str], set[str]]]:
    """Return levels and fields of the events in the document."""
    rows = re.findall(r"^\| `([^`]+)` \| ([^|]*) \| ([^|]*) \| \S[^|]* \|$", LISTED, re.MULTILINE)
    return {
        name: (set(levels.split(", ")), set(re.findall(r"`(\w+)`", fields)))
        for name, levels, fields in rows
    }


def test_every_event_is_listed_with_its_levels_and_fields(events: dict[str, Logged]) -> None:
    assert len(events) > 60
    assert listed() == {name: (event.levels, event.fields) for name, event in events.items()}


def test_names_are_dotted_and_lower_case(events: dict[str, Logged]) -> None:
    odd = [name for name in events if not re.fullmatch(r"[a-z]+(\.[a-z]+(_[a-z]+)*)+", name)]
    assert odd == []


def test_no_event_has_a_field_for_content(events: dict[str, Logged]) -> None:
    assert {name: event.places for name, event in events.items() if event.fields & CONTENT} == {}
