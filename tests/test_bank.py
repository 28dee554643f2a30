"""The bank as the index answers from it: names, summaries, opinions, superseded facts."""

import contextlib
from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path

import pytest

from hippod import facts, scope
from hippod.index import Index, Row, View
from hippod.query import Where
from hippod.reflection import entity_pages, fact_pages
from tests.bank_pages import BANK, OPINIONS, PETER, WORLD
from tests.documents import Notes, ask, dump, dump_marks, open_index
from tests.fakes import FakeEmbedder
from tests.reflected import by_id, entity, listed

MAIN = Where()
ALL = ("bank/**", "memory/**")


@pytest.fixture(autouse=True)
def _no_path_is_private(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the index keeps from a group it keeps by pattern, whichever paths no pattern shows."""
    monkeypatch.setattr(scope, "PRIVATE", frozenset())


def group(*paths: str) -> Where:
    return Where(scope="group", group_paths=paths)


@contextlib.contextmanager
def viewing(folder: Path, notes: Notes) -> Iterator[tuple[Index, View]]:
    with contextlib.closing(open_index(folder, notes)) as index:
        index.reconcile()
        with index.view() as view:
            yield index, view


@pytest.fixture
def bank() -> Notes:
    return Notes(BANK)


@pytest.fixture
def view(tmp_path: Path, bank: Notes) -> Iterator[View]:
    with viewing(tmp_path, bank) as (_, found):
        yield found


def rows_of(view: View, where: Where = MAIN) -> list[Row]:
    return list(view.fetch((each.unit for each in view.scan(0, 1000)), where).values())


def row(view: View, content: str, path: str, where: Where = MAIN) -> Row:
    (found,) = [
        each for each in rows_of(view, where) if content in each.content and each.path == path
    ]
    return found


def about(view: View, *keys: str, where: Where = MAIN, limit: int = 10) -> list[str]:
    units = view.of_entities(keys, where, limit)
    rows = view.fetch(units, where)
    return [f"{rows[unit].path} {rows[unit].content[:15]}" for unit in units]


# -- names -----------------------------------------------------------------------------------


def test_a_name_is_found_with_all_names_of_its_entity(view: View) -> None:
    keys = ("peter", "peter falk", "pete")
    found = view.entities_in(["pete", "peter falk", "peter", "dana", "vienna", ""], MAIN)
    assert {key: set(names) for key, names in found.items()} == {
        "pete": set(keys), "peter falk": set(keys), "peter": set(keys), "dana": {"dana"},
    }  # fmt: skip
    assert {names[0] for names in found.values()} == {"peter", "dana"}


def test_an_entity_is_told_summary_first_then_facts_newest_first(view: View) -> None:
    assert about(view, "peter", "pete") == [
        "bank/entities/Peter.md # Peter\nPeter F",
        "bank/opinions.md Peter prefers h",
        "memory/2026-02-11.md Bought a band s",
        "memory/2026-01-05.md Lives in Berlin",
        "memory/2025-11-27.md Restores violin",
        "memory/2025-03-02.md Lives in Vienna",
        "bank/entities/Peter.md Owes me a plane",
    ]
    assert len(about(view, "peter", limit=3)) == 3
    assert about(view, "nobody") == []


def test_a_filter_by_an_alias_finds_the_facts_of_its_entity(tmp_path: Path, bank: Notes) -> None:
    with contextlib.closing(open_index(tmp_path, bank)) as index:
        index.reconcile()
        by_alias = ask(index, "violins", entity=["Pete"], kind=["experience"]).hits
        assert "Restores violins with hand tools only." in [hit.content for hit in by_alias]
        band_saw = ask(index, "band saw", entity=["@Peter"], kind=["experience"]).hits
        assert [hit.content for hit in band_saw] == ["Bought a band saw and loves it"]
        del bank["bank/entities/Peter.md"]
        index.reconcile()
        assert ask(index, "violins", entity=["Pete"], mode="lexical").hits == ()


def page(entity: str, front: str) -> tuple[str, str]:
    return f"bank/entities/{entity}.md", f"---\n{front}\n---\nAbout {entity}.\n"


@pytest.mark.parametrize(
    "asked", ["Ines_Lovén", "ｉｎｅｓ-Lovén", "Ines-Lovén.", "Ines-Loven", "ines loven"]
)
def test_a_name_is_found_however_it_is_spelled(tmp_path: Path, asked: str) -> None:
    assert _harps(tmp_path, "Ines-Lovén", asked) == ["Restores harps."]


def test_a_plain_page_is_found_by_the_accented_name(tmp_path: Path) -> None:
    assert _harps(tmp_path, "Ines-Loven", "Ines-Lovén") == ["Restores harps."]


def _harps(folder: Path, name: str, asked: str) -> list[str]:
    log = f"## Retain\n- W @{name}: Restores harps.\n- W @Otto: Restores harps, too.\n"
    notes = Notes(dict([page(name, ""), ("memory/2026-03-03.md", log)]))
    with viewing(folder, notes) as (index, _):
        hits = ask(index, "harps", entity=[asked], kind=["world"]).hits
    return [hit.content for hit in hits]


def test_what_a_page_parts_is_not_joined_without_accents(tmp_path: Path) -> None:
    with viewing(tmp_path, Notes(dict([page("Zoë", "not: [Zoe]")]))) as (_, view):
        assert view.entities_in(["zoe"], MAIN) == {}
        assert view.entities_in(["zoë"], MAIN) == {"zoë": ("zoë",)}


def test_an_alias_that_two_pages_claim_stands_for_both_and_joins_none(tmp_path: Path) -> None:
    notes = Notes(
        [
            page("Anna-Vogt", "aliases: [AV, Anna]"),
            page("Antivirus", "aliases: [AV]"),
            page("Pete", "updated: 2026-03-03"),
            page("Peter", "aliases: [Pete, Piet]"),
        ]
    )
    with viewing(tmp_path, notes) as (_, view):
        assert view.entities_in(["av", "anna", "antivirus", "pete", "piet"], MAIN) == {
            "av": ("anna vogt", "anna", "antivirus", "av"),
            "anna": ("anna vogt", "anna"),
            "antivirus": ("antivirus",),
            "pete": ("pete",),
            "piet": ("peter", "piet"),
        }
        # who sees only one of the pages sees no ambiguity
        seen = group("bank/entities/Anna-Vogt.md")
        assert view.entities_in(["av", "piet"], seen) == {"av": ("anna vogt", "anna", "av")}


@pytest.mark.parametrize(("mine", "yours"), [("not: [Pete]", ""), ("", "not: [Peter]")])
def test_names_that_are_somebody_else_are_not_the_same(
    tmp_path: Path, mine: str, yours: str
) -> None:
    notes = Notes(
        [page("Peter", f"aliases: [Pete, Piet]\n{mine}"), page("Pete", f"aliases: [PK]\n{yours}")]
    )
    with viewing(tmp_path, notes) as (_, view):
        assert view.entities_in(["pete", "piet"], MAIN) == {
            "pete": ("pete", "pk"),
            "piet": ("peter", "piet"),
        }


def test_a_group_learns_no_name_of_what_it_may_not_see(view: View) -> None:
    keys = ["pete", "peter", "peter falk", "dana"]
    assert view.entities_in(keys, group("context/**")) == {}
    assert view.entities_in(keys, group("memory/2026-02-11.md")) == {"pete": ("pete",)}
    assert about(view, *keys, where=group("context/**")) == []
    logs = about(view, *keys, where=group("memory/**"))
    assert len(logs) == 4
    assert all(each.startswith("memory/") for each in logs)


def test_a_group_learns_no_private_alias(tmp_path: Path) -> None:
    front = "aliases:\n  - Pete\n# <private>\n  - Falcon\n# </private>"
    notes = Notes([page("Peter", front)])
    with viewing(tmp_path, notes) as (_, view):
        both = view.entities_in(["falcon", "pete"], MAIN)
        assert set(both["falcon"]) == {"peter", "pete", "falcon"}
        assert view.entities_in(["falcon", "pete"], group("bank/**")) == {"pete": ("peter", "pete")}
        assert not any("Falcon" in f"{row.content} {row.entities}" for row in rows_of(view))
        assert view.lexical(["falcon"], 5, group("bank/**")) == []


# -- summaries and bullets -------------------------------------------------------------------


def test_a_summary_is_marked_and_searched_without_its_links(tmp_path: Path, bank: Notes) -> None:
    with viewing(tmp_path, bank) as (index, view):
        summary = row(view, "cabinetmaker", "bank/entities/Peter.md")
        assert (summary.role, summary.kind, summary.entities) == ("summary", "document", ("Peter",))
        assert summary.timestamp == "2026-03-03"
        assert summary.content.endswith("[[2025-11-27#^9qx4mt83ze]]")
        assert "k3f9ab27qt" not in " ".join(ask_contents(index, "k3f9ab27qt", "bank/entities/*"))
        other = row(view, "Owes me", "bank/entities/Peter.md")
        assert (other.role, other.entities) == ("", ("Peter", "Dana"))


def ask_contents(index: Index, query: str, path: str) -> list[str]:
    return [hit.content for hit in ask(index, query, path=path, mode="lexical").hits]


def test_a_bullet_leads_to_the_fact_that_it_restates(tmp_path: Path, bank: Notes) -> None:
    with viewing(tmp_path, bank) as (_, view):
        bullet = row(view, "Lives in Berlin", "bank/world.md")
        fact = row(view, "Lives in Berlin", "memory/2026-01-05.md")
        assert (bullet.kind, bullet.entities, bullet.timestamp) == (
            "world",
            ("Peter",),
            "2026-01-05",
        )
        assert (bullet.valid_from, bullet.restates) == ("2026-01-01", fact.fact_id)
        units = [bullet.unit, fact.unit]
        assert view.originals(units, MAIN) == {bullet.unit: fact.unit}
        assert view.originals(units, Where(path="bank/**")) == {}
        assert view.originals(units, group("bank/**")) == {}
    del bank["memory/2026-01-05.md"]
    with viewing(tmp_path, bank) as (_, view):
        assert view.originals([row(view, "Lives in Berlin", "bank/world.md").unit], MAIN) == {}


# -- superseded facts ------------------------------------------------------------------------

OLD = ("Lives in Vienna", "memory/2025-03-02.md")


@pytest.mark.parametrize("first", ["bank/world.md", "memory/2025-03-02.md"])
def test_a_mark_holds_whichever_file_was_indexed_first(
    tmp_path: Path, bank: Notes, first: str
) -> None:
    with contextlib.closing(open_index(tmp_path, bank)) as index:
        index.update([first])
        index.update(sorted(bank))
        with index.view() as view:
            assert row(view, *OLD).superseded_by == "k3f9ab27qt"
            assert row(view, "Lives in Vienna", "bank/world.md").superseded_by == "k3f9ab27qt"
            assert row(view, "Lives in Berlin", "memory/2026-01-05.md").superseded_by is None
        bank["bank/world.md"] = WORLD.replace("superseded by", "and")
        index.update(["bank/world.md"])
        with index.view() as view:
            assert row(view, *OLD).superseded_by is None


def test_a_mark_vanishes_with_its_page(tmp_path: Path, bank: Notes) -> None:
    with contextlib.closing(open_index(tmp_path, bank)) as index:
        index.reconcile()
        del bank["bank/world.md"]
        index.update(["bank/world.md"])
        with index.view() as view:
            assert row(view, *OLD).superseded_by is None


def test_of_several_marks_the_last_known_counts(tmp_path: Path, bank: Notes) -> None:
    bank["context/moves.md"] = (
        "[[2025-03-02#^p07d2c5hn1]] superseded by [[2026-02-20#^zzzz]]\n"
        "[[2025-03-02#^p07d2c5hn1]] superseded by [[2025-12-31#^yyyy]]\n"
    )
    with viewing(tmp_path, bank) as (_, view):
        assert row(view, *OLD).superseded_by == "zzzz"


def test_a_group_learns_no_mark_of_what_it_may_not_see(tmp_path: Path, bank: Notes) -> None:
    with viewing(tmp_path, bank) as (_, view):
        assert row(view, *OLD, where=group("memory/**")).superseded_by is None
        assert row(view, *OLD, where=group(*ALL)).superseded_by == "k3f9ab27qt"
    bank["bank/world.md"] = f"<private>\n\n{WORLD}\n</private>\n"
    with viewing(tmp_path, bank) as (_, view):
        assert row(view, *OLD, where=group(*ALL)).superseded_by is None
        assert row(view, *OLD).superseded_by == "k3f9ab27qt"


def lived(index: Index, **fields: object) -> list[str]:
    found = ask(index, "where does Peter live", kind=["world"], mode="lexical", **fields).hits
    return sorted({hit.content for hit in found})


def test_where_somebody_lived_is_known_as_of_a_day(tmp_path: Path, bank: Notes) -> None:
    vienna, berlin = "Lives in Vienna since 2023.", "Lives in Berlin since 2026-01."
    with contextlib.closing(open_index(tmp_path, bank)) as index:
        index.reconcile()
        assert lived(index, as_of="2025-11-30") == [vienna]
        assert lived(index, as_of="2024-05-01") == [vienna]
        assert lived(index, as_of="2022-12-31") == []
        assert lived(index, as_of="2026-01-31") == [berlin]
        assert lived(index) == [berlin, vienna]
        # without a mark nothing is guessed
        del bank["bank/world.md"]
        index.reconcile()
        assert lived(index, as_of="2025-11-30") == [vienna]
        assert lived(index, as_of="2026-01-31") == [berlin, vienna]


def test_a_mark_counts_from_when_the_new_fact_began_to_hold(tmp_path: Path, bank: Notes) -> None:
    bank["memory/2026-01-05.md"] = bank["memory/2026-01-05.md"].replace("2026-01.", "2026-02.")
    with viewing(tmp_path, bank) as (index, _):
        assert "Lives in Vienna since 2023." in lived(index, as_of="2026-01-20")
        assert "Lives in Vienna since 2023." not in lived(index, as_of="2026-02-20")
        # a group that does not see the new fact goes by the mark alone
        moment = datetime(2026, 1, 20, 12)
        paths = ("bank/**", "memory/2025-03-02.md")
        where = Where(scope="group", group_paths=paths, as_of=moment, kinds=("world",))
        with index.view() as view:
            assert view.lexical(["vienna"], 5, where) == []


# -- opinions --------------------------------------------------------------------------------


def test_an_opinion_is_one_unit_with_its_evidence(view: View) -> None:
    found = row(view, "hand tools to machines", "bank/opinions.md")
    assert (found.kind, found.content) == ("opinion", "Peter prefers hand tools to machines")
    assert (found.fact_id, found.confidence, found.timestamp) == ("7k2m9qx4mt", 0.83, "2026-03-03")
    assert (found.entities, found.line_start, found.line_end) == (("Peter",), 3, 11)
    supports, contradicts = found.evidence
    assert (supports.stance, supports.weight) == ("supports", 0.2)
    assert supports.source == "memory/2025-11-27.md#L4"
    assert supports.content == "Restores violins with hand tools only."
    # a quoted fact is found by what it says
    assert contradicts.source == "memory/2026-02-11.md#L4"
    texts = [each.content for each in rows_of(view) if each.path == "bank/opinions.md"]
    assert sum("hand tools" in text for text in texts) == 1
    assert any("Asked him in person" in text for text in texts)
    assert any("He has too many of them." in text for text in texts)
    assert not any("supports" in text for text in texts)


def test_evidence_that_is_gone_is_cited_as_the_ledger_has_it(tmp_path: Path, bank: Notes) -> None:
    del bank["memory/2025-11-27.md"], bank["memory/2026-02-11.md"]
    with viewing(tmp_path, bank) as (_, view):
        supports, contradicts = row(view, "hand tools", "bank/opinions.md").evidence
        assert (supports.source, supports.content) == ("[[2025-11-27#^9qx4mt83ze]]", "")
        assert contradicts.source == "[[2026-02-11]]"
        assert contradicts.content == "Bought a band saw and loves it"


def test_a_group_sees_no_evidence_beyond_the_ledger(view: View) -> None:
    found = row(view, "hand tools", "bank/opinions.md", group("bank/**"))
    assert [each.content for each in found.evidence] == ["", "Bought a band saw and loves it"]
    assert all(each.source.startswith("[[") for each in found.evidence)


def test_the_newest_evidence_is_kept_of_very_much(tmp_path: Path, bank: Notes) -> None:
    lines = "".join(f'- supports: [[2026-02-01]] "Reason {n}" +0.01\n' for n in range(50))
    bank["bank/opinions.md"] = OPINIONS.replace("- pending", f"{lines}- pending")
    with viewing(tmp_path, bank) as (_, view):
        evidence = row(view, "hand tools to", "bank/opinions.md").evidence
        assert [each.content for each in evidence] == [f"Reason {n}" for n in range(30, 50)]


# -- hits ------------------------------------------------------------------------------------


def test_hits_cite_the_fact_and_not_the_bullet_that_restates_it(
    tmp_path: Path, bank: Notes
) -> None:
    embedder = FakeEmbedder()
    with contextlib.closing(open_index(tmp_path, bank, embedder)) as index:
        index.reconcile()
        hits = ask(index, "Where does Peter live? Vienna or Berlin?", embedder, limit=20).hits
        assert [hit.path for hit in hits if hit.kind == "world"] in (
            ["memory/2025-03-02.md", "memory/2026-01-05.md"],
            ["memory/2026-01-05.md", "memory/2025-03-02.md"],
        )
        newer = {hit.path: hit.superseded_by for hit in hits if hit.kind == "world"}
        assert newer == {"memory/2025-03-02.md": "k3f9ab27qt", "memory/2026-01-05.md": None}
        del bank["memory/2026-01-05.md"]
        index.reconcile()
        hits = ask(index, "Who lives in Berlin?", embedder, kind=["world"]).hits
        assert "bank/world.md" in [hit.path for hit in hits]


def test_an_opinion_is_answered_with_confidence_and_evidence(tmp_path: Path, bank: Notes) -> None:
    with contextlib.closing(open_index(tmp_path, bank)) as index:
        index.reconcile()
        hit = ask(index, "what does Pete prefer, hand tools or machines?", mode="lexical").hits[0]
        assert (hit.kind, hit.source, hit.confidence) == ("opinion", "bank/opinions.md#L3", 0.83)
        assert [each.stance for each in hit.evidence] == ["supports", "contradicts"]


# -- the same after a rebuild ----------------------------------------------------------------


def test_a_rebuild_gives_the_same_bank(tmp_path: Path, bank: Notes) -> None:
    with contextlib.closing(open_index(tmp_path, bank, FakeEmbedder())) as index:
        for path in sorted(bank, reverse=True):
            index.update([path])
        before = dump(index), dump_marks(index)
        index.rebuild()
        assert (dump(index), dump_marks(index)) == before
        assert len(before[1]) == 5


def test_an_edit_replaces_what_a_page_says(tmp_path: Path, bank: Notes) -> None:
    with contextlib.closing(open_index(tmp_path, bank)) as index:
        index.reconcile()
        bank["bank/entities/Peter.md"] = PETER.replace("Pete,", "Piet,")
        index.update(["bank/entities/Peter.md"])
        with index.view() as view:
            assert set(view.entities_in(["piet", "pete"], MAIN)["piet"]) == {
                "peter", "piet", "peter falk",
            }  # fmt: skip
        for path in list(bank):
            del bank[path]
        index.reconcile()
        assert dump_marks(index) == []
        assert index.entities() == []


# -- pages that hippod writes ----------------------------------------------------------------


def test_written_pages_lead_to_facts_and_mark_those_of_people_too(tmp_path: Path) -> None:
    said = listed(
        "2025-03-02 W @Peter: Lives in Vienna",
        "2025-11-27 B @Peter: Restored a violin with hand tools. ^9qx4mt83ze",
        "2026-01-05 W @Peter: Lives in Berlin",
    )
    known = by_id(said)
    marks = {said[0].id: said[2].id}
    notes = Notes(
        {each.path: f"## Retain\n{facts.render(each.fact)}\n" for each in said}
        | {
            "bank/entities/Peter.md": entity_pages.refresh(
                None, entity(said), marks, known, None, date(2026, 3, 3)
            ).text
            or "",
            "bank/world.md": fact_pages.refresh(
                "bank/world.md", None, said, marks, known, date(2026, 3, 3), 500
            ).text
            or "",
        }
    )
    with viewing(tmp_path, notes) as (index, view):
        page = [each for each in rows_of(view) if each.path == "bank/entities/Peter.md"]
        assert [each.role for each in page] == ["summary"]
        assert row(view, "Lives in Vienna", said[0].path).superseded_by == said[2].id
        assert row(view, "Lives in Berlin", said[2].path).superseded_by is None
        bullets = [each for each in rows_of(view) if each.path == "bank/world.md"]
        assert {each.restates for each in bullets} == {said[0].id, said[2].id}
        assert ask_contents(index, "2026-01-05", "bank/entities/*") == []
