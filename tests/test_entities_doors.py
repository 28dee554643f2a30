"""The same decisions through every door: socket, client and command line, each undone again."""

import json
from collections.abc import Iterator

import pytest

from hippod.client import Client
from hippod.errors import Conflict, InvalidInput, NotFound
from tests.asking import ask
from tests.processes import Daemon, running, wait_for

pytestmark = pytest.mark.xdist_group("entities-doors")
LOG = """\
# Daily Log - 2026-03-03

## Retain
- W @Nils: Builds kayaks in a shed. ^k3f9ab27qt
- W @Nisse: Sold two kayaks in May. ^p07d2c5hn1
- W @Node.js: Runs the shop. ^9qx4mt83ze
- W @nodejs: Was updated. ^4nm0pq7rst
"""


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    with running(tmp_path_factory.mktemp("entities")) as daemon:
        log = daemon.workspace / "memory/2026-03-03.md"
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text(LOG)
        yield daemon


@pytest.fixture
def client(daemon: Daemon) -> Client:
    return Client(daemon.socket)


def names(client: Client) -> list[str]:
    return [entity["name"] for entity in client.entities()["entities"]]


def undo_last(client: Client) -> None:
    client.undo(client.log(limit=1)["entries"][0]["id"])


def test_a_merge_is_found_by_recall_and_undone(client: Client, daemon: Daemon) -> None:
    done = client.merge_entities("Nisse", "Nils")
    assert done["applied"]
    assert done["entity"] == "Nils"
    assert "Nisse" not in names(client)
    wait_for(
        lambda: len(client.recall("kayaks", entity=["Nils"], mode="lexical")["hits"]) == 2,
        "the page in the index",
    )
    logged = client.log(limit=1)["entries"][0]
    assert (logged["path"], logged["actor"]) == ("bank/entities/Nils.md", "main")
    undo_last(client)
    assert not (daemon.workspace / "bank/entities/Nils.md").exists()
    assert "Nisse" in names(client)


def test_what_cannot_be_is_refused_with_its_code(client: Client, daemon: Daemon) -> None:
    with pytest.raises(NotFound):
        client.entity("Nobody/at all")
    with pytest.raises(NotFound):
        client.merge_entities("Nobody", "Nils")
    with pytest.raises(Conflict):
        client.rename_entity("Nisse", "Nils")
    with pytest.raises(InvalidInput):
        client.split_entity("Nils", "nils")
    with pytest.raises(InvalidInput):
        client.entity("")
    with pytest.raises(InvalidInput, match="into: empty"):
        client.merge_entities("Nils", "")
    with pytest.raises(InvalidInput, match="new: has 300 characters, at most 200 are taken"):
        client.rename_entity("Nils", "N" * 300)
    answer = ask(daemon.socket, "POST", "/v1/entities/Nils", {"action": "marry", "into": "x"})
    assert answer.status == 422
    actions = "merge, split, rename, adopt"
    assert answer.error["message"] == f"action: 'marry' is none of {actions}"
    answer = ask(daemon.socket, "POST", "/v1/entities/Nils", {"into": "x"})
    assert answer.error["message"] == f"action: missing; it is one of {actions}"
    answer = ask(daemon.socket, "GET", "/v1/entities/Nils?scope=group")
    assert answer.status == 403


def test_the_command_line_lists_and_shows(daemon: Daemon) -> None:
    listed = daemon.cli("entities")
    assert listed.returncode == 0, listed.stderr
    assert "Nils" in listed.stdout
    assert "may be one:\n  Node.js and nodejs: the names differ only in dots" in listed.stdout
    shown = daemon.cli("entity", "@nils", "--limit", "1")
    assert "facts (1 of 1):\n  2026-03-03  Builds kayaks in a shed." in shown.stdout
    assert daemon.cli("entities", "show", "Nils").stdout == daemon.cli("entity", "Nils").stdout
    as_json = json.loads(daemon.cli("entities", "--json").stdout)
    assert [row["name"] for row in as_json["entities"]] == ["Nils", "Nisse", "Node.js", "nodejs"]


def test_the_command_line_decides(daemon: Daemon, client: Client) -> None:
    planned = daemon.cli("entities", "rename", "Nils", "Nils Berg", "--dry-run")
    assert "would change bank/entities/Nils-Berg.md" in planned.stdout
    assert "+entity: Nils-Berg" in planned.stdout
    assert not (daemon.workspace / "bank/entities").exists() or not list(
        (daemon.workspace / "bank/entities").iterdir()
    )
    done = daemon.cli("entities", "split", "Nils", "Nisse")
    assert done.returncode == 0, done.stderr
    assert "changed bank/entities/Nils.md: Nisse is not Nils" in done.stdout
    refused = daemon.cli("entities", "merge", "Nisse", "Nils")
    assert refused.returncode == 5
    assert "under `not`" in refused.stderr
    undo_last(client)


def test_the_command_line_says_how_to_take_it_back(daemon: Daemon) -> None:
    daemon.cli("entities", "split", "Nils", "Nisse")
    done = daemon.cli("entities", "rename", "Nils", "Nils Berg").stdout
    line = done.splitlines()[-1]
    assert line.startswith("undo with: hippod undo ")
    for command in line.removeprefix("undo with: ").split(", then "):
        assert daemon.cli(*command.split()[1:]).returncode == 0
    assert (daemon.workspace / "bank/entities/Nils.md").exists()
    assert not (daemon.workspace / "bank/entities/Nils-Berg.md").exists()
    planned = daemon.cli("entities", "rename", "Nils", "Nils Berg", "--dry-run").stdout
    assert "undo with" not in planned
    (daemon.workspace / "bank/entities/Nils.md").unlink()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("entities", "Tom"), "did you mean: hippod entity Tom"),
        (("entities", "merg", "Tom"), "did you mean: 'merge'"),
        (("entities", "rename", "Tom", ""), "rename: NEW is empty"),
        (("entities", "--limit", "3"), "--limit is for: hippod entities show NAME"),
        (("proposals", "vkvq"), "did you mean: hippod proposals show vkvq"),
    ],
)
def test_a_word_that_is_no_action_is_told_what_is(
    daemon: Daemon, words: tuple[str, ...], told: str
) -> None:
    refused = daemon.cli(*words)
    assert refused.returncode == 2
    assert told in refused.stderr


@pytest.mark.parametrize(
    "words", [("merge", "Nils"), ("list", "Nils"), ("show",), ("show", "Nils", "--dry-run")]
)
def test_wrong_words_are_told_how_to_be_right(daemon: Daemon, words: tuple[str, ...]) -> None:
    refused = daemon.cli("entities", *words)
    assert refused.returncode == 2
    assert "hippod" in refused.stderr
