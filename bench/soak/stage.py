"""What all who take part share: the daemon, the ledger, the count of what was asked and failed."""

import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from tests.processes import Daemon

from hippod.errors import Conflict, HippodError

T = TypeVar("T")


class Refused(Exception):
    """The daemon said no, and so did nothing."""


class Unknown(Exception):
    """No answer came, because the daemon was killed: it may have been done, or not."""


@dataclass(slots=True)
class Stage:
    """One run. `shaken` is odd while the daemon is down, and changes with each end of it."""

    daemon: Daemon
    seed: int
    counts: Counter[str] = field(default_factory=Counter)
    unexpected: list[str] = field(default_factory=list)
    """What went wrong with no kill to blame."""
    shaken: int = 0
    over: threading.Event = field(default_factory=threading.Event)
    tree: threading.Lock = field(default_factory=threading.Lock)
    """Held while git works: what is written below it would be git's to overwrite."""

    @property
    def root(self) -> Path:
        """The workspace."""
        return self.daemon.workspace

    def ask(self, what: str, call: Callable[[], T]) -> T:
        """Ask the daemon. Raises `Refused`, `Unknown`; anything else that fails is noted."""
        before = self.shaken
        self.counts["requests"] += 1
        try:
            return call()
        except Conflict as error:
            self.counts["conflicts"] += 1
            raise Refused(str(error)) from None
        except HippodError as error:
            self.complain(before, f"{what}: {type(error).__name__}: {error}")
            raise Unknown(str(error)) from None

    def complain(self, before: int, what: str) -> None:
        """Note a fault, unless the daemon went away since `shaken` was `before`."""
        if before % 2 or self.shaken != before:
            self.counts["interrupted"] += 1
        else:
            self.unexpected.append(what)


@dataclass(frozen=True, slots=True)
class Part:
    """What somebody does again and again, and how long the pauses are (in seconds, at most)."""

    name: str
    act: Callable[[random.Random], None]
    pause: float


class Cast:
    """The threads of all who take part, from entering the `with` block until leaving it."""

    def __init__(self, stage: Stage, parts: Sequence[Part]) -> None:
        self._stage = stage
        self._threads = [threading.Thread(target=self._play, args=(part,)) for part in parts]

    def __enter__(self) -> "Cast":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stage.over.set()
        for thread in self._threads:
            thread.join()

    def _play(self, part: Part) -> None:
        draw = random.Random(f"{self._stage.seed}/{part.name}")
        while not self._stage.over.is_set():
            before = self._stage.shaken
            try:
                part.act(draw)
            except (Refused, Unknown):
                pass
            except Exception as error:  # a part that ends in silence would hide what it found
                self._stage.complain(before, f"{part.name}: {type(error).__name__}: {error}")
            self._stage.over.wait(draw.uniform(0, part.pause))


def until(moment: float, over: threading.Event) -> bool:
    """Wait until `time.monotonic()` is `moment`; False if all was over before."""
    return not over.wait(max(0.0, moment - time.monotonic()))
