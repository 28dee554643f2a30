"""hippod, the hippocampus daemon: offline-first long-term memory for AI agents.

Importing the package costs next to nothing: the command line client must start in
milliseconds, so everything heavy is imported by the module that needs it.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing.TYPE_CHECKING without the 8 ms of importing typing
    from hippod.client import Client as Client

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    if name == "Client":
        from hippod.client import Client

        return Client
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
