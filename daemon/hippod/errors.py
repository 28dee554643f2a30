"""The errors that hippod raises on purpose, each with a code, a hint and an exit code.

::

    HippodError                 1  failed
    ├── InvalidInput            2  a field, path or query that cannot be right
    │   ├── ConfigError         2  every fault of a configuration at once
    │   └── PathRefused         2  a path that leaves the workspace, or is reserved
    ├── NotFound                4  no such document, fact or job
    ├── Conflict                5  the file changed since it was read
    ├── Busy                    5  another daemon holds the workspace or the socket
    ├── DaemonDown              3  nobody answers on the socket
    ├── NotResponding           3  the socket is there, but no answer came in time
    ├── Forbidden               1  the peer or the scope may not do this
    ├── TooLarge                2  a body, file or line over its limit
    ├── StorageError            1  disk full, read-only, permission lost
    ├── IndexUnavailable        1  a search leg cannot answer
    └── ModelError              1
        ├── ModelUnavailable    1  no model configured, file damaged, endpoint down
        │   └── BudgetExhausted 1  the tokens of the day are used up
        ├── ModelTimeout        1  the deadline of a call passed
        ├── ModelCrashed        1  the child process died inside a call
        ├── ModelRefused        1  the answer is a refusal or a limit, no work
        └── Unsupported         1  the model works, but cannot do this

Only the standard library is imported here: the CLI client needs these within milliseconds.
"""

import errno
from collections.abc import Sequence

_PASSING = frozenset({errno.EMFILE, errno.ENFILE, errno.EIO, errno.EAGAIN, errno.ENOMEM})


class HippodError(Exception):
    """Something failed; `message` says what and where, `hint` says what to do."""

    code = "failed"
    exit_code = 1
    http_status = 500

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def wire(self) -> dict[str, str]:
        """Return the error as it goes over the socket."""
        return {"code": self.code, "message": self.message, "hint": self.hint}


class InvalidInput(HippodError):
    """A field, path or query that cannot be right."""

    code = "invalid"
    exit_code = 2
    http_status = 422


class ConfigError(InvalidInput):
    """A configuration with faults; `problems` lists every one of them."""

    code = "config"

    def __init__(self, problems: Sequence[str], hint: str = "") -> None:
        super().__init__("; ".join(problems), hint)
        self.problems = tuple(problems)


class PathRefused(InvalidInput):
    """A path that leaves the workspace, goes through a link, or is reserved."""

    code = "path_refused"
    http_status = 400


class TooLarge(InvalidInput):
    """A body, file or line over its limit."""

    code = "too_large"
    http_status = 413


class NotFound(HippodError):
    """No such document, fact or job."""

    code = "not_found"
    exit_code = 4
    http_status = 404


class Conflict(HippodError):
    """The file changed since it was read; nothing was written."""

    code = "conflict"
    exit_code = 5
    http_status = 409


class Busy(HippodError):
    """Another daemon holds the workspace or the socket; or a daemon has no connection left."""

    code = "busy"
    exit_code = 5
    http_status = 423


class DaemonDown(HippodError):
    """Nobody answers on the socket."""

    code = "daemon_down"
    exit_code = 3
    http_status = 503


class NotResponding(HippodError):
    """The socket is there, but no answer came in time: a stopped or hanging daemon."""

    code = "not_responding"
    exit_code = 3
    http_status = 504


class Forbidden(HippodError):
    """The peer or the scope may not do this."""

    code = "forbidden"
    http_status = 403


class StorageError(HippodError):
    """Disk full, read-only folder or permission lost; nothing was half written."""

    code = "storage"
    http_status = 507


class IndexUnavailable(HippodError):
    """A search leg cannot answer at the moment."""

    code = "index_unavailable"
    http_status = 503


class ModelError(HippodError):
    """A generator or embedder failed."""

    code = "model"
    http_status = 503


class ModelUnavailable(ModelError):
    """No model is configured, its file is missing or damaged, or its endpoint does not answer."""

    code = "model_unavailable"


class BudgetExhausted(ModelUnavailable):
    """The tokens that may be used in a day are used up; the model rests until midnight."""

    code = "budget_exhausted"


class ModelTimeout(ModelError):
    """The deadline of a model call passed."""

    code = "model_timeout"


class ModelCrashed(ModelError):
    """The model's child process died inside a call."""

    code = "model_crashed"


class ModelRefused(ModelError):
    """The model answered with a refusal, a usage limit or an error text instead of its work."""

    code = "model_refused"


class Unsupported(ModelError):
    """The model works, but its endpoint cannot do what was asked, now or later."""

    code = "unsupported"


BY_CODE: dict[str, type[HippodError]] = {
    cls.code: cls
    for cls in (
        HippodError, InvalidInput, ConfigError, PathRefused, TooLarge, NotFound, Conflict, Busy,
        DaemonDown, NotResponding, Forbidden, StorageError, IndexUnavailable, ModelError,
        ModelUnavailable, BudgetExhausted, ModelTimeout, ModelCrashed, ModelRefused, Unsupported,
    )
}  # fmt: skip


def from_wire(error: dict[str, str]) -> HippodError:
    """Rebuild an error that came over the socket."""
    cls = BY_CODE.get(error.get("code", ""), HippodError)
    if issubclass(cls, ConfigError):
        return cls([error.get("message", "unknown error")], error.get("hint", ""))
    return cls(error.get("message", "unknown error"), error.get("hint", ""))


def is_passing(error: BaseException) -> bool:
    """Say whether what failed may well succeed in a moment, by what the system said before it.

    It had no descriptors or memory left, or a disk did not answer.
    """
    said = error.__cause__ or error.__context__ or error
    return isinstance(said, MemoryError) or (isinstance(said, OSError) and said.errno in _PASSING)
