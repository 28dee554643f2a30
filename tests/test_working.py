"""The working memory of sessions: its verbs, limits and end, and that it goes nowhere else."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Thread

import pytest
from pydantic import ValidationError

from hippod import wire
from hippod.config import Working as Limits
from hippod.errors import InvalidInput, TooLarge
from hippod.state import State
from hippod.wire_bank import ForgetRequest
from hippod.working import WorkingMemories
from tests.test_cases_bank import House


class Kept:
    """Working memories over a state, on a clock of its own."""

    def __init__(self, path: Path, **limits: float) -> None:
        self.now = datetime(2026, 3, 3, 12, tzinfo=UTC)
        self.path = path
        self.limits = Limits.model_validate(limits)
        self.open()

    def open(self) -> None:
        self.state = State(self.path, clock=lambda: self.now)
        self.working = WorkingMemories(self.limits, self.state, lambda: self.now)

    def text(self, session: str = "s", scope: str = "main") -> str | None:
        found = self.working.get(session, scope)  # type: ignore[arg-type]
        return found.content if found else None


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Kept]:
    kept = Kept(tmp_path / "state.sqlite", max_bytes=1000, ttl=3600)
    yield kept
    kept.state.close()


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    house = House(tmp_path / "w").start()
    yield house
    house.stop()


# -- verbs -----------------------------------------------------------------------------------


def test_set_get_append_and_clear(kept: Kept) -> None:
    assert kept.text() is None
    kept.working.append("s", "first")
    kept.working.append("s", "second\n")
    kept.working.append("s", "third")
    assert kept.text() == "first\nsecond\nthird"
    assert kept.working.set("s", "anew").content == "anew"
    assert kept.text() == "anew"
    assert kept.text("other") is None
    assert kept.working.clear("s")
    assert not kept.working.clear("s")
    assert kept.text() is None


def test_each_scope_has_its_own(kept: Kept) -> None:
    kept.working.set("s", "mine")
    kept.working.set("s", "ours", "group")
    assert (kept.text(), kept.text(scope="group")) == ("mine", "ours")
    kept.working.clear("s", "group")
    assert (kept.text(), kept.text(scope="group")) == ("mine", None)


def test_it_is_never_larger_than_the_limit_and_what_stood_there_stays(kept: Kept) -> None:
    kept.working.set("s", "ä" * 500)
    for write in (kept.working.append, kept.working.set):
        with pytest.raises(TooLarge, match=r"100[1-9] bytes, at most 1000"):
            write("s", "x" * (1001 if write == kept.working.set else 1))
    assert kept.text() == "ä" * 500


@pytest.mark.parametrize(
    "session", ["agent:main:main", "a/b/../c", "häuser 🏠", "x" * 200, "%2F?#"]
)
def test_any_text_names_a_session(kept: Kept, session: str) -> None:
    kept.working.set(session, "x")
    assert kept.text(session) == "x"


@pytest.mark.parametrize("session", ["", "  ", "x" * 201, "a\nb", "a\x00", "a\x7f", "\x85"])
def test_what_cannot_name_a_session_is_refused(kept: Kept, session: str) -> None:
    for ask in (kept.working.get, kept.working.clear):
        with pytest.raises(InvalidInput, match=r"^session: "):
            ask(session)
    with pytest.raises(InvalidInput):
        kept.working.append(session, "x")


def test_appends_at_once_lose_nothing(kept: Kept) -> None:
    def write(name: int) -> None:
        for number in range(10):
            kept.working.append("s", f"{name}.{number}")

    threads = [Thread(target=write, args=(name,)) for name in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lines = (kept.text() or "").split("\n")
    assert sorted(lines) == sorted(f"{name}.{number}" for name in range(8) for number in range(10))


# -- its end ---------------------------------------------------------------------------------


def test_it_is_gone_when_its_time_is_over_swept_or_not(kept: Kept) -> None:
    kept.working.set("s", "old")
    kept.now += timedelta(minutes=59)
    assert kept.text() == "old"
    kept.now += timedelta(minutes=1)
    assert kept.text() is None
    kept.working.append("s", "new")
    assert kept.text() == "new"


def test_each_write_gives_it_its_whole_time_again(kept: Kept) -> None:
    kept.working.set("s", "a")
    for _ in range(3):
        kept.now += timedelta(minutes=50)
        kept.working.append("s", "b")
    assert kept.text() == "a\nb\nb\nb"


def test_a_clock_that_goes_back_drops_nothing(kept: Kept) -> None:
    kept.working.set("s", "a")
    kept.now -= timedelta(days=3)
    assert kept.text() == "a"


def test_it_survives_a_restart(kept: Kept) -> None:
    kept.working.set("s", "a")
    kept.state.close()
    kept.open()
    assert kept.text() == "a"


def test_the_end_of_a_session_clears_it_for_every_scope_flushing_does_not(house: House) -> None:
    memory = house.memory
    memory.set_working("talk", "plan")
    memory.set_working("talk", "ours", "group")
    memory.set_working("other", "stays")
    memory.retain(wire.RetainRequest(session="talk", flush=True))
    assert memory.get_working("talk").content == "plan"
    memory.retain(wire.RetainRequest(session="talk", ended=True))
    assert memory.get_working("talk").content == ""
    assert memory.get_working("talk", "group").content == ""
    assert memory.get_working("other").content == "stays"
    with pytest.raises(InvalidInput, match="no session is named"):
        memory.retain(wire.RetainRequest(ended=True))


def test_an_ended_session_is_extracted_at_once(house: House) -> None:
    waits: list[float] = []
    house.retainer.waiting = lambda _file, seconds: waits.append(seconds)
    message = wire.Message(role="user", content="We decided to sell the dinghy.")
    house.memory.retain(wire.RetainRequest(messages=(message,), session="talk", ended=True))
    assert waits == [0.0]


@pytest.mark.parametrize("how", ["reset", "deleted"])
def test_a_transcript_that_was_reset_ends_its_session(house: House, how: str) -> None:
    head = {"type": "session", "version": 3, "id": "5e55-10", "timestamp": "2026-04-20T09:00:00Z"}
    said = {"role": "user", "content": [{"type": "text", "text": "We decided to sell the dinghy."}]}
    entry = {"type": "message", "id": "e1", "parentId": None, "timestamp": head["timestamp"]}
    text = "".join(json.dumps(each) + "\n" for each in (head, {**entry, "message": said}))
    live = house.put("sessions/5e55-10.jsonl", text)
    house.memory.set_working("5e55-10", "plan")
    house.memory.set_working("5e55-11", "the next one's")
    house.retain()
    assert house.memory.get_working("5e55-10").content == "plan"
    live.rename(live.with_name(f"5e55-10.jsonl.{how}.2026-04-20T11-00-00.000Z"))
    house.retain()
    assert house.memory.get_working("5e55-10").content == ""
    assert house.memory.get_working("5e55-11").content == "the next one's"


# -- it goes nowhere else --------------------------------------------------------------------


def test_it_is_in_no_document_no_index_and_no_journal(house: House) -> None:
    house.memory.set_working("talk", "We decided to paint the boathouse turquoise.")
    house.memory.append_working("talk", "- W @Runa: Paints the boathouse turquoise.")
    house.retain()
    house.look()
    house.reflect()
    assert house.found("turquoise boathouse") == []
    assert not any(b"turquoise" in text for text in house.markdown().values())
    assert house.memory.log(wire.LogRequest()).entries == ()


def test_forgetting_cuts_it_out_and_leaves_the_rest(house: House) -> None:
    house.log("2026-04-19", "W @Runa: Keeps the spare key under the heron. ^aaaa000001")
    house.look()
    secret = "Runa keeps the spare key under the heron."
    house.memory.set_working("talk", f"Buy rope.\n\n{secret}\n\nCall the harbour.")
    house.memory.set_working("only", secret)
    done = house.memory.forget(ForgetRequest(id="aaaa000001", dry_run=False))
    assert done.kept["working"] == 2
    left = house.memory.get_working("talk").content
    assert "heron" not in left
    assert "Buy rope." in left
    assert "Call the harbour." in left
    assert house.memory.get_working("only").updated is None
    assert b"heron" not in (house.root / ".memory/state.sqlite").read_bytes()


def test_the_answer_says_how_much_is_kept_and_until_when(house: House) -> None:
    kept = house.memory.set_working("talk", "ä")
    assert (kept.bytes, kept.max_bytes) == (2, house.config.working.max_bytes)
    assert kept.updated == "2026-04-20T12:00:00+00:00"
    assert kept.expires == "2026-04-27T12:00:00+00:00"
    nothing = house.memory.get_working("nobody")
    assert (nothing.content, nothing.bytes, nothing.updated) == ("", 0, None)


def test_limits_that_make_no_sense_are_refused() -> None:
    for wrong in ({"ttl": 0}, {"max_bytes": 1}):
        with pytest.raises(ValidationError):
            Limits.model_validate(wrong)
