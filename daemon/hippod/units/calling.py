"""Runs the program of a service manager and turns its complaint into one line."""

import subprocess
from collections.abc import Mapping, Sequence

from hippod.errors import HippodError

TIMEOUT = 120
"""Seconds; stopping may wait for a step of a model."""


def ask(words: Sequence[str], environ: Mapping[str, str] | None = None) -> str:
    """Run a program and return what it printed. Raises `HippodError` with its complaint."""
    done = attempt(words, environ)
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines() or [f"exit code {done.returncode}"]
        raise HippodError(f"{' '.join(words)}: {said[0]}")
    return done.stdout


def attempt(
    words: Sequence[str], environ: Mapping[str, str] | None = None
) -> "subprocess.CompletedProcess[str]":
    """Run a program to its end, however it ends. Raises `HippodError` where it cannot run."""
    try:
        return subprocess.run(
            words, env=environ, stdin=subprocess.DEVNULL, capture_output=True,
            text=True, errors="replace", timeout=TIMEOUT, check=False,
        )  # fmt: skip
    except FileNotFoundError:
        raise absent(words[0]) from None
    except subprocess.TimeoutExpired:
        raise HippodError(f"{' '.join(words)}: no answer within {TIMEOUT} s") from None


def show(words: Sequence[str], environ: Mapping[str, str] | None = None) -> int:
    """Run a program whose output is for the person at the terminal; return its exit code."""
    try:
        return subprocess.run(words, env=environ, check=False).returncode
    except FileNotFoundError:
        raise absent(words[0]) from None


def absent(program: str) -> HippodError:
    """Return the error for a service manager that is not there."""
    return HippodError(f"there is no {program} here", "run the daemon yourself: hippod run")
