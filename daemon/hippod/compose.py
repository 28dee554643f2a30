"""Builds every object from a frozen configuration, and takes all down again in order."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import structlog

from hippod import lock, transcripts, workspace_seed
from hippod.config import Config
from hippod.index import Index
from hippod.models import Embedder
from hippod.models.factory import embedder_from, generator_from
from hippod.models.llama import LlamaGenerator
from hippod.retain import Retainer
from hippod.service import Memory
from hippod.state import State
from hippod.workspace import Workspace

logger = structlog.get_logger()


@dataclass(frozen=True)
class Assembly:
    """All parts over one workspace, which they hold locked until the assembly is closed."""

    config: Config
    workspace: Workspace
    state: State
    index: Index
    embedder: Embedder | None
    generator: LlamaGenerator | None
    retainer: Retainer
    memory: Memory
    notes: dict[str, str]

    def interrupt(self) -> None:
        """Make work in progress end soon; what is unfinished goes on at the next start."""
        self.retainer.stop()
        self.index.stop()
        if self.generator is not None:
            self.generator.close()

    def describe(self) -> dict[str, Any]:
        """Return what `status` tells of the models."""
        return {
            "generator": self._generator_status(),
            "embedder": {"model": self.embedder.model_id} if self.embedder else None,
            "notes": self.notes,
        }

    def _generator_status(self) -> dict[str, Any]:
        if self.generator is None:
            return {"state": "none"}
        status = self.generator.status()
        tests = self.state.verdicts(str(status["model_id"]))
        shown = {
            task: {"passed": v.passed, "score": v.score, "detail": v.detail}
            for task, v in tests.items()
        }
        return {**status, "self_tests": shown}


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
    generator, why_no_generator = generator_from(config.generator)
    if generator is not None:
        stack.callback(generator.close)
    index = Index(folder, workspace, embedder, chunking=config.chunking, zone=config.zone)
    stack.callback(index.close)
    retainer = Retainer(config, workspace, state, generator, index.entities, _now)
    memory = Memory(
        config=config,
        config_path=config_path,
        workspace=workspace,
        state=state,
        index=index,
        embedder=embedder,
        retainer=retainer,
        clock=_now,
    )
    notes = {
        role: reason
        for role, reason in (("generator", why_no_generator), ("embedder", why_no_embedder))
        if reason
    }
    return Assembly(config, workspace, state, index, embedder, generator, retainer, memory, notes)


def _source_rule(config: Config, root: Path) -> Callable[[str], bool]:
    """Return whether a workspace path belongs to a source and so is no document."""
    patterns = [source.path for source in config.sources if not source.index]

    def is_transcript(path: str) -> bool:
        return any(transcripts.matches(pattern, root, root / path) for pattern in patterns)

    return is_transcript


def _now() -> datetime:
    return datetime.now(UTC)
