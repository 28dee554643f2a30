"""What type checkers and readers of the documentation are told of the three clients."""

import ast
import re
import shutil
from pathlib import Path

import pytest
from mypy import api

from hippod import answer_types
from hippod.client import Client
from tests import answer_text
from tests.test_aclient import verbs

REPOSITORY = Path(__file__).parents[1]
PACKAGE = REPOSITORY / "daemon" / "hippod"
SEEN = (
    "__init__", "aclient", "answer_types", "client", "errors", "event_stream", "library", "paths",
    "plain_http", "scope", "verbs",
)  # fmt: skip
"""Modules whose types reach users; the others would only take time to check."""
SETTINGS = """[mypy]
ignore_missing_imports = True
no_site_packages = True
"""
"""What else is installed would only take time to read: our answers are made of plain types."""
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("typing")]

HEAD = "import asyncio\nimport hippod\n\n\n"


def test_the_types_are_those_of_the_wire_models() -> None:
    """Make them anew by `python -m tests.answer_text > daemon/hippod/answer_types.py`."""
    written = Path(answer_types.__file__).read_text()
    assert ast.dump(ast.parse(written)) == ast.dump(ast.parse(answer_text.render()))


@pytest.fixture(scope="module")
def stub(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with what of the package a user's program sees."""
    folder = tmp_path_factory.mktemp("typed")
    (folder / "hippod").mkdir()
    for name in SEEN:
        shutil.copy(PACKAGE / f"{name}.py", folder / "hippod")
    shutil.copy(PACKAGE / "py.typed", folder / "hippod")
    (folder / "mypy.ini").write_text(SETTINGS)
    return folder


def checked(stub: Path, text: str) -> list[str]:
    """Return what mypy says of a program, line by line."""
    (stub / "program.py").write_text(HEAD + text)
    options = ["--strict", "--config-file=mypy.ini", "--no-error-summary"]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(stub)
        said, trouble, _ = api.run([*options, "--cache-dir=.cache", "program.py"])
    assert not trouble
    lines = [line for line in said.splitlines() if line.startswith("program.py:")]
    return [re.sub(r"^program\.py:\d+: ", "", line) for line in lines]


REVEALED = """
client = hippod.Client()
reveal_type(client.recall("x")["hits"][0]["source"])
reveal_type(client.system_prompt())
reveal_type(client.retain(facts=["W : x"])["stored"][0]["line"])
reveal_type(client.status()["workspace"])
reveal_type(client.list()["entries"][0]["is_directory"])
reveal_type(hippod.open("/x").recall("x")["hits"][0]["score"])
with hippod.Client() as inner, hippod.open() as memory:
    reveal_type(inner.read("a.md")["etag"])
    reveal_type(memory.read("a.md")["content"])


async def main() -> None:
    async with hippod.AsyncClient() as client:
        reveal_type((await client.recall("x"))["hits"][0]["kind"])
        read, health = await asyncio.gather(client.read("a.md"), client.health())
        reveal_type(read["etag"])
        reveal_type(health["version"])
        async for event in client.events():
            reveal_type(event)


asyncio.run(main())
"""
EXPECTED = [
    "str", "str", "int", "TypedDict(hippod.answer_types.WorkspaceStatus", "bool", "float", "str",
    "str", "Literal['world']", "str", "str", "dict[str, Any]",
]  # fmt: skip


def test_a_users_program_knows_the_type_of_each_answer(stub: Path) -> None:
    said = checked(stub, REVEALED)
    assert all(line.startswith("note: Revealed type is") for line in said), said
    assert len(said) == len(EXPECTED)
    for line, expected in zip(said, EXPECTED, strict=True):
        assert f'type is "{expected}' in line


WRONG = """
client = hippod.Client()
client.recall()
client.recall("x", limt=3)
client.recall("x", limit="3")
client.recall("x")["hitz"]
hippod.open("/x").read(3)
hippod.open("/x", scope="all")
hippod.Client(scope="all")
hippod.AsyncClient(scope="all")


async def main() -> str:
    return hippod.AsyncClient().system_prompt()


try:
    client.health()
except hippod.NotFond:
    pass
"""


def test_a_users_mistakes_are_found(stub: Path) -> None:
    said = checked(stub, WRONG)
    assert [re.search(r"\[([a-z-]+)\]$", line)[1] for line in said if "error:" in line] == [  # type: ignore[index]
        "call-arg", "call-arg", "arg-type", "misc", "arg-type", "arg-type", "arg-type",
        "arg-type", "return-value", "attr-defined",
    ]  # fmt: skip


def test_the_table_of_verbs_in_the_documentation_is_whole() -> None:
    text = (REPOSITORY / "docs" / "python.md").read_text()
    table = text.partition("## Verbs")[2].partition("\n## ")[0]
    named = re.findall(r"`([a-z_]+)\(", "\n".join(re.findall(r"(?m)^\| (.*?) \|", table)))
    assert sorted(named) == sorted(verbs(Client).keys() - {"close"})
