"""A workspace of daily logs with a reflector over it, on a clock that stands still."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from hippod import wire_bank
from hippod.config import load
from hippod.models import Generator
from hippod.reflect import Reflector
from hippod.state import State
from hippod.workspace import Workspace

NOON = datetime(2026, 3, 20, 12, tzinfo=UTC)

PORTO = "W @Ines: Lives in Porto since 2024. (14:02 main/s1#m1) ^aaaa111111"
CELLO = "W @Ines: Plays the cello in a quartet. (14:03 main/s1#m2) ^bbbb222222"
LOFT = "B @Loft: Ordered oak planks for 3 rooms. (09:10 main/s2#m1) ^cccc333333"
BRIEF = "O(c=0.8) @Ines: Prefers short voice messages. (14:05 main/s1#m3) ^dddd444444"
BUDGET = "W @Loft: The budget is 42,000 euros. (10:00 main/s3#m1) ^eeee555555"


class Home:
    """The workspace below `root`; `reflect` runs at `now`."""

    def __init__(self, root: Path, generator: Generator | None = None, /, **settings: str) -> None:
        self.root = root
        self.now = NOON
        self.heard: list[str] = []
        (root / ".memory").mkdir(parents=True, exist_ok=True)
        environ = {"WORKSPACE__PATH": str(root), "WORKSPACE__TIMEZONE": "Europe/Vienna", **settings}
        self.config = load(None, {f"HIPPOD_{name}": value for name, value in environ.items()})
        self.generator = generator
        self.open()

    def open(self) -> None:
        """Start anew on what lies there, as after a restart."""
        self.state = State(self.root / ".memory" / "state.sqlite")
        self.workspace = Workspace(self.root, self.state)
        self.reflector = Reflector(
            self.config, self.workspace, self.state, lambda: self.now, self.generator
        )
        self.reflector.changed = self.heard.append

    def lose_state(self) -> None:
        """Delete the state, and start anew."""
        self.state.close()
        for file in (self.root / ".memory").iterdir():
            file.unlink()
        self.open()

    def log(self, day: str, *bullets: str) -> Path:
        """Write the log of a day with these bullets."""
        path = self.root / "memory" / f"{day}.md"
        path.parent.mkdir(exist_ok=True)
        retained = "".join(f"- {bullet}\n" for bullet in bullets)
        path.write_text(f"# Daily Log - {day}\n\n## Retain\n{retained}")
        return path

    def page(self, path: str, text: str) -> Path:
        """Write a page as a person would."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
        return file

    def read(self, path: str) -> str:
        """Return what stands on a page, byte for byte; empty if there is none."""
        file = self.root / path
        return file.read_bytes().decode() if file.exists() else ""

    def entity(self, slug: str) -> str:
        """Return an entity page."""
        return self.read(f"bank/entities/{slug}.md")

    def bank(self) -> dict[str, str]:
        """Return all pages and logs."""
        files = [*self.root.glob("bank/**/*.md"), *self.root.glob("memory/*.md")]
        return {
            file.relative_to(self.root).as_posix(): file.read_bytes().decode()
            for file in sorted(files)
        }

    def reflect(self, since: str | None = None, *, dry_run: bool = False) -> wire_bank.Reflected:
        """Reflect."""
        return self.reflector.run(since, dry_run)

    def changed(self) -> Sequence[str]:
        """Reflect and return the paths that changed."""
        return [change.path for change in self.reflect().changes]

    def later(self, days: int) -> date:
        """Let days go by; return the new one."""
        self.now += timedelta(days=days)
        return self.now.date()


def problems(done: wire_bank.Reflected) -> dict[str, str]:
    """Return what was left alone, with the reasons."""
    return {each.path: each.reason for each in done.problems}


def of_two_days(root: Path) -> Home:
    """Return a workspace that knows of Ines and of a loft; close its state."""
    home = Home(root)
    home.log("2026-03-02", PORTO, CELLO, LOFT)
    home.log("2026-03-05", BRIEF)
    return home
