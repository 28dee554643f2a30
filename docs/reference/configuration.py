"""The reference of the configuration, from its schema and the words below each key."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docs.reference import docstrings, schemas

from hippod import config
from hippod.config import Check, Config, Section, Source, SourceMapping

HEAD = """\
# Configuration

<!-- Made by `make docs` from daemon/hippod/config.py: change it there. -->

No configuration is needed: every key has a default. The file is `~/.hippod/config.toml`, another
one with `--config FILE` or `HIPPOD_CONFIG`. [config.example.toml](../config.example.toml) is a
copy of all of it to start from, with more examples of sources and checks.

- **Layers**, later ones win: the defaults, the file, the environment, the command line. A key's
  variable stands below it; lists are written there with commas between (`a.md, b/**`). Tables have
  no variable.
- **Durations** are seconds, or a number with `ms`, `s`, `m`, `h` or `d`: `"5m"`. A **rhythm** is
  such an interval, at least a minute, or a cron line (`"0 3 * * *"`, `"30 7 * * mon-fri"`,
  `"@daily"`).
- **Faults** are told all at once, each with file and key, and an unknown key with the one that was
  probably meant. A daemon does not start with them, and one that runs keeps what it has.
- **A change** counts after `hippod config reload`; what is marked with * only after a restart.

`hippod config show` prints every value with where it comes from, `hippod config get` one of them;
`hippod config set` writes one into the file and leaves all else as it is:

```console
$ hippod config set retain.quiet 90s
$ hippod config reload
$ hippod config get retain.quiet --source
```

Three variables stand for a key without its section: `HIPPOD_WORKSPACE` for `workspace.path`,
`HIPPOD_SOCKET` for `server.socket`, and `HIPPOD_CONFIG` for the file itself. `EMBEDDING_PROVIDER`
and `OLLAMA_EMBEDDING_MODEL`, which other tools know too, set `embedder.provider` and, for `ollama`,
`embedder.model`.
"""
TABLES = {"sources": Source, "sources.mapping": SourceMapping, "heartbeat.checks.NAME": Check}
"""What is written as tables of their own, by the name of the table."""
_FOREVER = config._MOST_SECONDS


def page() -> str:
    """Return docs/configuration.md."""
    return HEAD + "".join(f"\n{_section(name, model)}" for name, model in _sections())


def explained() -> Iterator[tuple[str, str, str]]:
    """Yield table, name and meaning of every key; the meaning is empty where none is written."""
    written = docstrings.fields_of(config)
    for table, model in _sections():
        for name in model.model_fields:
            yield table, name, written[model.__name__, name].text


def variable(table: str, name: str) -> str:
    """Return the variable of the environment that sets a key; empty if there is none."""
    is_plain = table not in TABLES and not config.holds_tables(f"{table}.{name}")
    field = Config.model_fields[table].default if is_plain else None
    if field is None or isinstance(getattr(field, name), dict):
        return ""
    return f"HIPPOD_{table}__{name}".upper()


def _sections() -> Iterator[tuple[str, type[Section]]]:
    for name, field in Config.model_fields.items():
        yield name, Source if name == "sources" else type(field.default)
        yield from (
            (table, model) for table, model in TABLES.items() if table.startswith(f"{name}.")
        )


def _section(table: str, model: type[Section]) -> str:
    mark = "[[{}]]" if table == "sources" else "[{}]"
    rows = (_row(table, model, name) for name in model.model_fields)
    head = ("key", "value", "default", "meaning")
    doc = " ".join((model.__doc__ or "").split())
    return f"## {mark.format(table)}\n\n{doc}\n\n{schemas.table(head, rows)}"


def _row(table: str, model: type[Section], name: str) -> tuple[str, ...]:
    written = docstrings.fields_of(config)[model.__name__, name]
    schema = model.model_json_schema()["properties"][name]
    star = " *" if config.needs_restart(f"{table}.{name}") else ""
    from_environment = variable(table, name)
    named = f"<br>`{from_environment}`" if from_environment else ""
    value = ", ".join(filter(None, (_kind(written.annotation, schema), _bounds(written, schema))))
    return f"`{name}`{star}{named}", value, _default(model, name, written), written.text


_KINDS = {"Rhythm": "rhythm", "Hours": "hours such as `08:00-23:00`", "UserPath": "path"}


def _kind(annotation: str, schema: schemas.Schema) -> str:
    """Say what a value is; what TOML writes in another way than JSON goes by its annotation."""
    for name, words in _KINDS.items():
        if name in annotation:
            return words
    if annotation.startswith("dict"):
        return "table"
    if "Seconds" in annotation:
        return "duration"
    return schemas.kind(schema, lambda name: "table")


def _bounds(written: docstrings.Written, schema: schemas.Schema) -> str:
    if "Rhythm" in written.annotation or written.annotation.startswith("dict"):
        return ""
    is_time = "Seconds" in written.annotation
    said = schemas.bounds(schema, _duration) if is_time else schemas.bounds(schema)
    meaningless = {f"at most {_duration(_FOREVER)}", *(["at least 0s"] if is_time else [])}
    return ", ".join(part for part in said.split(", ") if part not in meaningless)


def _default(model: type[Section], name: str, written: docstrings.Written) -> str:
    field = model.model_fields[name]
    if field.is_required():
        return "needed"
    value = field.default
    if value is None or isinstance(value, Section):
        return "none"
    if isinstance(value, int | float) and not isinstance(value, bool):
        if "Seconds" in written.annotation or "Rhythm" in written.annotation:
            return f'`"{_duration(value)}"`'
        return f"`{value:g}`" if isinstance(value, float) else f"`{value}`"
    return f"`{_toml(value)}`"


def _toml(value: Any) -> str:
    if isinstance(value, Path):
        value = str(value).replace(str(Path.home()), "~", 1)
    return json.dumps(value, ensure_ascii=False)


def _duration(seconds: float) -> str:
    """Return seconds as the configuration takes them: `5m`, `200ms`, `7d`."""
    if seconds < 1 and seconds:
        return f"{seconds * 1000:g}ms"
    for unit, size in (("d", 86_400), ("h", 3600), ("m", 60)):
        if seconds >= size and seconds % size == 0 and not (unit == "d" and seconds % 86_400):
            return f"{seconds / size:g}{unit}"
    return f"{seconds:g}s"
