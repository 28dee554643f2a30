"""What a person trusts a checklist with: reminders with a day of their own, and a "fine" that is
known, not guessed; nothing that asks for a look or for quiet goes by in silence."""
# ruff: noqa: E501 - a case a line

import time
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hippod.checklist import dates, reading, reminders, telling
from hippod.checklist.telling import Kept, Manner
from hippod.checklist.verdict import Evidence, Verdict
from hippod.schedule import Hours

ZONE = ZoneInfo("Europe/Berlin")
NOW = datetime(2027, 6, 28, 9, 0, tzinfo=ZONE)
"""A Monday; the first of July is a Thursday."""
SAID = date(2027, 6, 20)


def said(*texts: str, day: date | None = SAID) -> list[Evidence]:
    pieces = (Evidence(f"memory/{SAID}.md#L{n}", text, day) for n, text in enumerate(texts, 3))
    return [dates.dated(each) for each in pieces]


def verdict(question: str, *texts: str, now: datetime = NOW, day: date | None = SAID) -> Verdict:
    found = dates.judge(question, said(*texts, day=day), now)
    return found or Verdict("not judged", "")


def on(day: str, item: str, *texts: str) -> str:
    return verdict(
        item, *texts, now=datetime.fromisoformat(f"{day}T09:00").replace(tzinfo=ZONE)
    ).state


# --- items with their own day -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("item", "before", "first"),
    [
        ("Car tax due 2027-07-05", "2027-07-02", "2027-07-03"),
        ("Remind me on 2027-07-05 to ring Aunt Jo", "2027-07-04", "2027-07-05"),
        ("Kaution bis 5. Juli überweisen", "2027-07-02", "2027-07-03"),
        ("2027-07-05: water the plants", "2027-07-04", "2027-07-05"),
        ("Cancel the trial before 2027-07-06", "2027-07-02", "2027-07-03"),
        ("Vet 5 July 10:00", "2027-07-04", "2027-07-05"),
        ("Erinnere mich am 5. Juli an den Zählerstand", "2027-07-04", "2027-07-05"),
        ("Take the bike to the shop on 2027-07-05", "2027-07-04", "2027-07-05"),
        ("Send the form by July 5", "2027-07-02", "2027-07-03"),
    ],
)  # fmt: skip
def test_a_reminder_is_told_from_its_day_until_it_is_ticked(
    item: str, before: str, first: str
) -> None:
    assert on("2027-06-01", item) == on(before, item) == "fine"
    assert [on(day, item) for day in (first, "2027-07-05", "2027-07-06", "2027-08-20")] == [
        "attention"
    ] * 4


def test_a_reminder_says_when_it_will_be_told_and_since_when_it_is_overdue() -> None:
    item = "Car tax due 2027-07-05"
    assert verdict(item).reason == "It will be told on 2027-07-03."
    late = verdict(item, now=NOW + timedelta(30))
    assert late.reason == "2027-07-05 (overdue): Car tax due 2027-07-05"
    assert late.sameness == verdict(item, now=NOW + timedelta(31)).sameness


@pytest.mark.parametrize(
    "item",
    [
        "Every Thursday: bring out the glass",
        "Jeden Donnerstag: Glas wegbringen",
        "Bring out the glass on Thursdays",
        "Ring Aunt Jo on Thursday",
        "Pay the sitter on the 1st of each month",
        "Pay the sitter on the 1st",
    ],
)
def test_what_comes_again_is_told_on_each_of_its_days(item: str) -> None:
    assert [on(f"2027-{day}", item) for day in ("06-30", "07-01", "07-02")] == [
        "fine",
        "attention",
        "fine",
    ]


def test_relative_days_have_nothing_to_count_from() -> None:
    assert [on(day, "Ring Aunt Jo today") for day in ("2027-07-01", "2027-07-02")] == [
        "attention"
    ] * 2
    assert on("2027-07-01", "Ring Aunt Jo tomorrow") == "not judged"
    assert on("2027-07-01", "Morgen Tante Jo anrufen") == "not judged"


@pytest.mark.parametrize(
    "item",
    [
        "Anything due on 2027-07-05?", "Appointments on 2027-07-05", "Any bills due by 2027-07-05", "Bills due 2027-07-05",
        "Check for appointments today", "Birthdays in the next 7 days", "Today's meetings", "Termine heute", "Weather today",
        "Is the letter of 2027-06-01 answered?", "Unread mails from today", "Remind me of birthdays within 7 days",
        "Projects without news since 2027-01-01", "Gibt es am 5. Juli Termine?", "Every Friday, any deadlines next week", "2027-07-05",
        "Gas bill due within 3 days", "Visits over the next 3 weeks",
    ],
)  # fmt: skip
def test_a_question_of_memory_stays_one(item: str) -> None:
    assert not reminders.is_reminder(item)


@pytest.mark.parametrize(
    "item",
    [
        "Report due tomorrow",
        "Zahnarzt morgen um 10",
        "Review the slides by Friday",
        "Make sure the rent is paid by the 3rd",
    ],
)
def test_an_item_with_a_day_that_does_not_ask_is_never_fine_by_silence(item: str) -> None:
    assert on("2027-06-28", item) == "not judged"


@pytest.mark.parametrize(
    "item",
    [
        "Check the smoke alarm on 2027-07-05",
        "Zahnarzttermin am 5.7.",
        "am 5.7. Reifen wechseln",
        "Tell Mia on 2027-07-05 about the trip",
        "Travel from 2027-07-05 to 2027-07-09",
    ],
)
def test_what_is_to_be_done_on_a_date_is_a_reminder(item: str) -> None:
    assert [on(day, item) for day in ("2027-06-28", "2027-07-05")] == ["fine", "attention"]


def test_a_reminder_that_memory_knows_to_be_done_is_fine() -> None:
    day = "2027-07-05"
    assert on(day, f"Car tax due {day}", "The car tax is paid.") == "fine"
    assert on(day, f"Car tax due {day}", "The dog tax is paid.") == "attention"


def test_work_for_an_agent_with_a_date_is_told_on_it() -> None:
    items = reading.read("- Pay the sitter by 2027-07-05\n- Write a summary every day\n", ()).items
    assert [item.kind for item in items] == ["question", "agent"]


@given(
    st.text(max_size=40),
    st.sampled_from(["today", "2027-07-05", "every Friday", "5. Juli", "31.2."]),
    st.text(max_size=20),
    st.dates(date(2, 1, 1), date(9990, 1, 1)),
)
@settings(max_examples=150, deadline=None)
def test_any_item_is_judged_at_any_day(before: str, day: str, behind: str, at: date) -> None:
    now = datetime(at.year, at.month, at.day, 9, tzinfo=ZONE)
    found = dates.judge(f"{before} {day} {behind}", said("Paid the rent"), now)
    assert found is None or found.reason


# --- fine is known ----------------------------------------------------------------------------

WEEK = "Any bills due this week?"


@pytest.mark.parametrize(
    ("question", "text"),
    [
        (WEEK, "The gas bill is due at the end of the month."),
        (WEEK, "Gas bill due 7/1"),
        (WEEK, "Gas bill, due soon: the gas bill is due soon."),
        ("Ist diese Woche eine Rechnung fällig?", "Die Gasrechnung ist zum Monatsersten fällig."),
        ("Ist diese Woche eine Rechnung fällig?", "Die Gasrechnung ist Ende des Monats fällig."),
        ("Is the sofa from the north late?", "The sofa from the north comes on 22 June."),
    ],
)  # fmt: skip
def test_a_day_that_cannot_be_read_is_not_fine(question: str, text: str) -> None:
    assert verdict(question, text).state == "not judged"


def test_of_an_undated_page_a_near_day_is_not_fine() -> None:
    assert verdict(WEEK, "The gas bill is due on 1 July.", day=None).state == "not judged"
    assert verdict(WEEK, "The gas bill is due on 1 October.", day=None).state == "fine"


@pytest.mark.parametrize(
    "text",
    [
        "Leo pays his bills by card.",
        "The gas bill is due on 2027-08-01.",
        "Gas bill due at the end of the month: paid.",
    ],
)
def test_what_is_known_to_be_later_or_done_is_fine(text: str) -> None:
    assert verdict(WEEK, text).state == "fine"


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("Gas bill due 1 July. Phone bill paid.", "attention"),
        ("Gas bill due 1 July; last year it was paid in cash.", "attention"),
        ("Mia cancelled her tennis lessons; the last bill is due 2027-07-01.", "attention"),
        ("The office wants the completed bill form by 2027-07-01.", "attention"),
        ("The phone bill is paid and the gas bill is due 1 July.", "attention"),
        ("Gas bill due 1 July. It is paid.", "fine"),
        ("Gas bill due 1 July – paid on 25 June.", "fine"),
        ("The gas bill due 1 July is paid.", "fine"),
        ("Paid the gas bill that was due on 1 July.", "fine"),
        ("- [x] Gas bill due 2027-07-01", "fine"),
        ("Bills: [x] Gas bill due 2027-07-01", "fine"),
        ("~~Gas bill due 2027-07-01~~", "fine"),
        ("Bills: ~~Gas bill due 2027-07-01~~", "fine"),
    ],
)  # fmt: skip
def test_what_is_done_is_told_by_the_clause_that_holds_the_day(text: str, state: str) -> None:
    assert verdict(WEEK, text).state == state


@pytest.mark.parametrize(
    "question",
    [
        "Is there a document that expires within 30 days?",
        "Which documents expire this year?",
        "Does a passport expire in the next month?",
    ],
)
def test_a_paper_is_found_by_the_name_of_its_sort(question: str) -> None:
    assert verdict(question, "The passport expires on 2027-07-15.").state == "attention"


def test_one_day_is_named_as_one() -> None:
    assert (
        verdict("Any appointments tomorrow?").reason
        == "Nothing that memory knows of falls on 2027-06-29."
    )


# --- the words of an alert, and when it is told again -----------------------------------------


def test_a_thing_is_told_once_in_clean_words() -> None:
    found = verdict(
        WEEK,
        "[10:28:15] Gas bill due 1 July ^a1b2c3",
        "The gas bill is due on 2027-07-01",
        "W @gas: Gas bill due 2027-07-01 (14:23 main/ab12)",
    )
    assert found.reason == "2027-07-01: The gas bill is due on 2027-07-01"
    assert found.evidence == (f"memory/{SAID}.md#L4",)


def test_two_things_of_one_day_are_two() -> None:
    found = verdict(
        WEEK,
        "Invoice 12 due 2027-07-01",
        "Invoice 13 due 2027-07-01",
        "Bill for the gas due 2027-07-01",
    )
    assert found.reason.count("2027-07-01:") == 3


def test_at_most_five_things_are_named() -> None:
    found = verdict(WEEK, *(f"Invoice {number} due 2027-07-01" for number in range(12, 20)))
    assert found.reason.endswith("; and 3 more")
    assert len(found.evidence) == 5


def test_that_one_of_several_is_done_is_no_news() -> None:
    manner = Manner(timedelta(hours=1), timedelta(days=7))
    both = ("Gas bill due 2027-07-01", "Phone bill due 2027-07-02")
    tell, kept = telling.decide(verdict(WEEK, *both), "", Kept(), manner, NOW)
    assert tell == "now"
    one = verdict(WEEK, both[1])
    assert telling.decide(one, "", kept, manner, NOW + timedelta(hours=6))[0] == "nothing"
    more = verdict(WEEK, both[1], "Water bill due 2027-07-02")
    assert telling.decide(more, "", kept, manner, NOW + timedelta(hours=6))[0] == "now"


# --- the list ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "## Night shift\n- [ ] Any visits due today between 18:00 and 21:00\n",
        "## Quiet time\n- [ ] Does the heat pump run from 23:00 to 05:00\n",
        "## Quiet hours\n- Does the heat pump run from 23:00 to 05:00\n",
    ],
)
def test_an_item_that_names_hours_is_no_wish_for_quiet(text: str) -> None:
    found = reading.read(text, ())
    assert (len(found.items), found.quiet) == (1, None)


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("Don't ping me before 8am", Hours(0, 480)),
        ("Do not disturb after 11 pm", Hours(1380, 1440)),
        ("Only message me after 9am", Hours(0, 540)),
        ("Bitte vor 8 Uhr nicht stören, also ruhig bleiben vor 8 Uhr", Hours(0, 480)),
        ("Stay quiet from 23:00 to 07:00 every day", Hours(1380, 420)),
    ],
)
def test_hours_that_are_open_at_one_end(text: str, hours: Hours) -> None:
    assert reading.read(text, ()).quiet == hours


@pytest.mark.parametrize(
    "text",
    [
        "Stay silent on holidays", "Never wake me at night", "Be quiet on Saturdays between 22:00 and 08:00",
        "Quiet from 9:00 to 10:00 GMT", "## Quiet hours\nMon-Fri 22:00-06:00", "Störe mich abends nicht",
    ],
)  # fmt: skip
def test_quiet_that_is_not_understood_is_said_and_not_kept(text: str) -> None:
    found = reading.read(f"{text}\n- [ ] Any bills due?\n", ())
    assert found.quiet is None
    assert any(f"HEARTBEAT.md:{text.count(chr(10)) + 1}: " in note for note in found.notes)


def test_of_two_ranges_the_first_is_kept_and_the_other_is_said() -> None:
    found = reading.read("Be quiet 13:00-14:00 and 22:00-06:00\n", ())
    assert found.quiet == Hours(780, 840)
    assert len(found.notes) == 1


def test_the_exception_to_quiet_is_an_item() -> None:
    found = reading.read("Stay quiet 22:00-07:00, but tell me if the cellar is wet.\n", ())
    assert [item.text for item in found.items] == ["tell me if the cellar is wet."]
    assert found.quiet == Hours(1320, 420)
    assert not reading.read("Stay quiet 22:00-07:00, but tell me if it is urgent.\n", ()).items


@pytest.mark.parametrize(
    "text",
    [
        "Nothing here yet.",
        "- none",
        "N/A",
        "- [ ] TBD",
        "(empty)",
        "Derzeit keine Aufgaben",
        "- no open tasks",
        "nichts",
        "TODO",
    ],
)
def test_a_placeholder_is_no_item(text: str) -> None:
    assert not reading.read(text, ()).items


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("# A\n> - [ ] Any bills due?\n", 2), ("> Is the gate shut?\n", 1), ("```\n- [ ] Any bills due\n```\n", 2),
        ("## Report format\n- Is the gate shut?\n", 2), ("Keep it short: is the gate shut?\n", 1),
    ],
)  # fmt: skip
def test_what_looks_like_an_item_and_is_left_out_is_said(text: str, line: int) -> None:
    found = reading.read(text, ())
    assert not found.items
    assert found.notes
    assert found.notes[0].startswith(f"HEARTBEAT.md:{line}: ")


def test_the_head_of_a_table_is_no_item() -> None:
    for rule in ("|---|---|\n", ""):
        found = reading.read(f"| What | When |\n{rule}| gate shut? | daily |\n", ())
        assert [item.text for item in found.items] == ["gate shut? – daily"]


def test_many_things_of_one_day_cost_little() -> None:
    texts = [f"Invoice {n} of the plumber in street {n % 7} is due 2027-07-01" for n in range(500)]
    began = time.perf_counter()
    assert verdict(WEEK, *texts).reason.endswith("; and 495 more")
    assert time.perf_counter() - began < 4


# --- what is done closes no more than it is about ---------------------------------------------


@pytest.mark.parametrize(
    ("question", "known", "later"),
    [
        ("Any bills due this week?", "The gas bill and the phone bill are due on 2027-07-01.", "Paid the gas bill."),
        ("Any bills due this week?", "The gas and phone bills are due on 2027-07-01.", "Paid the gas bill."),
        ("Any bills due this week?", "The gas bill is due on 2027-07-01.", "Last month's gas bill was paid."),
        ("Any bills due this week?", "The gas bill is due on 2027-07-01.", "The gas bill of the previous quarter is paid."),
        ("Any birthdays this week?", "Jo's birthday is on 1 July.", "Jo's birthday cake is finished."),
        ("Any birthdays this week?", "Jo's birthday is on 1 July.", "Jo's birthday party is cancelled."),
        ("Any bills due this week?", "The gas bill is due on 2027-07-01.", "Has Mia paid the gas bill?"),
        ("Any bills due this week?", "The gas bill is due on 2027-07-01.", "Nobody paid the gas bill."),
        ("Any bills due this week?", "The gas bill is due on 2027-07-01.", "The gas bill was not really paid."),
        ("Any bills due this week?", "The gas bill is due on 2027-07-01.", "Half of the gas bill is paid."),
        ("Any bills due this week?", "The gas bill is due on 2027-07-01.", "The gas bill is almost done."),
        ("Any bills due this week?", "The gas bill is due on 2027-07-01.", "The gas bill will have been paid."),
        ("Any bills due this week?", "The gas bill is due on 2027-07-01.", "The gas bill was paid, not in full."),
        ("Any overdue bills?", "Rechnung 7 war am 20.06.2027 fällig.", "Ist Rechnung 7 bezahlt?"),
        ("Any overdue bills?", "Rechnung 7 war am 20.06.2027 fällig.", "Rechnung 7 ist teilweise bezahlt."),
        ("Any overdue bills?", "Rechnung 7 war am 20.06.2027 fällig.", "Rechnung 7 ist fast bezahlt."),
        ("Any overdue bills?", "Rechnung 7 war am 20.06.2027 fällig.", "Niemand hat Rechnung 7 bezahlt."),
    ],
)  # fmt: skip
def test_what_is_open_is_not_closed_by_what_is_near_to_it(
    question: str, known: str, later: str
) -> None:
    assert verdict(question, known).state == "attention"
    assert verdict(question, known, later).state == "attention"


@pytest.mark.parametrize(
    ("known", "later"),
    [
        ("The gas bill is due on 2027-07-01.", "The gas bill is paid."),
        ("The gas bill and the phone bill are due on 2027-07-01.", "The gas bill and the phone bill are paid."),
        ("The gas bill of the flat is due on 2027-07-01.", "I paid the gas bill by bank."),
        ("Die Gasrechnung ist am 1.7.2027 fällig.", "Die Gasrechnung ist bezahlt."),
        ("The half-yearly fee is due on 2027-07-01.", "The half-yearly fee was paid."),
        ("The gas bill is due on 2027-07-01.", "Paid the gas bill last week."),
    ],
)  # fmt: skip
def test_what_is_done_is_closed(known: str, later: str) -> None:
    assert verdict("Any bills or fees due this week?", known).state == "attention"
    assert verdict("Any bills or fees due this week?", known, later).state == "fine"


@pytest.mark.parametrize(
    ("known", "state"),
    [
        ("Dentist appointment on 2027-06-28, cancelled the yoga class.", "attention"),
        ("Dentist appointment on 2027-06-28 and cancelled the yoga class.", "attention"),
        ("Dentist appointment on 28 June, cancelled the yoga class.", "attention"),
        ("Dentist appointment on 28 June is no longer at 14:00 but at 15:00.", "attention"),
        ("Zahnarzttermin am 28. Juni ist nicht mehr um 14:00, sondern um 15:00.", "attention"),
        ("Dentist appointment on 28 June, cancelled.", "fine"),
        ("Dentist appointment on 28 June. Cancelled the appointment by phone.", "fine"),
        ("Dentist appointment on 28 June is no longer needed.", "fine"),
    ],
)  # fmt: skip
def test_what_stands_beside_an_appointment_does_not_close_it(known: str, state: str) -> None:
    assert verdict("Any appointments today?", known).state == state


@pytest.mark.parametrize(
    "later",
    ["Have I paid the car tax?", "Nobody paid the car tax.", "Half of the car tax is paid."],
)
def test_a_reminder_stays_open_as_long_as_it_is_not_done(later: str) -> None:
    assert on("2027-07-05", "Car tax due 2027-07-05", later) == "attention"


# --- a date that is not the day of the item ---------------------------------------------------


@pytest.mark.parametrize(
    ("item", "day"),
    [
        ("Jo's birthday: 5 July 1990", "2027-07-05"),
        ("Jo's birthday: 1988-07-05", "2027-07-05"),
        ("Our anniversary is on 5 July 2015", "2027-07-05"),
        ("Dad born 1955-07-05, send him a card", "2027-07-05"),
        ("Geburtstag von Jo: 05.07.1990", "2027-07-05"),
        ("Jo's birthday: 29 February 1992", "2027-02-28"),
    ],
)
def test_a_birthday_is_told_each_year_on_its_day(item: str, day: str) -> None:
    this = date.fromisoformat(day)
    for year in (2027, 2029):
        near = [date(year, this.month, this.day) + timedelta(n) for n in (-1, 0, 1)]
        assert [on(str(each), item) for each in near] == ["fine", "attention", "fine"]
    assert on(day, item, "Jo's birthday cake is finished.") == "attention"


@pytest.mark.parametrize(
    "line", ["Last updated: 2027-05-01", "_Last reviewed 2027-05-01_", "(checked 2027-06-01)"]
)
def test_when_a_page_was_written_is_no_item(line: str) -> None:
    assert [each.text for each in reading.read(f"{line}\n\n- Any bills due?\n", ()).items] == [
        "Any bills due?"
    ]
    assert reminders.is_reminder("Review 2027-07-05")
    for asked in ("Ask Jo about invoice 2027-05-17", "Watch #2027-06-04"):
        assert len(reading.read(f"- {asked}\n", ()).items) == 1


def test_what_was_done_for_another_month_does_not_close_a_reminder() -> None:
    item = "Pay the rent on 2027-07-01"
    assert on("2027-07-01", item, "June rent paid.") == "attention"
    assert on("2027-07-01", item, "July rent paid.") == "fine"


def test_what_is_done_once_for_a_birthday_does_not_come_again() -> None:
    for item in (
        "Order the cake for Jo's birthday on 2027-07-05",
        "Jo's birthday party on 2027-07-05",
    ):
        assert on("2027-07-08", item) == "attention"


@pytest.mark.parametrize(
    "item",
    [
        "Last updated: 2027-05-01", "Created: 2027-01-15", "Updated on 1 May 2027", "(checked 2027-06-01)", "Zuletzt geändert: 01.05.2027",
        "Look after the server, it was moved on 2027-06-20", "Follow up with Jo (he wrote on 2027-06-20)", "Read the plan again (2026-12-01)",
        "Quarterly report for Q1 2027", "Ask Jo about invoice 2027-05-17", "Watch ticket #2027-06-04", "Water the fern (last done 2027-06-20)",
    ],
)  # fmt: skip
def test_a_date_of_something_else_makes_no_reminder(item: str) -> None:
    assert not reminders.is_reminder(item)


@pytest.mark.parametrize(
    "item",
    [
        "Gas bill (due 2027-07-05)", "The visit was moved to 2027-07-05, bring the card", "Visit planned for 2027-07-05, bring the card",
        "Invoice received 2027-06-01, pay by 2027-07-05", "Ring Jo on 2027-07-05", "Renew the pass (bis 05.07.2027)",
    ],
)  # fmt: skip
def test_the_day_of_an_item_stays_one(item: str) -> None:
    assert on("2027-06-20", item) == "fine"
    assert on("2027-07-05", item) == on("2027-07-09", item) == "attention"


@pytest.mark.parametrize(
    ("item", "told", "quiet"),
    [
        ("Every Monday until 2027-07-12: physio", ("2027-06-28", "2027-07-12"), ("2027-06-29", "2027-07-19")),
        ("Every Monday until 12 July: physio", ("2027-06-28", "2027-07-12"), ("2027-06-29", "2027-07-19")),
        ("Every day until 2027-07-02: take the drops", ("2027-06-28", "2027-07-02"), ("2027-07-03",)),
        ("Every Monday from 2027-07-12: choir", ("2027-07-12", "2027-07-19"), ("2027-06-28", "2027-07-05", "2027-07-13")),
        ("Jeden Montag bis 12.07.2027: Physio", ("2027-06-28", "2027-07-12"), ("2027-07-10", "2027-07-19")),
        ("Every Monday from 2027-07-05 to 2027-07-12: choir", ("2027-07-05", "2027-07-12"), ("2027-06-28", "2027-07-19")),
    ],
)  # fmt: skip
def test_what_comes_again_keeps_its_days_within_its_bounds(
    item: str, told: tuple[str, ...], quiet: tuple[str, ...]
) -> None:
    assert {on(day, item) for day in told} == {"attention"}
    assert {on(day, item) for day in quiet} == {"fine"}


@pytest.mark.parametrize("item", ["Meeting Friday", "Team meeting Friday 10:00", "Termin Freitag"])
def test_one_thing_on_a_weekday_is_never_fine_by_silence(item: str) -> None:
    assert verdict(item).state != "fine"
