"""What is due, coming up, overdue or expiring, judged in code by the days that memory names."""

import time
from datetime import date, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hippod.checklist import dates, reminders
from hippod.checklist.verdict import Evidence, Verdict

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 4, 13, 10, 0, tzinfo=BERLIN)  # a Monday
SAID = date(2026, 4, 10)
DUE = "Anything due in the next 3 days?"


def said(*texts: str, day: date | None = SAID) -> list[Evidence]:
    return [Evidence(f"memory/2026-04-10.md#L{n}", text, day) for n, text in enumerate(texts, 1)]


def state(question: str, *texts: str, day: date | None = SAID, now: datetime = NOW) -> str | None:
    verdict = dates.judge(question, said(*texts, day=day), now)
    return verdict.state if verdict else None


def told(question: str, *texts: str) -> list[str]:
    """Return the texts that a verdict cites."""
    evidence = said(*texts)
    verdict = dates.judge(question, evidence, NOW)
    assert verdict is not None
    return [next(each.text for each in evidence if each.source == s) for s in verdict.evidence]


@pytest.mark.parametrize(
    ("question", "first", "last"),
    [
        (DUE, "2026-04-13", "2026-04-16"),
        ("Anything due?", "2026-04-13", "2026-04-20"),
        ("Appointments today?", "2026-04-13", "2026-04-13"),
        ("Any appointments tomorrow", "2026-04-14", "2026-04-14"),
        ("Birthdays this week", "2026-04-13", "2026-04-19"),
        ("Birthdays next week?", "2026-04-20", "2026-04-26"),
        ("Meetings this weekend?", "2026-04-18", "2026-04-19"),
        ("Deadlines within two weeks", "2026-04-13", "2026-04-27"),
        ("Events in the next 24 h", "2026-04-13", "2026-04-14"),
        ("Events in the next 24-48h", "2026-04-13", "2026-04-15"),
        ("Deadlines (48h)", "2026-04-13", "2026-04-15"),
        ("Anything due by Friday?", "2026-04-13", "2026-04-17"),
        ("Anything due before 2026-05-01?", "2026-04-13", "2026-04-30"),
        ("What is due this month?", "2026-04-13", "2026-04-30"),
        ("Anything due today or tomorrow?", "2026-04-13", "2026-04-14"),
        ("Is the passport about to expire?", "2026-04-13", "2026-05-13"),
        ("Overdue invoices?", "2025-04-12", "2026-04-12"),
        ("Anything overdue or due in the next 2 days?", "2025-04-12", "2026-04-15"),
        ("Termine morgen?", "2026-04-14", "2026-04-14"),
        ("Was steht diese Woche an?", "2026-04-13", "2026-04-19"),
        ("Fristen in den nächsten 5 Tagen?", "2026-04-13", "2026-04-18"),
        ("Geburtstage nächste Woche?", "2026-04-20", "2026-04-26"),
        ("¿Hay citas en los próximos 3 días?", "2026-04-13", "2026-04-16"),
        ("Des rendez-vous dans les 3 prochains jours ?", "2026-04-13", "2026-04-16"),
    ],
)
def test_horizons(question: str, first: str, last: str) -> None:
    found = dates.horizon(question, NOW)
    assert found == (date.fromisoformat(first), date.fromisoformat(last))


@pytest.mark.parametrize(
    "question",
    [
        "",
        "Look at the backlog.",
        "Any urgent messages this week?",
        "Did the backup run in the last 24 hours?",
        "Is the server healthy today?",
        "Will it rain tomorrow?",
        "What happened yesterday?",
        "Anything urgent coming up?",
        "Invoices over 500 EUR due this week?",
        "Are there conflicting appointments tomorrow?",
        "Check the inbox and anything due this week",
        "Is the balance below 500 EUR?",
        "Gibt es ungelesene Nachrichten von heute?",
    ],
)
def test_what_time_alone_does_not_answer_is_left_alone(question: str) -> None:
    assert dates.horizon(question, NOW) is None
    assert dates.judge(question, said("Rent is due on 2026-04-14"), NOW) is None


@pytest.mark.parametrize(
    ("question", "words"),
    [
        (DUE, ("due",)),
        ("Is the passport about to expire?", ("passport", "expire")),
        ("Overdue invoices of Acme in the next two weeks", ("Overdue", "invoices", "Acme")),
        ("Ist die Rechnung von Weber heute fällig?", ("Rechnung", "Weber", "fällig")),
    ],
)
def test_terms(question: str, words: tuple[str, ...]) -> None:
    assert dates.terms(question) == words


@pytest.mark.parametrize(
    "text",
    [
        "Rent is due on 2026-04-15",
        "Rent is due on 15 April",
        "Rent is due on April 15th, 2026",
        "The rent must be paid by Wednesday (2026-04-15)",
        "Send the tax form by 14 April",
        "Library books are due today (2026-04-13)",
        "Miete ist am 15. April fällig",
        "Die Miete ist bis 15.4. zu zahlen",
        "Rent: 2026-04-15",
        "The deposit is paid, the rest is due on 2026-04-14",
        "The fee (not paid yet) is due on 2026-04-14",
        "Rent moved from 2026-04-01 to 2026-04-15",
        "Get the car inspection done by 2026-04-15",
        "The form has to be handed in by Wednesday (2026-04-15)",
        "Invoice of 2026-03-01, due 2026-04-14",
    ],
)
def test_what_is_due_is_told(text: str) -> None:
    assert state(DUE, text) == "attention"


@pytest.mark.parametrize(
    "text",
    [
        "Rent is due on 2026-04-17",
        "Rent is due on 2026-04-12",
        "Rent for 2026-04-15 is paid",
        "The dentist on 2026-04-15 was cancelled",
        "[x] Send the form by 2026-04-15",
        "Der Termin am 15. April entfällt",
        "Rent moved from 2026-04-15 to 2026-05-01",
        "Fixed the gate on 2026-04-13",
        "Anna's birthday is on 14 April",
        "Pay the rent",
        "Release planned for April 2026",
        "Lives in Berlin since 2026-04-14",
    ],
)
def test_what_is_not_due_is_fine(text: str) -> None:
    assert state(DUE, text) == "fine"


def test_nothing_known_is_fine() -> None:
    verdict = dates.judge(DUE, [], NOW)
    assert verdict == Verdict("fine", "Nothing that memory knows of falls from 2026-04-13 to "
                              "2026-04-16.")  # fmt: skip


def test_the_nearest_comes_first_and_five_are_named() -> None:
    texts = [f"Form {n} is due on 2026-04-{16 - n}" for n in range(4)]
    assert told(DUE, *texts) == texts[::-1]
    many = [f"Form {n} is due on 2026-04-15" for n in range(9)]
    verdict = dates.judge(DUE, said(*many), NOW)
    assert verdict is not None
    assert len(verdict.evidence) == 5
    assert verdict.reason.endswith("; and 4 more")


def test_the_reason_says_when() -> None:
    verdict = dates.judge(DUE, said("Rent is due on 2026-04-14"), NOW)
    assert verdict is not None
    assert verdict.reason == "2026-04-14 (tomorrow): Rent is due on 2026-04-14"
    assert verdict.evidence == ("memory/2026-04-10.md#L1",)


def test_superseded_evidence_never_counts() -> None:
    old = Evidence("a.md#L1", "Rent is due on 2026-04-14", SAID, superseded=True)
    assert dates.judge(DUE, [old], NOW) == dates.judge(DUE, [], NOW)


def test_the_days_that_the_caller_knows_count_where_the_text_names_none() -> None:
    given_day = Evidence("a.md#L1", "Pay the rent", SAID, date(2026, 4, 14), date(2026, 4, 14))
    verdict = dates.judge(DUE, [given_day], NOW)
    assert verdict is not None
    assert verdict.state == "attention"
    until = Evidence("a.md#L1", "Hand in the form", SAID, None, date(2026, 4, 15))
    assert dates.judge(DUE, [until], NOW).state == "attention"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "closing", ["Paid invoice 12", "Invoice 12 is paid", "Cancelled invoice 12"]
)
def test_what_was_done_later_is_not_due(closing: str) -> None:
    open_one = Evidence("a.md#L1", "Invoice 12 is due on 2026-04-14", date(2026, 4, 1))
    done = Evidence("b.md#L1", closing, date(2026, 4, 12))
    before = Evidence("b.md#L1", closing, date(2026, 3, 12))
    other = Evidence("b.md#L1", closing.replace("12", "13"), date(2026, 4, 12))
    assert dates.judge(DUE, [open_one, done], NOW).state == "fine"  # type: ignore[union-attr]
    assert dates.judge(DUE, [open_one, before], NOW).state == "attention"  # type: ignore[union-attr]
    assert dates.judge(DUE, [open_one, other], NOW).state == "attention"  # type: ignore[union-attr]


def test_what_was_moved_later_is_not_due() -> None:
    old = Evidence("a.md#L1", "Dentist on 2026-04-14 at 9:00", date(2026, 4, 1))
    new = Evidence("b.md#L1", "The dentist was moved to 2026-04-28", date(2026, 4, 9))
    assert dates.judge("Appointments tomorrow?", [old, new], NOW).state == "fine"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "said",
    [
        "User moved to Graz last week",
        "User: User moved to Graz last week (2026-04-06 to 2026-04-12)",
        "Kai moved to Graz today",
        "Kai moved house yesterday",
        "We moved into the new flat on Sunday",
        "The team moved offices last week",
        "We moved the sofa yesterday",
        "We extended the garden last week",
        "The servers were moved to Berlin yesterday",
        "Anna moved to Berlin for the conference last week",
        "The meeting was postponed last week",
        "Ich bin heute nach Graz gezogen",
        "Ich habe gestern meinen Schlüssel verlegt",
        "Die Firma wurde letzte Woche nach Graz verlegt",
        "Wir haben gestern den Schrank verschoben",
        "Je me suis déplacée à Graz la semaine dernière",
        "Me mudé a Graz la semana pasada",
        "Mudei-me para Graz na semana passada",
    ],
)
def test_who_moved_to_a_place_has_no_new_day(said: str) -> None:
    told = [Evidence("memory/a.md#L1", said, NOW.date())]
    for question in ("Anything due in the next 2 days?", "Anything overdue?"):
        verdict = dates.judge(question, told, NOW)
        assert verdict is not None
        assert verdict.state == "fine"


@pytest.mark.parametrize(
    "said",
    [
        "The meeting moved to tomorrow",
        "We moved the barbecue to tomorrow",
        "Dentist moved from 2026-04-03 to 2026-04-14",
        "Der Zahnarzt wurde gestern auf morgen verschoben",
        "La réunion a été déplacée au 14 avril",
        "La reunión fue aplazada a mañana",
    ],
)
def test_what_was_moved_to_a_day_is_of_that_day(said: str) -> None:
    told = [Evidence("memory/a.md#L1", said, NOW.date())]
    verdict = dates.judge("Anything due in the next 2 days?", told, NOW)
    assert verdict is not None
    assert verdict.state == "attention"


def test_last_months_rent_does_not_pay_this_months() -> None:
    due = Evidence("a.md#L1", "Rent is due on 2026-04-14", date(2026, 3, 1))
    paid = Evidence("b.md#L1", "Paid the rent", date(2026, 3, 14))
    assert dates.judge(DUE, [due, paid], NOW).state == "attention"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("question", "cited"),
    [
        ("Any appointments tomorrow?", ["Dentist tomorrow at 10:00"]),
        ("Birthdays this week?", ["Oma hat am 17. April Geburtstag", "Tom was born on 1980-04-18"]),
        ("Any deadlines this week?", ["Hand in the thesis by 16 April"]),
        ("Is the passport about to expire?", ["Passport valid until 05/2026"]),
        ("Flights this week?", ["Flight to Rome on 19 April at 07:10"]),
        ("Überfällige Rechnungen?", ["Die Stromrechnung war am 1. April fällig"]),
    ],
)
def test_each_question_finds_its_own(question: str, cited: list[str]) -> None:
    evidence = [
        Evidence("a#L1", "Dentist tomorrow at 10:00", date(2026, 4, 13)),
        Evidence("a#L2", "Oma hat am 17. April Geburtstag", date(2024, 1, 5)),
        Evidence("a#L3", "Tom was born on 1980-04-18", date(2024, 1, 5)),
        Evidence("a#L4", "Hand in the thesis by 16 April", date(2026, 3, 5)),
        Evidence("a#L5", "Passport valid until 05/2026", date(2020, 1, 5)),
        Evidence("a#L6", "Flight to Rome on 19 April at 07:10", date(2026, 2, 5)),
        Evidence("a#L7", "Die Stromrechnung war am 1. April fällig", date(2026, 4, 5)),
    ]
    if "passport" in question:
        question = "Is the passport about to expire in the next 2 months?"
    verdict = dates.judge(question, evidence, NOW)
    assert verdict is not None
    assert [e.text for e in evidence if e.source in verdict.evidence] == cited


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Invoice 7 was due on 2026-04-01", "attention"),
        ("Invoice 7 is due on 2026-05-01", "fine"),
        ("Invoice 7, due 2026-04-01, is paid", "fine"),
        ("Invoice 7 was sent on 2026-04-01", "fine"),
        ("Invoice 7 of 2026-03-01 is due on 2026-05-01", "fine"),
        ("Wrote invoice software on 2026-04-01", "fine"),
    ],
)
def test_overdue(text: str, expected: str) -> None:
    assert state("Are there overdue invoices?", text, day=date(2026, 3, 1)) == expected


def test_the_past_counts_only_where_it_is_asked_for() -> None:
    assert state("Invoices due this week?", "Invoice 7 was due on 2026-04-12") == "fine"


@pytest.mark.parametrize(
    ("birthday", "now", "expected"),
    [
        ("Anna's birthday is on 4 March", datetime(2026, 3, 3, 9, tzinfo=BERLIN), "attention"),
        ("Anna's birthday is on 4 March", datetime(2026, 3, 5, 9, tzinfo=BERLIN), "fine"),
        ("Anna was born on 1990-01-01", datetime(2026, 12, 31, 9, tzinfo=BERLIN), "attention"),
        ("Anna: born 29 February 1992", datetime(2027, 2, 27, 9, tzinfo=BERLIN), "attention"),
        ("Annas Geburtstag: 4. März", datetime(2027, 3, 4, 9, tzinfo=BERLIN), "attention"),
        ("Bought a present for Anna's birthday on 2025-03-04",
         datetime(2026, 3, 4, 9, tzinfo=BERLIN), "fine"),
    ],
)  # fmt: skip
def test_birthdays_come_back_each_year(birthday: str, now: datetime, expected: str) -> None:
    found = state("Birthdays in the next 2 days?", birthday, day=date(2025, 1, 1), now=now)
    assert found == expected


def test_days_begin_in_the_users_zone() -> None:
    moment = datetime(2026, 4, 13, 23, 30, tzinfo=BERLIN)
    question, text = "Appointments today?", "Dentist on 2026-04-14"
    assert state(question, text, now=moment) == "fine"
    assert state(question, text, now=moment.astimezone(ZoneInfo("Asia/Tokyo"))) == "attention"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Call with Tom on 2026-04-13 at 11:30", "attention"),
        ("Call with Tom on 2026-04-13 at 09:00", "fine"),
        ("Call with Tom on 2026-04-13 at 16:00", "fine"),
        ("Call with Tom on 2026-04-13 at 4 pm", "fine"),
        ("Call with Tom on 2026-04-13", "attention"),
    ],
)
def test_hours_are_counted_where_the_time_is_known(text: str, expected: str) -> None:
    assert state("Any meetings in the next 2 hours?", text) == expected


def test_a_calendar_that_is_not_in_memory_is_not_judged_fine() -> None:
    question = "Check the calendar for meetings tomorrow"
    assert state(question) == "not judged"
    assert state(question, "Meeting with Tom on 2026-04-14") == "attention"


def test_what_is_only_half_about_it_is_nobodys_guess() -> None:
    question = "Is the car insurance about to expire?"
    assert state(question, "Car wash voucher expires on 2026-04-20") is None
    assert state(question, "Car insurance expires on 2026-04-20") == "attention"


def test_a_section_is_read_line_by_line() -> None:
    section = "## Invoices\n\n- 12: due 2026-04-14\n- 13: paid, was due 2026-04-14\n\nOther text."
    verdict = dates.judge("Invoices due tomorrow?", said(section), NOW)
    assert verdict is not None
    assert verdict.reason == "2026-04-14 (tomorrow): Invoices: 12: due 2026-04-14"


def test_sameness_is_that_of_the_news() -> None:
    one, two = said("Rent is due on 2026-04-14", "Form is due on 2026-04-15")
    first = dates.judge(DUE, [one, two], NOW)
    again = dates.judge(DUE, [two, one], NOW.replace(hour=15))
    more = dates.judge(DUE, [one], NOW)
    assert first is not None
    assert again is not None
    assert more is not None
    assert first.sameness == again.sameness != more.sameness


def test_dated() -> None:
    text = Evidence("a#L1", "Trip from 2026-05-01 to 2026-05-09", SAID)
    assert (dates.dated(text).first, dates.dated(text).last) == (date(2026, 5, 1), date(2026, 5, 9))
    tomorrow = dates.dated(Evidence("a#L1", "Dentist tomorrow", SAID))
    assert tomorrow.first == tomorrow.last == date(2026, 4, 11)
    assert dates.dated(Evidence("a#L1", "Dentist tomorrow")).first is None
    known = Evidence("a#L1", "Dentist tomorrow", SAID, date(2026, 1, 1), date(2026, 1, 1))
    assert dates.dated(known).first == date(2026, 1, 1)
    assert dates.dated(known).last == date(2026, 4, 11)
    assert dates.dated(Evidence("a#L1", "Dentist", SAID)).first is None


PIECES = st.sampled_from(
    [DUE, "overdue", "birthday is on", "expires", "by", "bis", "31.2.", "2026-02-30", "2026-04-14",
     "12/2026", "tomorrow", "next 999 days", "99999999", "am", "25:61", "~~", "[x]", "paid", "not",
     "moved to", "\n- ", "\n## ", "29 February", "9999-12-31", "0001-01-01", "within", "h", "läuft"]
)  # fmt: skip
TEXTS = st.lists(PIECES | st.text(max_size=8), max_size=8).map(" ".join)


@given(TEXTS, st.lists(TEXTS, max_size=3), st.datetimes(datetime(1970, 1, 1), datetime(9998, 1, 1)))
@settings(max_examples=200, deadline=None)
def test_any_text_is_judged_or_left(question: str, texts: list[str], at: datetime) -> None:
    evidence = said(*texts, day=at.date())
    now = at.replace(tzinfo=BERLIN)
    verdict = dates.judge(question, evidence, now)
    dates.terms(question)
    for each in evidence:
        dates.dated(each)
    if reminders.is_reminder(question):
        assert dates.horizon(question, now) is None
        return
    assert (dates.horizon(question, now) is None) <= (verdict is None)
    if verdict and verdict.state == "attention":
        assert verdict.evidence
        assert verdict.sameness
        assert set(verdict.evidence) <= {each.source for each in evidence}


@pytest.mark.parametrize(
    "shape", ["due by 2026-04-14 ", "by the ", "- paid 1\n", "läuft ", "9:00 "]
)
def test_long_texts_take_a_moment(shape: str) -> None:
    text = shape * (1_000_000 // len(shape))
    started = time.perf_counter()
    dates.judge(text, said(text), NOW)
    dates.judge(DUE, said(text, text), NOW)
    dates.judge("Überfällige Rechnungen?", said(text), NOW)
    assert time.perf_counter() - started < 5


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Review open tasks for approaching deadlines (next 24 hours)", "Thesis due 2026-04-14"),
        ("**Deadlines** — anything due in the next 24 hours?", "Thesis due 2026-04-14"),
        ("Anything due today that hasn't been addressed?", "Thesis due 2026-04-13"),
        ("Any visa or permit expiring within 60 days?", "The visa expires on 2026-05-20"),
        ("Check whether any contracts end in the next 30 days", "Contract ends on 2026-05-01"),
        ("Läuft der Reisepass in den nächsten 3 Monaten ab?", "Reisepass gültig bis 06/2026"),
        ("Hat jemand diese Woche Geburtstag?", "Oma hat am 17. April Geburtstag"),
        ("Are any bills due this week?", "The electricity invoice is due on 2026-04-15"),
    ],
)
def test_questions_as_people_ask_them(question: str, text: str) -> None:
    assert state(question, text) == "attention"
    assert state(question, "Thesis due 2027-04-14") in ("fine", None)
