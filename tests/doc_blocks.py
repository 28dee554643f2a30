"""The fenced blocks of Markdown pages, and a stage on which what they show is done for real.

A comment right before a block says how it is to be taken:

- `<!-- not run: REASON -->`: no test can run it, for one of `REASONS`
- `<!-- first: COMMAND -->`: what makes true what the text before it tells; run before the block
- `<!-- exits: 1 -->`: how its last command ends, where that is not well
- `<!-- format: NAME -->`: which parser reads it
- `<!-- of: NAME -->`: it is another program's file, or what another command prints
"""

import json
import os
import re
import selectors
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from hippod import paths
from hippod.client import Client
from hippod.errors import HippodError
from tests.processes import Daemon

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
REASONS = {
    "installs": "packages from an index, or a build of minutes",
    "needs systemd": "a service manager of the user, which a container has not",
    "downloads a model": "gigabytes from a model hub",
    "needs another program": "one that is not hippod's to install",
    "runs for minutes": "longer than a test may",
}
"""Why a block is not run."""
SHELL, PYTHON = ("console", "sh", "bash"), ("python",)
DATA = ("toml", "json", "jsonc", "jsonl", "markdown")
PICTURES = ("", "text", "mermaid", "diff", "ini")
"""Languages of blocks that are no commands."""


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block of a page, its first line's number, and what the comments before it say."""

    page: str
    line: int
    language: str
    text: str
    marks: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        """Where it stands."""
        return f"{self.page}:{self.line}"


_MARK = re.compile(r"<!-- (not run|first|exits|format|of): (.+?) -->")


def blocks(path: Path) -> Iterator[Block]:
    """Yield the fenced blocks of a page in order."""
    page = path.relative_to(ROOT).as_posix()
    marks: dict[str, str] = {}
    opened: tuple[int, str, str] | None = None
    lines: list[str] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        fence = re.match(r" *(`{3,})\s*(\w*)", line)
        if opened and fence and fence[1] == opened[1] and not fence[2]:
            yield Block(page, opened[0] + 1, opened[2], "\n".join(lines), marks)
            opened, marks = None, {}
        elif opened:
            lines.append(line)
        elif fence:
            opened, lines = (number, fence[1], fence[2]), []
        elif mark := _MARK.fullmatch(line.strip()):
            marks = {**marks, mark[1]: mark[2]}
        elif line.strip() and not line.strip().startswith("<!--"):
            marks = {}


@dataclass(frozen=True, slots=True)
class Step:
    """A command as it is typed, and what it is shown to print (empty: not shown)."""

    command: str
    shown: str = ""


def steps(block: Block) -> list[Step]:
    """Return the commands of a shell block; one of a script is the whole of it."""
    if block.language != "console":
        return [Step(f"(set -e\n{block.text}\n)")]
    found: list[Step] = []
    lines = iter(block.text.splitlines())
    for line in lines:
        if line.startswith("$ "):
            command = line[2:]
            while _goes_on(command):
                command += f"\n{next(lines)}"
            found.append(Step(command))
        else:
            assert found, f"{block}: output before the first command"
            found[-1] = Step(found[-1].command, f"{found[-1].shown}{line}\n")
    return found


def _goes_on(command: str) -> bool:
    """Say whether a shell would wait for another line."""
    try:
        shlex.split(command, comments=True)
    except ValueError:
        return True
    return command.endswith("\\")


# -- what is shown against what is printed ---------------------------------------------------

_SHAPES = (
    (re.compile(r"\b[0-9a-f]{24,64}\b"), "HEX"),
    (re.compile(r"\^[0-9a-hjkmnp-tv-z]{4,52}\b"), "^ID"),
    (re.compile(r"\b(?:[0-9a-hjkmnp-tv-z]{10}|[0-9a-hjkmnp-tv-z]{8})\b"), "ID"),
    (re.compile(r"\d+(?:[.,:]\d+)*"), "N"),
    (re.compile(r"[ \t]+"), " "),
)


def shape(text: str, home: Path | None = None) -> str:
    """Return a text with its ids, hashes, numbers, dates and paths made all the same."""
    if home:
        text = text.replace(str(home), "~")
    for pattern, instead in _SHAPES:
        text = pattern.sub(instead, text)
    return "\n".join(line.strip() for line in text.strip().splitlines())


def is_shown(shown: str, printed: str, home: Path | None = None) -> bool:
    """Say whether `printed` has the shape of `shown`, in which `…` is any text or any lines."""
    pattern = "".join(map(_pattern, shape(shown).splitlines()))
    return re.fullmatch(pattern, f"{shape(printed, home)}\n") is not None


def _pattern(line: str) -> str:
    """Return what matches a line as it is shown; each way to match is one way only."""
    if line == "…":
        return r"(?:.*\n)*"
    return ".*".join(map(re.escape, line.split("…"))) + r"\n"


# -- the stage -------------------------------------------------------------------------------

CONFIG = """\
[workspace]
user = "Ada"
timezone = "UTC"

[generator]
provider = "none"

[encoder]
provider = "none"

[retain]
quiet = "200ms"
settle = "0s"
backfill_days = 36500
"""
END = "==end of it=="
PATIENCE_SECONDS = 60
"""For one command."""


class Stage:
    """A home of its own with a daemon in it; for each page a shell and a Python of its own."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.here = self.home / "here"
        self.config = self.home / ".hippod" / "config.toml"
        self.daemon = _daemon(self.home)
        shutil.copytree(ROOT / "examples", self.here / "examples")
        self.environ = self.daemon.environ
        self._shell: subprocess.Popen[str] | None = None
        self._python: subprocess.Popen[str] | None = None

    def begin_page(self) -> None:
        """Give the next page a shell and a Python of its own, and the stage's configuration."""
        self._end(self._shell, self._python)
        self._shell = self._python = None
        if not self.daemon.answers():
            self._end_daemon()
            self.daemon.start()
        if self.config.read_text() != CONFIG:
            self.config.write_text(CONFIG)
            self.daemon.client.reload_config()

    def run(self, step: Step) -> tuple[int, str, str]:
        """Type a command into the shell; return its exit code, its output and its errors."""
        self._wait_until_idle()
        self._shell = self._shell or self._begin(["bash"])
        errors = self.home / "errors"
        typed = f"{{ {step.command}\n}} </dev/null 2>'{errors}'\necho '{END}' $?\n"
        printed, _, code = _said_by(self._shell, typed).rpartition(END)
        return int(code), printed, errors.read_text(errors="replace")

    def python(self, text: str) -> str:
        """Execute a block in the names of those before it; return the traceback if it fails."""
        self._wait_until_idle()
        self._python = self._python or self._begin([sys.executable, "-uc", INTERPRETER])
        said = _said_by(self._python, f"{json.dumps(text)}\n")
        return said.rpartition(END)[0]

    def close(self) -> None:
        """End the shell, the Python and the daemon."""
        self._end(self._shell, self._python)
        self._end_daemon()

    def _end(self, *programs: "subprocess.Popen[str] | None") -> None:
        for each in filter(None, programs):
            each.kill()
            each.wait()
            for pipe in (each.stdin, each.stdout):
                with suppress(OSError):
                    pipe and pipe.close()

    def _end_daemon(self) -> None:
        if self.daemon.process is not None:
            self.daemon.process.kill()
            self.daemon.process.wait()

    def _begin(self, program: list[str]) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            program, cwd=self.here, env=self.environ, text=True, bufsize=1,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip

    def _wait_until_idle(self) -> None:
        """Bring the index up to date: a reader of the page is slower than it.

        The watcher may not have told of a write yet, so nothing that waits is no proof.
        """
        with suppress(HippodError):
            self.daemon.client.reindex()
            self.daemon.settle()


INTERPRETER = f"""
import contextlib, io, json, sys, traceback
names = {{"__name__": "__main__"}}
for line in sys.stdin:
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(json.loads(line), "<block>", "exec"), names)
        failed = ""
    except BaseException:
        failed = traceback.format_exc()
    print(failed + {END!r}, flush=True)
"""


@contextmanager
def staged() -> Iterator[Stage]:
    """Yield a stage whose daemon answers, in a folder short enough for the name of a socket."""
    with tempfile.TemporaryDirectory(prefix="hippod-page-") as folder:
        stage = Stage(Path(folder))
        try:
            stage.daemon.start()
            yield stage
        finally:
            stage.close()


def _daemon(home: Path) -> Daemon:
    """Return a daemon as somebody has it who set nothing in the environment."""
    daemon = Daemon(home)
    daemon.workspace = home / ".hippod" / "workspace"
    kept = {name: value for name, value in daemon.environ.items() if "HIPPOD" not in name}
    programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    daemon.environ = {**kept, "PATH": programs, "XDG_RUNTIME_DIR": str(home / "run")}
    daemon.socket = Path(paths.socket_path(daemon.workspace, None, daemon.environ))
    daemon.client = Client(socket_path=str(daemon.socket), timeout=30)
    (home / "run").mkdir(parents=True, mode=0o700)
    (home / ".hippod").mkdir(mode=0o700)
    (home / ".hippod" / "config.toml").write_text(CONFIG)
    return daemon


def _said_by(program: "subprocess.Popen[str]", typed: str) -> str:
    """Type something; return what is printed up to the line with the mark of the end."""
    assert program.stdin
    assert program.stdout
    program.stdin.write(typed)
    program.stdin.flush()
    said, deadline = "", time.monotonic() + PATIENCE_SECONDS
    with selectors.DefaultSelector() as waiting:
        waiting.register(program.stdout, selectors.EVENT_READ)
        while not re.search(rf"{END}(?: \d+)?\n\Z", said):
            assert waiting.select(deadline - time.monotonic()), f"no end of {typed!r}: {said}"
            piece = os.read(program.stdout.fileno(), 65_536).decode(errors="replace")
            assert piece, f"ended at {typed!r}: {said}"
            said += piece
    return said


def demonstrated(folder: Path) -> str:
    """Run `make demo` as it is installed, and return what it prints."""
    environ = {**_daemon(folder / "demo").environ, "HIPPOD_LOG__LEVEL": "error"}
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "demo.py")],
        env=environ, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
