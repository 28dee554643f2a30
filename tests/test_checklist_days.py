"""Reminders of all verbs, what is settled or said twice, and questions with two halves."""

from datetime import UTC, date, datetime

import pytest

from hippod.checklist import dates, reading
from hippod.checklist.verdict import Evidence

# --- reminders with a day of their own --------------------------------------------------------

NOW = datetime(2026, 11, 30, 11, tzinfo=UTC)
"""A Monday."""


@pytest.mark.parametrize(
    ("item", "told"),
    [
        ("Send the minutes by Friday", "told on 2026-12-02"),
        ("Pay the carpenter by Wednesday", "2026-12-02: "),
        ("Do the accounts by Friday", "told on 2026-12-02"),
        ("Iron the tablecloth on Thursday", "told on 2026-12-03"),
        ("On Dec 1: fetch the goose", "told on 2026-12-01"),
        ("Nov 30: fetch the goose", "2026-11-30 (today): "),
        ("Every year on December 1: put up the star", "told on 2026-12-01"),
        ("Every first of the month: pay the nursery", "told on 2026-12-01"),
        ("Jeden Ersten des Monats: Kita bezahlen", "told on 2026-12-01"),
        ("Feed the hens every day", "2026-11-30 (today): "),
        ("Täglich die Hühner füttern", "2026-11-30 (today): "),
        ("Jeden Werktag die Post holen", "2026-11-30 (today): "),
        ("Vom 29.11. bis 3.12.: Hühner füttern", "2026-12-03: "),
        ("29.11.-03.12. Hühner füttern", "2026-12-03: "),
        ("From Dec 1 to Dec 4: feed the hens", "told on 2026-12-01"),
    ],
)
def test_an_item_with_a_day_is_told_on_it_whatever_its_verb(item: str, told: str) -> None:
    found = reading.read(f"- [ ] {item}\n", ()).items
    verdict = dates.judge(item, [], NOW)
    assert [each.kind for each in found] == ["question"]
    assert verdict is not None
    assert told in verdict.reason


def test_what_is_to_be_done_on_workdays_waits_for_monday() -> None:
    saturday = datetime(2026, 12, 5, 9, tzinfo=UTC)
    verdict = dates.judge("Fetch the post every weekday", [], saturday)
    assert verdict is not None
    assert verdict.reason == "It will be told on 2026-12-07."


@pytest.mark.parametrize(
    ("item", "why"),
    [
        ("Send the minutes tomorrow", "'tomorrow' counts; write the date"),
        ("In 3 days: pay the carpenter", "'In 3 days' counts; write the date"),
        ("12/01/2026 fetch the goose", "write the date as 2026-12-01"),
        ("Every 2 weeks: empty the ash pan", "nothing tells on which days 'Every 2 weeks' falls"),
        ("Alle zwei Wochen Asche leeren", "nothing tells on which days 'Alle zwei Wochen' falls"),
        ("Every other Tuesday: empty the ash pan", "write the next date"),
        ("Feed the hens every day except Sunday", "write the next date"),
    ],
)
def test_of_an_item_whose_day_cannot_be_told_it_is_said_what_to_write(item: str, why: str) -> None:
    found = reading.read(f"- [ ] {item}\n", ()).items
    verdict = dates.judge(item, [], NOW)
    assert [each.kind for each in found] == ["question"]
    assert verdict is not None
    assert (verdict.state, why in verdict.reason) == ("not judged", True)


@pytest.mark.parametrize(
    "item",
    [
        "Write a poem every morning",
        "Draft the daily report",
        "Summarize Monday's talks",
        "If a parcel comes by Friday, order more tape",
    ],
)
def test_work_without_a_day_of_its_own_stays_with_the_agent(item: str) -> None:
    assert [each.kind for each in reading.read(f"- {item}\n", ()).items] == ["agent"]


def test_work_below_a_heading_for_it_stays_with_the_agent() -> None:
    text = "## Proactive work\n\n- [ ] Send the minutes by Friday\n"
    assert [each.kind for each in reading.read(text, ()).items] == ["agent"]


# --- what is done, and said twice -------------------------------------------------------------

DUE = "What is due in the next 7 days?"


def told(*said: tuple[str, str], question: str = DUE) -> str:
    """Judge what was said on days of November 2026, by day and text."""
    evidence = [
        dates.dated(Evidence(f"memory/2026-11-{day}.md#L{line}", text, date(2026, 11, int(day))))
        for line, (day, text) in enumerate(said, 3)
    ]
    verdict = dates.judge(question, evidence, NOW)
    assert verdict is not None
    return verdict.reason if verdict.state == "attention" else verdict.state


@pytest.mark.parametrize(
    ("due", "done"),
    [
        ("The rent is due on 2026-12-03.", "The rent (for December) is paid."),
        ("Die Gasrechnung ist am 3.12. fällig.", "Die Gasrechnung ist bezahlt."),
        ("The phone bill is due on 2026-12-02.", "User: I paid the phone bill today."),
        ("Invoice 2026-31 to Brenner is due on 2026-12-02.", "Brenner paid the invoice 2026-31."),
        ("The parcel must be picked up by 2026-12-02.", "[10:00:23] I picked up the parcel."),
    ],
)
@pytest.mark.parametrize("day", ["28", "29"])
def test_what_is_done_is_due_no_more(due: str, done: str, day: str) -> None:
    assert told(("28", due), (day, done)) == "fine"


@pytest.mark.parametrize(
    ("due", "done"),
    [
        ("The rent for January is due on 2026-12-03.", "The rent for December is paid."),
        ("The rent is due on 2026-12-03.", "The rent for November is paid."),
        ("The gas bill is due on 2026-12-02.", "I paid the phone bill today."),
        ("Invoice 2026-32 to Brenner is due on 2026-12-02.", "Brenner paid the invoice 2026-31."),
        ("The parcel must be picked up by 2026-12-02.", "The parcel will be picked up soon."),
        ("The fee is due every Wednesday.", "[09:00:00] The fee of Wednesday is paid."),
    ],
)
def test_another_bill_stays_due(due: str, done: str) -> None:
    assert due in told(("24", due), ("25", done))


@pytest.mark.parametrize(
    ("note", "fact", "shown"),
    [
        ("The rent is due on Thursday", "User: The rent is due on Thursday (2026-12-03)", "The r"),
        ("The fee is due on 3 December", "Clara: The fee is due on 3 December (2026-12-03)", "The"),
    ],
)
def test_a_note_and_its_fact_are_one_thing(note: str, fact: str, shown: str) -> None:
    found = told(("28", f"[09:00:00] {note}"), ("28", fact))
    assert ";" not in found
    assert found.startswith(f"2026-12-03: {shown}")


def test_the_same_of_two_people_is_two_things() -> None:
    said = [("28", f"{name}: Dentist on 2026-12-03.") for name in ("Clara", "Tom")]
    assert told(*said, question="Any appointments this week?").count("Dentist") == 2


# --- what ends, or can be ended ---------------------------------------------------------------


@pytest.mark.parametrize(
    "question",
    [
        "Kann ich in den nächsten zwei Wochen einen Vertrag kündigen?",
        "Läuft in den nächsten zwei Wochen ein Vertrag ab oder kann ich einen kündigen?",
        "Does a contract expire or can one be cancelled in the next two weeks?",
    ],
)
@pytest.mark.parametrize(
    "known",
    [
        "The gas contract can be cancelled until 2026-12-05.",
        "Der Gasvertrag ist kündbar bis 2026-12-05.",
        "The gas contract expires on 2026-12-05.",
    ],
)
def test_either_half_of_a_question_finds_its_days(question: str, known: str) -> None:
    assert known in told(("20", known), question=question)
    assert told(("20", "The phone bill is due on 2026-12-05."), question=question) == "fine"
