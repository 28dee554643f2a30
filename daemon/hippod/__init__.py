"""hippod, the hippocampus daemon: offline-first long-term memory for AI agents.

Importing the package costs next to nothing: the command line client must start in
milliseconds, so everything heavy is imported by the module that needs it.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing.TYPE_CHECKING without the 8 ms of importing typing
    from hippod import answer_types as answer_types
    from hippod import errors as errors
    from hippod.aclient import AsyncClient as AsyncClient
    from hippod.client import Client as Client
    from hippod.errors import Busy as Busy
    from hippod.errors import ConfigError as ConfigError
    from hippod.errors import Conflict as Conflict
    from hippod.errors import DaemonDown as DaemonDown
    from hippod.errors import Forbidden as Forbidden
    from hippod.errors import HippodError as HippodError
    from hippod.errors import InvalidInput as InvalidInput
    from hippod.errors import ModelError as ModelError
    from hippod.errors import NotFound as NotFound
    from hippod.errors import NotResponding as NotResponding
    from hippod.errors import PathRefused as PathRefused
    from hippod.errors import StorageError as StorageError
    from hippod.library import Library as Library
    from hippod.library import open as open

__version__ = "0.1.0"

_PLACES = {
    "AsyncClient": "hippod.aclient",
    "Client": "hippod.client",
    "Library": "hippod.library",
    "open": "hippod.library",
    **dict.fromkeys(
        (
            "Busy", "ConfigError", "Conflict", "DaemonDown", "Forbidden", "HippodError",
            "InvalidInput", "ModelError", "NotFound", "NotResponding", "PathRefused",
            "StorageError",
        ),
        "hippod.errors",
    ),
}  # fmt: skip
_MODULES = ("answer_types", "errors")

if not TYPE_CHECKING:  # or a type checker would take every name for one of ours

    def __getattr__(name: str) -> object:
        if name not in _PLACES and name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        if name in _MODULES:
            return import_module(f"{__name__}.{name}")
        return getattr(import_module(_PLACES[name]), name)

    def __dir__() -> list[str]:
        return sorted({*globals(), *_PLACES, *_MODULES})
