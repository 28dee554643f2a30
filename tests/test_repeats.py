"""Which hits are said already by a better one, and which only look like it."""

import pytest

from hippod.repeats import Statement, distinct

GATE = "The api gateway answers on port 7443"


def fact(content: str, *entities: str) -> Statement:
    return Statement(content, entities, is_fact=True)


def text(content: str) -> Statement:
    return Statement(content, (), is_fact=False)


@pytest.mark.parametrize(
    "again",
    [
        "the API gateway is answering on port 7443",
        "The api gateway answers on port 7443.",
        "On port 7443 the api gateway answers",
    ],
)
def test_a_restatement_is_left_out(again: str) -> None:
    assert distinct([fact(GATE), fact(again)], 10) == [0]
    assert distinct([text(f"[10:00:00] {GATE}"), text(f"[18:30] {again}")], 10) == [0]


@pytest.mark.parametrize(
    "other",
    [
        "The api gateway no longer answers on port 7443",
        "The api gateway answers on port 7444",
        "The api gateway answers on port 7443 only behind the proxy of the new building",
        "The mail gateway of Olaf answers on port 7443",
    ],
)
def test_a_contradiction_or_more_of_it_stays(other: str) -> None:
    assert distinct([fact(GATE), fact(other)], 10) == [0, 1]
    assert distinct([text(GATE), text(other)], 10) == [0, 1]


def test_a_number_in_the_place_of_another_makes_another_fact() -> None:
    said = [fact("Client 1 wrote sentence 2 again"), fact("Client 2 wrote sentence 1 again")]
    assert distinct(said, 10) == [0, 1]


def test_a_fact_of_others_is_another_fact() -> None:
    said = "Prefers replies in the morning"
    assert distinct([fact(said, "Ina"), fact(f"{said}.", "Olaf")], 10) == [0, 1]
    assert distinct([fact(said, "Ina"), fact(f"{said}.", "ina", "Olaf")], 10) == [0]


def test_a_fact_of_another_time_is_another_fact() -> None:
    old = Statement(GATE, (), is_fact=True, held=("2025-01-01", None, "k3f9ab27qt"))
    new = Statement(f"{GATE}.", (), is_fact=True, held=("2026-01-01", None, None))
    assert distinct([old, new], 10) == [0, 1]
    assert distinct([new, old], 10) == [0, 1]
    assert distinct([new, fact(GATE)], 10) == [0, 1]
    assert distinct([new, new], 10) == [0]


def test_a_fact_is_never_left_out_for_other_text_but_that_for_a_fact() -> None:
    assert distinct([text(GATE), fact(GATE)], 10) == [0, 1]
    assert distinct([fact(GATE), text(f"[10:00:00] {GATE}")], 10) == [0]


def test_text_that_says_more_or_is_no_statement_stays() -> None:
    more = f"{GATE}. The old one was switched off by Ina in spring."
    assert distinct([text(more), text(GATE)], 10) == [0, 1]
    assert distinct([text("Wombats too"), text("Wombats")], 10) == [0, 1]
    assert distinct([text("I am b.md"), text("I am what?.md")], 10) == [0, 1]
    assert distinct([text(f"{GATE} " * 30), text(f"{GATE} " * 31)], 10) == [0, 1]


def test_no_more_are_looked_at_than_are_asked_for() -> None:
    seen: list[int] = []

    def statements():  # type: ignore[no-untyped-def]
        for number in range(100):
            seen.append(number)
            yield text(f"Shelf {number} is full of books")

    assert distinct(statements(), 3) == [0, 1, 2]
    assert len(seen) <= 4
