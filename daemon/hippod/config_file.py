"""Writing into the user's configuration: one key changes, comments and layout stay.

It is a file that people edit, so a new text appears whole, only if it is a valid configuration,
and only over the text that was read.
"""

import contextlib
import os
import secrets
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

import tomlkit
from tomlkit.exceptions import ParseError, TOMLKitError

from hippod import atomic, private
from hippod.config import checked, is_list
from hippod.errors import ConfigError, Conflict, StorageError

_MAX_BYTES = 1_000_000


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


def set_keys(file: Path, table: str, values: Mapping[str, object]) -> bool:
    """Set keys of one table in `file`, which is made if absent; return whether it changed.

    A link is followed. Raises `ConfigError` if the file is or would be no valid configuration,
    `Conflict` if somebody else writes it at this moment, `StorageError`.
    """
    real = file.resolve()
    with _opened(real.parent) as folder, _told(file):
        found = _read(folder, real.name)
        before = found.data if found else b""
        after = _edited(before, table, values, file)
        if after == before:
            return False
        if found is None:
            atomic.create(folder, real.name, after, 0o600)
        else:
            atomic.replace(folder, real.name, after, found, _keeper(folder, real.name))
    return True


def _meanings(key: str, text: str) -> list[object]:
    """Return what `text` may mean, the likeliest first; there is at least one."""
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
    if table not in document:
        if document:
            document.add(tomlkit.nl())
        document.add(table, tomlkit.table())
    for key, value in values.items():
        document[table][key] = value
    text = tomlkit.dumps(document)
    _check(text, file)
    return text.encode("utf-8")


def _check(text: str, file: Path) -> None:
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _broken(str(file), str(error)) from None
    checked(tables, str(file), {})


def _broken(where: str, why: str) -> ConfigError:
    return ConfigError([f"{where}: not valid TOML: {why}"], "fix the line named")


def _read(folder: int, name: str) -> atomic.Found | None:
    try:
        return atomic.read(folder, name, _MAX_BYTES)
    except FileNotFoundError:
        return None


def _keeper(folder: int, name: str) -> atomic.Keep:
    def keep(data: bytes) -> None:
        atomic.create(folder, f"{name}.{secrets.token_hex(4)}.displaced", data, 0o600)

    return keep


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
