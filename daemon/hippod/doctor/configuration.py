"""Checks of the configuration: its faults with their lines, and what it gives away."""

import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from hippod import redact
from hippod.config import (
    Config,
    differences,
    explain,
    load,
    needs_restart,
    sends_in_clear,
)
from hippod.doctor.finding import Found, count, fail, ok, some, warn
from hippod.doctor.mending import Seen
from hippod.doctor.subject import Subject
from hippod.errors import ConfigError

_TABLE = re.compile(r"\s*(\[\[?)\s*([^\[\]#]+?)\s*\]")
_KEY = re.compile(r"""\s*((?:[\w.-]|"[^"]*"|'[^']*')+)\s*=""")
_AT_LINE = re.compile(r"\(at line (\d+)")
_OTHERS_READ, _OTHERS_WRITE = 0o044, 0o022
_SETTLED = ("workspace.path", "server.socket")
"""Keys that the command line may have set; they differ from the file without anybody's edit."""


def valid(subject: Subject) -> Iterator[Found]:
    """The file can be read, and says what the daemon that runs was started with."""
    file = subject.config_path
    try:
        now = load(file, subject.environ)
    except ConfigError as error:
        for problem in error.problems:
            yield fail(with_line(problem, file), error.hint)
        return
    if subject.parts is not None:
        yield from _changed(now, subject.config, file)
    yield ok(_sources(now, file, subject.environ))


def secrets(subject: Subject) -> Iterator[Found]:
    """Nobody else can read a secret in the file, or write into it."""
    file = subject.config_path
    if file is None or not file.exists():
        yield ok("there is no file that others could read")
        return
    seen = Seen.at(file.resolve())
    bits = stat.S_IMODE(seen.info.st_mode)
    held = redact.redact(file.read_text(encoding="utf-8", errors="replace")).found
    if held and bits & _OTHERS_READ:
        yield fail(
            f"{file} holds what looks like a secret ({', '.join(held)}) and others may read it",
            f"chmod 600 {file}, and name an environment variable in place of the secret",
            lambda: seen.with_mode(bits & ~0o077),
        )
    if bits & _OTHERS_WRITE:
        yield fail(
            f"others may write {file}, which names commands that hippod runs",
            f"chmod go-w {file}",
            lambda: seen.with_mode(bits & ~_OTHERS_WRITE),
        )
    yield ok(f"{file} has mode {bits:04o}")


def endpoints(subject: Subject) -> Iterator[Found]:
    """What goes to another machine goes encrypted."""
    config = subject.config
    addresses = {
        "generator.base_url": config.generator.base_url,
        "embedder.base_url": config.embedder.base_url,
        "notify.webhook": config.notify.webhook,
    }
    for key, address in addresses.items():
        if sends_in_clear(address):
            host = urlsplit(address).hostname
            yield warn(f"{key}: what goes to {host} can be read on the way", "use https://")
    remote = [key for key, address in addresses.items() if address]
    yield ok(f"{count(len(remote), 'address', 'addresses')} configured")


def with_line(problem: str, file: Path | None) -> str:
    """Put the line into a problem of the form `file: key: what`, where it can be told."""
    head, rest = f"{file}: ", problem.removeprefix(f"{file}: ")
    if file is None or rest == problem:
        return problem
    if found := _AT_LINE.search(rest):
        return f"{file}:{found[1]}: {rest}"
    try:
        text = file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return problem
    line = line_of(text, rest.partition(":")[0].split("."))
    return f"{file}:{line}: {rest}" if line else head + rest


def line_of(text: str, wanted: Sequence[str]) -> int | None:
    """Return the 1-based line where a key of a TOML text stands, else its table's, else None.

    `wanted` names it by tables, places in arrays of tables (from 0) and key. Text over several
    lines is not understood: what looks like a key in it may be taken for one.
    """
    best: tuple[int, int] | None = None
    for number, path in _keys(text):
        if tuple(wanted[: len(path)]) == path and (best is None or len(path) > best[0]):
            best = len(path), number
    return best[1] if best else None


def _keys(text: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield each table and each key with its line and its whole path."""
    table: tuple[str, ...] = ()
    places: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if opened := _TABLE.match(line):
            table = _parts(opened[2])
            if opened[1] == "[[":
                places[opened[2]] = places.get(opened[2], -1) + 1
                table += (str(places[opened[2]]),)
            yield number, table
        elif key := _KEY.match(line):
            yield number, (*table, *_parts(key[1]))


def _parts(name: str) -> tuple[str, ...]:
    return tuple(part.strip().strip("\"'") for part in name.split("."))


def _changed(now: Config, running: Config, file: Path | None) -> Iterator[Found]:
    """Tell what the daemon does otherwise than its file says, and what makes it count."""
    differing = [key for key in differences(running, now) if key not in _SETTLED]
    fixed = [key for key in differing if needs_restart(key)]
    waiting = [key for key in differing if key not in fixed]
    said = f"{file} was changed since the daemon read it"
    if waiting:
        yield warn(f"{said}: {some(waiting)}", "let it read the file again: hippod config reload")
    if fixed:
        yield warn(f"{said}: {some(fixed)}", "it counts after: hippod service restart")


def _sources(config: Config, file: Path | None, environ: Mapping[str, str]) -> str:
    told = [entry["source"] for entry in explain(config, file, environ).values()]
    known = {"default", "command line", str(file)}
    variables = sorted({source for source in told if source not in known})
    own = sum(source == str(file) for source in told)
    start = f"{file}: {count(own, 'value')}" if own else "no file with values: the defaults"
    return f"{start}; overridden by {some(variables)}" if variables else start
