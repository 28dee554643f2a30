"""What a connection writes: each entry knows how to stand in a file, and how to leave it again.

An entry is given the bytes of its file and returns new ones; nothing here touches the disk.
"""

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise, takewhile
from pathlib import Path
from typing import Any, Literal, Protocol

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
_SWITCH = "enabled"
"""The member by which a person switches an entry off."""


@dataclass(frozen=True, slots=True)
class Known:
    """What is recorded of the place of an entry."""

    trace: Trace | None = None
    """The trace of an earlier placing of it."""
    others: tuple[object, ...] = ()
    """What other connections wrote there: it is theirs."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A file with an entry in it; no trace: it is not ours to take out."""

    data: bytes
    trace: Trace | None
    note: str = ""
    fresh: bool = True
    """Whether nothing of ours stood in its place before."""
    twin: str = ""
    """The key of the entry that does the same, for which this one was left out."""
    fits: bool = True
    """Whether that one is for the same scope."""


class Entry(Protocol):
    """One thing that stands in one file."""

    @property
    def file(self) -> Path:
        """Return the file as the agent names it, maybe a link."""

    @property
    def key(self) -> str:
        """Return what tells the entry from the others of its file, for all versions of it."""

    def place(self, data: bytes | None, known: Known, *, force: bool) -> Placed:
        """Return the file with this entry, or as it is if a person made one that does the same.

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

    def place(self, data: bytes | None, known: Known, *, force: bool) -> Placed:
        """Set the member; one that does the same under another name is enough."""
        where = str(self.file)
        found = json_text.value(data, self.at, where)
        siblings = json_text.value(data, self.at[:-1], where)
        if found is None and not force and (twin := _twin(self, siblings)):
            return _left_out(self, "json", twin, siblings, data)
        whose = _whose(self, found, known.trace, force=force)
        if whose == "theirs":
            return Placed(data or b"", None, _stays(self))
        value = _joined(self.value, found) if whose == "ours" else self.value
        done = json_text.put(data, self.at, value, where)
        made = asdict(done.made) if done.made else (known.trace or {}).get("made")
        trace = {"kind": "json-member", "at": list(self.at), "value": value, "made": made}
        return Placed(done.data, trace, fresh=whose != "ours")


@dataclass(frozen=True, slots=True)
class JsonItem:
    """An item of a list."""

    file: Path
    at: tuple[str, ...]
    value: object
    words: tuple[str, ...]
    """The command in it."""

    @property
    def key(self) -> str:
        """Return the place."""
        return f"json {'.'.join(self.at)}[]"

    def place(self, data: bytes | None, known: Known, *, force: bool) -> Placed:
        """Add the item, or bring the one that is there up to date; a person's stays theirs."""
        where = str(self.file)
        items = _items(json_text.value(data, self.at, where))
        index = _index(items, self.value, known.trace)
        made = (known.trace or {}).get("made")
        trace = {"kind": "json-item", "at": list(self.at), "value": self.value, "made": made}
        if index is not None:
            after = self._swapped(data or b"", items, index, self.value)
            return Placed(after, trace, fresh=False)
        hand_made = _hand_made(items, self.words, known.others)
        if hand_made is not None and not (force and _is_alone(items[hand_made])):
            kept, note = _kept_hook(self, items[hand_made], force=force)
            if note:
                return Placed(self._swapped(data or b"", items, hand_made, kept), None, note)
        elif hand_made is not None:
            return Placed(self._swapped(data or b"", items, hand_made, self.value), trace)
        done = json_text.add(data, self.at, self.value, where)
        return Placed(done.data, {**trace, "made": asdict(done.made) if done.made else None})

    def _swapped(self, data: bytes, items: Sequence[object], index: int, new: object) -> bytes:
        if items[index] == new:
            return data
        return json_text.swap(data, self.at, index, new, str(self.file))


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

    def place(self, data: bytes | None, known: Known, *, force: bool) -> Placed:
        """Set the table; one that does the same under another name is enough."""
        where = str(self.file)
        found = toml_text.value(data, self.at, where)
        siblings = toml_text.value(data, self.at[:-1], where)
        if found is None and not force and (twin := _twin(self, siblings)):
            return _left_out(self, "toml", twin, siblings, data)
        whose = _whose(self, found, known.trace, force=force)
        if whose == "theirs":
            return Placed(data or b"", None, _stays(self))
        value = dict(_joined(self.value, found) if whose == "ours" else self.value)
        after, block = toml_text.put(data, self.at, value, where)
        made = block or (known.trace or {}).get("made") or ""
        trace = {"kind": "toml-table", "at": list(self.at), "value": value, "made": made}
        return Placed(after, trace, fresh=whose != "ours")


@dataclass(frozen=True, slots=True)
class TomlItem:
    """A table of an array of tables; `check` may refuse the whole new text."""

    file: Path
    at: tuple[str, ...]
    value: Mapping[str, object]
    words: tuple[str, ...] = ()
    """The command in it, if it is a hook."""
    check: Callable[[bytes], None] = field(default=lambda _data: None)

    @property
    def key(self) -> str:
        """Return the place."""
        return f"toml {'.'.join(self.at)}[]"

    def place(self, data: bytes | None, known: Known, *, force: bool) -> Placed:
        """Add the table, or bring the one that is there up to date; a person's stays theirs."""
        where = str(self.file)
        items = _items(toml_text.value(data, self.at, where))
        index = _index(items, self.value, known.trace)
        made = (known.trace or {}).get("made", "")
        trace = {"kind": "toml-item", "at": list(self.at), "value": dict(self.value), "made": made}
        if index is not None and items[index] == self.value:
            return Placed(data or b"", trace, fresh=False)
        hand_made = _hand_made(items, self.words, known.others) if index is None else None
        if hand_made is not None and not (force and _is_alone(items[hand_made])):
            _, note = _kept_hook(self, items[hand_made], force=force)
            if note:
                return Placed(data or b"", None, note)
        drop = index if index is not None else hand_made if force else None
        if drop is not None and _is_alone(items[drop]):
            data = toml_text.drop_item(data or b"", self.at, drop, made, where)
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

    def place(self, data: bytes | None, known: Known, *, force: bool) -> Placed:
        """Write the file; one that others wrote is refused."""
        trace = {"kind": "file", "value": self.text}
        found = None if data is None else data.decode("utf-8", "replace")
        ours = found in (None, self.text) or _is_recorded(known.trace, found) or self.mine(found)
        if not ours and not force:
            raise Conflict(f"{self.file}: is there already, with another text", _FORCE)
        return Placed(self.text.encode("utf-8"), trace, fresh=found is None or not ours)


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

    def place(self, data: bytes | None, known: Known, *, force: bool) -> Placed:
        """Write the block: in place of the one that is there, else at the end."""
        text = _decoded(data or b"", self.file)
        end = "\r\n" if 0 < text.count("\n") == text.count("\r\n") else "\n"
        begin, finish = _markers(self.name)
        body = end.join([begin, *self.text.strip().splitlines(), finish])
        made = (known.trace or {}).get("made", ["", end])
        trace = {"kind": "block", "name": self.name, "value": body, "made": made}
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
    """Say whether a person changed an entry that stands, so that taking it out loses that."""
    if data is None or trace["kind"] not in ("json-member", "toml-table", "block"):
        return False
    if trace["kind"] == "block":
        block = _found_block(_decoded(data, Path(where)), trace["name"])
        return block is not None and block.group() != trace.get("value")
    reader = toml_text if trace["kind"] == "toml-table" else json_text
    found = reader.value(data, tuple(trace["at"]), where)
    return found is not None and found != trace["value"]


def what_stays(data: bytes | None, trace: Trace, where: str) -> str:
    """Return the name of what is left of an entry that was taken out; empty if nothing is.

    It is what a person made of a list's item or of a file.
    """
    if data is None or trace["kind"] in ("json-member", "toml-table", "json-version", "block"):
        return ""
    if trace["kind"] == "file":
        return "the file"
    at = tuple(trace["at"])
    items = _items(
        (toml_text if trace["kind"] == "toml-item" else json_text).value(data, at, where)
    )
    return ".".join(at) if any(_is_form_of(trace["value"], item) for item in items) else ""


def take_out(data: bytes, trace: Trace, where: str) -> bytes | None:
    """Return a file without an entry; None if the file itself goes.

    What a person changed of a list's item or a file of ours is theirs by now, and stays.
    """
    if not is_there(data, trace, where):
        return data
    if trace["kind"] == "json-version" and not _is_last(data, tuple(trace["at"]), where):
        return data
    if trace["kind"] == "file":
        return None if data == str(trace["value"]).encode("utf-8") else data
    if trace["kind"] == "block":
        return _without_block(data, trace, where)
    at = tuple(trace["at"])
    if trace["kind"] == "toml-table":
        return toml_text.drop(data, at, trace["made"] or "", where)
    made = trace.get("made")
    if trace["kind"] in ("json-member", "json-version"):
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


def handed_on(key: str, trace: Trace, gone: Mapping[str, Trace]) -> Trace:
    """Return a trace that stays, with what those that go made on the way to both.

    Else the last one to go would leave empty objects behind.
    """
    same, made = gone.get(key), trace.get("made")
    if not trace["kind"].startswith("json"):
        lead = made[0] if isinstance(made, list) else made
        return {**trace, "made": same["made"]} if same and not lead and "made" in same else trace
    for other in gone.values():
        theirs = other.get("made")
        if not other["kind"].startswith("json") or not theirs:
            continue
        shared = _common(trace["at"], other["at"])
        if theirs["depth"] < shared and (made is None or theirs["depth"] < made["depth"]):
            made = theirs
    return {**trace, "made": made}


def own_texts(trace: Trace) -> set[str]:
    """Return the texts that an entry itself writes, without what a person added to it."""
    held = trace.get("value")
    if trace["kind"] in ("json-member", "toml-table") and isinstance(held, Mapping):
        held = [held.get(name) for name in ("type", "command", "args")]
    return set(_texts(held))


def _texts(held: object) -> list[str]:
    if isinstance(held, str):
        return [held]
    inner = held.values() if isinstance(held, Mapping) else held if isinstance(held, list) else ()
    return [text for each in inner for text in _texts(each)]


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _is_last(data: bytes, at: tuple[str, ...], where: str) -> bool:
    """Say whether a member is all that there is in its file, but for empty objects."""
    held = json_text.value(data, at[:-1], where)
    return isinstance(held, dict) and not any(
        value for name, value in held.items() if name != at[-1]
    )


def _is_form_of(value: object, item: object) -> bool:
    """Say whether an item is what became of one of ours: the same hook, or of the same name."""
    if commands := _commands(value):
        return _hook_in(item, shlex.split(commands[0])) != ""
    names = [held.get("name") if isinstance(held, Mapping) else None for held in (value, item)]
    return names[0] is not None and names[0] == names[1]


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
    return JsonItem(file, at, value, tuple(words))


def hook_table(file: Path, at: tuple[str, ...], value: Table, words: Sequence[str]) -> TomlItem:
    """Return a hook in a file of TOML; `words` are the command in it."""
    return TomlItem(file, at, value, tuple(words))


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


def _scope_of(words: Sequence[str]) -> str:
    """Return the scope that options name."""
    parts = [part for word in words for part in word.split("=", 1)]
    return parts[parts.index("--scope") + 1] if "--scope" in parts[:-1] else "main"


def _hook_in(found: object, words: Sequence[str]) -> str:
    """Return the command in an item that is the hook that `words` are; empty if none is."""
    if "hook" not in words:
        return ""
    wanted = words[list(words).index("hook") :]
    return next((each for each in _commands(found) if _same_hook(each, wanted)), "")


def _hand_made(
    items: Sequence[object], words: Sequence[str], others: Sequence[object]
) -> int | None:
    """Return the place of an item that is the same hook, as nobody of ours wrote it."""
    for index, item in enumerate(items):
        if item not in others and _hook_in(item, words):
            return index
    return None


def _is_alone(item: object) -> bool:
    return len(_commands(item)) <= 1


def _kept_hook(entry: "JsonItem | TomlItem", item: object, *, force: bool) -> tuple[object, str]:
    """Return the hook of a person with our program, and what to say; nothing with `force`.

    Raises `Conflict` if it is for another scope.
    """
    if force:
        return item, ""
    command = _hook_in(item, entry.words)
    place = f"{entry.file}: {'.'.join(entry.at)}"
    scope = _scope_of(entry.words)
    if _scope_of(shlex.split(command)) != scope:
        hint = f"give it --scope {scope} or take it out by hand, then try again"
        raise Conflict(f"{place} has a hook of yours that runs hippod with another scope", hint)
    if not _is_alone(item):
        return item, f"{place} has hippod among other hooks; that one is left"
    new = _with_command(item, command, _rebased(command, entry.words))
    return new, f"{place} has a hook of yours that runs hippod: it stays"


def _rebased(command: str, words: Sequence[str]) -> str:
    """Return a command with our program in place of an older one that is named by its path."""
    found = shlex.split(command)
    program = found[: found.index("hook")]
    ours = words[: list(words).index("hook")]
    rest = re.search(r"\shook\s", command)
    bare = program[-1:] if len(program) == 1 else program[1:]
    if rest is None or not program[0].startswith("/") or not _is_program(bare):
        return command
    if len(program) > 1 and program[1:] not in (["-m", "hippod"], ["-P", "-m", "hippod"]):
        return command
    return command if program == list(ours) else shlex.join(ours) + command[rest.start() :]


def _with_command(held: object, old: str, new: str) -> object:
    if isinstance(held, list):
        return [_with_command(each, old, new) for each in held]
    if not isinstance(held, dict):
        return held
    return {
        key: new if key == "command" and value == old else _with_command(value, old, new)
        for key, value in held.items()
    }


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
    """Return the name of another member that does the same as an entry; empty if none does."""
    members = siblings if isinstance(siblings, dict) else {}
    return next((name for name, held in members.items() if entry.twin(held)), "")


def _left_out(
    entry: JsonMember | TomlTable, kind: str, twin: str, siblings: Any, data: bytes | None
) -> Placed:
    left = f"{entry.at[-1]} is left out; --force adds it"
    note = f"{entry.file}: {entry.at[-2]}.{twin} runs hippod already, so {left}"
    fits = _scope_of(_words(siblings[twin])) == _scope_of(_words(entry.value))
    key = f"{kind} {'.'.join([*entry.at[:-1], twin])}"
    return Placed(data or b"", None, note, twin=key, fits=fits)


def _stays(entry: JsonMember | TomlTable) -> str:
    name = ".".join(entry.at)
    return f"{entry.file}: {name} is there already and runs hippod; it is yours and stays"


def _whose(
    entry: JsonMember | TomlTable, found: object, old: Trace | None, *, force: bool
) -> Literal["nobody's", "ours", "theirs"]:
    """Say whose is what stands in the place of an entry; "nobody's" is to be written.

    A person's own does as well if it does the same; `Conflict` if it does not.
    """
    if found is None:
        return "nobody's"
    if found == entry.value or (old is not None and _is_version_of(entry, found, old)):
        return "ours"
    if force:
        return "nobody's"
    name = ".".join(entry.at)
    if not (entry.mine(found) or _is_but_switched(entry.value, found)):
        hint = f"--name NAME chooses another name, {_FORCE}"
        raise Conflict(f"{entry.file}: {name} is there already, {_what(found)}", hint)
    if _scope_of(_words(found)) != _scope_of(_words(entry.value)):
        hint = f"change it by hand, or {_FORCE}"
        raise Conflict(f"{entry.file}: {name} is yours and runs hippod with another scope", hint)
    return "theirs"


def _is_version_of(entry: JsonMember | TomlTable, found: object, old: Trace) -> bool:
    """Say whether what stands is what an earlier run wrote, maybe changed since."""
    recorded = _is_recorded(old, found) and not _runs_hippod(found)
    return recorded or entry.mine(found) or _is_but_switched(entry.value, found)


def _is_but_switched(value: object, found: object) -> bool:
    """Say whether two entries only differ in whether they are switched on."""
    if not isinstance(value, Mapping) or not isinstance(found, Mapping):
        return False
    one, other = ({k: v for k, v in each.items() if k != _SWITCH} for each in (value, found))
    return _SWITCH in value and one == other


def _joined(value: Any, found: object) -> Any:
    """Return an entry with what a person added to it (a timeout, an environment) or switched."""
    if not isinstance(value, Mapping) or not isinstance(found, Mapping):
        return value
    own = {key: held for key, held in found.items() if key not in value or key == _SWITCH}
    return {**value, **own}


def _index(items: Sequence[object], value: object, old: Trace | None) -> int | None:
    """Return the place of an entry in a list: as it shall be, or as it was written."""
    tests: list[Test] = [lambda item: item == value, lambda item: _is_recorded(old, item)]
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
