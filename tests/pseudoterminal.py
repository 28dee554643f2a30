"""A program at a terminal of a given size, for tests that look at what a person sees."""

import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

PATIENCE_SECONDS = 60


class Terminal:
    """Runs a program at a terminal; `text` is all that it printed so far."""

    def __init__(
        self,
        command: Sequence[str],
        environ: Mapping[str, str],
        *,
        columns: int = 80,
        folder: Path = Path("/"),
    ) -> None:
        self.text = ""
        self._raw = b""
        self.fd, inside = pty.openpty()
        fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        self.process = subprocess.Popen(
            command, env=environ, cwd=folder, stdin=inside, stdout=inside, stderr=inside,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )  # fmt: skip
        os.close(inside)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.fd)

    def send(self, keys: str) -> None:
        """Press keys."""
        os.write(self.fd, keys.encode())

    def wait_for(self, wanted: str, start: int = 0) -> int:
        """Read until `wanted` stands in the text behind `start`; return where that ends."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while wanted not in self.text[start:]:
            assert time.monotonic() < deadline, f"no {wanted!r} in {self.text[start:]!r}"
            assert self._read(), f"it ended without {wanted!r}: {self.text[start:]!r}"
        return self.text.index(wanted, start) + len(wanted)

    def finish(self) -> int:
        """Read until the program ends, and return its exit code."""
        while self._read():
            pass
        return self.process.wait(PATIENCE_SECONDS)

    def _read(self) -> bool:
        if not select.select([self.fd], [], [], PATIENCE_SECONDS)[0]:
            raise AssertionError(f"nothing more came after {self.text!r}")
        try:
            data = os.read(self.fd, 65536)
        except OSError:  # nobody holds the other end any more
            return False
        self._raw += data
        self.text = self._raw.decode("utf-8", "replace").replace("\r\n", "\n")
        return bool(data)
