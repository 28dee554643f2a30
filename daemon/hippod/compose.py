"""Builds every object from a frozen configuration, and takes all down again in order."""

import functools
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import structlog

from hippod import lock, transcripts, workspace_seed
from hippod.config import Config
from hippod.factbook import Factbook
from hippod.hygiene import JOB, Hygiene
from hippod.index import Index
from hippod.models import ManagedEmbedder
from hippod.models.encoder import ChildEncoder
from hippod.models.factory import (
    embedder_again,
    embedder_from,
    embedder_spec,
    encoder_from,
    generator_from,
    token_counter,
)
from hippod.models.metering import Budget, MeteredGenerator
from hippod.reflect import JOB as REFLECT
from hippod.reflect import Reflector
from hippod.remembered import Remembered
from hippod.retain import Retainer
from hippod.service import Memory
from hippod.similarity import similar
from hippod.state import FACTS_BY, State
from hippod.wire_bank import HygieneRequest
from hippod.workspace import Workspace

logger = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Chore:
    """Work that the daemon does every so many seconds, in a thread that all chores share.

    `work` records its run in the state itself. Where it is not `scheduled` it runs only when
    somebody asks for it.
    """

    name: str
    seconds: float
    work: Callable[[], object]
    scheduled: bool = True


@dataclass(frozen=True)
class Assembly:
    """All parts over one workspace, which they hold locked until the assembly is closed."""

    config: Config
    workspace: Workspace
    state: State
    index: Index
    embedder: ManagedEmbedder | None
    encoder: ChildEncoder | None
    generator: MeteredGenerator | None
    budget: Budget
    retainer: Retainer
    memory: Memory
    notes: dict[str, str]
    hygiene: Hygiene
    reflector: Reflector
    chores: tuple[Chore, ...] = ()

    def interrupt(self) -> None:
        """Make work in progress end soon; what is unfinished goes on at the next start."""
        self.reflector.stop()
        self.hygiene.stop()
        self.retainer.stop()
        self.index.stop()
        if self.encoder is not None:
            self.encoder.close()
        if self.generator is not None:
            self.generator.close()
        if self.embedder is not None:
            self.embedder.close()

    def describe(self) -> dict[str, Any]:
        """Return what `status` tells of the models."""
        return {
            "encoder": self._encoder_status(),
            "generator": self._generator_status(),
            "embedder": self._embedder_status(),
            "notes": self.notes,
        }

    def _embedder_status(self) -> dict[str, Any]:
        if self.embedder is None:
            return {"state": "none"}
        return {"provider": self.config.embedder.provider, **self.embedder.status()}

    def _encoder_status(self) -> dict[str, Any]:
        if self.encoder is None:
            return {"state": "none"}
        return {**self.encoder.status(), "self_tests": self._self_tests(self.encoder.model_id)}

    def _self_tests(self, model: str) -> dict[str, Any]:
        return {
            task: {"passed": test.passed, "score": test.score, "detail": test.detail}
            for task, test in self.state.verdicts(model).items()
        }

    def _generator_status(self) -> dict[str, Any]:
        if self.generator is None:
            return {"state": "none"}
        status = self.generator.status()
        model = str(status["model_id"])
        return {
            **status,
            "tasks": self.config.generator.tasks,
            "self_tests": self._self_tests(model),
            "usage": self._usage(model),
        }

    def _usage(self, model: str) -> dict[str, Any]:
        """Return the tokens of the user's day, and what a fact of this model costs on average."""
        until = self.budget.exhausted_until
        days = [day for day in self.state.usage(date.min) if day.model == model]
        facts = self.state.counters().get(FACTS_BY + model, 0)
        tokens = sum(day.tokens_in + day.tokens_out for day in days)
        seconds = sum(day.seconds for day in days)
        return {
            "tokens_today": self.budget.used,
            "daily_tokens": self.budget.limit,
            "exhausted_until": until.isoformat() if until else None,
            "facts": facts,
            "tokens_per_fact": round(tokens / facts, 1) if facts else None,
            "seconds_per_fact": round(seconds / facts, 3) if facts else None,
        }


@contextmanager
def assemble(config: Config, config_path: Path | None) -> Iterator[Assembly]:
    """Lock the workspace (made if absent) and build everything over it."""
    root = config.workspace.path
    if not root.exists():
        made = workspace_seed.init(root)
        logger.info("workspace.created", path=str(root), entries=len(made))
    with ExitStack() as stack:
        folder = stack.enter_context(lock.hold(root))
        yield _build(config, config_path, folder, stack)


def _build(config: Config, config_path: Path | None, folder: Path, stack: ExitStack) -> Assembly:
    root = config.workspace.path
    state = State(folder / "state.sqlite")
    stack.callback(state.close)
    workspace = Workspace(
        root,
        state,
        layout=config.workspace.layout,
        max_file_bytes=config.indexing.max_file_bytes,
        sources_match=_source_rule(config, root),
    )
    embedder, why_no_embedder = embedder_from(config.embedder)
    if embedder is not None:
        stack.callback(embedder.close)
    budget = Budget(config.generator.daily_tokens, state.tokens_on, _now, config.zone)
    encoder, why_no_encoder = encoder_from(config.encoder)
    if encoder is not None:
        stack.callback(encoder.close)
    built, why_no_generator = generator_from(config.generator)
    generator = MeteredGenerator(built, budget, state.add_usage) if built else None
    if generator is not None:
        stack.callback(generator.close)
    index = Index(
        folder,
        Remembered(workspace),
        embedder,
        chunking=config.chunking,
        zone=config.zone,
        spec=embedder_spec(config.embedder),
        former=embedder_again,
    )
    stack.callback(index.close)
    counter = token_counter(config)
    if counter is not None:
        stack.callback(counter.close)
    retainer = Retainer(config, workspace, state, generator, index.entities, _now, encoder)
    factbook = Factbook(workspace)
    likeness = functools.partial(similar, index)
    reflector = Reflector(
        config, workspace, state, _now, generator, encoder, near=likeness, factbook=factbook
    )
    reflector.busy = lambda: retainer.is_working
    hygiene = Hygiene(config, workspace, state, index, retainer, _now, factbook)
    memory = Memory(
        config=config,
        config_path=config_path,
        workspace=workspace,
        state=state,
        index=index,
        retainer=retainer,
        clock=_now,
        counter=counter,
        hygiene=hygiene,
        reflector=reflector,
        factbook=factbook,
    )
    reasons = {
        "encoder": why_no_encoder,
        "generator": why_no_generator,
        "embedder": why_no_embedder,
    }
    return Assembly(
        config=config,
        workspace=workspace,
        state=state,
        index=index,
        embedder=embedder,
        encoder=encoder,
        generator=generator,
        budget=budget,
        retainer=retainer,
        memory=memory,
        notes={role: reason for role, reason in reasons.items() if reason},
        hygiene=hygiene,
        reflector=reflector,
        chores=(_reflecting(config, reflector), _tidying(config, hygiene)),
    )


def _reflecting(config: Config, reflector: Reflector) -> Chore:
    chosen = config.reflect
    seconds = chosen.interval_hours * 3600
    return Chore(REFLECT, seconds, reflector.run_unasked, scheduled=chosen.enabled)


def _tidying(config: Config, hygiene: Hygiene) -> Chore:
    chosen = config.hygiene
    run = functools.partial(hygiene.run, HygieneRequest())
    return Chore(JOB, chosen.interval_hours * 3600, run, scheduled=chosen.enabled)


def _source_rule(config: Config, root: Path) -> Callable[[str], bool]:
    """Return whether a workspace path belongs to a source and so is no document."""
    patterns = [source.path for source in config.sources if not source.index]

    def is_transcript(path: str) -> bool:
        return any(transcripts.matches(pattern, root, root / path) for pattern in patterns)

    return is_transcript


def _now() -> datetime:
    return datetime.now(UTC)
