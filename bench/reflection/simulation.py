"""The year as hippod lives it: logs are written, days pass, the real reflection runs."""

import shutil
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from datetime import time as clock_time
from pathlib import Path

from bench.reflection import following, score, year
from bench.reflection.following import Beliefs
from bench.reflection.score import Bank, Marks, Merges, State, Support
from bench.reflection.year import Told, Year
from hippod import wire_bank, workspace_seed
from hippod.config import Config, load
from hippod.factbook import Factbook
from hippod.models import Spent
from hippod.models.llama import LlamaGenerator
from hippod.reflect import Reflector
from hippod.reflection import entities
from hippod.state import State as KeptState
from hippod.workspace import Workspace

_NIGHT = clock_time(23, 55)
_LOOKS = 4
"""How often in the year the pages are held against what holds."""


@dataclass(frozen=True, slots=True)
class Step:
    """A reflection: its day, the facts until then, its seconds, what it did, the bank's bytes."""

    day: date
    facts: int
    seconds: float
    edits: int
    problems: int
    size: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of the year."""

    steps: tuple[Step, ...]
    again: Step
    """One more reflection without anything new."""
    spent: Spent
    support: Support
    refused: tuple[str, ...]
    """Sentences of summaries that hippod's own check does not let pass."""
    derived: Support
    """Of the summaries of days, which stand in the logs."""
    states: tuple[State, ...]
    merges: Merges
    marks: Marks
    beliefs: Beliefs
    recomputed: int
    """Opinions that `recompute` changes, of the ledger's Markdown alone."""
    problems: tuple[str, ...]
    quality: str


@dataclass(slots=True)
class _Clock:
    now: datetime = field(default_factory=lambda: datetime.combine(year.FIRST, _NIGHT, UTC))

    def __call__(self) -> datetime:
        return self.now


@dataclass(frozen=True, slots=True)
class _Place:
    """A workspace with its reflector, whose clock is ours."""

    root: Path
    config: Config
    reflector: Reflector
    factbook: Factbook
    clock: _Clock
    generator: LlamaGenerator | None

    @property
    def spent(self) -> Spent:
        return self.generator.spent if self.generator else Spent()


def run(folder: Path, made: Year, model: Path | None = None, *, every: int = 7) -> Outcome:
    """Live through a year in a new workspace below `folder`, with a model or by rules alone.

    `every` is the number of days between two reflections.
    """
    points: dict[str, list[tuple[date, float]]] = defaultdict(list)
    steps: list[Step] = []
    states: list[State] = []
    with _place(folder, model) as place:
        for told, new in _spells(made.told, every):
            year.write(place.root / "memory", new)
            steps.append(_reflect(place, told[-1].day, len(told)))
            bank = Bank.read(place.root)
            for section in following.ledger(bank.pages.get("bank/opinions.md", "")):
                points[section.id].append((told[-1].day, section.c))
            if len(steps) % max(1, year.DAYS // every // _LOOKS) == 0:
                states.append(score.state(made, bank, told[-1].day))
        last = place.reflector.run(dry_run=True)
        again = _reflect(place, place.clock.now.date(), len(made.told))
        return _outcome(place, made, steps, again, states, points, last)


def _outcome(
    place: _Place,
    made: Year,
    steps: Sequence[Step],
    again: Step,
    states: Sequence[State],
    points: dict[str, list[tuple[date, float]]],
    last: wire_bank.Reflected,
) -> Outcome:
    bank = Bank.read(place.root)
    book = place.factbook.read()
    read = [entities.read_page(path, text) for path, text in bank.entities().items()]
    who = entities.resolve(book.evidence, [page for page in read if page])
    ledger = bank.pages.get("bank/opinions.md", "")
    return Outcome(
        steps=tuple(steps),
        again=again,
        spent=place.spent,
        support=score.support(bank, made.told),
        refused=tuple(score.refused(bank, book.evidence)),
        derived=score.derived(place.root / "memory", made.told),
        states=tuple(states),
        merges=score.merges(made, made.told, who, bank),
        marks=score.marks(made, made.told, bank),
        beliefs=following.beliefs(made, points, ledger),
        recomputed=following.recomputed(ledger),
        problems=tuple(f"{each.path}: {each.reason}" for each in last.problems),
        quality=last.quality,
    )


def _spells(told: Sequence[Told], days: int) -> Iterator[tuple[Sequence[Told], list[Told]]]:
    """Yield all facts until the end of each so many days, and those of them."""
    end, start = year.FIRST + timedelta(days), 0
    while start < len(told):
        stop = next((n for n in range(start, len(told)) if told[n].day >= end), len(told))
        if stop > start:
            yield told[:stop], list(told[start:stop])
        start, end = stop, end + timedelta(days)


def _reflect(place: _Place, day: date, facts: int) -> Step:
    place.clock.now = datetime.combine(day, _NIGHT, UTC)
    began = time.perf_counter()
    done = place.reflector.run()
    seconds = time.perf_counter() - began
    size = Bank.read(place.root).size
    return Step(day, facts, seconds, len(done.changes), len(done.problems), size)


@contextmanager
def _place(folder: Path, model: Path | None) -> Iterator[_Place]:
    root, state_folder = folder / "workspace", folder / "state"
    shutil.rmtree(folder, ignore_errors=True)
    workspace_seed.init(root)
    (root / "memory").mkdir(exist_ok=True)
    state_folder.mkdir(parents=True)
    config, clock = _config(root), _Clock()
    with ExitStack() as stack:
        state = KeptState(state_folder / "state.sqlite")
        stack.callback(state.close)
        workspace = Workspace(root, state)
        generator = LlamaGenerator(model) if model else None
        if generator:
            stack.callback(generator.close)
        reflector = Reflector(config, workspace, state, clock, generator)
        stack.callback(reflector.stop)
        yield _Place(root, config, reflector, Factbook(workspace), clock, generator)


def _config(root: Path) -> Config:
    return load(None, {"HIPPOD_WORKSPACE__PATH": str(root), "HIPPOD_WORKSPACE__TIMEZONE": "UTC"})
