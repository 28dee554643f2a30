"""The user's name: until it is known facts are about `User`, and are found by it afterwards."""

from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hippod import wire, workspace_seed
from hippod.cli import overview
from hippod.compose import assemble
from hippod.config import Config
from hippod.reflection.entities import Page, resolve
from hippod.wire_bank import ReflectRequest
from tests.test_entity_resolution import counts, said

NOW = datetime(2026, 3, 3, 12, tzinfo=UTC)
EARLY = """\
# Daily Log - 2026-03-01

## Retain
- O(c=0.8) @User: User prefers pnpm over npm. (10:00 main/a#L1) ^aaaa000001
- W @User: User lives in Graz. (10:01 main/a#L2) ^aaaa000002
- B @User: User moved the server to Graz. (10:02 main/a#L3) ^aaaa000003
"""
LATE = """\
# Daily Log - 2026-03-03

## Retain
- O(c=0.8) @Kai: Kai prefers yarn over npm. (10:00 main/b#L1) ^aaaa000004
- W @Kai: Kai lives in Linz. (10:01 main/b#L2) ^aaaa000005
"""


class Place:
    """A memory whose user has no name at first."""

    def __init__(self, root: Path, stack: ExitStack, name: str = "") -> None:
        self.root = root / "workspace"
        sections = {
            "workspace": {"path": str(self.root), "timezone": "UTC", "user": name},
            "embedder": {"provider": "none"},
        }
        assembly = assemble(Config.model_validate(sections), None, lambda: NOW)
        self.memory = stack.enter_context(assembly).memory

    def put(self, path: str, text: str) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        self.memory.reindex()

    def name(self) -> None:
        self.put("USER.md", workspace_seed.IDENTITY["USER.md"].replace("Name:", "Name: Kai"))

    def found(self, query: str, scope: str = "main", **fields: object) -> list[str]:
        request = {"query": query, "mode": "lexical", "scope": scope, **fields}
        answer = self.memory.recall(wire.RecallRequest.model_validate(request))
        return [hit.content for hit in answer.hits]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    with ExitStack() as stack:
        yield Place(tmp_path, stack)


def test_facts_from_before_the_name_was_known_are_theirs(place: Place) -> None:
    place.put("memory/2026-03-01.md", EARLY)
    place.memory.reflect(ReflectRequest())
    assert place.memory.entity("User").facts == 3
    place.name()
    place.put("memory/2026-03-03.md", LATE)
    place.memory.reflect(ReflectRequest())
    for name in ("Kai", "User"):
        detail = place.memory.entity(name)
        assert (detail.name, detail.facts) == ("Kai", 5)
    assert [each.content for each in detail.newest[:1]] == ["Kai lives in Linz."]
    assert "User" in detail.aliases
    assert "Graz" not in (place.root / "bank/entities/User.md").read_text()
    about = {each.statement for each in place.memory.opinions("Kai").opinions}
    assert about == {each.statement for each in place.memory.opinions("User").opinions}
    assert len(about) == 2
    assert (place.root / "memory/2026-03-01.md").read_text() == EARLY


def test_recall_finds_them_by_either_name(place: Place) -> None:
    place.put("memory/2026-03-01.md", EARLY)
    assert place.found("Graz", entity=["Kai"]) == []
    place.name()
    place.put("memory/2026-03-03.md", LATE)
    for name in ("Kai", "User"):
        lives = place.found("lives", entity=[name])
        assert {"User lives in Graz.", "Kai lives in Linz."} <= set(lives)
    assert "User moved the server to Graz." in place.found("Tell me about Kai.")


def test_what_a_newer_fact_of_theirs_replaced_stands_behind_it(place: Place) -> None:
    place.put("memory/2026-03-01.md", EARLY)
    place.name()
    place.put("memory/2026-03-03.md", LATE)
    place.memory.reflect(ReflectRequest())
    place.memory.reindex()
    found = place.found("Who lives where?", kind=["world"])
    assert found == ["Kai lives in Linz.", "User lives in Graz."]


def test_the_configuration_may_tell_it_too(tmp_path: Path) -> None:
    with ExitStack() as stack:
        place = Place(tmp_path, stack, "Kai")
        place.put("memory/2026-03-01.md", EARLY)
        assert place.memory.entity("Kai").facts == 3


def test_a_group_does_not_learn_who_the_user_is(place: Place) -> None:
    place.put("context/a.md", "@User likes the attic\n")
    place.name()
    assert place.found("attic", entity=["Kai"]) == ["@User likes the attic"]
    assert place.found("attic", "group", entity=["User"]) == ["@User likes the attic"]
    assert place.found("attic", "group", entity=["Kai"]) == []


@pytest.mark.parametrize(
    ("pages", "name", "counted"),
    [
        ([], "", {"User": 1, "Kai": 1}),
        ([], "Kai", {"Kai": 2}),
        ([], "Ada", {"Ada": 1, "Kai": 1}),
        ([Page("k.md", "Kai", others=("User",))], "Kai", {"User": 1, "Kai": 1}),
        ([Page("k.md", "Kai-Berger", ("Kai",))], "Kai", {"Kai-Berger": 2}),
        ([Page("a.md", "Ada", ("User",))], "Kai", {"Ada": 1, "Kai": 1}),
        ([Page("a.md", "User"), Page("k.md", "Kai")], "Kai", {"Kai": 2}),
    ],
)
def test_pages_decide_before_the_name_does(
    pages: list[Page], name: str, counted: dict[str, int]
) -> None:
    who = resolve(said("@User: Rows.", "@Kai: Sails."), pages, name)
    assert counts(who) == counted


def test_until_it_is_known_the_status_says_how_to_tell_it(place: Place) -> None:
    def row() -> list[str]:
        retain = place.memory.status().retain
        return [text for _, text in overview.nameless(retain or {})]

    assert "hippod config set workspace.user NAME" in row()[0]
    place.name()
    assert row() == []
