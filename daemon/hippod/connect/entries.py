"""What a connection writes: each entry knows how to stand in a file, and how to leave it again.

An entry is given the bytes of its file and returns new ones; nothing here touches the disk.
"""

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol

from hippod.connect import json_text, toml_text
from hippod.errors import Conflict, InvalidInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hippod.connect.agents import Setup

Trace = dict[str, Any]
"""What is recorded of an entry that was placed, so that it can be taken out again."""
Test = Callable[[object], bool]
Table = Mapping[str, object]
_FORCE = "--force writes ours in its place and keeps a copy"


@dataclass(frozen=True, slots=True)
class Placed:
    """A file with an entry in it; no trace: it is not ours to take out."""

    data: bytes
    trace: Trace | None
    note: str = ""
    fresh: bool = True
    """Whether nothing of ours stood in its place before."""


class Entry(Protocol):
    """One thing that stands in one file."""

    @property
    def file(self) -> Path:
        """Return the file as the agent names it, maybe a link."""

    @property
    def key(self) -> str:
        """Return what tells the entry from the others of its file, for all versions of it."""

    def place(self, data: bytes | None, old: Trace | None, *, force: bool) -> Placed:
        """Return the file with this entry; `old` is the trace of an earlier placing of it.

        Raises `InvalidInput` for a broken file, `Conflict` for what is not ours.
        """


def never(_found: object) -> bool:
    """Say that a value is not ours."""
    return False


# -- JSON ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class JsonMember:
    """A member of an object, with the objects on the way to it; JSON, JSONC or JSON5."""

    file: Path
    at: tuple[str, ...]
    value: object
    mine: Test = never
    """Whether a value that is there already is a form of this entry."""
    twin: Test = never
    """Whether another member of the same object does the same."""

    @property
    def key(self) -> str:
        """Return the place."""
        return f"json {'.'.join(self.at)}"

    def place(self, data: bytes | None, old: Trace | None, *, force: bool) -> Placed:
        """Set the member; one that does the same under another name is enough."""
        where = str(self.file)
        found = json_text.value(data, self.at, where)
        siblings = json_text.value(data, self.at[:-1], where)
        if found is None and not force and (note := _twin(self, siblings)):
            return Placed(data or b"", None, note)
        ours = _check_ours(self, found, old, force=force)
        value = _joined(self.value, found) if ours else self.value
        done = json_text.put(data, self.at, value, where)
        made = asdict(done.made) if done.made else (old or {}).get("made")
        trace = {"kind": "json-member", "at": list(self.at), "value": value, "made": made}
        return Placed(done.data, trace, fresh=not ours)


@dataclass(frozen=True, slots=True)
class JsonItem:
    """An item of a list."""

    file: Path
    at: tuple[str, ...]
    value: object
    mine: Test = never
    """Whether an item that is there already is a form of this entry."""
    shared: Test = never
    """Whether an item that is there already does the same beside other things."""

    @property
    def key(self) -> str:
        """Return the place."""
        return f"json {'.'.join(self.at)}[]"

    def place(self, data: bytes | None, old: Trace | None, *, force: bool) -> Placed:
        """Add the item, or bring the one that is there up to date."""
        where = str(self.file)
        found = json_text.value(data, self.at, where)
        items = found if isinstance(found, list) else []
        index = _index(items, self.value, old, self.mine)
        trace = {"kind": "json-item", "at": list(self.at), "value": self.value,
                 "made": (old or {}).get("made")}  # fmt: skip
        if index is not None and data is not None:
            after = data if items[index] == self.value else (
                json_text.swap(data, self.at, index, self.value, where)
            )  # fmt: skip
            return Placed(after, trace, fresh=False)
        if any(self.shared(item) for item in items):
            note = f"{where}: {'.'.join(self.at)} has hippod among other hooks; that one is left"
            return Placed(data or b"", None, note)
        done = json_text.add(data, self.at, self.value, where)
        return Placed(done.data, {**trace, "made": asdict(done.made) if done.made else None})


# -- TOML ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TomlTable:
    """A table of a TOML file."""

    file: Path
    at: tuple[str, ...]
    value: Mapping[str, object]
    mine: Test = never
    twin: Test = never

    @property
    def key(self) -> str:
        """Return the place."""
        return f"toml {'.'.join(self.at)}"

    def place(self, data: bytes | None, old: Trace | None, *, force: bool) -> Placed:
        """Set the table; one that does the same under another name is enough."""
        where = str(self.file)
        found = toml_text.value(data, self.at, where)
        siblings = toml_text.value(data, self.at[:-1], where)
        if found is None and not force and (note := _twin(self, siblings)):
            return Placed(data or b"", None, note)
        ours = _check_ours(self, found, old, force=force)
        value = dict(_joined(self.value, found) if ours else self.value)
        after, block = toml_text.put(data, self.at, value, where)
        made = block or (old or {}).get("made") or ""
        trace = {"kind": "toml-table", "at": list(self.at), "value": value, "made": made}
        return Placed(after, trace, fresh=not ours)


@dataclass(frozen=True, slots=True)
class TomlItem:
    """A table of an array of tables; `check` may refuse the whole new text."""

    file: Path
    at: tuple[str, ...]
    value: Mapping[str, object]
    mine: Test = never
    check: Callable[[bytes], None] = field(default=lambda _data: None)

    @property
    def key(self) -> str:
        """Return the place."""
        return f"toml {'.'.join(self.at)}[]"

    def place(self, data: bytes | None, old: Trace | None, *, force: bool) -> Placed:
        """Add the table, or bring the one that is there up to date."""
        where = str(self.file)
        found = toml_text.value(data, self.at, where)
        items = found if isinstance(found, list) else []
        index = _index(items, self.value, old, self.mine)
        trace = {"kind": "toml-item", "at": list(self.at), "value": dict(self.value),
                 "made": (old or {}).get("made", "")}  # fmt: skip
        if index is not None and items[index] == self.value:
            return Placed(data or b"", trace, fresh=False)
        if index is not None:
            data = toml_text.drop_item(data or b"", self.at, index, trace["made"], where)
        after, block = toml_text.add(data, self.at, self.value, where)
        self.check(after)
        return Placed(after, {**trace, "made": block}, fresh=index is None)


# -- text ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class WholeFile:
    """A file that is all ours: a plugin, a rule."""

    file: Path
    text: str
    mine: Test = never
    """Whether the text of a file that is there already (str) is a form of ours."""

    @property
    def key(self) -> str:
        """Return that it is the file."""
        return "file"

    def place(self, data: bytes | None, old: Trace | None, *, force: bool) -> Placed:
        """Write the file; one that others wrote is refused."""
        trace = {"kind": "file", "value": self.text}
        found = None if data is None else data.decode("utf-8", "replace")
        known = found in (None, self.text) or _is_recorded(old, found) or self.mine(found)
        if not known and not force:
            raise Conflict(f"{self.file}: is there already, with another text", _FORCE)
        return Placed(self.text.encode("utf-8"), trace, fresh=found is None or not known)


@dataclass(frozen=True, slots=True)
class TextBlock:
    """A few lines of a Markdown file between markers."""

    file: Path
    text: str
    name: str = "hippod"

    @property
    def key(self) -> str:
        """Return that it is the block of that name."""
        return f"block {self.name}"

    def place(self, data: bytes | None, old: Trace | None, *, force: bool) -> Placed:
        """Write the block: in place of the one that is there, else at the end."""
        text = _decoded(data or b"", self.file)
        end = "\r\n" if 0 < text.count("\n") == text.count("\r\n") else "\n"
        begin, finish = _markers(self.name)
        body = end.join([begin, *self.text.strip().splitlines(), finish])
        trace = {"kind": "block", "name": self.name, "made": (old or {}).get("made", ["", end])}
        if found := _found_block(text, self.name):
            after = text[: found.start()] + body + text[found.end() :]
            return Placed(after.encode("utf-8"), trace, fresh=False)
        lead = "" if not text else end if text.endswith("\n") else end * 2
        after = f"{text}{lead}{body}{end}"
        return Placed(after.encode("utf-8"), {**trace, "made": [lead, end]})


# -- taking out ------------------------------------------------------------------------------


def is_there(data: bytes | None, trace: Trace, where: str) -> bool:
    """Say whether an entry stands in its file, be it as it was written or changed since."""
    if data is None:
        return False
    if trace["kind"] == "file":
        return True
    if trace["kind"] == "block":
        return _found_block(_decoded(data, Path(where)), trace["name"]) is not None
    at = tuple(trace["at"])
    reader = toml_text if trace["kind"].startswith("toml") else json_text
    found = reader.value(data, at, where)
    if trace["kind"].endswith("item"):
        return isinstance(found, list) and trace["value"] in found
    return found is not None


def is_changed(data: bytes | None, trace: Trace, where: str) -> bool:
    """Say whether a person changed an entry that stands."""
    if data is None or trace["kind"] not in ("json-member", "toml-table"):
        return False
    reader = toml_text if trace["kind"] == "toml-table" else json_text
    found = reader.value(data, tuple(trace["at"]), where)
    return found is not None and found != trace["value"]


def take_out(data: bytes, trace: Trace, where: str) -> bytes | None:
    """Return a file without an entry; None if the file itself goes.

    What a person changed of a list's item or a file of ours is theirs by now, and stays.
    """
    if not is_there(data, trace, where):
        return data
    if trace["kind"] == "file":
        return None if data == str(trace["value"]).encode("utf-8") else data
    if trace["kind"] == "block":
        return _without_block(data, trace, where)
    at = tuple(trace["at"])
    if trace["kind"] == "toml-table":
        return toml_text.drop(data, at, trace["made"] or "", where)
    made = trace.get("made")
    if trace["kind"] == "json-member":
        return json_text.drop(data, at, json_text.Made(**made) if made else None, where)
    if trace["kind"] == "json-item":
        index = _items(json_text.value(data, at, where)).index(trace["value"])
        return json_text.drop_item(data, at, index, json_text.Made(**made) if made else None, where)
    index = _items(toml_text.value(data, at, where)).index(trace["value"])
    return toml_text.drop_item(data, at, index, made or "", where)


def _without_block(data: bytes, trace: Trace, where: str) -> bytes:
    text = _decoded(data, Path(where))
    found = _found_block(text, trace["name"])
    if found is None:
        return data
    lead, end = trace["made"]
    start = found.start() - (len(lead) if text[: found.start()].endswith(lead) else 0)
    stop = found.end() + (len(end) if text.startswith(end, found.end()) else 0)
    return (text[:start] + text[stop:]).encode("utf-8")


# -- what is ours ----------------------------------------------------------------------------


def mcp_server(file: Path, at: tuple[str, ...], value: object, setup: "Setup") -> JsonMember:
    """Return the entry of the MCP server in a file of JSON."""
    mine = runs_mcp(setup.options)
    return JsonMember(file, at, value, mine, mine)


def mcp_table(file: Path, at: tuple[str, ...], value: Table, setup: "Setup") -> TomlTable:
    """Return the entry of the MCP server in a file of TOML."""
    mine = runs_mcp(setup.options)
    return TomlTable(file, at, value, mine, mine)


def hook_item(file: Path, at: tuple[str, ...], value: object, words: Sequence[str]) -> JsonItem:
    """Return a hook in a file of JSON; `words` are the command in it."""
    return JsonItem(
        file, at, value,
        mine=lambda found: _hooks(found, words) and len(list(_commands(found))) == 1,
        shared=lambda found: _hooks(found, words),
    )  # fmt: skip


def hook_table(file: Path, at: tuple[str, ...], value: Table, words: Sequence[str]) -> TomlItem:
    """Return a hook in a file of TOML; `words` are the command in it."""
    return TomlItem(
        file, at, value,
        mine=lambda found: _hooks(found, words) and len(list(_commands(found))) == 1,
    )  # fmt: skip


def runs_mcp(options: Sequence[str]) -> Test:
    """Return what tells an MCP entry that runs hippod for the workspace that `options` name."""

    def test(found: object) -> bool:
        words = _words(found)
        if not _runs_hippod(found):
            return False
        return _of_instance(words[words.index("mcp") + 1 :]) == _of_instance(options)

    return test


def _words(found: object) -> list[str]:
    """Return the words that an MCP entry runs: a command with arguments, or one list."""
    if not isinstance(found, dict):
        return []
    command, arguments = found.get("command"), found.get("args")
    words = command if isinstance(command, list) else [command]
    return [str(word) for word in [*words, *(arguments if isinstance(arguments, list) else [])]]


def _is_program(words: Sequence[str]) -> bool:
    """Say whether words run hippod: by its name, or as a module of Python."""
    names = [word.rsplit("/", 1)[-1] for word in words]
    return any(re.fullmatch(r"hippod(\.exe|\.cli)?", name) for name in names)


def _of_instance(words: Sequence[str]) -> list[tuple[str, str]]:
    """Return the options that say which workspace is meant."""
    parts = [
        part for word in words for part in (word.split("=", 1) if word[:2] == "--" else [word])
    ]
    pairs = pairwise([*parts, ""])
    return sorted(pair for pair in pairs if pair[0] in ("--workspace", "--config", "--socket"))


def _hooks(found: object, words: Sequence[str]) -> bool:
    place = list(words).index("hook")
    return any(_same_hook(command, words[place:]) for command in _commands(found))


def _same_hook(command: str, words: Sequence[str]) -> bool:
    try:
        found = shlex.split(command)
    except ValueError:
        return False
    if "hook" not in found or not _is_program(found[: found.index("hook")]):
        return False
    rest = found[found.index("hook") :]
    return rest[:3] == list(words[:3]) and _of_instance(rest) == _of_instance(words)


def _commands(found: object) -> list[str]:
    """Return the commands in a hook, however deep its format keeps them."""
    if isinstance(found, list):
        return [command for item in found for command in _commands(item)]
    if not isinstance(found, dict):
        return []
    own = [found["command"]] if isinstance(found.get("command"), str) else []
    return own + [
        command for held in found.values() if isinstance(held, list) for command in _commands(held)
    ]


def _twin(entry: JsonMember | TomlTable, siblings: object) -> str:
    """Return what to say if another member does the same as an entry; empty if none does."""
    members = siblings if isinstance(siblings, dict) else {}
    for name, held in members.items():
        if entry.twin(held):
            left = f"{entry.at[-1]} is left out; --force adds it"
            return f"{entry.file}: {entry.at[-2]}.{name} runs hippod already, so {left}"
    return ""


def _check_ours(
    entry: JsonMember | TomlTable, found: object, old: Trace | None, *, force: bool
) -> bool:
    """Say whether what stands in the place of an entry is ours; `Conflict` if it is another's."""
    if found is None:
        return False
    if found == entry.value or entry.mine(found):
        return True
    if _is_recorded(old, found) and not _runs_hippod(found):
        return True
    if force:
        return False
    name = ".".join(entry.at)
    raise Conflict(f"{entry.file}: {name} is there already, {_what(found)}",
                   f"--name NAME chooses another name, {_FORCE}")  # fmt: skip


def _joined(value: Any, found: object) -> Any:
    """Return an entry with what a person added to it: a timeout, an environment."""
    if not isinstance(value, Mapping) or not isinstance(found, Mapping):
        return value
    return {**value, **{key: held for key, held in found.items() if key not in value}}


def _index(items: Sequence[object], value: object, old: Trace | None, mine: Test) -> int | None:
    """Return the place of an entry in a list: as it shall be, as it was written, or by its look."""
    tests: list[Test] = [
        lambda item: item == value, lambda item: _is_recorded(old, item), mine,
    ]  # fmt: skip
    for test in tests:
        for index, item in enumerate(items):
            if test(item):
                return index
    return None


def _is_recorded(old: Trace | None, found: object) -> bool:
    return old is not None and old.get("value") == found


def _runs_hippod(found: object) -> bool:
    words = _words(found)
    return "mcp" in words and _is_program(words[: words.index("mcp")])


def _what(found: object) -> str:
    return "for another workspace" if _runs_hippod(found) else "and is not hippod"


def _items(found: object) -> list[object]:
    return found if isinstance(found, list) else []


def _markers(name: str) -> tuple[str, str]:
    return f"<!-- hippod:begin {name} -->", f"<!-- hippod:end {name} -->"


def _found_block(text: str, name: str) -> re.Match[str] | None:
    begin, finish = map(re.escape, _markers(name))
    return re.search(f"{begin}.*?{finish}", text, re.DOTALL)


def _decoded(data: bytes, file: Path) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        hint = "save it as UTF-8; nothing was written"
        raise InvalidInput(f"{file}: not UTF-8", hint) from None
