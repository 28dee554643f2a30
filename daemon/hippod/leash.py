"""Runs one program and ends with it all that it started, also when whoever asked for it is gone.

`python -I -S leash.py PIPE REPORT PROGRAM WORD...`: the end of the descriptor PIPE ends everything;
where the program cannot be started its errno is written to REPORT. It exits as the program does.
Only the standard library is imported: it starts within milliseconds.
"""

import contextlib
import ctypes
import os
import select
import signal
import sys
import time
from typing import NoReturn

SET_PDEATHSIG, SET_CHILD_SUBREAPER = 1, 36
"""Options of Linux's prctl."""
_LAST_SECONDS = 1.0
_OF_PYTHON = (signal.SIGPIPE, signal.SIGXFSZ)
_NOT_OURS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
"""Signals that do not end us; the first is passed on to the program and its group."""


def control(option: int, value: int) -> None:
    """Set a property of this process where the system is Linux."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def main(words: list[str]) -> NoReturn:
    """Run the program of the command line."""
    pipe, report = int(words[0]), int(words[1])
    os.set_inheritable(pipe, False)
    # Whatever loses its parent becomes our child; and stopped or not, we wake up to end it all.
    control(SET_CHILD_SUBREAPER, 1)
    control(SET_PDEATHSIG, signal.SIGCONT)
    for number in _NOT_OURS:
        signal.signal(number, signal.SIG_IGN)
    woken, bell = os.pipe()
    os.set_blocking(bell, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(bell)
    child = os.fork()
    if child == 0:
        _become(report, words[2], words[3:])
    os.close(report)
    signal.signal(signal.SIGTERM, lambda number, _: _tell_group(child, number))
    _let_go_of_streams()
    _end_like(_watched(child, pipe, woken))


def _become(report: int, program: str, words: list[str]) -> NoReturn:
    control(SET_PDEATHSIG, signal.SIGKILL)
    os.setsid()
    for number in (*_NOT_OURS, *_OF_PYTHON, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
    os.set_inheritable(report, False)
    try:
        os.execv(program, words)
    except OSError as error:
        os.write(report, str(error.errno).encode())
    os._exit(127)


def _tell_group(child: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, number)


def _let_go_of_streams() -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nothing, stream)


def _watched(child: int, pipe: int, woken: int) -> int:
    """Return the wait status of the program once nothing of it is left."""
    status = None
    while status is None:
        ready, _, _ = select.select([pipe, woken], [], [])
        if woken in ready:
            os.read(woken, 512)
        if pipe in ready:
            break
        status = _reaped(child)
    ended = _end_all(child)
    return status if status is not None else ended


def _end_all(child: int) -> int:
    """Kill whatever descends from us; return the wait status of `child`, if it was still there."""
    ended, deadline = int(signal.SIGKILL), time.monotonic() + _LAST_SECONDS
    while (left := _children(child)) and time.monotonic() < deadline:
        for pid in left:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        status = _reaped(child)
        ended = ended if status is None else status
        time.sleep(0.002)
    return ended


def _children(child: int) -> list[int]:
    """Return our children; those that we kill leave us theirs."""
    own = os.getpid()
    try:
        with open(f"/proc/{own}/task/{own}/children", encoding="ascii") as file:  # noqa: PTH123
            return [int(pid) for pid in file.read().split()]
    except OSError:  # no Linux: whoever stayed in the group of the program
        _tell_group(child, signal.SIGKILL)
        return []


def _reaped(child: int) -> int | None:
    """Reap who ended; return the wait status of `child` if it did."""
    found = None
    with contextlib.suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            if ended[0] == child:
                found = ended[1]
    return found


def _end_like(status: int) -> NoReturn:
    """End as the program ended."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else 1)


if __name__ == "__main__":
    main(sys.argv[1:])
