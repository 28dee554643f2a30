"""Writing into the user's configuration: one key changes, comments and layout stay.

It is a file that people edit, so a new text appears whole, only if it is a valid configuration,
and only over the text that was read.
"""

import contextlib
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import ParseError, TOMLKitError
from tomlkit.items import Array, Table, Whitespace

from hippod import atomic, private
from hippod.config import checked, is_flag, is_list
from hippod.errors import ConfigError, Conflict, StorageError

_MAX_BYTES = 1_000_000
_FLAGS = {"yes": True, "on": True, "true": True, "no": False, "off": False, "false": False}
_STRINGS = re.compile(
    r"""["]{3}(?:\\.|[^\\])*?["]{3}|'{3}.*?'{3}|"(?:\\.|[^"\\\n])*"|'[^'\n]*'""", re.DOTALL
)


def set_value(file: Path, key: str, text: str) -> bool:
    """Set `section.key` to what `text` means there; return whether the file changed.

    `text` is a value as TOML writes it, or plain words; a list may be words with commas between.
    Raises as `set_keys`, with what belongs at the key if nothing that `text` may mean does.
    """
    table, _, name = key.partition(".")
    *others, last = _meanings(key, text)
    for meaning in others:
        with contextlib.suppress(ConfigError):
            return set_keys(file, table, {name: meaning})
    return set_keys(file, table, {name: last})


def unset_value(file: Path, key: str) -> bool:
    """Take `section.key` out of the file, so that its default counts; say whether it was there.

    Raises as `set_keys`.
    """
    table, _, name = key.partition(".")
    return set_keys(file, table, {name: None})


def set_keys(file: Path, table: str, values: Mapping[str, object]) -> bool:
    """Set keys of one table in `file`, which is made if absent; return whether it changed.

    A key that shall be None is taken out. A link is followed. Raises `ConfigError` if the file is
    or would be no valid configuration, `Conflict` if somebody else writes it at this moment,
    `StorageError`, also for a file that is read-only.
    """
    real = file.resolve()
    with _opened(real.parent) as folder, _told(file):
        found = atomic.read_if_there(folder, real.name, _MAX_BYTES)
        _refuse_read_only(folder, found, real)
        before = found.data if found else b""
        after = _edited(before, table, values, file)
        if after == before:
            return False
        if found is None:
            atomic.create(folder, real.name, after, 0o600)
        else:
            atomic.replace(folder, real.name, after, found, atomic.beside(folder, real.name))
    return True


def _refuse_read_only(folder: int, found: atomic.Found | None, file: Path) -> None:
    if found is None:
        return
    if found.stat.st_mode & 0o222 and os.access(file.name, os.W_OK, dir_fd=folder):
        return
    raise StorageError(f"{file}: is read-only", "change it where it comes from, or chmod u+w")


def _meanings(key: str, text: str) -> list[object]:
    """Return what `text` may mean, the likeliest first; there is at least one."""
    if is_flag(key) and text.strip().lower() in _FLAGS:
        return [_FLAGS[text.strip().lower()]]
    words: object = [part.strip() for part in text.split(",") if part.strip()]
    plain = words if is_list(key) else text
    try:
        value: object = tomllib.loads(f"value = {text}")["value"]
    except (tomllib.TOMLDecodeError, RecursionError):
        return [plain]
    is_value = isinstance(value, str | bool | int | float | list)
    return [value, plain] if is_value else [plain]


def _edited(before: bytes, table: str, values: Mapping[str, object], file: Path) -> bytes:
    try:
        document = tomlkit.parse(before.decode("utf-8"))
    except UnicodeDecodeError as error:
        line = before.count(b"\n", 0, error.start) + 1
        raise _broken(f"{file}:{line}", "not UTF-8") from None
    except ParseError as error:
        raise _broken(f"{file}:{error.line}", str(error)) from None
    except TOMLKitError as error:  # a key given twice: it does not say where
        raise _broken(str(file), str(error)) from None
    except RecursionError:
        raise _broken(str(file), "nested too deep") from None
    if not isinstance(document.get(table, {}), dict):
        raise ConfigError([f"{file}: {table}: a table"])
    gone = [key for key, value in values.items() if value is None]
    for key in gone:
        if key in document.get(table, {}):
            document[table].remove(key)
    values = {key: value for key, value in values.items() if value is not None}
    if not values:
        return _finished(document, before, file)
    if table not in document:
        if document:
            document.add(tomlkit.nl())
        document.add(table, tomlkit.table())
    changing = {
        key: value
        for key, value in values.items()
        if key not in document[table] or not _is_same(document[table][key], value)
    }
    for key, value in changing.items():
        _set(document[table], key, value, f"{file}: {table}.{key}")
    return _finished(document, before, file)


def _finished(document: tomlkit.TOMLDocument, before: bytes, file: Path) -> bytes:
    text = tomlkit.dumps(document)
    _check(text, file)
    return (_with_crlf(text) if _has_crlf(before) else text).encode("utf-8")


def _is_same(item: Any, value: object) -> bool:
    held = item.unwrap()
    return type(held) is type(value) and bool(held == value)


def _set(table: Any, key: str, value: object, where: str) -> None:
    if key in table:
        if isinstance(table[key], Array) and "#" in _STRINGS.sub("", table[key].as_string()):
            raise ConfigError([f"{where}: has comments between its values"], "edit it by hand")
        table[key] = value
    elif isinstance(table, Table):
        _add(table, key, value)
    else:
        table[key] = value


def _add(table: Table, key: str, value: object) -> None:
    """Add a key below the others; what stands further down belongs to the next table."""
    body = table.value.body
    keys = [place for place, (name, _) in enumerate(body) if name is not None]
    below = keys[-1] + 1 if keys else 0
    blank = (n for n in range(below, len(body)) if isinstance(body[n][1], Whitespace))
    end = next(blank, below)
    rest = body[end:]
    del body[end:]
    table.append(key, value)
    body.extend(rest)


def _has_crlf(data: bytes) -> bool:
    return 0 < data.count(b"\n") == data.count(b"\r\n")


def _with_crlf(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\n", "\r\n")


def _check(text: str, file: Path) -> None:
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _broken(str(file), str(error)) from None
    checked(tables, str(file), {})


def _broken(where: str, why: str) -> ConfigError:
    return ConfigError([f"{where}: not valid TOML: {why}"], "fix the line named")


@contextlib.contextmanager
def _opened(folder: Path) -> Iterator[int]:
    try:
        private.make_folder(folder)
        fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise StorageError(f"{folder}: {error.strerror}") from None
    try:
        yield fd
    finally:
        os.close(fd)


@contextlib.contextmanager
def _told(file: Path) -> Iterator[None]:
    """Turn what the file system says into errors that name the file."""
    try:
        yield
    except (atomic.ChangedError, FileExistsError):
        raise Conflict(f"{file}: somebody else is writing it", "try again") from None
    except atomic.NotRegularError:
        raise StorageError(f"{file}: not a regular file") from None
    except atomic.TooBigError:
        raise StorageError(f"{file}: over {_MAX_BYTES} bytes, so hardly a configuration") from None
    except OSError as error:
        raise StorageError(
            f"{file}: {error.strerror}", "check owner, mode and free space"
        ) from None
