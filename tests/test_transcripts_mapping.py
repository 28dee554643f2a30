"""Formats that the configuration describes."""

import json
import tomllib
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hippod.config import Source, load
from hippod.errors import ConfigError
from hippod.transcripts import Reading, has_changed, read

EXAMPLE = Path(__file__).parent.parent / "config.example.toml"
MAPPING: dict[str, Any] = {
    "role": "kind",
    "text": "body.parts[].text",
    "time": "ts",
    "id": "uid",
    "session": "chat.id",
    "speaker": "from",
    "roles": {"person": "user", "bot": "assistant", "debug": "ignore"},
}


def source(mapping: dict[str, Any]) -> Source:
    return Source.model_validate({"name": "x", "path": "*.jsonl", "mapping": mapping})


def once(tmp_path: Path, mapping: dict[str, Any], *records: Any, **options: Any) -> Reading:
    path = tmp_path / "chat.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    field_map = source(mapping).mapping.field_map()
    return read(path, None, seen=lambda key: False, mapping=field_map, **options)


def said(kind: object, *texts: object, **fields: Any) -> dict[str, Any]:
    return {"kind": kind, "body": {"parts": [{"text": text} for text in texts]}, **fields}


def test_fields_are_found_where_the_mapping_says(tmp_path: Path) -> None:
    reading = once(
        tmp_path,
        MAPPING,
        said("person", "The ferry", "leaves at nine.", ts=1775113200, uid=7, chat={"id": "c/1"}),
        said("bot", "At nine.", ts="2026-04-02T07:00:05Z", uid="b", **{"from": "Ferrybot"}),
        said("debug", "x"),
        said("robot", "x"),
        said("person"),
        said("user", "Known by itself."),
        {"kind": "person", "body": "text"},
        [],
    )
    assert [(turn.id, turn.role, turn.speaker, turn.text) for turn in reading.turns] == [
        ("7", "user", None, "The ferry\nleaves at nine."),
        ("b", "assistant", "Ferrybot", "At nine."),
        ("L6", "user", None, "Known by itself."),
    ]
    assert [turn.time.isoformat() if turn.time else None for turn in reading.turns] == [
        "2026-04-02T07:00:00+00:00",
        "2026-04-02T07:00:05+00:00",
        None,
    ]
    assert (reading.cursor.format, reading.cursor.session) == ("mapping", "c-1")
    assert reading.skipped == {
        "no_message": 1,
        "unknown_type": 1,
        "no_text": 2,
        "not_an_object": 1,
    }


def test_conditions_choose_the_records_that_count(tmp_path: Path) -> None:
    mapping = {
        "text": "text",
        "default_role": "user",
        "where": {"type": ["said", "wrote"], "flags.hidden": False, "n[]": 1},
    }
    base = {"type": "said", "flags": {"hidden": False}, "n": [3, 1], "text": "yes"}
    reading = once(
        tmp_path,
        mapping,
        base,
        {**base, "type": "wrote", "text": "and yes"},
        {**base, "type": "heard"},
        {**base, "flags": {"hidden": 0}},
        {**base, "flags": {}},
        {**base, "n": [True]},
    )
    assert [turn.text for turn in reading.turns] == ["yes", "and yes"]
    assert reading.skipped == {"no_message": 4}


def test_times_without_a_zone_are_the_users(tmp_path: Path) -> None:
    mapping = {"text": "content", "time": "timestamp", "default_role": "assistant"}
    record = {"cursor": 1, "timestamp": "2026-07-03 14:05", "content": "A summary."}
    (turn,) = once(tmp_path, mapping, record, zone=ZoneInfo("Europe/Helsinki")).turns
    assert turn.time is not None
    assert (turn.role, turn.time.isoformat()) == ("assistant", "2026-07-03T11:05:00+00:00")


def test_a_mapping_that_finds_nothing_is_an_alarm(tmp_path: Path) -> None:
    mapping = {"role": "kind", "text": "words"}
    reading = once(tmp_path, mapping, *(said("user", "x") for _ in range(4)))
    assert reading.alarm is not None
    assert "read as mapping, but no message was found" in reading.alarm


def test_a_new_mapping_reads_what_was_not_understood(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_text("".join(json.dumps(said("person", f"n{n}")) + "\n" for n in range(4)))
    before = read(path, None, seen=lambda key: False)
    assert (before.turns, before.cursor.format) == ((), "unknown")
    field_map = source(MAPPING).mapping.field_map()
    assert not has_changed(path, before.cursor)
    assert has_changed(path, before.cursor, mapped=True)
    after = read(path, before.cursor, seen=lambda key: False, mapping=field_map)
    assert not has_changed(path, after.cursor, mapped=True)
    assert [turn.text for turn in after.turns] == ["n0", "n1", "n2", "n3"]
    again = read(path, after.cursor, seen=lambda key: False, mapping=field_map)
    assert again.turns == ()


@settings(max_examples=60, deadline=None)
@given(
    record=st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["kind", "body", "parts", "text", "ts"]), inner)
        ),
        max_leaves=10,
    )
)
def test_any_record_is_read_without_an_error(
    record: object, tmp_path_factory: pytest.TempPathFactory
) -> None:
    reading = once(tmp_path_factory.mktemp("any"), {**MAPPING, "text": "text"}, record)
    for turn in reading.turns:
        assert turn.text.strip()


# The configuration


@pytest.mark.parametrize(
    ("mapping", "fault"),
    [
        ('role = "kind"', "sources.0.mapping: text is missing"),
        ('text = "t"', "sources.0.mapping: role or default_role is missing"),
        ('text = "a..b"\nrole = "r"', "sources.0.mapping.text: a dotted path"),
        ('text = "a[0]"\nrole = "r"', "sources.0.mapping.text: a dotted path"),
        ('text = "a.[]"\nrole = "r"', "sources.0.mapping.text: a dotted path"),
        ('text = "t"\nrole = "r"\nroles = { bot = "robot" }', "sources.0.mapping.roles.bot"),
        ('text = "t"\nrole = "r"\ntimes = "x"', "unknown key; did you mean 'time'?"),
        ('text = "t"\nrole = "r"\nwhere = { "a..b" = 1 }', "a dotted path of fields"),
    ],
)
def test_faults_of_a_mapping_are_named(mapping: str, fault: str, tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(f'[[sources]]\nname = "x"\npath = "*.jsonl"\n[sources.mapping]\n{mapping}\n')
    with pytest.raises(ConfigError) as caught:
        load(path, {})
    assert any(fault in problem for problem in caught.value.problems), caught.value.problems


def test_a_mapping_goes_with_no_other_format(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(
        '[[sources]]\nname = "x"\npath = "*.jsonl"\nformat = "generic"\n'
        'mapping = { text = "t", role = "r" }\n'
    )
    with pytest.raises(ConfigError, match="leave format at 'auto'"):
        load(path, {})


def examples() -> dict[str, Source]:
    """Return the sources that config.example.toml shows as comments."""
    lines = EXAMPLE.read_text().splitlines()
    start = lines.index("# [[sources]]")
    end = next(n for n, line in enumerate(lines) if line == "[retain]")
    shown = (line.removeprefix("# ") for line in lines[start:end])
    toml = [line for line in shown if line.startswith("[") or " = " in line]
    tables = tomllib.loads("\n".join(toml))["sources"]
    return {table["name"]: Source.model_validate(table) for table in tables}


def test_the_examples_of_the_configuration_are_valid() -> None:
    assert {"claude", "codex", "gemini", "cursor", "letta", "nanobot", "some-chat"} <= set(
        examples()
    )


def test_the_example_mappings_read_what_they_are_for(tmp_path: Path) -> None:
    records = {
        "letta": {"kind": "user", "text": "The mill is closed.", "timestamp": "2026-04-02T07:00Z"},
        "nanobot": {
            "cursor": 12,
            "timestamp": "2026-04-02 07:00",
            "content": "The mill is closed.",
        },
        "some-chat": {
            **said("person", "The mill is closed.", ts="2026-04-02T07:00Z"),
            "type": "message",
            "chat": {"id": "m", "private": True},
        },
    }
    for name, record in records.items():
        path = tmp_path / f"{name}.jsonl"
        path.write_text(json.dumps(record) + "\n")
        field_map = examples()[name].mapping.field_map()
        (turn,) = read(path, None, seen=lambda key: False, mapping=field_map).turns
        assert turn.text == "The mill is closed."
        assert turn.time is not None
        assert turn.time.isoformat() == "2026-04-02T07:00:00+00:00"
        assert turn.role == ("assistant" if name == "nanobot" else "user")
