"""Which scope may see which path: `may_see` is the only place that decides."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from pathspec import GitIgnoreSpec

Scope = Literal["main", "group"]

DEFAULT_GROUP_PATHS = ("/AGENTS.md", "/SOUL.md", "/IDENTITY.md", "/context/**", "/projects/**")

PRIVATE = frozenset(
    {"memory.md", "user.md", "memory", "daily", "bank", "archive", "sessions", ".memory"}
)
"""What no group ever sees, in upper or lower case: files and folders of the workspace root."""


def may_see(scope: Scope, path: str, group_paths: Sequence[str] = DEFAULT_GROUP_PATHS) -> bool:
    """Say whether a client of `scope` may see the workspace-relative `path`.

    `main` sees everything; `group` sees only what `group_paths` (gitignore patterns, anchored
    at the workspace root) lists, and never what is private, even if a pattern has it. There is no
    way to widen it per request: the scope guards honest clients, the peer uid on the socket is the
    boundary.
    """
    if scope == "main":
        return True
    top = path.partition("/")[0].casefold()
    return top not in PRIVATE and _spec(tuple(group_paths)).match_file(path)


@lru_cache(maxsize=32)
def _spec(patterns: tuple[str, ...]) -> GitIgnoreSpec:
    anchored = (p if p.startswith(("/", "!")) else f"/{p}" for p in patterns)
    return GitIgnoreSpec.from_lines(anchored)
