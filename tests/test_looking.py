"""What counts as evidence about an item, and what never does."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from hippod import examining, wire
from hippod.checklist import dates
from hippod.errors import IndexUnavailable
from hippod.looking import Found, Looking, Sources
from hippod.remembered import Remembered
from hippod.wire_bank import ForgetRequest
from tests.beating import House


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    made = House(tmp_path / "w", monkeypatch).start()
    yield made
    made.stop()


def find(house: House, question: str) -> Found:
    sources = house.heartbeat._sources
    return Looking(sources, house.now).find(question)


def said(found: Found) -> dict[str, str]:
    return {each.source: each.text for each in found.statements}


def test_lines_of_a_document_speak_below_their_heading(house: House) -> None:
    house.write(
        "projects/mill.md",
        "# Mill\n\n## Wheel\n\n- [ ] The wheel of the mill was\n  oiled in April.\n"
        "1. The wheel squeaks.\n\nThe mill is old.\n",
    )
    found = find(house, "Does the wheel of the mill squeak?")
    assert said(found) == {
        "projects/mill.md#L5": "Wheel: The wheel of the mill was oiled in April.",
        "projects/mill.md#L7": "Wheel: The wheel squeaks.",
        "projects/mill.md#L9": "Wheel: The mill is old.",
    }
    assert [each.source for each in found.texts] == ["projects/mill.md#L1"]


def test_an_anchor_for_relative_days_is_only_where_the_day_is_known(house: House) -> None:
    house.write("projects/mill.md", "The mill wheel squeaks.\n")
    house.write("memory/2026-05-02.md", "# Daily Log - 2026-05-02\n\n[09:00:00] Mill wheel oiled\n")
    days = {each.source: each.day for each in find(house, "the mill wheel").statements}
    assert days == {
        "projects/mill.md#L1": None,
        "memory/2026-05-02.md#L3": date(2026, 5, 2),
    }


def test_of_a_log_only_the_lines_that_fit_are_read(house: House) -> None:
    house.write(
        "memory/2026-05-02.md",
        "# Daily Log - 2026-05-02\n\n[09:00:00] The mill wheel squeaks\n[09:10:00] Bought bread\n"
        "[10:00:00] Heartbeat: the mill wheel squeaks (projects/mill.md#L1) ^abcd123456\n",
    )
    texts = find(house, "Does the mill wheel squeak?").texts
    assert [each.text for each in texts] == ["[09:00:00] The mill wheel squeaks"]


def test_what_says_facts_again_is_no_evidence_beside_them(house: House) -> None:
    house.remember("2026-05-01", "W @Mill: The wheel of the mill squeaks. ^aaaa111111")
    house.remember(
        "2026-05-02",
        "S @Mill: The wheel of the mill squeaks. [[2026-05-01#^aaaa111111]]"
        " (reflect/2026-05-01#Mill) ^bbbb111111",
    )
    house.write(
        "bank/entities/Mill.md",
        "---\nentity: Mill\n---\n# Mill\n\n"
        "- The wheel of the mill squeaks. [[2026-05-01#^aaaa111111]]\n\nThe mill wheel is mine.\n",
    )
    found = find(house, "Does the mill wheel squeak?")
    assert {each.source for each in found.statements} == {
        "memory/2026-05-01.md#L4",
        "bank/entities/Mill.md#L8",
    }
    assert not any("[[" in each.text for each in found.texts)


def test_what_has_little_to_do_with_it_is_left_out(house: House) -> None:
    house.remember(
        "2026-05-01",
        "W @Mill: The wheel of the mill squeaks. ^aaaa111111",
        "W @Mill: The roof of the mill is new. ^aaaa111112",
        "W @Runa: Plays chess on Sundays. ^aaaa111113",
    )
    texts = [each.text for each in find(house, "Does the mill wheel squeak at night?").texts]
    assert "The wheel of the mill squeaks." in texts
    assert "Plays chess on Sundays." not in texts


def test_a_fact_that_recall_found_in_its_repetition_alone_is_cited_itself(house: House) -> None:
    house.remember("2026-05-01", "W @Mill: The wheel of the mill squeaks. ^aaaa111111")
    house.remember(
        "2026-05-02",
        "S @Mill: The wheel of the mill squeaks. [[2026-05-01#^aaaa111111]]"
        " (reflect/2026-05-01#Mill) ^bbbb111111",
    )
    [text] = find(house, "Does the mill wheel squeak?").texts
    assert (text.source, text.text) == (
        "memory/2026-05-01.md#L4",
        "The wheel of the mill squeaks.",
    )


def test_superseded_facts_do_not_answer_and_logs_that_cannot_be_read_are_named(
    house: House,
) -> None:
    house.remember("2026-05-01", "W @Mill: The mill tax is due on 2026-05-06. ^aaaa111111")
    house.write("memory/2026-05-02.md", "<<<<<<< a\n- x\n=======\n- y\n>>>>>>> b\n")
    sources = house.heartbeat._sources
    empty = house.memory.recall(wire.RecallRequest(query="nothing of that"))
    marked = Sources(lambda _request: empty, sources.book, sources.load, lambda ids: set(ids))
    looking = Looking(marked, house.now)
    assert looking.find("Is any tax due this week?") == Found()
    assert looking.unread == [
        "memory/2026-05-02.md: has git conflict marks: its facts were not looked at"
    ]


def test_a_search_that_failed_is_not_taken_for_no_evidence(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise IndexUnavailable("damaged")

    monkeypatch.setattr(house.parts.index, "view", fail)
    with pytest.raises(IndexUnavailable):
        find(house, "Does the mill wheel squeak?")


def test_a_document_that_went_meanwhile_is_no_evidence(house: House) -> None:
    house.write("projects/mill.md", "The mill wheel squeaks.\n")
    sources = house.heartbeat._sources
    gone = Sources(sources.recall, sources.book, lambda _path: None, sources.replaced)
    assert Looking(gone, house.now).find("the mill wheel") == Found()


def test_what_was_forgotten_is_no_evidence(house: House) -> None:
    house.remember("2026-05-01", "W @Mill: The wheel of the mill squeaks. ^aaaa111111")
    house.memory.forget(ForgetRequest(id="aaaa111111", dry_run=False))
    house.remember("2026-05-01", "W @Mill: The wheel of the mill squeaks. ^aaaa111111")
    assert Remembered(house.parts.workspace).tombstones()
    assert find(house, "Does the mill wheel squeak?") == Found()


def test_more_than_is_looked_at_is_never_called_fine(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    paid = [f"W @Mill: The invoice {number} was due on 2026-05-01, paid." for number in range(3)]
    house.remember("2026-05-02", *paid)
    house.checklist("- [ ] Are there overdue invoices?\n")
    assert [item.state for item in house.beat().items] == ["fine"]
    monkeypatch.setattr("hippod.looking._MOST_FACTS", 2)
    (item,) = house.beat().items
    assert (item.state, item.reason) == ("not judged", examining.TOO_MUCH)


def test_what_only_may_answer_does_not_displace_what_does(house: House) -> None:
    house.remember("2026-05-01", "W @Mill: The rent is due on 2026-05-06.")
    others = [f"W @Mill: Order {number} must be paid by 2026-05-06." for number in range(100)]
    house.remember("2026-05-03", *others)
    house.checklist("- [ ] Is the rent due this week?\n")
    (item,) = house.beat().items
    assert (item.state, item.evidence) == ("attention", ("memory/2026-05-01.md#L4",))


@pytest.mark.parametrize("name", ["CLAUDE.md", "GEMINI.md", "TOOLS.md", "AGENTS.md", "README.md"])
def test_what_instructs_agents_is_no_evidence_in_any_folder(house: House, name: str) -> None:
    house.write(f"projects/mill/{name}", "# Mill\n\nThe wheel of the mill squeaks.\n")
    assert said(find(house, "Does the wheel of the mill squeak?")) == {}


def test_what_is_ticked_off_in_a_document_stays_so(house: House) -> None:
    house.write("projects/mill.md", "# Mill\n\n- [x] Oil the wheel of the mill by 2026-05-05\n")
    found = find(house, "Is the oil for the wheel of the mill due this week?")
    assert list(said(found).values()) == ["Mill: [x] Oil the wheel of the mill by 2026-05-05"]


DUE = "What is due in the next 7 days?"


@pytest.mark.parametrize(
    ("due", "done"),
    [
        ("The rent is due on 2026-05-07.", "The rent is paid."),
        ("The phone bill is due on 2026-05-07.", "I paid the phone bill today."),
        ("Die Gasrechnung ist am 7.5. fällig.", "Die Gasrechnung ist bezahlt."),
    ],
)
@pytest.mark.parametrize("is_fact", [True, False], ids=["fact", "note"])
def test_what_tells_that_something_is_done_is_found(
    house: House, due: str, done: str, is_fact: bool
) -> None:
    house.remember("2026-05-02", f"W @User: {due} ^aaaa111111")
    assert judged(house, DUE) == "attention"
    if is_fact:
        house.remember("2026-05-03", f"W @User: {done} ^bbbb111111")
    else:
        log = f"# Daily Log - 2026-05-03\n\n[10:00:23] {done}\n"
        house.write("memory/2026-05-03.md", log)
    assert judged(house, DUE) == "fine"


def judged(house: House, question: str) -> str | None:
    verdict = dates.judge(question, find(house, question).statements, house.now)
    return verdict.state if verdict else None
