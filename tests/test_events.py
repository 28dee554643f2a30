"""Events: what is kept of them, who is told, and how a stream of them is read."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from anyio import to_thread
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from hippod import events as bus
from hippod import wire, wire_bank
from hippod.config import load
from hippod.errors import StorageError
from hippod.event_stream import payloads, unchunked
from hippod.event_view import EventView
from hippod.events import Events
from hippod.forgotten import Tombstones
from hippod.retain import Retainer, SourceFile
from hippod.server import events as event_routes
from hippod.server.app import build
from hippod.service import Memory
from hippod.state import State
from hippod.state import events as log
from hippod.state.events import Event
from hippod.wire_events import EventList, EventsRequest, EventType
from hippod.workspace import Workspace
from tests.test_service import Clock, assembled

TYPES: tuple[EventType, ...] = ("fault", "facts.retained")


@pytest.fixture
def state(tmp_path: Path) -> Iterator[State]:
    state = State(tmp_path / "state.sqlite")
    yield state
    state.close()


@pytest.fixture
def events(state: State) -> Events:
    return Events(state.events, ("/context/**",))


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    environ = {
        "HIPPOD_WORKSPACE__PATH": str(tmp_path / "workspace"),
        "HIPPOD_WORKSPACE__TIMEZONE": "Asia/Kathmandu",
    }
    with ExitStack() as stack:
        yield assembled(load(None, environ), Clock(), stack)


def listed(memory: Memory, **fields: Any) -> list[dict[str, Any]]:
    answer = memory.events_since(EventsRequest.model_validate(fields))
    return [event.model_dump() for event in answer.events]


def kept(state: State) -> list[dict[str, Any]]:
    return [event.data for event in state.events.since(0)]


# -- kept ------------------------------------------------------------------------------------


def test_ids_grow_over_a_restart_and_over_a_purge(tmp_path: Path) -> None:
    for expected in (1, 2, 3):
        state = State(tmp_path / "state.sqlite")
        assert state.events.bounds() == (1, expected - 1)
        assert state.events.add("fault", {"what": "disk"}).id == expected
        with state.transaction():
            assert state.events.purge(lambda _text: "") == 1
        assert kept(state) == []
        state.close()


def test_what_is_no_text_is_kept_as_far_as_it_can_be(state: State) -> None:
    state.events.add("fault", {"what": "Grüße \udcff"})
    assert kept(state) == [{"what": "Grüße ?"}]


@pytest.mark.parametrize("broken", ["", "{", "[1]", '"text"', "null"])
def test_a_row_that_is_no_event_is_passed_over(state: State, broken: str) -> None:
    for what in ("a", "b"):
        state.events.add("fault", {"what": what})
    with state.transaction():
        state.execute("UPDATE event SET data=? WHERE id=1", broken)
    assert kept(state) == [{}, {"what": "b"}]
    shown = view(state)
    for listed in (shown.newest(20, (), "main"), shown.behind(0, 20, (), "main")):
        assert [event.id for event in listed.events] == [2]
    assert shown.behind(0, 20, (), "group").events == ()


def test_a_page_that_begins_with_unreadable_rows_still_leads_on(state: State) -> None:
    for _ in range(6):
        state.events.add("fault", {"what": "a"})
    with state.transaction():
        state.execute("UPDATE event SET data='' WHERE id<5")
    found, after, more = [], 0, True
    while more:
        page = view(state).behind(after, 2, (), "main")
        found += [event.id for event in page.events]
        after, more = page.last, page.more
    assert found == [5, 6]


# -- reading on ------------------------------------------------------------------------------


def view(state: State) -> EventView:
    def clock() -> datetime:
        return datetime.now(UTC)

    events = Events(state.events)
    return EventView(events, Tombstones, lambda _path: False, clock, ZoneInfo("UTC"))


@dataclass(frozen=True)
class Past:
    """Events that were published, of which some were forgotten since."""

    most: int
    types: tuple[EventType, ...]
    forgotten: frozenset[int]

    @property
    def oldest(self) -> int:
        return max(1, len(self.types) - self.most + 1)

    def expected(self, after: int, wanted: tuple[str, ...]) -> list[int]:
        begin = after if after <= len(self.types) else 0
        return [
            number
            for number, type_ in enumerate(self.types, 1)
            if number > begin and number >= self.oldest and number not in self.forgotten
            if not wanted or type_ in wanted
        ]


pasts = st.builds(
    Past,
    most=st.integers(1, 12),
    types=st.lists(st.sampled_from(TYPES), max_size=25).map(tuple),
    forgotten=st.frozensets(st.integers(1, 25), max_size=6),
)


@given(
    past=pasts,
    size=st.integers(1, 5),
    after=st.integers(0, 30),
    wanted=st.sampled_from([(), ("fault",)]),
)
@settings(max_examples=60, deadline=None)
def test_reading_on_yields_each_event_once_and_tells_of_those_that_expired(
    past: Past, size: int, after: int, wanted: tuple[str, ...]
) -> None:
    pages = read_on(past, after, size, wanted)
    shown = [event for page in pages for event in page.events]
    gaps = [event for event in shown if event.type == "gap"]
    told = [event.id for event in shown if event.type != "gap"]
    assert told == past.expected(after, wanted)
    assert len(gaps) == (not past.oldest - 1 <= after <= len(past.types))
    assert all(gap.id == past.oldest - 1 for gap in gaps)
    assert pages[-1].last == len(past.types)


def read_on(past: Past, after: int, size: int, wanted: tuple[str, ...]) -> list[EventList]:
    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory() as folder:
        patch.setattr(log, "KEPT", past.most)
        state = State(Path(folder) / "state.sqlite")
        for type_ in past.types:
            state.events.add(type_, {"what": "x"})
        with state.transaction():
            gone = ((number,) for number in past.forgotten)
            state.execute_many("DELETE FROM event WHERE id=?", gone)
        pages, more = [], True
        while more:
            pages.append(view(state).behind(after, size, wanted, "main"))
            after, more = pages[-1].last, pages[-1].more
        state.close()
    return pages


def test_a_gap_says_what_is_not_told_and_why(memory: Memory, monkeypatch: Any) -> None:
    monkeypatch.setattr(log, "KEPT", 3)
    for number in range(8):
        memory.events.fault("disk", f"full {number}")
    gap, first, *_ = listed(memory, after=2)
    assert {name: gap[name] for name in ("id", "type", "from", "to", "reason")} == {
        "id": 5, "type": "gap", "from": 2, "to": 5, "reason": "expired"
    }  # fmt: skip
    assert first["id"] == 6
    gap, first, *_ = listed(memory, after=9)  # the state was lost
    assert (gap["id"], gap["from"], gap["to"], gap["reason"]) == (5, 9, 5, "reset")
    assert first["id"] == 6
    assert listed(memory, after=8) == []


def test_the_newest_are_listed_oldest_first(memory: Memory) -> None:
    for number in range(30):
        memory.events.fault("disk", f"full {number}")
    memory.events.retained("memory/2026-03-03.md", "api", [("k3f9", "- W @Ina: Sails.")])
    assert [each["id"] for each in listed(memory)] == list(range(12, 32))
    assert [each["id"] for each in listed(memory, limit=2)] == [30, 31]
    (only,) = listed(memory, types="facts.retained,heartbeat.alert")
    assert only["facts"] == [{"id": "k3f9", "bullet": "- W @Ina: Sails."}]
    assert only["time"].endswith("+05:45")


@pytest.mark.parametrize(
    "fields",
    [{"types": "nope"}, {"types": ["fault", "x"]}, {"types": ""}, {"after": -1}, {"limit": 0},
     {"types": [1]}, {"after": "x"}],
)  # fmt: skip
def test_what_cannot_be_asked_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError) as refusal:
        EventsRequest.model_validate(fields)
    if "types" in fields and fields["types"] != [1]:
        assert "facts.retained, pages.changed, heartbeat.alert, fault" in str(refusal.value)


# -- publishing ------------------------------------------------------------------------------


def test_a_fault_is_told_once_for_as_long_as_it_lasts(events: Events, state: State) -> None:
    for _ in range(3):
        events.fault("index", "the disk is full", "free some space")
    events.fault("watcher", "the disk is full")
    events.fault("index", "the disk is read-only")
    for _ in range(2):
        events.well("index")
    events.fault("index", "the disk is full")
    told = [(each["what"], each["message"], each["over"]) for each in kept(state)]
    assert told == [
        ("index", "the disk is full", False),
        ("watcher", "the disk is full", False),
        ("index", "the disk is read-only", False),
        ("index", "the disk is read-only", True),
        ("index", "the disk is full", False),
    ]
    assert kept(state)[0]["hint"] == "free some space"


def test_many_documents_at_once_are_one_bounded_event(events: Events, state: State) -> None:
    events.changed([f"notes/{number}.md" for number in range(5_000)], "other")
    (data,) = kept(state)
    assert data["count"] == 5_000
    assert len(data["paths"]) == bus.MOST_PATHS
    assert len(str(data)) < 2_000


def test_facts_are_bounded_in_number_and_length(events: Events, state: State) -> None:
    events.retained("memory/2026-03-03.md", "main", [("id", "- W " + "x" * 5_000)] * 300)
    (data,) = kept(state)
    assert data["count"] == 300
    assert len(data["facts"]) == bus.MOST_FACTS
    assert len(str(data)) < 20_000


def test_nothing_is_told_of_nothing(events: Events, state: State) -> None:
    events.changed([], "other")
    events.retained("memory/2026-03-03.md", "main", [])
    events.well("index")
    assert kept(state) == []


def test_an_event_that_cannot_be_kept_fails_nobody(
    events: Events, state: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> Event:
        raise StorageError("the disk is full")

    heard: list[Event | None] = []
    monkeypatch.setattr(state.events, "add", full)
    with events.subscribed(heard.append):
        events.fault("index", "the disk is full")
    assert heard == []


def test_a_fault_that_could_not_be_kept_is_told_as_soon_as_it_can_be(
    events: Events, state: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> Event:
        raise StorageError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(state.events, "add", full)
        events.fault("index", "the disk is full")
    events.well("index")
    assert kept(state) == []
    with monkeypatch.context() as patch:
        patch.setattr(state.events, "add", full)
        events.fault("index", "the disk is full")
    events.fault("index", "the disk is full")
    with monkeypatch.context() as patch:
        patch.setattr(state.events, "add", full)
        events.fault("index", "the disk is read-only")
        events.well("index")
    events.well("index")
    told = [(each["message"], each["over"]) for each in kept(state)]
    assert told == [("the disk is full", False), ("the disk is full", True)]


def test_listeners_hear_what_comes_while_they_listen_and_the_end(events: Events) -> None:
    heard: list[Event | None] = []
    events.fault("index", "before")
    with events.subscribed(heard.append):
        events.fault("index", "meanwhile")
        events.close()
        assert events.listeners == 1
    events.fault("index", "after")
    assert [each.data["message"] if each else None for each in heard] == ["meanwhile", None]
    assert events.closed
    assert events.listeners == 0


# -- who may see what ------------------------------------------------------------------------


def test_a_group_gets_changes_of_its_own_pages_alone(memory: Memory) -> None:
    memory.events.fault("index", "MEMORY.md is broken")
    memory.events.retained("memory/2026-03-03.md", "main", [("k3f9", "- W @Ina: Sails.")])
    memory.events.changed(["MEMORY.md", "bank/world.md"], "hippod")
    memory.events.changed(["MEMORY.md", "context/boats.md", "projects/a.md"], "other")
    memory.events.publish("heartbeat.alert", {"title": "The rent is due"})
    (only,) = listed(memory, scope="group")
    assert (only["id"], only["type"], only["by"]) == (4, "pages.changed", "other")
    assert (only["paths"], only["count"]) == (["context/boats.md", "projects/a.md"], 2)
    assert only.keys() == {"id", "time", "type", "by", "paths", "count"}
    assert listed(memory, scope="group", after=0) == [only]
    assert listed(memory, scope="group", types="fault") == []
    assert listed(memory, scope="group", types="fault", after=0) == []


def test_a_group_misses_none_of_its_pages_among_many(memory: Memory) -> None:
    memory.events.changed(
        [f"bank/{n}.md" for n in range(200)] + [f"context/{n}.md" for n in range(60)], "other"
    )
    (seen,) = listed(memory, scope="group")
    assert seen["count"] == 60
    assert all(path.startswith("context/") for path in seen["paths"])
    assert len(seen["paths"]) == bus.MOST_PATHS
    (all_,) = listed(memory)
    assert all_["count"] == 260
    assert "group" not in all_


def test_a_group_is_not_told_how_many_pages_it_may_not_see(memory: Memory) -> None:
    memory.events.may_tell = lambda text: "secret" not in text
    memory.events.changed(["context/boats.md", "context/secret.md", "MEMORY.md"], "other")
    memory.events.changed([f"context/{n}.md" for n in range(60)] + ["context/secret.md"], "other")
    few, many = listed(memory, scope="group")
    assert (few["paths"], few["count"]) == (["context/boats.md"], 1)
    assert many["count"] == 60


# -- forgetting ------------------------------------------------------------------------------


def test_forgetting_drops_the_events_that_say_it(memory: Memory) -> None:
    bullet = 'W @Ina: Calls the green dinghy "Otter" at Léon\'s pier.'
    stored = memory.retain(wire.RetainRequest(facts=(bullet, "W @Ina: Likes oats.")))
    memory.events.publish("heartbeat.alert", {"title": "x", "text": f"Look:\n- {bullet[3:]}"})
    memory.events.fault("index", "the disk is full")
    assert [each["type"] for each in listed(memory)][-3:] == [
        "facts.retained", "heartbeat.alert", "fault"
    ]  # fmt: skip
    done = memory.forget(wire_bank.ForgetRequest(id=stored.stored[0].id, dry_run=False))
    assert done.kept["event"] == 2
    left = listed(memory, after=0)
    assert "Otter" not in str(left)
    assert [each["type"] for each in left] == ["fault", "pages.changed"]
    assert left[-1]["paths"] == ["memory/2026-03-03.md"]


def test_what_is_forgotten_meanwhile_does_not_reach_a_slow_reader(memory: Memory) -> None:
    ids = [
        memory.retain(wire.RetainRequest(facts=(f"W @Ina: Keeps {what}.",))).stored[0].id
        for what in ("oats", "ferrets", "rye")
    ]
    received: list[bytes] = []

    async def send(message: Any) -> None:
        received.append(message.get("body", b""))
        if b"oats" in received[-1]:
            request = wire_bank.ForgetRequest(id=ids[1], dry_run=False)
            await to_thread.run_sync(memory.forget, request)
            memory.events.close()
            await asyncio.sleep(event_routes.STALE_SECONDS * 1.1)

    asyncio.run(followed(memory, send))
    assert b"rye" in b"".join(received)
    assert b"ferrets" not in b"".join(received)


async def followed(memory: Memory, send: Callable[[Any], Awaitable[None]]) -> None:
    """Ask for all events as a stream, and send its pieces, until it ends."""
    asked = [{"type": "http.request", "body": b"", "more_body": False}]

    async def receive() -> dict[str, Any]:
        if not asked:
            await asyncio.Event().wait()  # the client stays
        return asked.pop()

    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET",
        "path": "/v1/events", "raw_path": b"/v1/events", "root_path": "", "scheme": "http",
        "query_string": b"after=0&types=facts.retained", "headers": [(b"host", b"localhost")],
    }  # fmt: skip
    await build(memory, 1_000)(scope, receive, send)


def test_a_tombstone_of_elsewhere_keeps_what_it_forgets_from_being_told(memory: Memory) -> None:
    fact = "W @Ina: Calls the green dinghy Otter."
    stored = memory.retain(wire.RetainRequest(facts=(fact,))).stored[0]
    told = listed(memory, after=0)
    memory.forget(wire_bank.ForgetRequest(id=stored.id, dry_run=False))
    memory.events.retained(stored.path, "api", [(stored.id, stored.bullet)])  # as from a backup
    assert stored.bullet in str(told)
    assert "Otter" not in str(listed(memory, after=0))
    assert "Otter" not in str(listed(memory))


def test_the_page_of_somebody_forgotten_is_counted_and_not_named(memory: Memory) -> None:
    memory.write("memory/2026-03-02.md", "## Retain\n- W @Ina-Lund: Keeps ferrets in Riga.\n")
    memory.write("bank/entities/Ina-Lund.md", "# Ina Lund\n\nIna Lund keeps ferrets.\n")
    assert "Lund" in str(listed(memory, after=0))
    memory.forget(wire_bank.ForgetRequest(text="Ina Lund", dry_run=False, every=True))
    memory.events.changed(["bank/entities/Ina-Lund.md"], "other")  # by the watcher, behind it
    told = listed(memory, after=0)
    assert "Lund" not in str(told)
    assert [(each["paths"], each["count"]) for each in told[-2:]] == [
        (["memory/2026-03-02.md"], 2), ([], 1)
    ]  # fmt: skip


# -- who publishes ---------------------------------------------------------------------------


def test_facts_that_a_client_states_are_told_with_their_ids(memory: Memory) -> None:
    stored = memory.retain(wire.RetainRequest(facts=("W @Ina: Sails.", "W @Ina: Rows.")))
    told = listed(memory, types="facts.retained")
    assert [(each["path"], each["source"], each["count"]) for each in told] == [
        ("memory/2026-03-03.md", "api", 2)
    ]
    assert told[0]["facts"] == [{"id": f.id, "bullet": f.bullet} for f in stored.stored]
    memory.retain(wire.RetainRequest(facts=("W @Ina: Sails.",)))  # stands already
    assert len(listed(memory, types="facts.retained")) == 1


def test_facts_out_of_messages_are_told(memory: Memory) -> None:
    message = wire.Message(role="user", content="Remember that the boat key hangs behind the door.")
    request = wire.RetainRequest(messages=(message,), session="harbour", flush=True, wait=True)
    stored = memory.retain(request).stored
    (told,) = listed(memory, types="facts.retained")
    assert stored
    assert [fact["id"] for fact in told["facts"]] == [fact.id for fact in stored]


def test_a_transcript_that_is_not_understood_is_a_fault_until_it_is(
    state: State, tmp_path: Path
) -> None:
    root = tmp_path / "workspace"
    config = load(None, {"HIPPOD_WORKSPACE__PATH": str(root), "HIPPOD_WORKSPACE__TIMEZONE": "UTC"})
    (root / "sessions").mkdir(parents=True)
    workspace = Workspace(root, state, layout=config.workspace.layout)
    retainer = Retainer(config, workspace, state, None, list, Clock())
    file = SourceFile("main", root / "sessions" / "talk.jsonl")
    for count in (20, 40):
        file.path.write_text('{"shape": "unheard of"}\n' * count)
        retainer.process(file)
    (fault,) = kept(state)
    assert fault["what"] == f"source main: {file.path}"
    assert "unheard of" not in str(fault)
    said = {"role": "user", "content": "Good morning.", "timestamp": "2026-03-03T09:00:00Z"}
    file.path.write_text(f"{json.dumps(said)}\n" * 3)
    retainer.process(file)
    assert [each["over"] for each in kept(state)] == [False, True]


def test_a_look_at_all_files_tells_what_it_found(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "workspace" / "boats.md").write_text("# Boats\n")
    memory.reindex()
    memory.reindex()
    (told,) = listed(memory)
    assert (told["paths"], told["count"], told["by"]) == (["boats.md"], 1, "other")
    memory.reindex(full=True)
    assert listed(memory)[-1]["by"] == "reindex"


# -- the stream as bytes ---------------------------------------------------------------------


@given(
    parts=st.lists(st.binary(min_size=1, max_size=40), max_size=8),
    cuts=st.lists(st.integers(1, 30), max_size=60),
)
def test_a_chunked_body_is_read_however_it_is_cut(parts: list[bytes], cuts: list[int]) -> None:
    body = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"
    assert b"".join(unchunked(pieces(body, cuts))) == b"".join(parts)


@given(
    told=st.lists(st.text(st.characters(exclude_characters="\r\n", codec="utf-8"), min_size=1)),
    cuts=st.lists(st.integers(1, 30), max_size=60),
)
def test_events_are_read_however_their_stream_is_cut(told: list[str], cuts: list[int]) -> None:
    body = ": hello\n\n" + "".join(f"event: fault\ndata: {text}\nid: 7\n\n: x\n\n" for text in told)
    assert list(payloads(pieces(body.encode(), cuts))) == told


def pieces(body: bytes, cuts: list[int]) -> Iterator[bytes]:
    for size in cuts:
        yield body[:size]
        body = body[size:]
    yield body


def test_an_event_that_broke_off_is_none() -> None:
    assert list(payloads([b"data: 1\n\ndata: 2\n"])) == ["1"]
    assert list(payloads([b"data: 1\r\ndata: 2\r\n\r\n"])) == ["1\n2"]


@pytest.mark.parametrize("body", [b"\r\n\r\n", b"zz\r\nabc\r\n", b"-1\r\n", b"1_0\r\n"])
def test_what_are_no_chunks_is_refused(body: bytes) -> None:
    with pytest.raises(ValueError, match=r"no size|invalid literal"):
        list(unchunked([body]))


def test_a_line_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hippod.event_stream.MAX_LINE", 1_000)
    for read in (payloads, unchunked):
        with pytest.raises(ValueError, match="without end"):
            list(read(b"a" * 100 for _ in range(50)))
    with pytest.raises(ValueError, match="an event without end"):
        list(payloads(b"data: lines without end\n" for _ in range(100)))
    assert len(list(payloads(b"data: an event\n\n" for _ in range(200)))) == 200
