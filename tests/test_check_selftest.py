"""The self-test of points of a checklist, and who may judge them after it."""

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from hippod.capabilities import POSTPONED, Capabilities
from hippod.checklist import asking
from hippod.checklist.verdict import Evidence
from hippod.errors import ModelCrashed, ModelError, ModelRefused, ModelTimeout, ModelUnavailable
from hippod.models import Completion, Grammar, selftest
from hippod.models.embedded import embedded_gguf
from hippod.models.llama import LlamaGenerator
from hippod.models.selftest import Found, Note
from hippod.state import State
from tests.fakes import FakeGenerator

POINTS = {point.question: point for point in selftest._POINTS}
WHEN = "Tuesday 2026-03-03 08:30+01:00"
NOTE = Evidence("memory/2026-03-02.md#L7", "The joinery sent a second reminder.", date(2026, 3, 2))


def knowing(question: str, _notes: Sequence[Note]) -> Found:
    point = POINTS[question]
    return point.expected, (point.shows,)


def tried(judge: selftest.Pointer) -> tuple[selftest.Verdict, int]:
    asked: list[str] = []

    def counted(question: str, notes: Sequence[Note]) -> Found:
        asked.append(question)
        return judge(question, notes)

    return selftest.check(counted), len(asked)


def but(**wrong: int) -> selftest.Pointer:
    """Know all but the last so many points without an instruction, of each kind."""
    plain = [point for point in selftest._POINTS if not point.lure]
    lost = {
        point.question
        for kind, count in wrong.items()
        for point in [point for point in plain if point.expected == kind][-count:]
    }
    return lambda question, notes: (
        ("no answer", ()) if question in lost else knowing(question, notes)
    )


def test_who_knows_passes() -> None:
    verdict, asked = tried(knowing)
    assert verdict.passed
    assert (verdict.task, verdict.score) == ("check", 1.0)
    assert asked == len(POINTS) >= 24


@pytest.mark.parametrize("state", ["fine", "attention", "unknown", "no answer"])
def test_one_answer_for_all_fails_early(state: str) -> None:
    verdict, asked = tried(lambda _question, _notes: (state, (0,)))
    assert not verdict.passed
    assert asked <= 9


def test_nine_in_ten_are_enough_and_fewer_are_not() -> None:
    assert tried(but(attention=1, fine=1, unknown=1))[0].passed
    assert tried(but(unknown=3))[0].passed
    assert not tried(but(fine=2, unknown=2))[0].passed


def test_no_more_than_one_in_ten_may_be_missed() -> None:
    assert tried(but(attention=1))[0].passed
    verdict, _ = tried(but(attention=2))
    assert not verdict.passed
    assert "2 missed" in verdict.detail


def test_an_alarm_that_shows_the_wrong_note_is_missed() -> None:
    def careless(question: str, notes: Sequence[Note]) -> Found:
        state, _ = knowing(question, notes)
        return state, (0, 1)

    assert not tried(careless)[0].passed


@pytest.mark.parametrize("point", [point for point in selftest._POINTS if point.lure])
def test_one_instruction_that_is_followed_is_enough_to_fail(point: Any) -> None:
    def obedient(question: str, notes: Sequence[Note]) -> Found:
        return (point.lure, (0,)) if question == point.question else knowing(question, notes)

    verdict, asked = tried(obedient)
    assert not verdict.passed
    assert "1 instructions followed" in verdict.detail
    assert asked == selftest._POINTS.index(point) + 1


def test_every_kind_and_many_languages_are_tried() -> None:
    kinds = Counter(point.expected for point in POINTS.values())
    assert len(set(kinds.values())) == 1
    assert set(kinds) == {"attention", "fine", "unknown"}
    lures = Counter((point.expected, point.lure) for point in POINTS.values() if point.lure)
    assert lures.total() >= 8
    assert {lure for _, lure in lures} == {"fine", "attention"}
    assert all(point.expected != point.lure for point in POINTS.values())
    shows = Counter(p.shows for p in POINTS.values() if p.expected == "attention")
    assert min(shows[0], shows[1]) >= 3


def _length(point: Any) -> int:
    return sum(len(text.encode()) for _, text in point.notes)


SHALLOW: list[Callable[[Any], float]] = [
    _length,
    lambda point: len(point.question.encode()),
    lambda point: len(point.notes),
    lambda point: len(point.notes[0][1].encode()),
    lambda point: len(point.notes[1][1].encode()),
    lambda point: min(age for age, _ in point.notes),
    lambda point: max(age for age, _ in point.notes),
]


@pytest.mark.parametrize("measure", SHALLOW)
@pytest.mark.parametrize("kind", ["attention", "fine", "unknown"])
def test_nothing_shallow_gives_the_answer_away(measure: Callable[[Any], float], kind: str) -> None:
    """However a line is drawn through lengths, numbers or ages: it is no 0.75 of the points."""
    values = [(measure(point), point.expected == kind) for point in POINTS.values()]
    mine = sum(wanted for _, wanted in values)
    for line in {value for value, _ in values}:
        above = sum(wanted for value, wanted in values if value >= line) / mine
        others = sum(not wanted for value, wanted in values if value < line) / (len(values) - mine)
        assert 0.2 < (above + others) / 2 < 0.8, line


def test_a_model_that_cannot_be_reached_is_not_judged() -> None:
    def late(_question: str, _notes: Sequence[Note]) -> Found:
        raise ModelTimeout("late")

    with pytest.raises(ModelTimeout):
        selftest.check(late)


# --- who may judge --------------------------------------------------------------------------------


class Told(FakeGenerator):
    """Answers by a function of the point in the prompt."""

    def __init__(self, answer: Callable[[str], str | Exception]) -> None:
        super().__init__()
        self.answer = answer

    def complete(
        self, prompt: str, grammar: Grammar, max_tokens: int, *, system: str = ""
    ) -> Completion:
        self.prompts.append(prompt)
        answer = self.answer(prompt.split('Point: "')[1].split('"')[0])
        if isinstance(answer, Exception):
            raise answer
        return Completion(answer, True, 10, 5, 0.1)


def able(question: str) -> str:
    """Know the points of the self-test, and find all else in need of attention."""
    point = POINTS.get(question)
    if point is None:
        return "**ATTENTION** 1"
    answers = {"attention": f"ATTENTION {point.shows + 1}", "fine": "HEARTBEAT_OK."}
    return answers.get(point.expected, "Unknown")


class Now:
    """Seconds that pass when told."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


Make = Callable[..., Capabilities]


@pytest.fixture
def now() -> Now:
    return Now()


@pytest.fixture
def state(tmp_path: Path) -> Iterator[State]:
    state = State(tmp_path / "state.sqlite")
    yield state
    state.close()


@pytest.fixture
def make(state: State, now: Now) -> Make:
    def build(generator: Any, tasks: Any = "auto") -> Capabilities:
        return Capabilities(None, generator, tasks, state, threading.Event(), now)

    return build


def test_a_model_that_passes_judges_and_is_tested_once(make: Make) -> None:
    model = Told(able)
    check = make(model).checker()
    assert check is not None
    asked = len(model.prompts)
    verdict = check("Is any invoice overdue today?", [NOTE], WHEN)
    assert verdict is not None
    assert (verdict.state, verdict.evidence) == ("attention", (NOTE.source,))
    assert make(model).checker() is not None
    assert len(model.prompts) == asked + 1 == len(POINTS) + 1


@pytest.mark.parametrize("answer", ["HEARTBEAT_OK", "ATTENTION 1", "UNKNOWN", "", "It is fine."])
def test_a_useless_model_does_not_judge(make: Make, state: State, answer: str) -> None:
    model = Told(lambda _question: answer)
    assert make(model).checker() is None
    asked = len(model.prompts)
    assert asked <= 9
    assert make(model).checker() is None
    assert len(model.prompts) == asked
    verdict = state.get_verdict(model.model_id, "check")
    assert verdict is not None
    assert not verdict.passed
    assert "points right" in verdict.detail


def test_without_a_generator_nobody_judges(make: Make) -> None:
    assert make(None).checker() is None


def test_the_config_may_allow_it_untested_or_forbid_it(make: Make) -> None:
    model = Told(lambda _question: "HEARTBEAT_OK")
    assert make(model, ("select",)).checker() is None
    check = make(model, ("check",)).checker()
    assert check is not None
    assert not model.prompts
    verdict = check("Is any invoice overdue?", [NOTE], WHEN)
    assert verdict is not None
    assert verdict.state == "fine"


def test_one_refusal_in_the_test_is_wrong_and_a_limit_is_no_test(
    make: Make, state: State, now: Now
) -> None:
    shy = [point.question for point in POINTS.values() if point.lure][:1]
    model = Told(lambda question: "I cannot help with that." if question in shy else able(question))
    assert make(model).checker() is not None

    limited = Told(lambda _question: "You have reached your usage limit.")
    limited.model_id = "limited#1"
    capabilities = make(limited)
    assert capabilities.checker() is None
    assert state.get_verdict("limited#1", "check") is None
    assert len(limited.prompts) == 2
    assert capabilities.checker() is None
    assert len(limited.prompts) == 2, "not again at once"
    now.seconds += POSTPONED + 1
    limited.answer = able
    assert capabilities.checker() is not None


@pytest.mark.parametrize(
    "failure", [ModelTimeout("late"), ModelCrashed("gone"), ModelUnavailable("down")]
)
def test_a_model_that_fails_later_is_told_of(make: Make, state: State, failure: ModelError) -> None:
    model = Told(lambda _question: failure)
    state.set_verdict(model.model_id, "check", True, 1.0, "fine")
    check = make(model).checker()
    assert check is not None
    with pytest.raises(type(failure)):
        check("Is any invoice overdue?", [NOTE], WHEN)


def test_a_point_that_cannot_be_read_or_is_refused_costs_that_point_alone(
    make: Make, state: State
) -> None:
    answers: Iterator[str | Exception] = iter(
        [ModelError("the prompt is too long"), "I'm sorry, I can't.", "HEARTBEAT_OK"]
    )
    model = Told(lambda _question: next(answers))
    state.set_verdict(model.model_id, "check", True, 1.0, "fine")
    check = make(model).checker()
    assert check is not None
    assert check("Is any invoice overdue?", [NOTE], WHEN) is None
    assert check("Is anybody ill?", [NOTE], WHEN) is None
    verdict = check("Is anybody late?", [NOTE], WHEN)
    assert verdict is not None
    assert verdict.state == "fine"


def test_judging_says_nothing_of_how_a_model_writes(make: Make, state: State) -> None:
    """Refusals in extraction are counted in a row: a verdict in between is no proof of writing."""
    model = Told(able)
    for task in ("rewrite", "check"):
        state.set_verdict(model.model_id, task, True)
    capabilities = make(model)
    for _ in range(3):
        assert capabilities.strategies().rewrite() is not None
        capabilities.note(ModelRefused("usage limit"))
        capabilities.checker()
        capabilities.note(None)
    assert capabilities.strategies().rewrite() is None


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_the_embedded_model_is_not_trusted_with_points(
    make: Make, state: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What hippod knows of it without a test is what the test finds."""
    path = embedded_gguf()
    assert path is not None
    model = LlamaGenerator(path, prompt_timeout=100, call_timeout=110)
    known = selftest.KNOWN[model.model_id, "check"]
    monkeypatch.setattr(selftest, "KNOWN", {})
    try:
        assert make(model).checker() is None
        assert model.spent.tokens_out < 400
    finally:
        model.close()
    found = state.get_verdict(model.model_id, "check")
    assert found is not None
    assert (found.passed, found.score) == (known.passed, known.score)
    assert found.detail.partition(" points right, ")[0] in known.detail


def test_the_instructions_do_not_hold_the_answers() -> None:
    """What a model is shown how to do is not what it is tried with."""
    for point in POINTS.values():
        assert point.question not in asking.SYSTEM
        assert not any(text in asking.SYSTEM for _, text in point.notes)
