"""Edits of TOML that append a table, or take it out again, and leave all other bytes. Pure.

A new table comes as text to the end of the file; only where that is impossible (inline tables)
or a table changes, tomlkit edits. Each edit is read again and must say what was meant.
"""

import re
import tomllib
from collections.abc import Mapping
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from hippod.errors import Conflict, InvalidInput

Place = tuple[str, ...]
Table = Mapping[str, object]
_AT_LINE = re.compile(r" \(at line (\d+), column (\d+)\)$")
_BOM = "\ufeff"
_NAN = float("nan")
"""One for all, so that two readings of a file are equal."""


def value(data: bytes | None, at: Place, where: str) -> object:
    """Return what stands at a place, None if nothing does; `InvalidInput` for a broken file."""
    found: object = _parsed(_text(data or b"", where)[0], where)
    for key in at:
        found = found.get(key) if isinstance(found, dict) else None
    return found


def put(data: bytes | None, at: Place, table: Table, where: str) -> tuple[bytes, str]:
    """Set a table; return the text and what was appended, empty where the table was there."""
    text, bom = _text(data or b"", where)
    before = _parsed(text, where)
    _check_way(before, at[:-1], where)
    found = value(data, at, where)
    if found == table:
        return data or b"", ""
    meant = _with(before, at, table)
    block = "" if found is not None else _block(text, _nested(at, table))
    after = text + block
    if not block or not _says(after, meant):
        block, after = "", _edited(text, at, table, where)
    _prove(after, meant, where)
    return (bom + after).encode("utf-8"), block


def add(data: bytes | None, at: Place, table: Table, where: str) -> tuple[bytes, str]:
    """Add a table to an array of tables; return the text and what was appended."""
    text, bom = _text(data or b"", where)
    before = _parsed(text, where)
    _check_way(before, at[:-1], where)
    found = value(data, at, where)
    if found is not None and not isinstance(found, list):
        raise _not_a(f"{'.'.join(at)}", "an array of tables", where)
    block = _block(text, _nested(at, [table]))
    after = text + block
    meant = _with(before, at, [*(found or []), table])
    if not _says(after, meant):
        raise Conflict(
            f"{where}: {'.'.join(at)} is written in one line, so nothing can be added to it",
            f"write it as [[{'.'.join(at)}]], then try again",
        )
    return (bom + after).encode("utf-8"), block


def drop(data: bytes, at: Place, appended: str, where: str) -> bytes:
    """Take a table out, by what was appended if that stands there as it was."""
    text, bom = _text(data, where)
    meant = _without(_parsed(text, where), at, None)
    for after in _cuts(text, appended):
        if _says(after, meant):
            return (bom + after).encode("utf-8")
    document = _document(text, where)
    _remove(document, at)
    after = _dumped(document, text)
    _prove(after, meant, where)
    return (bom + after).encode("utf-8")


def drop_item(data: bytes, at: Place, index: int, appended: str, where: str) -> bytes:
    """Take a table out of an array of tables, by what was appended if that stands there."""
    text, bom = _text(data, where)
    meant = _without(_parsed(text, where), at, index)
    for after in _cuts(text, appended):
        if _says(after, meant):
            return (bom + after).encode("utf-8")
    document = _document(text, where)
    holder: Any = document
    for key in at[:-1]:
        holder = holder[key]
    del holder[at[-1]][index]
    if not holder[at[-1]]:
        _remove(document, at)
    after = _dumped(document, text)
    _prove(after, meant, where)
    return (bom + after).encode("utf-8")


# -- pieces ----------------------------------------------------------------------------------


def _text(data: bytes, where: str) -> tuple[str, str]:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        hint = "save it as UTF-8; nothing was written"
        raise InvalidInput(f"{where}:{line}: not UTF-8", hint) from None
    bom = _BOM if text.startswith(_BOM) else ""
    return text[len(bom) :], bom


def _parsed(text: str, where: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text, parse_float=_float)
    except tomllib.TOMLDecodeError as error:
        said = str(error)
        found = _AT_LINE.search(said)
        place = f":{found.group(1)}:{found.group(2)}" if found else ""
        said = said[: found.start()] if found else said
        hint = "mend the file there; nothing was written"
        raise InvalidInput(f"{where}{place}: not valid TOML: {said}", hint) from None
    except RecursionError:
        raise InvalidInput(f"{where}: nested too deep", "") from None


def _float(word: str) -> float:
    return _NAN if word.endswith("nan") else float(word)


def _check_way(tables: dict[str, Any], way: Place, where: str) -> None:
    found: Any = tables
    for depth, key in enumerate(way):
        found = found.get(key, {})
        if not isinstance(found, dict):
            raise _not_a(".".join(way[: depth + 1]), "a table", where)


def _not_a(name: str, kind: str, where: str) -> InvalidInput:
    return InvalidInput(f"{where}: {name} is not {kind}", "mend it by hand; nothing was written")


def _nested(at: Place, new: object) -> dict[str, Any]:
    for key in reversed(at):
        new = {key: new}
    return new if isinstance(new, dict) else {}


def _block(text: str, tables: dict[str, Any]) -> str:
    """Return what to append: on a line of its own, after a blank one."""
    lead = "" if not text or text.endswith("\n") else "\n"
    blank = "\n" if text.strip() else ""
    return _with_line_ends(lead + blank + tomlkit.dumps(tables), text)


def _with_line_ends(new: str, text: str) -> str:
    crlf = 0 < text.count("\n") == text.count("\r\n")
    return new.replace("\r\n", "\n").replace("\n", "\r\n") if crlf else new


def _cuts(text: str, appended: str) -> list[str]:
    """Return the text without what was appended, for each place where that stands."""
    if not appended:
        return []
    places = [found.start() for found in re.finditer(re.escape(appended), text)]
    return [text[:place] + text[place + len(appended) :] for place in reversed(places)]


def _edited(text: str, at: Place, table: Table, where: str) -> str:
    document = _document(text, where)
    holder: Any = document
    for key in at[:-1]:
        if key not in holder:
            holder[key] = tomlkit.table(is_super_table=True)
        holder = holder[key]
    if isinstance(holder.get(at[-1]), dict):
        _change(holder[at[-1]], table)
    else:
        holder[at[-1]] = dict(table)
    return _dumped(document, text)


def _change(held: Any, table: Table) -> None:
    for key in [key for key in held if key not in table]:
        held.remove(key)
    for key, new in table.items():
        if key not in held or held[key] != new:
            held[key] = new


def _document(text: str, where: str) -> tomlkit.TOMLDocument:
    try:
        return tomlkit.parse(text)
    except TOMLKitError as error:
        raise InvalidInput(f"{where}: {error}", "edit it by hand; nothing was written") from None


def _dumped(document: tomlkit.TOMLDocument, text: str) -> str:
    return _with_line_ends(tomlkit.dumps(document), text)


def _remove(document: tomlkit.TOMLDocument, at: Place) -> None:
    """Remove a key, and the tables around it that hold nothing else."""
    holders: list[Any] = [document]
    for key in at[:-1]:
        holders.append(holders[-1][key])
    for holder, key in zip(reversed(holders), reversed(at), strict=True):
        holder.remove(key)
        if len(holder):
            return


def _with(tables: dict[str, Any], at: Place, new: object) -> dict[str, Any]:
    inner = new if len(at) == 1 else _with(tables.get(at[0], {}), at[1:], new)
    return {**tables, at[0]: inner}


def _without(tables: dict[str, Any], at: Place, index: int | None) -> dict[str, Any]:
    key = at[0]
    if len(at) > 1:
        inner: Any = _without(tables[key], at[1:], index)
    elif index is None:
        inner = None
    else:
        inner = tables[key][:index] + tables[key][index + 1 :]
    rest = {name: held for name, held in tables.items() if name != key}
    return rest if not inner else {**tables, key: inner}


def _says(text: str, meant: object) -> bool:
    try:
        return tomllib.loads(text, parse_float=_float) == meant
    except (tomllib.TOMLDecodeError, RecursionError):
        return False


def _prove(text: str, meant: object, where: str) -> None:
    if not _says(text, meant):
        hint = "edit it by hand, and please report the shape of the file"
        raise Conflict(f"{where}: cannot be edited without touching other parts of it", hint)
