"""Who may do which task: by the self-test, once per model, or by the config."""

import json
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from hippod.capabilities import POSTPONED, Capabilities
from hippod.config import Config
from hippod.errors import (
    BudgetExhausted,
    ConfigError,
    ModelCrashed,
    ModelError,
    ModelRefused,
    ModelTimeout,
    ModelUnavailable,
    Unsupported,
)
from hippod.models import Completion, Grammar, selftest
from hippod.models.embedded import embedded_gguf
from hippod.models.llama import LlamaGenerator
from hippod.state import State
from tests.fakes import FakeGenerator
from tests.reflected import entity, listed


class Now:
    """Seconds that pass when told."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def state(tmp_path: Path) -> Iterator[State]:
    state = State(tmp_path / "state.sqlite")
    yield state
    state.close()


@pytest.fixture
def now() -> Now:
    return Now()


@pytest.fixture
def make(state: State, now: Now) -> Callable[..., Capabilities]:
    def build(generator: Any, tasks: Any = "auto", stopped: bool = False) -> Capabilities:
        event = threading.Event()
        if stopped:
            event.set()
        return Capabilities(None, generator, tasks, state, event, now)

    return build


Make = Callable[..., Capabilities]


class Writer(FakeGenerator):
    """Answers `complete` by a function of the prompt; `tokens` is what each answer costs."""

    def __init__(self, answer: Callable[[str, Grammar], str | Exception], tokens: int = 20) -> None:
        super().__init__()
        self.answer = answer
        self.tokens = tokens

    def complete(
        self, prompt: str, grammar: Grammar, max_tokens: int, *, system: str = ""
    ) -> Completion:
        self.prompts.append(prompt)
        answer = self.answer(prompt, grammar)
        if isinstance(answer, Exception):
            raise answer
        return Completion(answer, True, 10, self.tokens, 0.1)


def tasks(capabilities: Capabilities) -> list[str]:
    strategies = capabilities.strategies()
    may = {
        "select": capabilities.selector(),
        "rewrite": strategies.rewrite(),
        "transcript": strategies.transcript(),
    }
    return [task for task, generator in may.items() if generator is not None]


def test_without_a_generator_nothing_is_done(make: Make) -> None:
    assert tasks(make(None)) == []


def test_a_useless_model_fails_each_task_once_and_cheaply(make: Make, state: State) -> None:
    model = FakeGenerator()
    capabilities = make(model)
    assert tasks(capabilities) == []
    asked = len(model.prompts)
    assert asked < 80
    assert tasks(capabilities) == []
    assert tasks(make(model)) == []
    assert len(model.prompts) == asked
    verdicts = state.verdicts(model.model_id)
    assert set(verdicts) == {"select", "rewrite", "transcript"}
    assert all(verdict.detail for verdict in verdicts.values())


def test_nothing_is_tested_before_it_is_needed(make: Make, state: State) -> None:
    model = FakeGenerator()
    make(model).strategies()
    assert model.prompts == []
    make(model).strategies().rewrite()
    assert set(state.verdicts(model.model_id)) == {"rewrite"}


def test_a_list_in_the_config_needs_no_test(make: Make, state: State) -> None:
    model = FakeGenerator()
    assert tasks(make(model, ("rewrite",))) == ["rewrite"]
    assert tasks(make(model, ())) == []
    assert model.prompts == []
    assert state.verdicts(model.model_id) == {}


def test_an_endpoint_without_label_probabilities_may_still_write(make: Make, state: State) -> None:
    class Remote(FakeGenerator):
        def choose(self, prompts: Sequence[str], labels: Sequence[str]) -> list[list[float]]:
            raise Unsupported("the endpoint lists no log-probabilities")

    model = Remote()
    state.set_verdict(model.model_id, "rewrite", True)
    state.set_verdict(model.model_id, "transcript", True)
    assert tasks(make(model)) == ["rewrite", "transcript"]
    verdict = state.get_verdict(model.model_id, "select")
    assert verdict is not None
    assert "log-probabilities" in verdict.detail


@pytest.mark.parametrize(
    "failure", [ModelTimeout("late"), ModelCrashed("gone"), ModelRefused("no")]
)
def test_a_test_that_breaks_off_judges_nobody(
    make: Make, state: State, now: Now, failure: Exception
) -> None:
    model = Writer(lambda _prompt, _grammar: failure)
    capabilities = make(model)
    assert capabilities.strategies().rewrite() is None
    assert state.get_verdict(model.model_id, "rewrite") is None
    asked = len(model.prompts)
    assert capabilities.strategies().rewrite() is None
    assert len(model.prompts) == asked, "not again at once"
    now.seconds += POSTPONED + 1
    model.answer = lambda _prompt, _grammar: ""
    assert capabilities.strategies().rewrite() is None
    assert state.get_verdict(model.model_id, "rewrite") is not None


def test_a_failing_label_test_is_a_failure(make: Make) -> None:
    model = FakeGenerator()
    model.enqueue(ModelCrashed("gone"))
    with pytest.raises(ModelCrashed):
        make(model).selector()


@pytest.mark.parametrize("failure", [ModelUnavailable("no file"), BudgetExhausted("spent")])
def test_a_model_that_cannot_be_had_is_none(make: Make, failure: Exception) -> None:
    class Gone(FakeGenerator):
        def choose(self, prompts: Sequence[str], labels: Sequence[str]) -> list[list[float]]:
            raise failure

    assert make(Gone()).selector() is None
    with pytest.raises(type(failure)):
        make(Gone(), stopped=True).selector()


def test_after_refusals_in_a_row_the_model_writes_no_more_for_a_while(
    make: Make, state: State, now: Now
) -> None:
    model = FakeGenerator()
    for task in ("select", "rewrite", "transcript"):
        state.set_verdict(model.model_id, task, True)
    capabilities = make(model)
    for _ in range(3):
        assert tasks(capabilities) == ["select", "rewrite", "transcript"]
        capabilities.note(ModelRefused("usage limit"))
    assert tasks(capabilities) == ["select"]
    capabilities.note(None)
    assert tasks(capabilities) == ["select"], "labels are no proof that it writes again"
    now.seconds += 61
    assert tasks(capabilities) == ["select", "rewrite", "transcript"]
    capabilities.note(None)
    capabilities.note(ModelRefused("usage limit"))
    assert tasks(capabilities) == ["select", "rewrite", "transcript"]


def test_a_model_that_rambles_fails_soon(make: Make, state: State) -> None:
    model = Writer(lambda _prompt, _grammar: '{"facts": [{"turns"', tokens=400)
    assert make(model).strategies().transcript() is None
    assert len(model.prompts) <= 4
    verdict = state.get_verdict(model.model_id, "transcript")
    assert verdict is not None
    assert "tokens" in verdict.detail


def test_a_model_that_copies_every_line_fails_as_a_reader(make: Make, state: State) -> None:
    def copy(prompt: str, _grammar: Grammar) -> str:
        rows = re.findall(r"^(\d+) [^:]+: (.*)$", prompt, re.MULTILINE)
        items = ", ".join(
            f'{{"turns": [{number}], "kind": "W", "text": "{text}"}}' for number, text in rows
        )
        return f'{{"facts": [{items}]}}'

    model = Writer(copy)
    assert make(model).strategies().transcript() is None
    verdict = state.get_verdict(model.model_id, "transcript")
    assert verdict is not None
    assert "rules" in verdict.detail


def test_a_model_that_copies_sentences_fails_as_a_writer(make: Make, state: State) -> None:
    model = Writer(lambda prompt, _grammar: prompt.splitlines()[-2].partition(": ")[2])
    assert make(model).strategies().rewrite() is None
    assert len(model.prompts) <= 12


WELL_WORDED = {
    "we moved the choir practice to Thursdays at 19:30":
        "Runa's group moved the choir practice to Thursdays at 19:30.",
    "unser Sohn Jonte hat am 4. Mai Prüfung": "Birtes Sohn Jonte hat am 4. Mai Prüfung.",
    "mi hermano vive en Valparaíso": "El hermano de Tomás vive en Valparaíso.",
    "our neighbour Kuno told us that the shed key hangs at the pump":
        "Sefa's neighbour Kuno told the group that the shed key hangs at the pump.",
    "ma fille est allergique aux amandes": "La fille de Yannick est allergique aux amandes.",
    "a minha avó mora em Viseu": "A avó do Nuno mora em Viseu.",
    "私の弟は大阪で働いています": "Harukaの弟は大阪で働いています。",
    "we don't lend the trailer to Kasimir any more":
        "Runa's group doesn't lend the trailer to Kasimir any more.",
    "ich trinke nur noch grünen Tee": "Birte trinkt nur noch grünen Tee.",
    "我对花生过敏": "小林对花生过敏。",
    "nous avons vendu la barque à Maud": "Le groupe de Yannick a vendu la barque à Maud.",
    "my sister Lale and I share the van, she pays for the fuel":
        "Emre's sister Lale and Emre share the van, she pays for the fuel.",
}  # fmt: skip


def test_a_model_that_words_well_passes_the_guard_and_the_test(make: Make, state: State) -> None:
    def word(prompt: str, _grammar: Grammar) -> str:
        return WELL_WORDED[prompt.splitlines()[-2].partition(": ")[2]]

    model = Writer(word)
    assert make(model).strategies().rewrite() is model
    verdict = state.get_verdict(model.model_id, "rewrite")
    assert verdict is not None
    assert verdict.score >= 0.9, verdict.detail
    assert len(model.prompts) == 12


def test_a_model_that_reads_well_passes(make: Make, state: State) -> None:
    passing = re.compile(
        r"kettle|right back|Stau|Fahrrad|café|espera|blank|hang on|thé$|drizzling|window|"
        r"elevador|o som|屏幕|稍等|雨|画面|scrolling|one more|Bildschirm|so, Fenster|wasp"
    )

    def read(prompt: str, _grammar: Grammar) -> str:
        rows = re.findall(r"^(\d+) [^:]+: (.*)$", prompt, re.MULTILINE)
        items = [
            {"turns": [int(number)], "kind": "W", "text": text}
            for number, text in rows
            if not passing.search(text)
        ]
        return json.dumps({"facts": items})

    model = Writer(read)
    assert make(model).strategies().transcript() is model
    verdict = state.get_verdict(model.model_id, "transcript")
    assert verdict is not None
    assert verdict.passed
    assert len(model.prompts) == 12


@pytest.mark.parametrize(
    ("tasks", "read"),
    [("auto", "auto"), (["select", "transcript"], ("select", "transcript")), ([], ())],
)
def test_the_config_takes_auto_or_a_list(tasks: object, read: object) -> None:
    config = Config.model_validate({"generator": {"tasks": tasks}})
    assert config.generator.tasks == read


def test_other_tasks_in_the_config_are_refused(tmp_path: Path) -> None:
    from hippod.config import load

    path = tmp_path / "config.toml"
    path.write_text('[generator]\ntasks = ["sing"]\n')
    with pytest.raises(ConfigError, match=r"generator\.tasks"):
        load(path, {})


def test_a_model_that_says_facts_in_fewer_sentences_summarises(make: Make, state: State) -> None:
    def joined(prompt: str, _grammar: Grammar) -> str:
        told = re.findall(r"^([0-9]+)\. (.*)\.$", prompt, re.MULTILINE)
        pairs = [told[n : n + 2] for n in range(0, len(told), 2)]
        facts = [
            {"turns": [int(n) for n, _ in pair], "text": f"{', '.join(text for _, text in pair)}."}
            for pair in pairs
        ]
        return json.dumps({"facts": facts})

    said = listed(
        "2026-01-01 W @Ben: Ben owns 3 boats. ^aaaa1111",
        "2026-01-02 W @Ben: Ben eats fish. ^bbbb1111",
    )
    model = Writer(joined)
    summarise = make(model).summariser()
    assert summarise is not None
    (sentence,) = summarise(entity(said, "Ben"), said) or []
    assert sentence.text == "Ben owns 3 boats, Ben eats fish."
    assert make(model).summariser() is not None
    assert state.get_verdict(model.model_id, "summary") is not None


def test_a_model_that_fails_later_gives_no_summary(make: Make, state: State) -> None:
    model = Writer(lambda _prompt, _grammar: ModelTimeout("late"))
    state.set_verdict(model.model_id, "summary", True, 1.0, "fine")
    lost: list[ModelError] = []
    summarise = make(model).summariser(lost.append)
    assert summarise is not None
    said = listed("2026-01-01 W @Ben: Ben owns 3 boats. ^aaaa1111")
    assert summarise(entity(said, "Ben"), said) is None
    assert summarise(entity(said, "Ben"), said) is None
    assert [error.message for error in lost] == ["late"]
    assert len(model.prompts) == 1


def test_a_useless_model_does_not_summarise(make: Make, state: State) -> None:
    model = Writer(lambda _prompt, _grammar: "It all went well.")
    assert make(model).summariser() is None
    verdict = state.get_verdict(model.model_id, "summary")
    assert verdict is not None
    assert not verdict.passed
    assert len(model.prompts) == 1


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_the_embedded_model_labels_and_does_not_write(
    make: Make, state: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What its tests find is what hippod knows of it without a test."""
    known = {task: v.passed for (model, task), v in selftest.KNOWN.items()}
    path = embedded_gguf()
    assert path is not None
    model = LlamaGenerator(path, prompt_timeout=100, call_timeout=110)
    assert {of for of, _ in selftest.KNOWN} == {model.model_id}
    monkeypatch.setattr(selftest, "KNOWN", {})
    try:
        assert tasks(make(model)) == ["select"]
        assert make(model).opinion_judge() is None
        assert model.spent.tokens_out < 1500
    finally:
        model.close()
    tasks_known = ("rewrite", "transcript", "opinion", "summary", "check")
    assert known == dict.fromkeys(tasks_known, False)


def test_what_is_known_of_a_model_needs_no_test(
    make: Make, state: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = Writer(lambda _prompt, _grammar: "anything")
    verdict = selftest.Verdict("rewrite", False, 0.0, "known")
    monkeypatch.setattr(selftest, "KNOWN", {(model.model_id, "rewrite"): verdict})
    assert make(model).strategies().rewrite() is None
    assert not model.prompts
    shown = state.get_verdict(model.model_id, "rewrite")
    assert shown is not None
    assert shown.detail == "known"
