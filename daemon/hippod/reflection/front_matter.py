"""Edits of the YAML at the top of a page that touch nothing but the lines of the keys they are for.

The YAML is never written anew, which would lose how people wrote it: ruamel.yaml says where the
values stand, text is put in their place, and the result is read again and compared.
"""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from hippod import markdown, pages
from hippod.errors import InvalidInput

Fields = Mapping[str, str | list[str]]


def with_fields(text: str, changes: Fields, *, create: bool = False) -> str:
    """Return a page with other values of some keys of its front matter.

    A list keeps those of its entries that are wanted where and as they stand, and gets new ones
    at its end. A key that is absent is added; a page without front matter gets one only with
    `create`. Every other line stays as it is, byte for byte. Raises `InvalidInput`, naming the
    reason, where that cannot be done.
    """
    page = _Page.of(text)
    if page is None:
        if not create:
            raise _refused("the page has none")
        page = _Page(*_with_empty_block(text))
    before = _outline(page.yaml)
    for key, value in changes.items():
        page = page.replaced(_changed(page.yaml, key, value))
    _verify(before, page, changes)
    return page.text


def fields(text: str) -> dict[str, list[str]]:
    """Return the texts that stand under each key, one for a scalar; raises `InvalidInput`.

    What is neither a scalar nor a list of scalars is left out. Empty without front matter.
    """
    page = _Page.of(text)
    return {key: _texts(value) for key, value in _pairs(page.yaml)} if page else {}


def lines_besides(text: str, keys: Collection[str]) -> list[str]:
    """Return the lines of the front matter that belong to none of `keys`, comments among them.

    Raises `InvalidInput` if it cannot be read.
    """
    page = _Page.of(text)
    if page is None:
        return []
    theirs = {
        number
        for key, value in _nodes(page.yaml)
        if key.value in keys
        for number in range(key.start_mark.line, _last_line(page.yaml, value) + 1)
    }
    lines = enumerate(page.yaml.split("\n"))
    return [line for number, line in lines if number not in theirs and line.strip()]


def fault(text: str) -> str:
    """Say why the front matter of a page cannot be read; empty if it can, or there is none."""
    try:
        page = _Page.of(text)
        if page:
            _pairs(page.yaml)
    except InvalidInput as error:
        return error.message
    return ""


def _refused(reason: str) -> InvalidInput:
    return InvalidInput(f"front matter: {reason}", "edit it by hand")


# -- the page --------------------------------------------------------------------------------------

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_FENCE = re.compile(r"(?:---|\.\.\.)\s*")


@dataclass(frozen=True, slots=True)
class _Page:
    """The lines of a page with their ends, `length` of them the block with its fences."""

    lines: tuple[str, ...]
    length: int

    @classmethod
    def of(cls, text: str) -> "_Page | None":
        """Take a page apart; None if it has no front matter."""
        lines = tuple(_LINE.findall(text))
        length = markdown.parse(text).front_matter
        if length:
            return cls(lines, length)
        if _looks_like_a_block(lines):
            raise _refused("it has lines that are no YAML")
        return None

    @property
    def text(self) -> str:
        return "".join(self.lines)

    @property
    def yaml(self) -> str:
        return "\n".join(line.rstrip("\r\n") for line in self.lines[1 : self.length - 1])

    def replaced(self, yaml: str) -> "_Page":
        """Return the page with other YAML; lines that are the same keep their ends."""
        old = self.lines[1 : self.length - 1]
        new = yaml.split("\n") if yaml else []
        bare = [line.rstrip("\r\n") for line in old]
        head = _common(bare, new)
        tail = _common(bare[head:][::-1], new[head:][::-1])
        end = self.lines[0][len(self.lines[0].rstrip("\r\n")) :]
        middle = [line + end for line in new[head : len(new) - tail]]
        block = (*old[:head], *middle, *old[len(old) - tail :])
        return _Page((self.lines[0], *block, *self.lines[self.length - 1 :]), 2 + len(block))


def _looks_like_a_block(lines: Sequence[str]) -> bool:
    """Say whether a page begins as with front matter, but for some line of it."""
    if not lines or lines[0].removeprefix(markdown.BOM).rstrip() != "---":
        return False
    end = next((n for n, line in enumerate(lines[1:], 1) if _FENCE.fullmatch(line)), 0)
    return any(re.match(r"[\w\"'-]+\s*:(?:\s|$)|\{", line) for line in lines[1:end])


def _with_empty_block(text: str) -> tuple[tuple[str, ...], int]:
    lines = _LINE.findall(text)
    mark = markdown.BOM if text.startswith(markdown.BOM) else ""
    end = next((line[len(line.rstrip("\r\n")) :] for line in lines), "") or "\n"
    body = tuple(_LINE.findall(text.removeprefix(markdown.BOM)))
    return (f"{mark}---{end}", f"---{end}", *body), 2


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    count = 0
    while count < min(len(one), len(other)) and one[count] == other[count]:
        count += 1
    return count


# -- reading ---------------------------------------------------------------------------------------


def _pairs(yaml: str) -> list[tuple[str, Any]]:
    """Return the keys of the block with the nodes of their values, in order."""
    if len(yaml) > pages.LONGEST_FRONT_MATTER:
        raise _refused(f"it is longer than {pages.LONGEST_FRONT_MATTER} characters")
    nodes = _nodes(yaml)
    keys = [key.value if key.id == "scalar" else "" for key, _ in nodes]
    doubled = next((key for n, key in enumerate(keys) if key in keys[:n]), None)
    if doubled is not None:
        raise _refused(f"the key {doubled!r} stands there twice")
    return [(key, value) for key, (_, value) in zip(keys, nodes, strict=True)]


def _nodes(yaml: str) -> list[tuple[Any, Any]]:
    node = _composed(yaml)
    if node is None:
        return []
    if node.id != "mapping" or node.flow_style:
        raise _refused("it is no list of keys, each on a line of its own")
    return list(node.value)


def _composed(yaml: str) -> Any:
    # Imported here because it costs 30 ms and few processes edit a page.
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    reader = YAML(typ="base", pure=True)
    reader.max_depth = pages.DEEPEST_FRONT_MATTER
    reader.composer.warn_double_anchors = False
    try:
        return reader.compose(yaml)
    except MarkedYAMLError as error:
        where = f" in line {error.problem_mark.line + 2}" if error.problem_mark else ""
        raise _refused(f"it cannot be read{where}: {error.problem or error.context}") from None
    except (YAMLError, ValueError) as error:
        raise _refused(f"it cannot be read: {str(error).splitlines()[0]}") from None


def _texts(node: Any) -> list[str]:
    if node.id == "scalar":
        return [node.value] if node.value else []
    return [each.value for each in node.value if each.id == "scalar"] if _is_list(node) else []


def _is_list(node: Any) -> bool:
    return bool(node.id == "sequence")


def _outline(yaml: str) -> list[tuple[str, str]]:
    """Return each key with how its value is written."""
    return [
        (key, yaml[node.start_mark.index : node.end_mark.index].rstrip())
        for key, node in _pairs(yaml)
    ]


def _verify(before: list[tuple[str, str]], page: _Page, changes: Fields) -> None:
    """Make sure that an edited page reads as it did, but for what was to change."""
    after = _outline(page.yaml)
    others = [[pair for pair in each if pair[0] not in changes] for each in (before, after)]
    read = fields(page.text)
    wanted = {key: [value] if isinstance(value, str) else value for key, value in changes.items()}
    is_right = all(set(read.get(key, [])) == set(each) for key, each in wanted.items())
    is_whole = markdown.parse(page.text).front_matter == page.length
    if others[0] != others[1] or not is_right or not is_whole:
        raise _refused("it is written in a way that cannot be edited safely")


# -- one key ---------------------------------------------------------------------------------------


def _changed(yaml: str, key: str, value: str | list[str]) -> str:
    node = dict(_pairs(yaml)).get(key)
    if node is None:
        return _with_line(yaml, f"{key}: {_written(value)}")
    _check_plain(yaml, key, node)
    if isinstance(value, str):
        return _with_scalar(yaml, key, node, value)
    return _with_list(yaml, key, value)


def _with_line(yaml: str, line: str) -> str:
    return f"{yaml}\n{line}" if yaml else line


def _check_plain(yaml: str, key: str, node: Any) -> None:
    """Refuse anchors, tags and texts over several lines: an edit could change more than it says."""
    written = yaml[_colon(yaml, node, key) :].lstrip()
    if written[:1] in ("&", "*", "!", "|", ">"):
        raise _refused(f"the value of {key!r} is written with {written[0]!r}")


def _colon(yaml: str, node: Any, key: str) -> int:
    """Return where the value of a key may begin: behind its colon."""
    pattern = re.compile(
        rf"^(?:{re.escape(key)}|\"{re.escape(key)}\"|'{re.escape(key)}')\s*:", re.M
    )
    found = list(pattern.finditer(yaml, 0, node.start_mark.index + 1))
    if not found:
        raise _refused(f"the key {key!r} is written in an unusual way")
    return found[-1].end()


def _with_scalar(yaml: str, key: str, node: Any, value: str) -> str:
    if node.id != "scalar":
        raise _refused(f"the value of {key!r} is no single text")
    if node.value == value:
        return yaml
    start, end = node.start_mark.index, node.end_mark.index
    if start == end:
        return _filled(yaml, _colon(yaml, node, key), _scalar(value))
    return yaml[:start] + _scalar(value, node.style) + yaml[end:]


def _with_list(yaml: str, key: str, wanted: list[str]) -> str:
    node = dict(_pairs(yaml))[key]
    if node.id == "scalar":
        return _listed(yaml, key, node, wanted)
    if not _is_list(node):
        raise _refused(f"the value of {key!r} is no list")
    unwanted = next((each for each in node.value if _is_unwanted(each, wanted)), None)
    if unwanted is not None:
        return _with_list(_without(yaml, key, node, unwanted), key, wanted)
    new = [value for value in dict.fromkeys(wanted) if value not in _texts(node)]
    if not new:
        return yaml
    return _appended(yaml, node, new)


def _is_unwanted(node: Any, wanted: list[str]) -> bool:
    return node.id == "scalar" and node.value not in wanted


def _listed(yaml: str, key: str, node: Any, wanted: list[str]) -> str:
    """Put a list in the place of one text."""
    old = [node.value] if node.value and node.value in wanted else []
    values = list(dict.fromkeys([*old, *wanted]))
    start, end = node.start_mark.index, node.end_mark.index
    if start == end:
        return _filled(yaml, _colon(yaml, node, key), _written(values))
    return yaml[:start] + _written(values) + yaml[end:]


def _filled(yaml: str, colon: int, value: str) -> str:
    """Put a value behind a colon that has none, in the place of blanks that end its line."""
    blank = re.compile(r"[ \t]*(?=\n|\Z)").match(yaml, colon)
    return f"{yaml[:colon]} {value}{yaml[blank.end() if blank else colon :]}"


def _without(yaml: str, key: str, node: Any, unwanted: Any) -> str:
    if node.flow_style:
        return _without_entry(yaml, node, unwanted)
    lines = yaml.split("\n")
    if len(node.value) == 1:
        colon = _colon(yaml, node, key)
        lines = f"{yaml[:colon]} []{yaml[colon:]}".split("\n")
    del lines[unwanted.start_mark.line : _last_line(yaml, unwanted) + 1]
    return "\n".join(lines)


def _without_entry(yaml: str, node: Any, unwanted: Any) -> str:
    """Take an entry out of `[a, b]` with one comma, and nothing else that stands there."""
    start, end = unwanted.start_mark.index, unwanted.end_mark.index
    comma = re.compile(r"\s*,[ \t]*").match(yaml, end)
    if comma:
        return yaml[:start] + yaml[comma.end() :]
    place = node.value.index(unwanted)
    before = yaml[node.value[place - 1].end_mark.index : start] if place else ""
    if "#" in before:
        raise _refused("a comment stands inside a list")
    return yaml[: start - len(before)] + yaml[end:]


def _appended(yaml: str, node: Any, new: list[str]) -> str:
    if node.flow_style:
        last = node.value[-1].end_mark.index if node.value else node.start_mark.index + 1
        added = ", ".join(map(_scalar, new))
        return f"{yaml[:last]}{', ' if node.value else ''}{added}{yaml[last:]}"
    lines = yaml.split("\n")
    last = node.value[-1]
    bullet = re.match(r"\s*-\s+", lines[last.start_mark.line])
    if bullet is None:
        raise _refused("a list in it is written in an unusual way")
    after = _last_line(yaml, last) + 1
    lines[after:after] = [bullet[0] + _scalar(value) for value in new]
    return "\n".join(lines)


def _last_line(yaml: str, node: Any) -> int:
    """Return the line (from 0) that a node ends on; a nested block ends with its last value.

    Of an empty value ruamel.yaml says that it stands where the next one begins.
    """
    while node.id != "scalar" and not node.flow_style and node.value:
        last = node.value[-1]
        node = last[1] if isinstance(last, tuple) else last
    lines = yaml[: node.end_mark.index].split("\n")
    while len(lines) > 1 and (not lines[-1].strip() or lines[-1].lstrip().startswith("#")):
        lines.pop()
    return len(lines) - 1


# -- writing ---------------------------------------------------------------------------------------

_PLAIN = re.compile(r"[^\W\d_](?:[\w.-]| (?=\w))*")
_NO_TEXT = frozenset("true false yes no on off y n null none nan inf".split())  # noqa: SIM905
"""What some readers of YAML take for something else than text."""


def _written(value: str | list[str]) -> str:
    if isinstance(value, str):
        return _scalar(value)
    return f"[{', '.join(map(_scalar, dict.fromkeys(value)))}]"


def _scalar(value: str, style: str | None = None) -> str:
    """Write one text, in quotes where any reader might take it for something else."""
    if style == "'" and "'" not in value:
        return f"'{value}'"
    is_plain = _PLAIN.fullmatch(value) and value.casefold() not in _NO_TEXT
    if style is None and (is_plain or _is_day(value)):
        return value
    return json.dumps(value, ensure_ascii=False)


def _is_day(value: str) -> bool:
    try:
        return len(value) == 10 and bool(date.fromisoformat(value))
    except ValueError:
        return False
