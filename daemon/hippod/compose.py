"""Builds every object from a frozen configuration, and takes all down again in order."""

import functools
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import structlog

from hippod import lock, transcripts, workspace_seed
from hippod.checks import Runner
from hippod.config import Config
from hippod.doctor.subject import Models
from hippod.events import Events
from hippod.factbook import Factbook
from hippod.heartbeat import JOB as HEARTBEAT
from hippod.heartbeat import Heartbeat
from hippod.hygiene import JOB, Hygiene
from hippod.index import Index
from hippod.jobs import Job, checkpointing, rhythm_of, window_of
from hippod.looking import Sources
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
from hippod.notifiers import Notifiers
from hippod.reflect import JOB as REFLECT
from hippod.reflect import Reflector
from hippod.remembered import Remembered
from hippod.retain import Retainer
from hippod.service import Memory
from hippod.similarity import similar
from hippod.state import FACTS_BY, State
from hippod.username import UserName
from hippod.wire_bank import HygieneRequest
from hippod.workspace import Workspace

logger = structlog.get_logger()


def _now() -> datetime:
    return datetime.now(UTC)


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
    heartbeat: Heartbeat
    jobs: tuple[Job, ...] = ()

    def interrupt(self) -> None:
        """Make work in progress end soon; what is unfinished goes on at the next start."""
        self.heartbeat.stop()
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

    def measure(self) -> dict[str, Any]:
        """Return what `figures` tells of the models: state and meters by role."""
        parts = {"encoder": self.encoder, "generator": self.generator, "embedder": self.embedder}
        return {"models": {role: part.status() for role, part in parts.items() if part}}

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
        path = status.get("path")
        return {
            **status,
            "missing": isinstance(path, str) and not os.path.exists(path),  # noqa: PTH110
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
def assemble(
    config: Config, config_path: Path | None, clock: Callable[[], datetime] = _now
) -> Iterator[Assembly]:
    """Lock the workspace (made if absent) and build everything over it; `clock` tells the time."""
    with (
        held(config.workspace.path) as mine,
        over(mine.folder, config, config_path, clock) as assembly,
    ):
        yield assembly


@contextmanager
def held(root: Path) -> Iterator[lock.Held]:
    """Lock the workspace at `root`, made if absent."""
    if not root.exists():
        made = workspace_seed.init(root)
        name = "tell your name by: hippod config set workspace.user NAME"
        logger.info("workspace.created", path=str(root), entries=len(made), hint=name)
    with lock.held(root) as mine:
        yield mine


@contextmanager
def over(
    folder: Path, config: Config, config_path: Path | None, clock: Callable[[], datetime] = _now
) -> Iterator[Assembly]:
    """Build everything over a workspace that is held; `folder` is its `.memory`."""
    with ExitStack() as stack:
        yield _build(config, config_path, clock, folder, stack)


def _build(
    config: Config,
    config_path: Path | None,
    clock: Callable[[], datetime],
    folder: Path,
    stack: ExitStack,
) -> Assembly:
    root = config.workspace.path
    state = State(folder / "state.sqlite", clock=clock)
    stack.callback(state.close)
    events = Events(state.events, config.privacy.group_paths)
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
    budget = Budget(config.generator.daily_tokens, state.tokens_on, clock, config.zone)
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
    retainer = Retainer(config, workspace, state, generator, index.entities, clock, encoder)
    retainer.events = events
    user = UserName(workspace, config.workspace.user)
    factbook = Factbook(workspace, user)
    likeness = functools.partial(similar, index)
    reflector = Reflector(
        config, workspace, state, clock, generator, encoder, near=likeness, factbook=factbook
    )
    reflector.busy = lambda: retainer.is_working
    hygiene = Hygiene(config, workspace, state, index, retainer, clock, factbook)
    heartbeat = Heartbeat(
        config,
        workspace,
        state,
        clock,
        reflector=reflector,
        hygiene=hygiene,
        sources=Sources(
            recall=lambda request: memory.recall(request),
            book=factbook.read,
            load=Remembered(workspace).load,
            replaced=functools.partial(_replaced, index),
        ),
        runner=Runner(root, os.environ),
        notifiers=Notifiers(config.notify, os.environ, cwd=root),
        events=events,
        models=(encoder, generator),
    )
    memory = Memory(
        config=config,
        config_path=config_path,
        workspace=workspace,
        state=state,
        index=index,
        retainer=retainer,
        clock=clock,
        counter=counter,
        hygiene=hygiene,
        reflector=reflector,
        factbook=factbook,
        user=user,
        events=events,
        heartbeat=heartbeat,
    )
    reasons = {
        "encoder": why_no_encoder,
        "generator": why_no_generator,
        "embedder": why_no_embedder,
    }
    memory.models = Models(generator, encoder, embedder, reasons)
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
        heartbeat=heartbeat,
        jobs=_jobs(config, state, index, reflector, hygiene, heartbeat),
    )


def _replaced(index: Index, facts: Iterable[str]) -> frozenset[str]:
    with index.view() as view:
        return view.replaced(facts)


def _jobs(
    config: Config,
    state: State,
    index: Index,
    reflector: Reflector,
    hygiene: Hygiene,
    heartbeat: Heartbeat,
) -> tuple[Job, ...]:
    """Return what is scheduled, but for the look at all files, which is the daemon's own."""
    tidy = functools.partial(hygiene.run, HygieneRequest())
    return (
        checkpointing(config, state, index),
        Job(REFLECT, rhythm_of(config, REFLECT), reflector.run_unasked),
        Job(JOB, rhythm_of(config, JOB), tidy),
        Job(HEARTBEAT, rhythm_of(config, HEARTBEAT), heartbeat.tick, window_of(config)),
    )


def _source_rule(config: Config, root: Path) -> Callable[[str], bool]:
    """Return whether a workspace path belongs to a source and so is no document."""
    patterns = [source.path for source in config.sources if not source.index]

    def is_transcript(path: str) -> bool:
        return any(transcripts.matches(pattern, root, root / path) for pattern in patterns)

    return is_transcript
