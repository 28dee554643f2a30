"""The tools on documents: read by ranges of lines, list, write, append, replace, insert."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from hippod import quoting, redact, wire
from hippod.aclient import AsyncClient
from hippod.errors import InvalidInput
from hippod.markdown import split_lines
from hippod.mcp import budget
from hippod.mcp.arguments import MOST_OF_A_PATH, Arguments, Name
from hippod.mcp.tool import QUOTED, Result, Tool, on_one_line

Path = Annotated[
    wire.Text,
    Field(min_length=1, max_length=MOST_OF_A_PATH, examples=["memory/2026-03-03.md"]),
]
Etag = Annotated[
    wire.Text | None, Field(description="of memory_read: refuse if changed since; '' only if new")
]
Line = Annotated[int, AfterValidator(lambda value: min(max(1, value), wire.MAX_LINE))]


# -- reading ---------------------------------------------------------------------------------


class Read(Arguments):
    """Which lines of a document."""

    path: Path
    line: Annotated[Line, Field(description="first line")] = 1
    lines: Annotated[Line | None, Field(description="how many", examples=[80])] = None
    column: Annotated[Line, Field(description="first character of that line")] = 1


async def _read(client: AsyncClient, asked: Read, tokens: int) -> Result:
    document = await client.read(asked.path)
    return Result(part(document, tokens, asked.line, asked.lines, asked.column))


def part(
    document: Mapping[str, Any],
    tokens: int,
    first: int = 1,
    lines: int | None = None,
    column: int = 1,
) -> str:
    """Return lines of a document, as many as fit, quoted; the head says how to go on.

    A line that is too long alone is cut. Raises `InvalidInput` for a place that is not there.
    """
    every = split_lines(document["content"])
    path = on_one_line(document["path"])
    if first > max(1, len(every)):
        raise InvalidInput(f"line: {path} has {len(every)} lines, none is {first}")
    enough = min(lines or len(every), tokens * budget.LETTERS_A_TOKEN)
    wanted = list(map(quoting.visible, every[first - 1 :][:enough]))
    if column > max(1, len(wanted[0]) if wanted else 1):
        raise InvalidInput(f"column: line {first} has {len(wanted[0])} characters")
    wanted[:1] = [each[column - 1 :] for each in wanted[:1]]

    def shown(count: int, size: int | None = None) -> str:
        return _shown(document, (first, column), wanted[:count], len(every), size)

    count = budget.most(len(wanted), shown, tokens)
    if count or not wanted:
        return shown(count)
    return shown(1, max(1, budget.most(len(wanted[0]), lambda size: shown(1, size), tokens)))


def _shown(
    document: Mapping[str, Any],
    begin: tuple[int, int],
    lines: list[str],
    total: int,
    size: int | None,
) -> str:
    """Return whole lines, the first from a column on, or so many characters of the one."""
    first, column = begin
    last = first + len(lines) - 1
    head = f"{on_one_line(document['path'])}, lines {first}-{last} of {total}"
    if size is not None or column > 1:
        end = column - 1 + (len(lines[0]) if size is None else size)
        head += f", line {first} from character {column} to {end}"
    on = f"line={last + 1}" if last < total else ""
    if size is not None and size < len(lines[0]):
        head += f" of {column - 1 + len(lines[0])}"
        on = f"line={first}, column={column + size}"
        lines = [lines[0][:size]]
    more = f" Truncated: go on with {on}." if on else ""
    told = f"{head}, etag {document['etag']}.{more} {QUOTED}"
    return redact.wrap_memory("\n".join([told, *lines]))


READ = Tool(
    "memory_read",
    "Read a document, or a range of its lines, for more around a search hit.",
    Read,
    _read,
    changes=False,
    always=True,
    group=True,
)


# -- listing ---------------------------------------------------------------------------------


class Tree(Arguments):
    """Which folder."""

    directory: Annotated[Name, Field(examples=["projects"])] = ""
    recursive: bool = False
    cursor: Name | None = None


async def _tree(client: AsyncClient, asked: Tree, tokens: int) -> Result:
    tree = await client.tree(asked.directory, recursive=asked.recursive)
    entries = [entry for entry in tree["entries"] if entry["path"] > (asked.cursor or "")]

    def data_of(count: int) -> dict[str, Any]:
        shown = entries[:count]
        told = {"directory": tree["directory"], "entries": shown, "truncated": count < len(entries)}
        return told | ({"cursor": shown[-1]["path"]} if shown and count < len(entries) else {})

    count = budget.most(len(entries), lambda each: budget.as_json(data_of(each)), tokens)
    count = max(count, min(1, len(entries)))  # else the cursor would lead nowhere
    return Result(_listed(data_of(count)), data_of(count))


def _listed(data: dict[str, Any]) -> str:
    names = [f"{on_one_line(each['path'])}{'/' * each['is_directory']}" for each in data["entries"]]
    more = (
        [f"Truncated: more with cursor={on_one_line(data['cursor'])}"] if "cursor" in data else []
    )
    return redact.wrap_memory("\n".join(names + more or ["Nothing there."]))


TREE = Tool(
    "memory_tree",
    "List the files of the memory's workspace, '' for its root.",
    Tree,
    _tree,
    changes=False,
    always=True,
    group=True,
)


# -- writing ---------------------------------------------------------------------------------


class Append(Arguments):
    """What to add to a document."""

    path: Path
    content: wire.Text
    etag: Etag = None


class Write(Append):
    """What to write, and whether in place of all that stands there."""

    mode: Annotated[
        Literal["append", "write"], Field(description="append (default), or write: the whole file")
    ] = "append"


class Replace(Arguments):
    """Which passage to replace by which."""

    path: Path
    old: Annotated[wire.Text, Field(min_length=1, description="stands there exactly once")]
    new: wire.Text
    etag: Etag = None


class Insert(Arguments):
    """What to insert where."""

    path: Path
    line: Annotated[Line, Field(description="before this line; last + 1 appends")]
    content: Annotated[wire.Text, Field(min_length=1)]
    etag: Etag = None


async def _write(client: AsyncClient, asked: Write, _: int) -> Result:
    verb = client.write if asked.mode == "write" else client.append
    return _written(await verb(asked.path, asked.content, etag=asked.etag))


async def _append(client: AsyncClient, asked: Append, _: int) -> Result:
    return _written(await client.append(asked.path, asked.content, etag=asked.etag))


async def _replace(client: AsyncClient, asked: Replace, _: int) -> Result:
    return _written(await client.replace(asked.path, asked.old, asked.new, etag=asked.etag))


async def _insert(client: AsyncClient, asked: Insert, _: int) -> Result:
    done = await client.insert(asked.path, asked.line, asked.content, etag=asked.etag)
    return _written(done)


def _written(answer: Mapping[str, Any]) -> Result:
    data = {name: value for name, value in answer.items() if value is not None}
    what = "written" if data["changed"] else "unchanged: it stood so already"
    return Result(f"{on_one_line(data['path'])}: {what}, etag {data['etag']}", data)


WRITE = Tool(
    "memory_write",
    "Keep notes in a Markdown file that people and agents share, such as projects/x.md. For"
    " facts about people or the past use memory_retain.",
    Write,
    _write,
    destroys=True,
    always=True,
    group=True,
)
APPEND = Tool("memory_append", "Add text at the end of a document.", Append, _append, group=True)
REPLACE = Tool(
    "memory_replace",
    "Replace the one place of a document where `old` stands.",
    Replace,
    _replace,
    destroys=True,
    group=True,
)
INSERT = Tool("memory_insert", "Insert lines into a document.", Insert, _insert, group=True)
