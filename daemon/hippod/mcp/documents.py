"""The tools on documents: read by ranges of lines, list, write, append, replace, insert."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from hippod import packing, quoting, redact, wire
from hippod.aclient import AsyncClient
from hippod.errors import InvalidInput
from hippod.markdown import split_lines
from hippod.mcp import budget
from hippod.mcp.arguments import Arguments
from hippod.mcp.tool import QUOTED, Result, Tool

Path = Annotated[wire.Text, Field(min_length=1, examples=["memory/2026-03-03.md"])]
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


async def _read(client: AsyncClient, asked: Read, tokens: int) -> Result:
    document = await client.read(asked.path)
    lines = split_lines(document["content"])
    if asked.line > max(1, len(lines)):
        raise InvalidInput(f"line: {asked.path} has {len(lines)} lines, none is {asked.line}")
    enough = min(asked.lines or len(lines), tokens * budget.LETTERS_A_TOKEN)
    wanted = list(map(quoting.visible, lines[asked.line - 1 :][:enough]))

    def text_of(count: int) -> str:
        return _shown(document, asked.line, wanted[:count], len(lines))

    count = budget.most(len(wanted), text_of, tokens)
    if count or not wanted:
        return Result(text_of(count))
    return Result(_of_a_line(document, asked.line, wanted[0], len(lines), tokens))


def _shown(document: Mapping[str, Any], first: int, lines: list[str], total: int) -> str:
    last = first + len(lines) - 1
    head = f"{document['path']}, lines {first}-{last} of {total}, etag {document['etag']}."
    more = f" Truncated: go on with line={last + 1}." if last < total else ""
    return redact.wrap_memory("\n".join([f"{head}{more} {QUOTED}", *lines]))


def _of_a_line(document: Mapping[str, Any], number: int, line: str, total: int, tokens: int) -> str:
    """Return the beginning of a line that is too long alone."""

    def text_of(size: int) -> str:
        return _shown(document, number, [packing.shortened(line, size)], total)

    return text_of(budget.most(len(line), text_of, tokens))


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

    directory: Annotated[wire.Text, Field(examples=["projects"])] = ""
    recursive: bool = False
    cursor: wire.Text | None = None


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
    names = [f"{each['path']}{'/' * each['is_directory']}" for each in data["entries"]]
    more = [f"Truncated: more with cursor={data['cursor']}"] if "cursor" in data else []
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
    return Result(f"{data['path']}: {what}, etag {data['etag']}", data)


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
