"""Checklists and questions of everyday life, with what a sensible person expects of them.

They were written down before the code was run on them, and the rules were mended by the kinds of
what went wrong: they show that it stays so, not how often a question never seen goes right.
In a verdict `A` is attention, `F` fine and `N` that nobody can tell; where several stand there,
each of them is right.
"""
# ruff: noqa: E501 - a case a line

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippod import facts
from hippod.checklist import dates, days, figures, reading, recurring
from hippod.checklist.verdict import Evidence

NOW = datetime(2027, 3, 17, 8, 30, tzinfo=ZoneInfo("Europe/Berlin"))
"""A Wednesday."""
SAID = "2027-03-02"


def verdict(question: str, memory: list[tuple[str, str]]) -> str:
    said = [_evidence(number, *fact) for number, fact in enumerate(memory, 1)]
    found = dates.judge(question, said, NOW) or figures.judge(question, said)
    return {"attention": "A", "fine": "F"}.get(found.state, "N") if found else "N"


def _evidence(line: int, said: str, text: str) -> Evidence:
    day = date.fromisoformat(said)
    first, last = facts.validity(text, day)
    return dates.dated(Evidence(f"memory/{said}.md#L{line}", text, day, first, last))


@pytest.mark.parametrize(
    ("question", "memory", "expected"),
    [
        ("Is anybody's birthday coming up?", [(SAID, "Farid's birthday: 21 March.")], "A"),
        ("Is anybody's birthday coming up?", [(SAID, "Farid's birthday: 21 June.")], "F"),
        (
            "Which friends have a birthday in the next ten days?",
            [("2025-01-09", "Noor turns a year older on March 24th; it is her birthday.")],
            "A",
        ),
        ("Birthdays this month?", [("2024-06-01", "Uncle Theo was born on 29 March 1961.")], "A"),
        ("Birthdays this month?", [("2024-06-01", "Uncle Theo was born on 29 April 1961.")], "F"),
        (
            "Hat in den nächsten zwei Wochen jemand Geburtstag?",
            [(SAID, "Tante Rosi feiert am 28.3. ihren 70. Geburtstag.")],
            "A",
        ),
        (
            "Hat in den nächsten zwei Wochen jemand Geburtstag?",
            [(SAID, "Tante Rosi hatte am 28.2. Geburtstag.")],
            "F",
        ),
        ("Wessen Geburtstag ist diese Woche?", [(SAID, "Pavel: Geburtstag am 20. März")], "A"),
        (
            "Any anniversaries in the next week?",
            [("2020-01-01", "Wedding anniversary on 19 March.")],
            "A",
        ),
        (
            "Any invoices due this week?",
            [(SAID, "Invoice 209 from Moss Ltd, due 19 March 2027.")],
            "A",
        ),
        (
            "Any invoices due this week?",
            [
                (SAID, "Invoice 209 from Moss Ltd, due 19 March 2027."),
                ("2027-03-15", "Invoice 209 from Moss Ltd has been settled."),
            ],
            "F",
        ),
        (
            "Any invoices due this week?",
            [
                (SAID, "Invoice 209 from Moss Ltd, due 19 March 2027."),
                ("2027-03-15", "Invoice 208 from Moss Ltd has been settled."),
            ],
            "A",
        ),
        ("Any invoices due this week?", [(SAID, "Council tax: 140 £ payable by 20 March.")], "AN"),
        ("Any invoices due this week?", [(SAID, "Council tax: 140 £ payable by 20 April.")], "FN"),
        (
            "Anything I have to pay in the next 5 days?",
            [(SAID, "Pay the plumber 230 € by Friday, 19 March.")],
            "AN",
        ),
        (
            "Is the mortgage due this week?",
            [(SAID, "Mortgage is debited on the 20th of every month.")],
            "A",
        ),
        (
            "Is the mortgage due this week?",
            [(SAID, "Mortgage is debited on the 28th of every month.")],
            "FN",
        ),
        (
            "Muss diese Woche die Miete bezahlt werden?",
            [(SAID, "Die Miete ist am 18. jedes Monats fällig.")],
            "AN",
        ),
        ("Any appointments today?", [(SAID, "Physio appointment every Wednesday at 17:00.")], "A"),
        ("Any appointments today?", [(SAID, "Physio appointment every Wednesday at 7:00.")], "F"),
        ("Any appointments today?", [(SAID, "Physio appointment every other Wednesday.")], "AN"),
        (
            "Any appointments today?",
            [(SAID, "The physio appointments on Wednesdays are over.")],
            "FN",
        ),
        (
            "Habe ich heute Termine?",
            [(SAID, "Jeden Mittwoch um 18 Uhr Termin bei der Logopädin.")],
            "A",
        ),
        ("Overdue bills?", [(SAID, "Gas bill due 10 March, not paid yet.")], "A"),
        ("Overdue bills?", [(SAID, "Gas bill due 10 March, paid on the 9th.")], "F"),
        ("Overdue bills?", [(SAID, "Gas bill due 30 March.")], "F"),
        (
            "Gibt es überfällige Rechnungen?",
            [(SAID, "Die Gasrechnung war bis 10.03.2027 zu zahlen, ist aber noch offen.")],
            "A",
        ),
        (
            "Are any library books overdue?",
            [(SAID, "Dune has to be back at the library by 12 March.")],
            "AN",
        ),
        (
            "Does my driving licence expire within six months?",
            [("2022-01-01", "Driving licence valid until 30 June 2027.")],
            "A",
        ),
        (
            "Does my driving licence expire within six months?",
            [("2022-01-01", "Driving licence valid until 30 June 2032.")],
            "F",
        ),
        (
            "Does my driving licence expire within six months?",
            [("2022-01-01", "Gym membership valid until 30 June 2027.")],
            "FN",
        ),
        (
            "Läuft mein Reisepass in den nächsten sechs Monaten ab?",
            [("2022-01-01", "Reisepass gültig bis 15.08.2027.")],
            "A",
        ),
        (
            "Läuft mein Reisepass in den nächsten sechs Monaten ab?",
            [("2022-01-01", "Reisepass gültig bis 15.08.2029.")],
            "F",
        ),
        (
            "Endet diesen Monat ein Probeabo?",
            [(SAID, "Das Probeabo von StreamTV endet am 25. März.")],
            "A",
        ),
        (
            "Any coupons that expire this week?",
            [(SAID, "Coupon for the garden centre expires on Sunday 21 March.")],
            "A",
        ),
        (
            "Any coupons that expire this week?",
            [(SAID, "Coupon for the garden centre expired on 1 March.")],
            "F",
        ),
        ("Meetings tomorrow?", [(SAID, "Board meeting on Thursday, 18 March, 14:00.")], "A"),
        (
            "Meetings tomorrow?",
            [
                (SAID, "Board meeting on Thursday, 18 March, 14:00."),
                ("2027-03-16", "The board meeting has been postponed to 25 March."),
            ],
            "F",
        ),
        ("Meetings tomorrow?", [(SAID, "Board meeting on Thursday, 25 March, 14:00.")], "F"),
        (
            "Meetings tomorrow?",
            [("2027-03-16", "Meeting with Ada tomorrow at noon? No, she said it was last week.")],
            "AFN",
        ),
        (
            "Any interviews in the next 3 days?",
            [(SAID, "Job interview with Kestrel AG on 19.03.2027, 11 Uhr.")],
            "A",
        ),
        (
            "What's on the calendar for the next 24 hours?",
            [(SAID, "Parent evening at school on 17 March at 19:30.")],
            "AN",
        ),
        (
            "Does Milo have a vet appointment this week?",
            [(SAID, "Vet appointment for Milo on 18 March.")],
            "A",
        ),
        (
            "Does Milo have a vet appointment this week?",
            [(SAID, "Vet appointment for Luna on 18 March.")],
            "FN",
        ),
        (
            "Does Milo have a vet appointment this week?",
            [
                (SAID, "Vet appointment for Milo on 18 March."),
                ("2027-03-16", "Vet appointment for Milo cancelled."),
            ],
            "F",
        ),
        (
            "Are we travelling in the next two weeks?",
            [(SAID, "Train to Prague on 26 March at 9:05.")],
            "AN",
        ),
        ("Any flights in the next two weeks?", [(SAID, "Flying to Oslo on 27 March.")], "A"),
        ("Any flights in the next two weeks?", [(SAID, "Flew to Oslo on 1 March.")], "F"),
        (
            "Deadlines this week?",
            [(SAID, "The report has to be handed in by Friday 19 March.")],
            "A",
        ),
        (
            "Deadlines this week?",
            [
                (SAID, "The report has to be handed in by Friday 19 March."),
                ("2027-03-16", "Handed in the report."),
            ],
            "F",
        ),
        ("Deadlines this week?", [(SAID, "Reading a book about deadlines.")], "F"),
        ("Gibt es diese Woche Fristen?", [(SAID, "Einspruchsfrist endet am 20. März.")], "A"),
        ("Gibt es diese Woche Fristen?", [(SAID, "Einspruchsfrist endete am 1. März.")], "F"),
        ("Is the tax return due soon?", [(SAID, "Tax return due 22 March 2027.")], "A"),
        ("Is the tax return due soon?", [(SAID, "Tax return due 22 July 2027.")], "F"),
        ("Is the tax return due soon?", [(SAID, "Car insurance due 22 March 2027.")], "FN"),
        (
            "Did the landlord reply about the heating?",
            [(SAID, "The landlord gets a reminder on 18 March.")],
            "N",
        ),
        ("Has anyone replied to the invitation for 20 March?", [(SAID, "Party on 20 March.")], "N"),
        (
            "Hat die Werkstatt schon angerufen?",
            [(SAID, "Die Werkstatt ruft bis 18. März an.")],
            "N",
        ),
        ("Have the parcels arrived?", [(SAID, "Parcels are expected on 18 March.")], "N"),
        ("Is the report finished?", [(SAID, "The report is due on 19 March.")], "N"),
        ("Is the cat still sick?", [(SAID, "The cat has a check-up on 18 March.")], "N"),
        (
            "Who is waiting for an answer from me?",
            [(SAID, "Promised Ole an answer by 18 March.")],
            "N",
        ),
        (
            "What should I cook this weekend?",
            [(SAID, "Dinner with the Lees on Saturday 20 March.")],
            "AN",
        ),
        ("Is the trip to Oslo booked?", [(SAID, "Trip to Oslo on 18 March.")], "N"),
        ("Is the hotel confirmed for the trip?", [(SAID, "The trip starts on 18 March.")], "N"),
        ("Is the battery below 20 %?", [("2027-03-16", "The battery is at 14 %.")], "A"),
        ("Is the battery below 20 %?", [("2027-03-16", "The battery is at 64 %.")], "F"),
        ("Is the battery below 20 %?", [("2027-03-16", "Humidity is at 14 %.")], "N"),
        (
            "Is the server room hotter than 30 °C?",
            [("2027-03-16", "The server room has 34 °C.")],
            "A",
        ),
        (
            "Is the server room hotter than 30 °C?",
            [("2027-03-16", "The server room has 88 °F.")],
            "N",
        ),
        ("Sind weniger als 3 Säcke Pellets da?", [("2027-03-16", "Pellets: 2 Säcke")], "AN"),
        ("Are there more than 5 open tickets?", [("2027-03-16", "There are 7 open tickets.")], "A"),
        ("Are there more than 5 open tickets?", [("2027-03-16", "There are 3 open tickets.")], "F"),
        (
            "Is the heating oil under 500 litres?",
            [
                ("2027-01-10", "Heating oil: 450 litres."),
                ("2027-03-10", "Heating oil: 2,000 litres after the delivery."),
            ],
            "F",
        ),
        ("Is the budget over 1000 €?", [("2027-03-10", "The budget limit is 1000 €.")], "N"),
        ("¿Hay citas esta semana?", [(SAID, "Cita con el dentista el 19 de marzo de 2027.")], "A"),
        (
            "¿Hay cumpleaños en los próximos 7 días?",
            [(SAID, "El cumpleaños de Marta es el 20 de marzo.")],
            "A",
        ),
        (
            "Y a-t-il des rendez-vous cette semaine ?",
            [(SAID, "Rendez-vous chez le dentiste le 19 mars 2027.")],
            "A",
        ),
        (
            "Des anniversaires cette semaine ?",
            [(SAID, "L'anniversaire de Luc est le 20 mars.")],
            "A",
        ),
        (
            "Y a-t-il des factures à payer cette semaine ?",
            [(SAID, "La facture d'eau est à payer avant le 19 mars 2027.")],
            "A",
        ),
        ("Is garbage collection tomorrow?", [(SAID, "Garbage collection is every Thursday.")], "A"),
        ("Is garbage collection tomorrow?", [(SAID, "Garbage collection is every Monday.")], "FN"),
        ("Kommt morgen die Müllabfuhr?", [(SAID, "Die Müllabfuhr kommt donnerstags.")], "AN"),
        (
            "Anything planned for the weekend?",
            [(SAID, "Hiking with Tom on Saturday, 20 March.")],
            "A",
        ),
        (
            "Anything planned for the weekend?",
            [(SAID, "Hiking with Tom on Saturday, 27 March.")],
            "F",
        ),
        (
            "Any subscriptions that renew in the next 10 days?",
            [(SAID, "The newspaper subscription renews every month on the 20th.")],
            "A",
        ),
        (
            "Any subscriptions that renew in the next 10 days?",
            [(SAID, "The newspaper subscription renews on 1 June.")],
            "F",
        ),
    ],
)
def test_a_question(question: str, memory: list[tuple[str, str]], expected: str) -> None:
    assert verdict(question, memory) in expected


@pytest.mark.parametrize(
    ("text", "items", "quiet"),
    [
        pytest.param(
            "# HEARTBEAT\n\nHi! Every few hours please work through this list.\n\n- Any invoices due this week?\n- Whose birthday is next week?\n\nThanks 🙏\n",
            [("question", "invoices"), ("question", "birthday")],
            None,
            id="butler",
        ),
        pytest.param(
            "- Any meetings tomorrow?\n\nI sleep from 1am to 9am, don't wake me up.\n",
            [("question", "meetings")],
            ("01:00", "09:00"),
            id="night owl",
        ),
        pytest.param(
            "- [ ] Sind Fristen diese Woche?\n\nZwischen 21 Uhr und 8 Uhr keine Nachrichten.\n",
            [("question", "Fristen")],
            ("21:00", "08:00"),
            id="de abends",
        ),
        pytest.param(
            "- [ ] Sind Fristen diese Woche?\n\nBitte nach 21 Uhr und vor 8 Uhr nicht stören.\n",
            [("question", "Fristen")],
            ("21:00", "08:00"),
            id="de nach vor",
        ),
        pytest.param(
            "Active hours: 08:00-22:00\n\n- Any bills due today?\n",
            [("question", "bills")],
            ("22:00", "08:00"),
            id="active hours",
        ),
        pytest.param(
            "# Checks\n\n## Money\n- Any invoices overdue?\n- Is the account below 300 €?\n\n## Home\n- Is garbage collection tomorrow?\n\n## Done\n- Any parcels?\n",
            [("question", "invoices"), ("question", "account"), ("question", "garbage")],
            None,
            id="sections",
        ),
        pytest.param(
            "- Family & Friends\n  - Any birthdays this week?\n- Work:\n  - Any deadlines this week?\n",
            [("question", "birthdays"), ("question", "deadlines")],
            None,
            id="nested cap",
        ),
        pytest.param(
            "- [x] Trip\n  - [ ] Is the passport expiring soon?\n  - Any flights tomorrow?\n",
            [("question", "passport")],
            None,
            id="ticked parent",
        ),
        pytest.param(
            "- Any bills due today? <!-- only big ones -->\n<!-- - Any trips? -->\n",
            [("question", "bills")],
            None,
            id="comment inline",
        ),
        pytest.param(
            "Example of an item:\n\n    - [ ] Any bills due?\n\n- [ ] Any visitors today?\n",
            [("question", "visitors")],
            None,
            id="indented code",
        ),
        pytest.param(
            "> Remember: less is more.\n\n- Any deadlines today?\n",
            [("question", "deadlines")],
            None,
            id="quote",
        ),
        pytest.param(
            "# Tasks\n- Write a short poem for Lena every morning\n- Post the standup summary to the team channel\n",
            [("agent", "poem"), ("agent", "standup")],
            None,
            id="agent only",
        ),
        pytest.param(
            "## When to reach out\n- Important email arrived\n- Calendar event coming up (<2h)\n- It's been >8h since you said anything\n\n## Checks\n- check: disk\n",
            [("check", "disk")],
            None,
            id="when to speak",
        ),
        pytest.param(
            "## Proaktive Arbeit\n\n- Notizen in projects/ ordnen\n- MEMORY.md aktualisieren\n\n## Prüfen\n- Steht ein Termin an?\n",
            [("agent|action", "Notizen"), ("agent|action", "MEMORY"), ("question", "Termin")],
            None,
            id="proactive de",
        ),
        pytest.param(
            "- [ ] ¿Hay citas mañana?\n- [ ] ¿Alguna factura vencida?\n\nSilencio de 23:00 a 7:00. Si no hay nada, responde HEARTBEAT_OK.\n",
            [("question", "citas"), ("question", "factura")],
            ("23:00", "07:00"),
            id="es",
        ),
        pytest.param(
            "- Y a-t-il des rendez-vous demain ?\n\nSilence entre 22h30 et 7h00.\nSi rien, réponds HEARTBEAT_OK.\n",
            [("question", "rendez-vous")],
            ("22:30", "07:00"),
            id="fr",
        ),
        pytest.param(
            "# Rules\n\n- Be concise.\n- Never repeat yourself.\n- Only message me if something is urgent.\n- If nothing needs attention, reply HEARTBEAT_OK.\n",
            [],
            None,
            id="rules",
        ),
        pytest.param(
            "Look at my notes. Are any bills due this week? Is a passport expiring? Otherwise HEARTBEAT_OK.\n",
            [("question|agent", "notes"), ("question", "bills"), ("question", "passport")],
            None,
            id="mixed prose",
        ),
        pytest.param(
            "* [ ] Any bills due today?\n* [X] Any birthdays today?\n+ [ ] check: backup.\n",
            [("question", "bills"), ("check", "backup")],
            None,
            id="star boxes",
        ),
        pytest.param(
            "- action: hygiene\n- action: reflect — weekly\n",
            [("action", "hygiene"), ("action", "reflect")],
            None,
            id="action named",
        ),
        pytest.param(
            "- check: bakcup\n- check: disk\n", [("check", "disk")], None, id="typo check"
        ),
        pytest.param(
            "- [ ] Sind Rechnungen fällig?\n  Hinweis: die Miete geht automatisch ab.\n- [ ] Habe ich morgen Termine?\n",
            [("question", "Rechnungen"), ("question", "Termine")],
            None,
            id="note hinweis",
        ),
        pytest.param(
            "- **Bills**: any due in the next 7 days?\n- **Birthdays** – anyone this week?\n",
            [("question", "due in the next 7 days"), ("question", "anyone this week")],
            None,
            id="bold labels",
        ),
        pytest.param(
            "- Any bills due today?\n\nNo messages on Sundays.\n",
            [("question", "bills")],
            None,
            id="weekday quiet",
        ),
        pytest.param(
            "<details>\n<summary>Old</summary>\n</details>\n\n- Any trips tomorrow?\n",
            [("question", "trips")],
            None,
            id="html",
        ),
        pytest.param(
            "- Is somebody coming between 14:00 and 16:00 today?\n",
            [("question|agent", "coming")],
            None,
            id="hours not quiet",
        ),
        pytest.param(
            "Quiet from 10pm until midnight please.\n\n- Any deadlines today?\n",
            [("question", "deadlines")],
            ("22:00", "24:00"),
            id="midnight",
        ),
        pytest.param(
            "# HEARTBEAT.md Template\n\nKeep this file empty to skip heartbeats.\n",
            [],
            None,
            id="starter",
        ),
    ],
)
def test_a_checklist(
    text: str, items: list[tuple[str, str]], quiet: tuple[str, str] | None
) -> None:
    found = reading.read(text, ("disk", "backup"))
    assert len(found.items) == len(items)
    for item, (kinds, part) in zip(found.items, items, strict=True):
        assert item.kind in kinds.split("|")
        assert part in item.text
    hours = found.quiet and (_clock(found.quiet.start), _clock(found.quiet.end))
    assert hours == quiet
    assert bool(found.skipped) == (not items)


def _clock(minute: int) -> str:
    return f"{minute // 60:02}:{minute % 60:02}"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Rent on the 5th of each month", ["2027-04-05"]),
        ("Miete am 5. jedes Monats", ["2027-04-05"]),
        ("Payday is the last day of each month", ["2027-03-31"]),
        ("Loan on the 31st of every month", ["2027-03-31"]),
        ("Choir every Monday and Thursday", ["2027-03-18", "2027-03-22", "2027-03-25",
                                            "2027-03-29", "2027-04-01", "2027-04-05"]),
        ("Müll freitags", ["2027-03-19", "2027-03-26", "2027-04-02"]),
        ("Choir used to be every Monday", []),
        ("Choir on the first Monday of the month", []),
        ("He came on Monday", []),
    ],
)  # fmt: skip
def test_days_that_come_again(text: str, found: list[str]) -> None:
    again = recurring.within(text, date(2027, 3, 17), date(2027, 4, 6))
    assert [day.isoformat() for day in again] == found


def test_where_it_comes_again_only_sometimes_nothing_is_sure() -> None:
    assert recurring.is_certain("Yoga every Monday")
    assert not recurring.is_certain("Yoga every other Monday")


_DAYS = st.sampled_from(
    [
        "{d} {m}",
        "{m} {d}",
        "{d}. {g}",
        "{d}.{n}.",
        "2027-{n:02}-{d:02}",
        "{d} de marzo",
        "on Friday",
        "next week",
        "in two months",
        "in 10 days",
        "in sechs Wochen",
        "nächsten Montag",
        "mañana",
        "tomorrow",
        "on the 5th",
        "Ende des Monats",
        "next year",
        "am {d}. {g} 2027",
        "{m} {d}, 2027",
    ]
)
_MONTHS = "January March April June September December".split()  # noqa: SIM905
_MONATE = "Januar März April Juni September Dezember".split()  # noqa: SIM905


@given(
    form=_DAYS,
    day=st.integers(1, 28),
    month=st.integers(0, 5),
    ago=st.integers(0, 500),
    ahead=st.integers(0, 90),
)
def test_a_day_in_the_span_is_never_filtered_out_before_it_is_read(
    form: str, day: int, month: int, ago: int, ahead: int
) -> None:
    number = (1, 3, 4, 6, 9, 12)[month]
    text = "The roof is mended " + form.format(d=day, m=_MONTHS[month], g=_MONATE[month], n=number)
    said, first = NOW.date() - timedelta(ago), NOW.date()
    last = first + timedelta(ahead)
    if any(each.first <= last and each.last >= first for each in days.named(text, said)):
        assert days.may_fall_within(text, said, first, last)
