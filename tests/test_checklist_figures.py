"""Thresholds judged in code by the newest figure that memory states."""

import time
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hippod.checklist import amounts, figures
from hippod.checklist.verdict import Evidence

LOW = "Is the balance below 500 EUR?"


def state(question: str, *texts: str) -> str | None:
    """Judge by evidence of which each one is a day newer than the one before."""
    evidence = [
        Evidence(f"memory/2026-04-{n:02}.md#L{n}", text, date(2026, 4, n))
        for n, text in enumerate(texts, 1)
    ]
    verdict = figures.judge(question, evidence)
    return verdict.state if verdict else None


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        (LOW, "The balance is 430 EUR", "attention"),
        (LOW, "The balance is 500 EUR", "fine"),
        (LOW, "The balance is 499.99 EUR", "attention"),
        (LOW, "The balance is 1,250.50 EUR", "fine"),
        (LOW, "Balance: €430", "attention"),
        (LOW, "Balance of the account on 2026-04-01: **430 euros**", "attention"),
        (LOW, "The balance is -20 EUR", "attention"),
        (LOW, "The balance dropped from 800 EUR to 430 EUR", "attention"),
        ("Is the balance at least 500 EUR?", "The balance is 500 EUR", "attention"),
        ("Disk above 90 %?", "Disk usage is at 93 %", "attention"),
        ("Disk above 90%?", "The disk is at 90 percent", "fine"),
        ("Is the disk usage > 90 %", "Disk: 95%", "attention"),
        ("Are there more than 3 open invoices?", "There are 5 open invoices", "attention"),
        ("More than 3 open invoices?", "Open invoices: 3", "fine"),
        ("More than 3 open invoices?", "There are no open invoices", "fine"),
        ("More than 3 open invoices?", "We have seven open invoices now", "attention"),
        ("Make sure the balance stays above 500 EUR", "The balance is 430 EUR", "attention"),
        ("Make sure the balance stays above 500 EUR", "The balance is 700 EUR", "fine"),
        ("Ist der Kontostand unter 500 Euro?", "Der Kontostand beträgt 1.250,50 Euro", "fine"),
        ("Ist der Kontostand unter 500 Euro?", "Der Kontostand ist 430,10 €", "attention"),
        ("Mehr als 3 offene Rechnungen?", "Es gibt 5 offene Rechnungen", "attention"),
        ("¿Está el saldo por debajo de 500 euros?", "El saldo es de 430 euros", "attention"),
        ("Le solde est en dessous de 500 € ?", "Le solde est de 1 250 €", "fine"),
        ("Is the free disk space below 10 GB?", "Free disk space: 7 GB", "attention"),
    ],
)
def test_what_is_clear_is_judged(question: str, text: str, expected: str) -> None:
    assert state(question, text) == expected


@pytest.mark.parametrize(
    ("question", "text"),
    [
        (LOW, "The balance is 430 USD"),
        (LOW, "The balance is 430"),
        (LOW, "The budget is 430 EUR"),
        (LOW, "The balance is about 450 EUR"),
        (LOW, "The balance is below 600 EUR"),
        (LOW, "Warn me when the balance is 400 EUR"),
        (LOW, "The balance should be 400 EUR"),
        (LOW, "Is the balance 400 EUR?"),
        (LOW, "The balance is 1.250 EUR"),
        (LOW, "Balance and rent: 430 EUR, 800 EUR"),
        (LOW, "The balance is fine"),
        ("Is the balance of the savings account below 500 EUR?", "The balance is 430 EUR"),
        ("Disk above 90 %?", "Only 93 % of the disk is free"),
        ("More than 3 open invoices?", "Invoice 12 is open"),
        ("More than 3 open invoices?", "Opened 5 letters and an invoice"),
        ("Is the disk below 10 GB?", "The disk has 9000 MB"),
        ("Is it below 500 EUR?", "The balance is 430 EUR"),
        ("Is the balance not below 500 EUR?", "The balance is 430 EUR"),
        ("Is the balance still above 500 EUR?", "The balance is 430 EUR"),
        ("Is the balance between 500 and 900 EUR?", "The balance is 430 EUR"),
        ("Is the balance below 500 EUR this week?", "The balance is 430 EUR"),
        ("Anything due in less than 3 days?", "The rent is due in 2 days"),
        ("How high is the balance?", "The balance is 430 EUR"),
        ("Look at the backlog.", "The balance is 430 EUR"),
    ],
)
def test_what_is_not_clear_is_left(question: str, text: str) -> None:
    assert state(question, text) is None


def test_the_newest_figure_counts() -> None:
    assert state(LOW, "The balance is 430 EUR", "The balance is 900 EUR") == "fine"
    assert state(LOW, "The balance is 900 EUR", "The balance is 430 EUR") == "attention"
    assert state(LOW, "The balance is 430 EUR", "Rent went up by 30 EUR") == "attention"


def test_figures_that_contradict_each_other_are_not_judged() -> None:
    one, two = (
        Evidence(f"a.md#L{n}", f"The balance is {n} EUR", date(2026, 4, 1)) for n in (430, 900)
    )
    assert figures.judge(LOW, [one, two]) is None
    assert figures.judge(LOW, [one, Evidence("b.md#L1", "The balance is 10 EUR", one.day)])


def test_two_things_of_a_name_are_not_taken_for_one() -> None:
    texts = ("The checking balance is 430 EUR", "The savings balance is 9000 EUR")
    assert state(LOW, *texts) is None
    assert state("Is the checking balance below 500 EUR?", *texts) == "attention"


def test_superseded_figures_never_count() -> None:
    old = Evidence("a.md#L1", "The balance is 430 EUR", date(2026, 4, 2), superseded=True)
    new = Evidence("a.md#L2", "The balance is 900 EUR", date(2026, 4, 1))
    assert figures.judge(LOW, [old]) is None
    verdict = figures.judge(LOW, [old, new])
    assert verdict is not None
    assert verdict.state == "fine"


def test_the_verdict_cites_and_says_why() -> None:
    verdict = figures.judge(LOW, [Evidence("a.md#L7", "Balance: 430 EUR", date(2026, 4, 2))])
    assert verdict is not None
    assert verdict.evidence == ("a.md#L7",)
    assert verdict.reason == "430 EUR on 2026-04-02 is below 500 EUR: Balance: 430 EUR"


def test_sameness_is_the_side_of_the_threshold() -> None:
    def sameness(text: str) -> str:
        verdict = figures.judge(LOW, [Evidence("a.md#L7", text, date(2026, 4, 2))])
        assert verdict is not None
        return verdict.sameness

    assert sameness("The balance is 430 EUR") == sameness("Balance: 12 EUR") != ""


def test_naming_a_threshold() -> None:
    assert figures.names_a_threshold("Invoices over 500 EUR due this week?")
    assert not figures.names_a_threshold("Anything due in less than 3 days?")
    assert not figures.names_a_threshold("Look at invoice 500")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("it is 1,250.50 EUR", "1250.50 EUR"),
        ("es sind 1.250,50 EUR", "1250.50 EUR"),
        ("es sind 1.250 EUR", "1250 EUR"),
        ("it is 1,250 EUR", "1250 EUR"),
        ("it is $5k", "5000 USD"),
        ("it is 1 250 000 €", "1250000 EUR"),
        ("it is 1.2 million dollars", "1200000.0 USD"),
        ("it is 7,5 kg", "7.5 kg"),
        ("it is -3 °C", "-3 °C"),
        ("it is 1.250 EUR", None),
        ("on 2026-04-01 at 12:30", None),
        ("version 1.2.3 of v5 and #12", None),
        ("the 3rd of April", None),
    ],
)
def test_amounts(text: str, found: str | None) -> None:
    expected = [found.split()] if found else []
    assert [[f"{each.number:f}", each.unit] for each in amounts.read(text)] == expected


@given(st.decimals(min_value=0, max_value=10**9, places=2), st.sampled_from(["en", "de"]))
def test_numbers_are_read_as_they_are_written(number: Decimal, language: str) -> None:
    written = f"{number:,.2f}"
    text = f"it is {written} EUR"
    if language == "de":
        text = f"das ist {written.translate(str.maketrans(',.', '.,'))} EUR"
    assert [each.number for each in amounts.read(text)] == [number]


PIECES = st.sampled_from(
    [LOW, "more than", "below", "balance", "EUR", "€", "1.2.3", "1,000", "9" * 30, "%", "-", "k",
     "no", "open invoices", "is", "to", "2026-99-99", "\n- ", "million", "١٢", "²", "½", ">="]
)  # fmt: skip
TEXTS = st.lists(PIECES | st.text(max_size=6), max_size=9).map(" ".join)


@given(TEXTS, st.lists(TEXTS, max_size=3))
@settings(max_examples=200, deadline=None)
def test_any_text_is_judged_or_left(question: str, texts: list[str]) -> None:
    evidence = [Evidence(f"a.md#L{n}", text) for n, text in enumerate(texts, 1)]
    for each in (question, LOW, "More than 3 open invoices?"):
        verdict = figures.judge(each, evidence)
        if verdict is not None:
            assert verdict.state in ("fine", "attention")
            assert len(verdict.evidence) == 1
            assert bool(verdict.sameness) == (verdict.state == "attention")


@pytest.mark.parametrize(
    "shape", ["1,000 ", "1.1.1", "balance is 3 EUR ", "no ", "- 5 open invoices\n"]
)
def test_long_texts_take_a_moment(shape: str) -> None:
    text = shape * (1_000_000 // len(shape))
    started = time.perf_counter()
    figures.judge(text, [Evidence("a.md#L1", text)])
    figures.judge(LOW, [Evidence("a.md#L1", text)] * 2)
    figures.judge("More than 3 open invoices?", [Evidence("a.md#L1", text)] * 2)
    assert time.perf_counter() - started < 5
