"""Makes the checks: side by side, each with a deadline, so that one that hangs holds up none."""

import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import structlog

from hippod import __version__
from hippod.doctor.finding import Found, fail, ok, skipped
from hippod.doctor.subject import NothingToLookAt, Subject
from hippod.errors import HippodError, InvalidInput
from hippod.wire_doctor import Diagnosis, Finding, worst

logger = structlog.get_logger()

SECONDS = 5.0
"""How long a check may take unless it says otherwise."""


@dataclass(frozen=True, slots=True)
class Check:
    """One claim that is tested. `needs_daemon`: only the process that serves can tell.

    What is `ok` is told only where nothing is wrong.
    """

    name: str
    group: str
    look: Callable[[Subject], Iterable[Found]]
    seconds: float = SECONDS
    needs_daemon: bool = False


class Doctor:
    """Examines subjects by a list of checks. Thread-safe; examinations take turns."""

    def __init__(self, checks: Sequence[Check]) -> None:
        self._checks = tuple(checks)
        self._turn = threading.Lock()
        self._hanging: dict[str, _Visit] = {}

    def examine(
        self, subject: Subject, *, fix: bool = False, only: Collection[str] = ()
    ) -> Diagnosis:
        """Make all checks, or those named; `fix`: mend what can safely be mended.

        What was mended is looked at once more. Raises `InvalidInput` for a name that is none.
        """
        began = time.monotonic()
        chosen = self._chosen(only)
        with self._turn:
            results = self._made(chosen, subject)
            findings = [
                each
                for result in results
                for each in (self._mended(result, subject) if fix else result.told())
            ]
        return Diagnosis(
            state=worst([each.state for each in findings]),
            findings=tuple(findings),
            seconds=round(time.monotonic() - began, 3),
            version=__version__,
        )

    def _chosen(self, only: Collection[str]) -> list[Check]:
        known = [check.name for check in self._checks]
        for name in only:
            if name not in known:
                raise InvalidInput(f"no check {name!r}", f"there is: {', '.join(known)}")
        return [check for check in self._checks if not only or check.name in only]

    def _made(self, checks: Sequence[Check], subject: Subject) -> list["_Result"]:
        visits = [self._begun(check, subject) for check in checks]
        return [_Result(visit.check, self._awaited(visit)) for visit in visits]

    def _begun(self, check: Check, subject: Subject) -> "_Visit":
        """Begin a check in a thread of its own, unless it still hangs from the last time."""
        hanging = self._hanging.pop(check.name, None)
        return hanging if hanging and not hanging.is_done else _Visit(check, subject)

    def _awaited(self, visit: "_Visit") -> Sequence[Found]:
        found = visit.result()
        if not visit.is_done:
            self._hanging[visit.check.name] = visit
        return found

    def _mended(self, result: "_Result", subject: Subject) -> Iterator[Finding]:
        """Yield what was mended, and then what a second look finds; or what was found."""
        mended = [done for each in result.found if (done := _mend(each)) is not None]
        yield from (_told(result.check, done, fixed=done.state == "ok") for done in mended)
        if any(done.state == "ok" for done in mended):
            (result,) = self._made([result.check], replace(subject))  # listed anew
        yield from result.told()


@dataclass(frozen=True, slots=True)
class _Result:
    """What a check found."""

    check: Check
    found: Sequence[Found]

    def told(self) -> Iterator[Finding]:
        return (_told(self.check, each) for each in self.found)


class _Visit:
    """A check in a thread of its own, which nobody can end: it is left alone if it hangs."""

    def __init__(self, check: Check, subject: Subject) -> None:
        self.check = check
        self._subject = subject
        self._found: Sequence[Found] = ()
        self._deadline = time.monotonic() + check.seconds
        self._thread = threading.Thread(target=self._look, name=f"doctor-{check.name}", daemon=True)
        self._thread.start()

    @property
    def is_done(self) -> bool:
        """Whether it ended."""
        return not self._thread.is_alive()

    def result(self) -> Sequence[Found]:
        """Wait until it ends, no longer than its deadline."""
        self._thread.join(max(0.0, self._deadline - time.monotonic()))
        if self.is_done:
            return self._found
        return [fail(f"no answer within {self.check.seconds:g} s", "see the daemon's log")]

    def _look(self) -> None:
        check = self.check
        if check.needs_daemon and self._subject.parts is None:
            self._found = [skipped("only a running daemon can tell")]
            return
        try:
            found = list(check.look(self._subject))
            # What is well is not worth telling beside what is not.
            wrong = [each for each in found if each.state in ("warn", "fail")]
            self._found = wrong or found
        except NothingToLookAt as reason:
            self._found = [skipped(str(reason))]
        except HippodError as error:
            self._found = [fail(error.message, error.hint)]
        except OSError as error:
            self._found = [fail(f"{error.filename or 'the disk'}: {error.strerror}", _MODES)]
        except Exception:
            logger.exception("doctor.check_crashed", check=check.name)
            self._found = [fail("the check itself failed", "see the log, and report it")]


_MODES = "check owner, mode and free space"


def _mend(found: Found) -> Found | None:
    """Mend one thing and say what was done or why it failed; None: it cannot be mended."""
    if found.mend is None:
        return None
    try:
        return ok(found.mend())
    except HippodError as error:
        return fail(f"could not be mended: {error.message}", error.hint)
    except OSError as error:
        return fail(
            f"could not be mended: {error.filename or found.said}: {error.strerror}", _MODES
        )


def _told(check: Check, found: Found, *, fixed: bool = False) -> Finding:
    return Finding(
        name=check.name,
        group=check.group,
        state=found.state,
        said=found.said,
        fix=found.fix,
        fixed=fixed,
    )
