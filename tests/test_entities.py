"""What people decide about entities: pages say so from then on, nothing of theirs is lost, and
each step can be taken back."""

import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hippod.entities import Roster
from hippod.entity_lookup import BROKEN, CONFLICTED, EDITED, NAMELESS, UNREADABLE
from hippod.errors import Conflict, HippodError, InvalidInput, NotFound, PathRefused
from hippod.state import State
from hippod.wire_bank import (
    AdoptAction,
    EntityChanged,
    EntityRow,
    MergeAction,
    RenameAction,
    SplitAction,
)
from hippod.workspace import Workspace
from tests.bank_pages import region

LOG = """\
# Daily Log - 2026-03-03

## Retain
- W @Nils: Builds kayaks in a shed. ^k3f9ab27qt
- W @Nisse: Sold two kayaks in May. ^p07d2c5hn1
- O(c=0.8) @Nils: Prefers cedar. ^9qx4mt83ze
- W @Ida-Holm: Runs the harbour cafe. ^4nm0pq7rst
"""
NISSE = f"""\
---
entity: Nisse
aliases: [Niss, "Nisse the Carver"]  # as his crew says
not: [Nissan]
born: 1971
---
# Nisse

{region("summary", "Nisse sold two kayaks. [[2026-03-03#^p07d2c5hn1]]" + chr(10))}
## History

{region("history", "- 2026-03-03: Sold two kayaks. [[2026-03-03#^p07d2c5hn1]]" + chr(10))}
Owes me a paddle;  ask him in June.
"""


class Bench:
    """A workspace with a roster over it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / ".memory").mkdir(parents=True)
        self.state = State(root / ".memory" / "state.sqlite")
        self.workspace = Workspace(root, self.state)
        self.roster = Roster(self.workspace)
        self.changed: list[str] = []
        self.roster.changed = self.changed.append

    def put(self, path: str, text: str) -> None:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode())

    def text(self, path: str) -> str:
        return (self.root / path).read_bytes().decode()

    def files(self) -> dict[str, bytes]:
        return {
            str(path.relative_to(self.root)): path.read_bytes()
            for folder in ("bank", "memory")
            for path in (self.root / folder).rglob("*.md")
        }

    def rows(self) -> dict[str, EntityRow]:
        return {row.name: row for row in self.roster.all().entities}

    def merge(self, name: str, into: str, **fields: Any) -> EntityChanged:
        return self.roster.change(name, MergeAction(action="merge", into=into, **fields))

    def split(self, name: str, alias: str, **fields: Any) -> EntityChanged:
        return self.roster.change(name, SplitAction(action="split", alias=alias, **fields))

    def rename(self, name: str, new: str, **fields: Any) -> EntityChanged:
        return self.roster.change(name, RenameAction(action="rename", new=new, **fields))

    def adopt(self, name: str, **fields: Any) -> EntityChanged:
        return self.roster.change(name, AdoptAction(action="adopt", **fields))

    def undo_all(self, since: int) -> None:
        for entry in self.state.recent(20):
            if entry.id > since:
                self.workspace.undo(entry)

    def last_entry(self) -> int:
        return max((entry.id for entry in self.state.recent(1)), default=0)


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path / "workspace")
    made.put("memory/2026-03-03.md", LOG)
    yield made
    made.state.close()


# -- looking ---------------------------------------------------------------------------------------


def test_a_list_counts_facts_and_names_pages(bench: Bench) -> None:
    bench.put("bank/entities/Nisse.md", NISSE)
    rows = bench.rows()
    assert list(rows) == ["Ida-Holm", "Nils", "Nisse"]
    nisse = rows["Nisse"]
    assert (nisse.facts, nisse.last_day, nisse.path) == (1, "2026-03-03", "bank/entities/Nisse.md")
    assert nisse.aliases == ("Niss", "Nisse-the-Carver")
    assert nisse.flags == ()
    assert rows["Nils"].path is None


def test_one_entity_is_shown_with_summary_facts_and_opinions(bench: Bench) -> None:
    bench.put("bank/entities/Nisse.md", NISSE)
    bench.put(
        "bank/opinions.md",
        "# Opinions\n\n## Nils prefers cedar\n- id: 9qx4mt83ze\n- prior: 0.76\n- c: 0.80\n"
        "- entities: @Nils\n- updated: 2026-03-03\n",
    )
    nisse = bench.roster.one("nisse the carver", 5)
    assert nisse.summary == ("Nisse sold two kayaks. [[2026-03-03#^p07d2c5hn1]]",)
    assert nisse.others == ("Nissan",)
    assert nisse.opinions == ()
    nils = bench.roster.one("@Nils", 1)
    assert [fact.id for fact in nils.newest] == ["9qx4mt83ze"]
    assert nils.newest[0].source == "memory/2026-03-03.md#L6"
    assert nils.facts == 2
    assert [(each.statement, each.confidence) for each in nils.opinions] == [
        ("Nils prefers cedar", 0.8)
    ]


def test_an_unknown_name_gets_a_suggestion(bench: Bench) -> None:
    with pytest.raises(NotFound) as refused:
        bench.roster.one("Nills", 5)
    assert "Nils" in refused.value.hint


def test_a_stated_alias_is_shown_with_the_fact_that_says_so(bench: Bench) -> None:
    bench.put(
        "memory/2026-03-04.md", "## Retain\n- W @Nils: Everyone calls him Nisse. ^abcd012345\n"
    )
    nils = bench.roster.one("Nisse", 5)
    assert (nils.name, nils.facts, nils.aliases) == ("Nils", 4, ("Nisse",))
    assert [(each.alias, each.fact.id) for each in nils.learned] == [("Nisse", "abcd012345")]


def test_facts_that_hippod_derived_count_for_nothing(bench: Bench) -> None:
    bench.put(
        "memory/2026-03-04.md",
        "## Retain\n- S @Nils: Built a kayak. (reflect/2026-03-04#Nils) ^abcd012345\n",
    )
    assert bench.rows()["Nils"].facts == 2


# -- merge -----------------------------------------------------------------------------------------


def test_merged_names_stay_merged_for_later_facts(bench: Bench) -> None:
    before = bench.text("memory/2026-03-03.md")
    done = bench.merge("Nisse", "Nils")
    assert (done.entity, done.applied) == ("Nils", True)
    assert bench.changed == ["bank/entities/Nils.md"]
    assert (
        bench.text("bank/entities/Nils.md") == "---\nentity: Nils\naliases: [Nisse]\n---\n# Nils\n"
    )
    bench.put("memory/2026-03-05.md", "## Retain\n- W @Nisse: Moved to Bergen. ^abcd012345\n")
    assert bench.rows()["Nils"].facts == 4
    assert "Nisse" not in bench.rows()
    assert bench.text("memory/2026-03-03.md") == before
    again = bench.merge("Nisse", "Nils")
    assert not again.applied
    assert "already" in again.note


def test_spellings_of_one_name_are_one_and_merging_them_does_nothing(bench: Bench) -> None:
    bench.put(
        "memory/2026-03-04.md",
        "## Retain\n- W @Rowan: One.\n- W @rowan: Two.\n- W @ROWAN: Three.\n",
    )
    before = bench.files()
    assert bench.rows()["Rowan"].facts == 3
    done = bench.merge("@Rowan", "@rowan")
    assert not done.applied
    assert done.note
    assert bench.rows()["Rowan"].facts == 3
    assert bench.files() == before


def test_a_merge_keeps_what_people_wrote_on_the_page_that_goes(bench: Bench) -> None:
    bench.put("bank/entities/Nisse.md", NISSE)
    bench.put("bank/entities/Nils.md", "---\r\nentity: Nils\r\n---\r\n# Nils\r\n\r\nMine.\r\n")
    bench.put("context/boats.md", "See [[Nisse]] and [[bank/entities/Nisse|him]], [[Nissen]].\n")
    done = bench.merge("Nisse", "Nils")
    text = bench.text("bank/entities/Nils.md")
    assert text.startswith(
        "---\r\nentity: Nils\r\naliases: [Nisse, Niss, Nisse-the-Carver]\r\nnot: [Nissan]\r\n"
        "---\r\n# Nils\r\n\r\nMine.\r\n"
    )
    assert "## From Nisse\r\n" in text
    assert "Owes me a paddle;  ask him in June.\r\n" in text
    assert "born: 1971" in text
    assert "hippod:" not in text
    assert "History" not in text
    assert not (bench.root / "bank/entities/Nisse.md").exists()
    assert done.links == {"context/boats.md": 2}
    assert [change.path for change in done.changes] == [
        "bank/entities/Nils.md",
        "bank/entities/Nisse.md",
    ]


def test_headings_that_hippod_made_and_old_titles_are_not_carried_over(bench: Bench) -> None:
    bench.put(
        "bank/entities/Nils-Berg.md",
        "---\nentity: Nils-Berg\naliases: [Nils]\n---\n# Nils\n\nOars in the loft.\n\n"
        "## Summary\n\n"
        f"{region('summary', 'Prefers cedar. [[2026-03-03#^9qx4mt83ze]]' + chr(10))}\n"
        "## History\n\n"
        f"{region('history', '')}\n## Phone\n\n\n555 0101\n",
    )
    bench.put("bank/entities/Ida-Holm.md", "# Ida Holm\n")
    bench.merge("Nils", "Ida Holm")
    assert bench.text("bank/entities/Ida-Holm.md").endswith(
        "\n# Ida Holm\n\n## From Nils Berg\n\nOars in the loft.\n\n## Phone\n\n\n555 0101\n"
    )


def test_a_region_that_a_person_edited_is_kept_too(bench: Bench) -> None:
    edited = NISSE.replace("Nisse sold two kayaks.", "Nisse sold three kayaks, I was there.")
    bench.put("bank/entities/Nisse.md", edited)
    bench.put("bank/entities/Nils.md", "# Nils\n")
    bench.merge("Nisse", "Nils")
    text = bench.text("bank/entities/Nils.md")
    assert "Nisse sold three kayaks, I was there." in text
    assert "Sold two kayaks" not in text
    assert "hippod:" not in text


def test_a_page_moves_whole_where_the_other_entity_has_none(bench: Bench) -> None:
    bench.put("bank/entities/Nisse.md", NISSE)
    bench.merge("Nisse", "Nils")
    text = bench.text("bank/entities/Nils.md")
    assert text.endswith(NISSE.partition("born")[2])
    row = bench.rows()["Nils"]
    assert row.facts == 3
    assert row.aliases == ("Niss", "Nisse-the-Carver", "Nisse")
    assert row.flags == ()


def test_every_merge_can_be_taken_back(bench: Bench) -> None:
    bench.put("bank/entities/Nisse.md", NISSE)
    bench.put("bank/entities/Nils.md", "# Nils\n")
    before = bench.files()
    bench.merge("Nisse", "Nils")
    assert bench.files() != before
    bench.undo_all(0)
    assert bench.files() == before


def test_a_dry_run_shows_the_diff_and_writes_nothing(bench: Bench) -> None:
    bench.put("bank/entities/Nisse.md", NISSE)
    bench.put("bank/entities/Nils.md", "---\nentity: Nils\n---\n")
    before = bench.files()
    plan = bench.merge("Nisse", "Nils", dry_run=True)
    assert not plan.applied
    assert "+aliases: [Nisse, Niss, Nisse-the-Carver]" in plan.changes[0].diff
    assert "-# Nisse" in plan.changes[1].diff
    assert bench.files() == before
    assert bench.changed == []


@pytest.mark.parametrize(("page", "other"), [("Nils", "Nisse"), ("Nisse", "Nils")])
def test_a_merge_against_a_not_is_refused(bench: Bench, page: str, other: str) -> None:
    bench.put(f"bank/entities/{page}.md", f"---\nentity: {page}\nnot: [{other}]\n---\n")
    before = bench.files()
    with pytest.raises(Conflict, match="under `not`"):
        bench.merge("Nisse", "Nils")
    assert bench.files() == before


def test_a_merge_of_a_name_that_another_page_claims_is_refused(bench: Bench) -> None:
    bench.put("bank/entities/Nisse.md", "---\nentity: Nisse\naliases: [Niss]\n---\n")
    bench.put("bank/entities/Ida-Holm.md", "---\nentity: Ida Holm\naliases: [Nisse]\n---\n")
    with pytest.raises(Conflict, match="Ida-Holm"):
        bench.merge("Nisse", "Nils")


def test_an_ambiguous_name_is_named_with_those_who_claim_it(bench: Bench) -> None:
    bench.put("bank/entities/Ida-Holm.md", "---\naliases: [IH]\n---\n")
    bench.put("bank/entities/Ivory-Hall.md", "---\naliases: [IH]\n---\n")
    bench.put("memory/2026-03-04.md", "## Retain\n- W @IH: Opened late.\n")
    listed = bench.roster.all()
    assert [(each.name, each.entities) for each in listed.ambiguous] == [
        ("IH", ("Ida-Holm", "Ivory-Hall"))
    ]
    assert bench.rows()["Ida-Holm"].facts == 1
    assert bench.rows()["Ida-Holm"].flags == ("ambiguous alias IH",)
    with pytest.raises(Conflict, match="Ivory-Hall"):
        bench.roster.one("IH", 5)
    assert bench.split("Ivory-Hall", "IH").note == ""
    assert bench.rows()["Ida-Holm"].facts == 2


def test_a_write_that_fails_leaves_the_names_right_and_is_told(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.put("bank/entities/Nisse.md", NISSE)
    bench.put("bank/entities/Nils.md", "# Nils\n")

    def fail(*_args: object, **_fields: object) -> None:
        raise Conflict("bank/entities/Nisse.md: it changed since it was read")

    monkeypatch.setattr(bench.workspace, "delete", fail)
    with pytest.raises(Conflict, match=r"Nisse\.md: it changed.*Nils\.md was written"):
        bench.merge("Nisse", "Nils")
    assert bench.changed == ["bank/entities/Nils.md"]
    assert bench.text("bank/entities/Nisse.md") == NISSE
    assert bench.rows()["Nisse"].facts == 1  # its page still stands
    monkeypatch.undo()
    again = bench.merge("Nisse", "Nils")
    assert [change.path for change in again.changes] == ["bank/entities/Nisse.md"]
    text = bench.text("bank/entities/Nils.md")
    assert text.count("## From Nisse") == 1
    assert bench.rows()["Nils"].facts == 3


def test_nothing_is_deleted_where_the_first_write_fails(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.put("bank/entities/Nisse.md", NISSE)
    bench.put("bank/entities/Nils.md", "# Nils\n")
    before = bench.files()

    def fail(*_args: object, **_fields: object) -> None:
        raise Conflict("bank/entities/Nils.md: it changed since it was read")

    monkeypatch.setattr(bench.workspace, "write", fail)
    with pytest.raises(Conflict):
        bench.merge("Nisse", "Nils")
    assert bench.files() == before
    assert bench.changed == []


MOVES = {"rename": ("Nisse", "Nils Berg"), "merge": ("Nisse", "Nils")}


@pytest.mark.parametrize("verb", MOVES)
def test_a_page_that_was_not_moved_any_more_is_moved_by_the_same_command(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    bench.put("bank/entities/Nisse.md", NISSE)
    before = bench.files()

    def die(*_args: object, **_fields: object) -> None:
        raise Conflict("bank/entities/Nisse.md: it changed since it was read")

    monkeypatch.setattr(bench.workspace, "move", die)
    with pytest.raises(Conflict, match=r"Nisse\.md was written before"):
        getattr(bench, verb)(*MOVES[verb])
    monkeypatch.undo()
    done = getattr(bench, verb)(*MOVES[verb])
    assert done.applied
    assert [row.path for row in bench.rows().values() if row.path] == [
        f"bank/entities/{done.entity}.md"
    ]
    assert not getattr(bench, verb)(*MOVES[verb]).applied
    bench.undo_all(0)
    assert bench.files() == before


# -- split -----------------------------------------------------------------------------------------


def test_a_name_that_was_split_off_is_never_learned_again(bench: Bench) -> None:
    bench.put(
        "memory/2026-03-04.md", "## Retain\n- W @Nils: Everyone calls him Nisse. ^abcd012345\n"
    )
    assert "Nisse" not in bench.rows()
    bench.split("Nils", "Nisse")
    assert bench.text("bank/entities/Nils.md") == "---\nentity: Nils\nnot: [Nisse]\n---\n# Nils\n"
    assert bench.rows()["Nisse"].facts == 1
    with pytest.raises(Conflict, match="under `not`"):
        bench.merge("Nisse", "Nils")


def test_a_split_takes_the_alias_off_however_it_is_spelled(bench: Bench) -> None:
    bench.put("bank/entities/Nisse.md", NISSE)
    bench.split("Nisse", "@nisse-the-carver")
    text = bench.text("bank/entities/Nisse.md")
    assert "aliases: [Niss]  # as his crew says\nnot: [Nissan, nisse-the-carver]\nborn" in text
    assert text.partition("born")[2] == NISSE.partition("born")[2]
    again = bench.split("Nisse", "Nisse the Carver")
    assert not again.applied


def test_nobody_is_split_from_his_own_name(bench: Bench) -> None:
    with pytest.raises(InvalidInput):
        bench.split("Nils", "nils")


# -- rename ----------------------------------------------------------------------------------------


def test_a_renamed_entity_keeps_its_facts_and_its_old_name(bench: Bench) -> None:
    bench.put("bank/entities/Nisse.md", NISSE)
    bench.put("context/boats.md", "Built with [[Nisse]].\n")
    done = bench.rename("Nisse", "Nils Berg")
    assert done.entity == "Nils-Berg"
    assert done.links == {"context/boats.md": 1}
    assert not (bench.root / "bank/entities/Nisse.md").exists()
    assert bench.text("bank/entities/Nils-Berg.md") == NISSE.replace(
        "entity: Nisse", "entity: Nils-Berg"
    ).replace('the Carver"]', 'the Carver", Nisse]').replace("# Nisse\n", "# Nils Berg\n")
    assert bench.rows()["Nils-Berg"].facts == 1
    assert bench.text("context/boats.md") == "Built with [[Nisse]].\n"
    bench.undo_all(0)
    assert bench.text("bank/entities/Nisse.md") == NISSE


@pytest.mark.parametrize("title", ["# Nisse, boats", "## Nisse", "Nisse\n===", "# nisse"])
def test_a_heading_that_a_person_wrote_stays_at_a_rename(bench: Bench, title: str) -> None:
    bench.put("bank/entities/Nisse.md", f"---\nentity: Nisse\n---\r\n{title}\r\nRows.\n")
    bench.rename("Nisse", "Nora")
    assert bench.text("bank/entities/Nora.md").endswith(f"{title}\r\nRows.\n")


def test_a_name_that_nobody_has_cannot_be_split_off(bench: Bench) -> None:
    before = bench.files()
    with pytest.raises(NotFound, match="Nils has no alias Olaf"):
        bench.split("Nils", "Olaf")
    assert bench.files() == before


def test_an_entity_without_page_gets_one_with_its_new_name(bench: Bench) -> None:
    bench.rename("Nils", "Nils-Berg")
    assert bench.rows()["Nils-Berg"].facts == 2


def test_another_spelling_is_no_alias_and_the_page_stays(bench: Bench) -> None:
    bench.put("bank/entities/nils.md", "# nils\n")
    bench.rename("nils", "NILS")
    assert bench.text("bank/entities/nils.md") == "---\nentity: NILS\n---\n# NILS\n"
    assert bench.rows()["NILS"].aliases == ()


def test_a_name_of_somebody_else_is_refused(bench: Bench) -> None:
    with pytest.raises(Conflict, match="another entity") as refused:
        bench.rename("Nils", "Ida Holm")
    assert refused.value.hint == "merge them: hippod entities merge Nils Ida-Holm"


def test_an_old_name_that_another_page_claims_is_told_before_it_becomes_nobodys(
    bench: Bench,
) -> None:
    bench.put("bank/entities/Nisse.md", NISSE)
    bench.put("bank/entities/Nils.md", "---\nentity: Nils\naliases: [Nisse]\n---\n")
    assert bench.rows()["Nisse"].facts == 1
    with pytest.raises(Conflict, match=r"Nils\.md has Nisse as an alias too"):
        bench.rename("Nisse", "Nora")
    bench.split("Nils", "Nisse")
    bench.rename("Nisse", "Nora")
    assert bench.rows()["Nora"].facts == 1


def test_a_new_name_that_is_no_name_is_refused(bench: Bench) -> None:
    with pytest.raises(InvalidInput):
        bench.rename("Nils", "///")


# -- adopt -----------------------------------------------------------------------------------------


def test_an_edited_region_is_reported_and_handed_back(bench: Bench) -> None:
    edited = NISSE.replace("Nisse sold two", "Nisse sold three").replace("\n", "\r\n")
    bench.put("bank/entities/Nisse.md", edited)
    assert bench.rows()["Nisse"].flags == (EDITED,)
    assert bench.roster.report() == {EDITED: ["bank/entities/Nisse.md"]}
    bench.adopt("niss")
    text = bench.text("bank/entities/Nisse.md")
    changed = [
        (before, after)
        for before, after in zip(edited.split("\r\n"), text.split("\r\n"), strict=True)
        if before != after
    ]
    assert [before.split()[1] for before, _ in changed] == ["hippod:summary"]
    assert bench.rows()["Nisse"].flags == ()
    assert not bench.adopt("Nisse").applied


def test_pages_of_facts_are_handed_back_too(bench: Bench) -> None:
    page = "# World\n\n" + region("facts", "- a\n").replace("- a", "- b")
    bench.put("bank/world.md", page)
    assert [(each.path, each.reason) for each in bench.roster.all().problems] == [
        ("bank/world.md", EDITED)
    ]
    assert bench.adopt("World").applied
    assert bench.roster.all().problems == ()
    with pytest.raises(NotFound):
        bench.adopt("experience")


# -- pages that are left alone ---------------------------------------------------------------------

ODD = {
    CONFLICTED: "---\nentity: Nils\n---\n<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n",
    BROKEN: f"---\nentity: Nils\n---\n<!-- hippod:summary sha256:{'0' * 64} -->\nx\n",
    UNREADABLE: '---\nentity: Nils\nroom: "the "green" room"\n---\nMine.\n',
}


@pytest.mark.parametrize("flag", ODD)
def test_a_page_that_is_odd_is_reported_and_never_repaired(bench: Bench, flag: str) -> None:
    bench.put("bank/entities/Nils.md", ODD[flag])
    assert flag in bench.rows()["Nils"].flags
    assert bench.roster.report() == {flag: ["bank/entities/Nils.md"]}
    before = bench.files()
    for change in (
        lambda: bench.merge("Nisse", "Nils"),
        lambda: bench.merge("Nils", "Nisse"),
        lambda: bench.split("Nils", "Nisse"),
        lambda: bench.rename("Nils", "Nils-Berg"),
        lambda: bench.adopt("Nils"),
    ):
        with pytest.raises(Conflict, match=r"Nils\.md"):
            change()
    assert bench.files() == before


def test_a_read_only_page_is_left_alone(bench: Bench) -> None:
    bench.put("bank/entities/Nils.md", "# Nils\n")
    page = bench.root / "bank/entities/Nils.md"
    page.chmod(stat.S_IRUSR)
    before = bench.files()
    with pytest.raises(HippodError, match="read-only") as refused:
        bench.merge("Nisse", "Nils")
    assert refused.value.hint == "chmod u+w it to allow writing"
    assert bench.files() == before


def test_no_page_is_written_where_nobody_would_read_it(bench: Bench) -> None:
    bench.put(".hippodignore", "bank/entities/N*\n")
    bench.put("bank/entities/Ida-Holm.md", "# Ida Holm\n")
    before = bench.files()
    for decide in (
        lambda: bench.merge("Nisse", "Nils"),
        lambda: bench.split("Nils", "Nisse"),
        lambda: bench.rename("Nils", "Nelly"),
        lambda: bench.rename("Ida Holm", "Nell"),
    ):
        with pytest.raises(PathRefused, match="excluded"):
            decide()
    assert bench.files() == before


def test_a_page_without_a_name_is_reported(bench: Bench) -> None:
    bench.put("bank/entities/🚣.md", "---\nentity: 🚣\n---\nRows.\n")
    (problem,) = bench.roster.all().problems
    assert (problem.path, problem.reason) == ("bank/entities/🚣.md", NAMELESS)
    assert bench.roster.report() == {NAMELESS: ["bank/entities/🚣.md"]}


def test_a_name_that_no_page_can_hold_is_not_merged(bench: Bench) -> None:
    name = "N" * 300
    bench.put("memory/2026-03-04.md", f"## Retain\n- W @{name}: Hums.\n")
    before = bench.files()
    with pytest.raises(Conflict, match="too long"):
        bench.merge(name, "Nils")
    assert bench.files() == before


def test_two_pages_of_one_entity_are_reported(bench: Bench) -> None:
    bench.put("bank/entities/Nils.md", "# Nils\n")
    bench.put("bank/entities/boatman.md", "---\nentity: nils\n---\n")
    assert bench.rows()["Nils" if "Nils" in bench.rows() else "nils"].flags == ("second page",)
    assert bench.roster.report() == {"second page": ["bank/entities/boatman.md"]}


def test_two_pages_of_one_entity_are_joined_by_merging_it_with_itself(bench: Bench) -> None:
    bench.put("bank/entities/Nils.md", "# Nils\n\nMine.\n")
    bench.put("bank/entities/nils.md", "---\nentity: nils\naliases: [Nilo]\n---\n# nils\n\nOars.\n")
    before = bench.files()
    bench.merge("nils", "Nils")
    assert bench.text("bank/entities/Nils.md") == (
        "---\naliases: [Nilo]\n---\n# Nils\n\nMine.\n\n## From nils\n\nOars.\n"
    )
    assert bench.roster.report() == {}
    assert not bench.merge("nils", "Nils").applied
    bench.undo_all(0)
    assert bench.files() == before


NAMES = st.sampled_from(["Nils", "Nisse", "Ida-Holm", "Niss", "Nils-Berg", "NILS", "Bo"])


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    steps=st.lists(
        st.tuples(st.sampled_from(["merge", "split", "rename"]), NAMES, NAMES), max_size=5
    )
)
def test_whatever_people_decide_no_fact_is_lost_and_all_can_be_taken_back(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, str, str]]
) -> None:
    bench = Bench(tmp_path_factory.mktemp("bench") / "workspace")
    try:
        bench.put("memory/2026-03-03.md", LOG)
        bench.put("bank/entities/Nisse.md", NISSE)
        before = bench.files()
        for verb, name, other in steps:
            try:
                getattr(bench, verb)(name, other)
            except (Conflict, NotFound, InvalidInput):
                continue
            assert sum(row.facts for row in bench.rows().values()) == 4
            assert any(
                "Owes me a paddle;  ask him in June." in data.decode()
                for data in bench.files().values()
            )
        bench.undo_all(0)
        assert bench.files() == before
    finally:
        bench.state.close()


def test_a_report_reads_the_bank_alone(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.put("bank/entities/Nisse.md", NISSE.replace("two kayaks", "a kayak"))
    bench.put("bank/entities/notes.txt", "")
    monkeypatch.setattr(Workspace, "scan", None)
    assert bench.roster.report() == {EDITED: ["bank/entities/Nisse.md"]}
