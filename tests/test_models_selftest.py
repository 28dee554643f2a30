"""Verdicts of the self-test over scorers that are good, useless and broken."""

from collections.abc import Sequence

import pytest

from hippod.errors import ModelTimeout
from hippod.models import selftest

Pairs = Sequence[tuple[str, str]]


def perfect(pairs: Pairs) -> list[float]:
    """The first half of the sentences is the half worth keeping."""
    return [1.0 if number < len(pairs) / 2 else -1.0 for number in range(len(pairs))]


def inverted(pairs: Pairs) -> list[float]:
    return [-value for value in perfect(pairs)]


def undecided(pairs: Pairs) -> list[float]:
    return [0.3] * len(pairs)


def half_right(pairs: Pairs) -> list[float]:
    """Every second kept sentence stands out, the rest are level."""
    return [1.0 if number < len(pairs) / 2 and number % 2 else 0.0 for number in range(len(pairs))]


def test_a_good_scorer_passes_and_says_why() -> None:
    verdict = selftest.select(perfect)
    assert verdict.passed
    assert verdict.task == "select"
    assert verdict.score == 1.0
    assert "1.00" in verdict.detail


@pytest.mark.parametrize(("scorer", "area"), [(inverted, 0.0), (undecided, 0.5)])
def test_useless_scorers_fail(scorer: selftest.Scorer, area: float) -> None:
    verdict = selftest.select(scorer)
    assert not verdict.passed
    assert verdict.score == area


def test_the_length_of_a_sentence_is_not_enough() -> None:
    for sign in (1.0, -1.0):
        assert not selftest.select(
            lambda pairs, sign=sign: [sign * len(text) for _, text in pairs]
        ).passed


def test_rules_that_do_as_well_keep_the_task() -> None:
    alone = selftest.select(half_right)
    assert alone.passed
    assert not selftest.select(half_right, rules=half_right).passed
    assert selftest.select(perfect, rules=perfect).passed, "nothing can beat a perfect score"
    assert selftest.select(half_right, rules=inverted).passed, "bad rules count as chance"


@pytest.mark.parametrize("values", [[], [1.0], [float("nan")] * 18, [float("inf")] * 18])
def test_unusable_numbers_fail(values: list[float]) -> None:
    assert not selftest.select(lambda _pairs: values).passed


def test_a_model_that_cannot_be_reached_is_not_judged() -> None:
    def late(_pairs: Pairs) -> list[float]:
        raise ModelTimeout("late")

    with pytest.raises(ModelTimeout):
        selftest.select(late)


# --- rewrite ---------------------------------------------------------------------------------


def counting(answer: str | None) -> tuple[selftest.Rewriter, list[str]]:
    asked: list[str] = []

    def reword(_speaker: str, sentence: str, _language: str) -> str | None:
        asked.append(sentence)
        return answer

    return reword, asked


def test_a_rewriter_that_leaves_everything_fails_early() -> None:
    reword, asked = counting(None)
    verdict = selftest.rewrite(reword)
    assert not verdict.passed
    assert verdict.task == "rewrite"
    assert len(asked) == 4
    assert "needs 9 of 12" in verdict.detail


def test_one_false_wording_is_enough_to_fail() -> None:
    reword, asked = counting("Runa is moved")
    verdict = selftest.rewrite(reword)
    assert not verdict.passed
    assert "false" in verdict.detail
    assert len(asked) == 1


# --- transcript --------------------------------------------------------------------------------


def nothing(_said: Pairs) -> list[str]:
    return []


def everything(said: Pairs) -> list[str]:
    return [text for _, text in said]


def middle(said: Pairs) -> list[str]:
    """What matters stands in the middle of the conversations, or nearly."""
    return [text for _, text in said[1:-1]]


def test_a_reader_that_finds_what_matters_passes() -> None:
    verdict = selftest.transcript(middle, nothing)
    assert verdict.passed
    assert verdict.task == "transcript"
    assert verdict.score > 0.85


@pytest.mark.parametrize("reader", [nothing, everything])
def test_a_reader_that_is_no_better_than_the_rules_fails_at_the_gate(
    reader: selftest.Reader,
) -> None:
    asked: list[Pairs] = []

    def read(said: Pairs) -> Sequence[str]:
        asked.append(said)
        return reader(said)

    assert not selftest.transcript(read, reader).passed
    assert len(asked) <= selftest.GATE


def test_to_keep_every_sentence_is_never_enough() -> None:
    assert not selftest.transcript(everything, nothing).passed


def test_a_margin_over_good_rules_is_needed() -> None:
    assert not selftest.transcript(everything, middle).passed
    assert not selftest.transcript(middle, middle).passed


def test_what_a_reader_raises_comes_through() -> None:
    def late(_said: Pairs) -> list[str]:
        raise ModelTimeout("late")

    with pytest.raises(ModelTimeout):
        selftest.transcript(late, nothing)


# --- summary ---------------------------------------------------------------------------------


def said_all(text: str, facts: Sequence[str]) -> bool:
    return bool(facts) and all(fact.rstrip(".") in text for fact in facts)


def two_each(_name: str, facts: Sequence[str]) -> list[tuple[str, tuple[int, ...]]]:
    """Two facts a sentence."""
    return [
        (
            ", ".join(fact.rstrip(".") for fact in facts[n : n + 2]),
            tuple(range(n, n + 2))[: len(facts) - n],
        )
        for n in range(0, len(facts), 2)
    ]


def test_fewer_sentences_that_say_all_pass() -> None:
    verdict = selftest.summary(two_each, said_all)
    assert verdict.passed
    assert verdict.score == 1


def test_a_summary_must_be_shorter_than_the_facts() -> None:
    verdict = selftest.summary(
        lambda _name, facts: [(fact, (n,)) for n, fact in enumerate(facts)], said_all
    )
    assert not verdict.passed
    assert verdict.detail.endswith("no shorter")


def test_a_summary_must_tell_most_facts() -> None:
    assert not selftest.summary(lambda name, facts: two_each(name, facts)[:1], said_all).passed
    assert not selftest.summary(lambda _name, _facts: [], said_all).passed


def test_one_unsupported_sentence_ends_the_test() -> None:
    asked: list[str] = []

    def lie(name: str, facts: Sequence[str]) -> list[tuple[str, tuple[int, ...]]]:
        asked.append(name)
        return [*two_each(name, facts), ("It all went well.", (0,))]

    verdict = selftest.summary(lie, said_all)
    assert not verdict.passed
    assert "not supported" in verdict.detail
    assert len(asked) == 1
