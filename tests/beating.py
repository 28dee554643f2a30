"""A workspace with everything over it and a heartbeat on a clock that is set by hand."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Self

import pytest

from hippod import compose, config
from hippod.notifiers import Alert
from hippod.wire_heartbeat import Beat, HeartbeatRequest
from tests.fakes import FakeGenerator

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)


class Phone:
    """Takes what notifiers would tell."""

    def __init__(self) -> None:
        self.alerts: list[Alert] = []
        self.faults: list[str] = []
        self.ways = 1

    def __call__(self, *_args: object, **_options: object) -> Self:
        return self

    def tell(self, alert: Alert) -> list[str]:
        self.alerts.append(alert)
        return self.faults

    def faults_now(self) -> list[str]:
        return []

    def stop(self) -> None:
        """Do nothing."""

    @property
    def texts(self) -> list[str]:
        """What was told, line by line."""
        return [item.reason for alert in self.alerts for item in alert.items]


class Model(FakeGenerator):
    """A generator as the composition root knows them."""

    def status(self) -> dict[str, object]:
        return {"model_id": self.model_id}

    def close(self) -> None:
        """Do nothing."""


class House:
    """The workspace below `root` from UTC noon on; `start` again is a restart."""

    def __init__(self, root: Path, patch: pytest.MonkeyPatch, **sections: Any) -> None:
        self.root = root
        self.now = NOON
        self.phone = Phone()
        self.model: Model | None = None
        self.sections = sections
        self._patch = patch
        self._stack = ExitStack()
        for folder in ("memory", "projects"):
            (root / folder).mkdir(parents=True, exist_ok=True)

    def start(self) -> Self:
        """Build everything over what lies there."""
        sections: dict[str, Any] = {
            "workspace": {"path": str(self.root), "timezone": "UTC"},
            "generator": {"provider": "none", "tasks": ["check"]},
            "embedder": {"provider": "none"},
            "encoder": {"provider": "none"},
            "reflect": {"enabled": False},
            "hygiene": {"enabled": False},
        }
        for name, values in self.sections.items():
            sections[name] = {**sections.get(name, {}), **values}
        settled = config.checked(sections, "test", {})
        why = "" if self.model else "none"
        self._patch.setattr(compose, "generator_from", lambda _chosen: (self.model, why))
        self._patch.setattr(compose, "Notifiers", self.phone)
        self.parts = self._stack.enter_context(compose.assemble(settled, None, lambda: self.now))
        self.memory, self.state = self.parts.memory, self.parts.state
        self.heartbeat = self.parts.heartbeat
        self.parts.index.reconcile()
        return self

    def stop(self) -> None:
        """Take everything down."""
        self._stack.close()

    def checklist(self, text: str) -> None:
        """Write the checklist."""
        self.write("HEARTBEAT.md", text)

    def write(self, path: str, text: str) -> None:
        """Write a document as a person does, and have it indexed."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
        if hasattr(self, "parts"):
            self.parts.index.update([path])

    def remember(self, day: str, *bullets: str) -> None:
        """Write the log of a day with these facts."""
        retained = "".join(f"- {bullet}\n" for bullet in bullets)
        self.write(f"memory/{day}.md", f"# Daily Log - {day}\n\n## Retain\n{retained}")

    def read(self, path: str) -> str:
        """Return a document, empty if there is none."""
        file = self.root / path
        return file.read_text(encoding="utf-8") if file.exists() else ""

    def notes(self, day: str = "2026-05-04") -> list[str]:
        """Return what heartbeats wrote into the log of a day, without times and ids."""
        lines = self.read(f"memory/{day}.md").splitlines()
        own = (line.partition("] Heartbeat: ") for line in lines)
        return [text.rpartition(" ^")[0] for _, sign, text in own if sign]

    def later(self, hours: float) -> None:
        """Let time go by."""
        self.now += timedelta(hours=hours)

    def beat(self, *, dry_run: bool = False) -> Beat:
        """Beat as if somebody asked for it."""
        return self.memory.heartbeat(HeartbeatRequest(dry_run=dry_run))

    def tick(self) -> Beat:
        """Beat as the schedule does."""
        self.heartbeat.tick()
        return self.heartbeat.history(1)[0]

    def events(self, type_: str) -> list[dict[str, Any]]:
        """Return the data of events of one type."""
        return [event.data for event in self.state.events.since(0) if event.type == type_]


def check(command: str, **settings: Any) -> dict[str, Any]:
    """Return the configuration of a named check that a shell runs."""
    return {"command": ["sh", "-c", command], **settings}


def states(beat: Beat) -> list[str]:
    """Return the states of the items, in order."""
    return [item.state for item in beat.items]


Build = Callable[..., House]


@contextmanager
def building(root: Path, patch: pytest.MonkeyPatch) -> Iterator[Build]:
    """Give what builds a house over `root` by sections of the config; stop them all in the end."""
    houses: list[House] = []

    def made(**sections: Any) -> House:
        houses.append(House(root, patch, **sections))
        return houses[-1]

    yield made
    for house in houses:
        house.stop()


def with_model(house: House, *replies: str | Exception) -> Model:
    """Start a house with a model that answers so, one reply a call."""
    house.model = Model()
    house.model.enqueue(*replies)
    house.start()
    return house.model
