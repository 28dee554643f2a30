"""The `[[sources]]` of hippod's own configuration that reads what an agent writes."""

import re
from collections.abc import Mapping
from pathlib import Path

from hippod import paths
from hippod.connect import files, toml_text
from hippod.connect.agents import Setup, Source
from hippod.connect.entries import Entry, TomlItem

_AT = ("sources",)
_GLOB = re.compile(r"[*?\[{]")


def source_entry(source: Source | None, config: Path, setup: Setup) -> list[Entry]:
    """Return the entry of a source, none if the configuration has one for its files already.

    Ours counts as not being there: it is recorded, and shall stay so.
    """
    if source is None:
        return []
    held = _held(config)
    ours = _table(source, source.name)
    others = [table for table in held if table != ours]
    if any(_covers(table, source, setup.environ) for table in others):
        return []
    taken = {table.get("name") for table in others}
    table = _table(source, _free(source.name, taken))
    return [TomlItem(config, _AT, table, check=lambda data: _check(data, config))]


def shared_config(source: Source | None, config: Path, setup: Setup) -> list[str]:
    """Return what to say if the configuration is another workspace's: both read its sources."""
    options = setup.options
    if source is None or "--workspace" not in options or "--config" in options:
        return []
    chosen = options[options.index("--workspace") + 1]
    named = toml_text.value(files.read(config), ("workspace", "path"), str(config))
    plain = {"HOME": str(setup.home)}
    own = paths.workspace_path(
        None, named if isinstance(named, str) else None, plain, config_dir=str(config.parent)
    )
    if Path(own).resolve() == Path(chosen).resolve():
        return []
    return [
        f"{config}: is also the configuration of {own}; if daemons of both run, what is said goes"
        f" into both: give {chosen} one of its own by --config"
    ]


def _table(source: Source, name: str) -> dict[str, object]:
    return {"name": name, "path": source.path, "format": source.format}


def _held(config: Path) -> list[Mapping[str, object]]:
    found = toml_text.value(files.read(config), _AT, str(config))
    return [table for table in found if isinstance(table, dict)] if isinstance(found, list) else []


def _covers(table: Mapping[str, object], source: Source, environ: Mapping[str, str]) -> bool:
    """Say whether a source of the configuration is about the same folder, wider or narrower."""
    path, kind = table.get("path"), table.get("format", "auto")
    if not isinstance(path, str) or not path.startswith(("/", "~")):
        return False
    if kind not in ("auto", source.format):
        return False
    theirs, ours = _fixed(path, environ), _fixed(source.path, environ)
    return theirs.startswith(ours) or ours.startswith(theirs)


def _fixed(path: str, environ: Mapping[str, str]) -> str:
    """Return the folder that a glob begins with."""
    whole = paths.absolute(path, environ)
    glob = _GLOB.search(whole)
    fixed = whole[: glob.start()] if glob else whole
    return fixed[: fixed.rindex("/") + 1]


def _free(name: str, taken: set[object]) -> str:
    names = [name, *(f"{name}-{number}" for number in range(2, len(taken) + 3))]
    return next(each for each in names if each not in taken)


def _check(data: bytes, config: Path) -> None:
    """Raise `ConfigError` unless a new text of our configuration is a valid one."""
    import tomllib

    from hippod.config import checked  # a second that only a new source costs

    checked(tomllib.loads(data.decode("utf-8-sig")), str(config), {})
