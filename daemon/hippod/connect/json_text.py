"""Edits of JSON, JSONC and JSON5 that change the bytes of one entry and no others. Pure.

Bytes in, bytes out; each edit is read again and must say what was meant, or it is refused.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hippod.connect import json_source
from hippod.connect.json_source import Node, Part
from hippod.errors import Conflict, InvalidInput

Place = tuple[str, ...]
"""The keys from the outermost object to a member."""
_BOM = "\ufeff"
_LINE_END = re.compile(r"[\n\r]")
_HALF = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Made:
    """What an insertion made besides its entry, so that a removal leaves nothing of it."""

    depth: int
    """How many of the keys were there before; -1: the file held no value at all."""
    gap: str = ""
    """What stood between the brackets of the last object or list that was there, if it was empty,
    or what the file without a value held."""


@dataclass(frozen=True, slots=True)
class Edited:
    """A new text, and what was made; `made` is None where only a value changed, or nothing."""

    data: bytes
    made: Made | None


def read(data: bytes, where: str) -> Node | None:
    """Return the value of a file, None for one that holds none; `InvalidInput` says the place."""
    text, _ = _text(data, where)
    return None if json_source.is_blank(text) else json_source.parse(text, where)


def value(data: bytes | None, at: Place, where: str) -> object:
    """Return what stands at a place; None if nothing does."""
    found = _said(_text(data or b"", where)[0], where)
    for key in at:
        found = found.get(key) if isinstance(found, dict) else None
    return found


def put(data: bytes | None, at: Place, new: object, where: str) -> Edited:
    """Set the member at a place, with the objects on the way to it."""
    text, bom = _text(data or b"", where)
    root = _root(text, where)
    if root is None:
        return _begun(text, bom, _nested(at, new), where)
    holder, depth = _holder(text, root, at, where)
    part = holder.member(at[depth]) if depth < len(at) else None
    if part is None:
        inner = _nested(at[depth + 1 :], new)
        after, gap = _inserted(text, holder, at[depth], inner)
        made: Made | None = Made(depth, gap)
    elif part.value.value == new:
        return Edited(data or b"", None)
    else:
        after, made = _replaced(text, part.value, new), None
    _prove(after, _with(root.value, at, new), where)
    return Edited(_bytes(after, bom), made)


def add(data: bytes | None, at: Place, item: object, where: str) -> Edited:
    """Add an item to the end of the list at a place, which is made if it is not there."""
    found = value(data, at, where)
    if found is None and _is_absent(data, at, where):
        return put(data, at, [item], where)
    text, bom = _text(data or b"", where)
    root = json_source.parse(text, where)
    holder = _list_at(text, root, at, where)
    after, gap = _inserted(text, holder, None, item)
    _prove(after, _with(root.value, at, [*_items(found), item]), where)
    return Edited(_bytes(after, bom), Made(len(at), gap))


def swap(data: bytes, at: Place, index: int, item: object, where: str) -> bytes:
    """Put another item in the place of one of a list."""
    text, bom = _text(data, where)
    root = json_source.parse(text, where)
    holder = _list_at(text, root, at, where)
    after = _replaced(text, holder.parts[index].value, item)
    items = list(_items(holder.value))
    items[index] = item
    _prove(after, _with(root.value, at, items), where)
    return _bytes(after, bom)


def drop(data: bytes, at: Place, made: Made | None, where: str) -> bytes:
    """Take the member at a place out, with what was made for it and is empty then."""
    return _dropped(data, at, None, made, where)


def drop_item(data: bytes, at: Place, index: int, made: Made | None, where: str) -> bytes:
    """Take an item out of the list at a place, with what was made for it and is empty then."""
    return _dropped(data, at, index, made, where)


# -- reading ---------------------------------------------------------------------------------


def _said(text: str, where: str) -> object:
    """Return the value of a text; plain JSON is read by the far faster reader of Python."""
    try:
        found: object = json.loads(text, parse_constant=json_source.constant)
    except (ValueError, RecursionError):
        return None if json_source.is_blank(text) else json_source.parse(text, where).value
    return found


def _text(data: bytes, where: str) -> tuple[str, str]:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8", "replace")
        place = json_source.position(before, len(before))
        hint = "save it as UTF-8; nothing was written"
        raise InvalidInput(f"{where}:{place}: not UTF-8", hint) from None
    bom = _BOM if text.startswith(_BOM) else ""
    return text[len(bom) :], bom


def _bytes(text: str, bom: str) -> bytes:
    return (bom + text).encode("utf-8")


def _root(text: str, where: str) -> Node | None:
    if json_source.is_blank(text):
        return None
    root = json_source.parse(text, where)
    _expect(text, root, "object", "the file", where)
    return root


def _holder(text: str, root: Node, at: Place, where: str) -> tuple[Node, int]:
    """Return the innermost object on the way that is there, and how many keys lead to it."""
    node = root
    for depth, key in enumerate(at[:-1]):
        part = node.member(key)
        if part is None:
            return node, depth
        node = part.value
        _expect(text, node, "object", ".".join(at[: depth + 1]), where)
    return node, len(at) - 1


def _list_at(text: str, root: Node, at: Place, where: str) -> Node:
    holder, depth = _holder(text, root, at, where)
    part = holder.member(at[depth])
    if part is None:
        raise Conflict(f"{where}: {'.'.join(at)} is gone", "try again")
    _expect(text, part.value, "list", ".".join(at), where)
    return part.value


def _expect(text: str, node: Node, kind: str, name: str, where: str) -> None:
    if node.kind != kind:
        article = {"object": "an object, in braces", "list": "a list, in brackets"}[kind]
        place = json_source.position(text, node.start)
        hint = "mend it by hand; nothing was written"
        raise InvalidInput(f"{where}:{place}: {name} is not {article}", hint)


def _is_absent(data: bytes | None, at: Place, where: str) -> bool:
    text, _ = _text(data or b"", where)
    root = _root(text, where)
    if root is None:
        return True
    holder, depth = _holder(text, root, at, where)
    return holder.member(at[depth]) is None


def _items(found: object) -> list[object]:
    return found if isinstance(found, list) else []


# -- inserting -------------------------------------------------------------------------------


def _begun(text: str, bom: str, new: object, where: str) -> Edited:
    end = _line_end(text)
    lead = end if text and not text.endswith(("\n", "\r")) else ""
    after = f"{text}{lead}{_rendered(new, '', '  ', end)}{end}"
    _prove(after, new, where)
    return Edited(_bytes(after, bom), Made(-1, text))


def _nested(at: Place, new: object) -> object:
    for key in reversed(at):
        new = {key: new}
    return new


def _inserted(text: str, holder: Node, key: str | None, new: object) -> tuple[str, str]:
    """Return the text with a part more at the end of a holder, and the gap that gave way."""
    if not holder.parts:
        return _filled(text, holder, key, new)
    last = holder.parts[-1]
    place = _line_rest(text, last)
    broken = _is_broken(text, holder) or _ends_in_line_comment(text, last.end, place)
    indent = _indent_of(text, holder.parts[-1].start) if broken else ""
    lead = _line_end(text) + indent if broken else " " if _is_spaced(text) else ""
    body = _entry(text, key, new, indent, whole=not broken)
    more = [(place, lead + body + ("," if last.comma is not None else ""))]
    if last.comma is None:
        more.insert(0, (last.end, ","))
    return _spliced(text, more), ""


def _filled(text: str, holder: Node, key: str | None, new: object) -> tuple[str, str]:
    inside = holder.end - 1
    start = max((end for _, end in json_source.comments(text, holder.start + 1, inside)),
                default=holder.start + 1)  # fmt: skip
    gap = text[start:inside]
    if not _LINE_END.search(text.strip()) and not json_source.is_blank(text[: holder.start]):
        return text[:start] + _entry(text, key, new, "", whole=True) + text[inside:], gap
    end, outer = _line_end(text), _indent_of(text, holder.start)
    indent = outer + _unit(text)
    body = _entry(text, key, new, indent, whole=False)
    return f"{text[:start]}{end}{indent}{body}{end}{outer}{text[inside:]}", gap


def _entry(text: str, key: str | None, new: object, indent: str, *, whole: bool) -> str:
    """Return a part as it is written; `whole`: in one line."""
    name = "" if key is None else json.dumps(key, ensure_ascii=False) + ":"
    if whole:
        colon = " " if name and _is_spaced(text) else ""
        return name + colon + _in_one_line(new, spaced=_is_spaced(text))
    return name + (" " if name else "") + _rendered(new, indent, _unit(text), _line_end(text))


def _replaced(text: str, node: Node, new: object) -> str:
    old = text[node.start : node.end]
    if _LINE_END.search(old):
        body = _rendered(new, _indent_of(text, node.start), _unit(text), _line_end(text))
    else:
        body = _in_one_line(new, spaced=_is_spaced(text))
    return text[: node.start] + body + text[node.end :]


def _rendered(new: object, indent: str, unit: str, end: str) -> str:
    lines = _dumped(new, indent=unit).split("\n")
    return f"{end}{indent}".join(lines)


def _in_one_line(new: object, *, spaced: bool) -> str:
    return _dumped(new, separators=(", ", ": ") if spaced else (",", ":"))


def _dumped(new: object, **layout: Any) -> str:
    text = json.dumps(new, ensure_ascii=False, **layout)
    if _HALF.search(text):  # half a character, which a file only has as an escape
        return json.dumps(new, ensure_ascii=True, **layout)
    return text


def _spliced(text: str, pieces: Sequence[tuple[int, str]]) -> str:
    for place, piece in reversed(pieces):
        text = text[:place] + piece + text[place:]
    return text


# -- removing --------------------------------------------------------------------------------


def _dropped(data: bytes, at: Place, index: int | None, made: Made | None, where: str) -> bytes:
    text, bom = _text(data, where)
    root = json_source.parse(text, where)
    chain = _chain(text, root, at, index, where)
    made = made or Made(len(chain) - 1)
    while len(chain) > max(made.depth + 1, 1) and _is_alone(text, chain[-1]):
        chain.pop()
    if made.depth < 0 and len(chain) == 1 and _is_all(text, root, chain[0], made.gap):
        return _bytes(made.gap, bom)
    gap = made.gap if len(chain) == made.depth + 1 else None
    after = _cut(text, *chain[-1], gap)
    _prove(after, _without(root.value, [_key(*link) for link in chain]), where)
    return _bytes(after, bom)


def _chain(
    text: str, root: Node, at: Place, index: int | None, where: str
) -> list[tuple[Node, int]]:
    """Return the holders on the way with the number of the part in each."""
    chain, node = [], root
    for depth, key in enumerate(at):
        _expect(text, node, "object", ".".join(at[:depth]) or "the file", where)
        part = node.member(key)
        if part is None:
            raise Conflict(f"{where}: {'.'.join(at)} is gone", "try again")
        chain.append((node, node.parts.index(part)))
        node = part.value
    if index is not None:
        _expect(text, node, "list", ".".join(at), where)
        chain.append((node, index))
    return chain


def _is_alone(text: str, link: tuple[Node, int]) -> bool:
    holder, _ = link
    if len(holder.parts) > 1:
        return False
    part = holder.parts[0]
    around = (holder.start + 1, part.start), (part.end, holder.end - 1)
    return not any(any(json_source.comments(text, *span)) for span in around)


def _is_all(text: str, root: Node, link: tuple[Node, int], before: str) -> bool:
    """Say whether there is nothing in a file but a part of ours below the text of `before`."""
    around = text[len(before) : root.start] + text[root.end :]
    return text.startswith(before) and not around.strip() and _is_alone(text, link)


def _key(node: Node, number: int) -> str | int:
    key = node.parts[number].key
    return number if key is None else key


def _cut(text: str, holder: Node, number: int, gap: str | None) -> str:
    parts, part = holder.parts, holder.parts[number]
    if len(parts) == 1:
        return _emptied(text, holder, part, gap)
    behind = part.end if part.comma is None else part.comma + 1
    if number == 0:
        return text[: part.start] + text[_next_start(text, behind, parts[1].start) :]
    before = parts[number - 1]
    start = _end_of_comments(text, _line_rest(text, before), part.start)
    is_open = _ends_in_line_comment(text, before.end, start)
    rest = _below(text, text[behind:], is_open=is_open)
    if part.comma is None and before.comma is not None:  # ours was last: its comma goes as well
        return text[: before.comma] + text[before.comma + 1 : start] + rest
    return text[:start] + rest


def _emptied(text: str, holder: Node, part: Part, gap: str | None) -> str:
    start = _end_of_comments(text, holder.start + 1, part.start)
    behind = part.end if part.comma is None else part.comma + 1
    inside = holder.end - 1
    is_open = _ends_in_line_comment(text, holder.start + 1, start)
    if any(json_source.comments(text, behind, inside)):
        return text[:start] + _below(text, text[behind:], is_open=is_open)
    if gap is None or (is_open and not _LINE_END.match(gap)):
        gap = text[behind:inside] if start > holder.start + 1 else ""
    return text[:start] + _below(text, gap + text[inside:], is_open=is_open)


def _below(text: str, rest: str, *, is_open: bool) -> str:
    """Return a rest that comes behind a line comment, if that is open: on a line of its own."""
    if not is_open or re.match(r"[ \t]*[\n\r]", rest):
        return rest
    return _line_end(text) + rest


def _next_start(text: str, behind: int, start: int) -> int:
    return next((place for place, _ in json_source.comments(text, behind, start)), start)


def _without(root: object, keys: Sequence[str | int]) -> object:
    key, *rest = keys
    if isinstance(key, int):
        items = _items(root)
        return items[:key] + items[key + 1 :]
    members = dict(root) if isinstance(root, dict) else {}
    if rest:
        members[key] = _without(members[key], rest)
    else:
        del members[key]
    return members


# -- how a file is laid out ------------------------------------------------------------------


def _line_rest(text: str, part: Part) -> int:
    """Return the place behind a part, its comma and the comments on its line."""
    place = part.end if part.comma is None else part.comma + 1
    line = _LINE_END.search(text, place)
    stop = line.start() if line else len(text)
    for start, end in json_source.comments(text, place, _gap_end(text, place)):
        if start >= stop:
            break
        place = end
    return place


def _gap_end(text: str, place: int) -> int:
    while place < len(text):
        if text.startswith(("//", "/*"), place):
            place = next(json_source.comments(text, place, len(text)))[1]
        elif text[place].isspace() or text[place] == _BOM:
            place += 1
        else:
            break
    return place


def _end_of_comments(text: str, start: int, end: int) -> int:
    return max((stop for _, stop in json_source.comments(text, start, end)), default=start)


def _ends_in_line_comment(text: str, start: int, end: int) -> bool:
    spans = list(json_source.comments(text, start, end))
    return bool(spans) and spans[-1][1] == end and text.startswith("//", spans[-1][0])


def _is_broken(text: str, holder: Node) -> bool:
    """Say whether the parts of a holder stand on lines of their own."""
    return bool(_LINE_END.search(text, holder.start, holder.parts[0].start))


def _indent_of(text: str, place: int) -> str:
    """Return the white space that the line of a place begins with."""
    start = max(text.rfind("\n", 0, place), text.rfind("\r", 0, place)) + 1
    found = re.match(r"[ \t]*", text[start:])
    return found.group() if found else ""


def _unit(text: str) -> str:
    """Return what one level is indented by: as far as the first indented line is."""
    found = re.search(r"[\n\r]([ \t]+)[^\s/*]", text)
    return found.group(1) if found else "  "


def _line_end(text: str) -> str:
    return "\r\n" if 0 < text.count("\n") == text.count("\r\n") else "\n"


def _is_spaced(text: str) -> bool:
    """Say whether a space follows colons and commas in one line."""
    return not re.search(r'":["\w{\[-]', text)


# -- the proof -------------------------------------------------------------------------------


def _with(root: object, at: Place, new: object) -> object:
    if not at:
        return new
    members = dict(root) if isinstance(root, dict) else {}
    members[at[0]] = _with(members.get(at[0]), at[1:], new)
    return members


def _prove(text: str, meant: object, where: str) -> None:
    """Raise unless a text of ours says what it should: then nothing may be written."""
    try:
        right = _said(text, where) == meant or json_source.parse(text, where).value == meant
    except InvalidInput:
        right = False
    if not right:
        hint = "edit it by hand, and please report the shape of the file"
        raise Conflict(f"{where}: cannot be edited without touching other parts of it", hint)
