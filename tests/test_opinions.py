"""Opinions through the verbs: what is believed, why, and computing it anew."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from hippod import wire
from hippod.errors import Conflict, Forbidden, InvalidInput, NotFound
from tests.processes import running
from tests.test_provenance import Home

LOG = """\
# Daily Log - 2026-03-03

## Retain
- O(c=0.8) @Nils: Prefers cedar. ^9qx4mt83ze
- W @Nisse: Bought oak again. ^p07d2c5hn1
- W @Nils: Has cedar in the shed
"""
LEDGER = """\
# Opinions

## Nils: Prefers cedar.
- id: 7k2m9qx4mt
- prior: 0.7661
- c: 0.73
- entities: @Nils
- updated: 2026-03-05
- contested: true
- supports: [[2026-03-03#^9qx4mt83ze]] +0.20
- contradicts: [[2026-03-03#^p07d2c5hn1]] -0.40
- supports: [[2026-03-03]] "Has cedar in the shed" 0.20
- pending: [[2026-03-04#^4nm0pq7rst]] -0.40
- related: [[2026-03-04]] "Spoke of spruce" 0

Ask him in June.

## The weather is better in May
- c: 0.9

## Ida: Likes rain
- id: 7k2mzzzzzz
- prior: 0.7000
- c: 0.20
- entities: @Ida
"""
PAGE = "---\nentity: Nils\naliases: [Nisse]\n---\n# Nils\n"
FILES = {
    "memory/2026-03-03.md": LOG,
    "bank/opinions.md": LEDGER,
    "bank/entities/Nils.md": PAGE,
}


def write(root: Path) -> None:
    for path, text in FILES.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    home = Home(tmp_path)
    write(tmp_path)
    home.index.reconcile()
    yield home
    home.close()


def test_opinions_are_listed_as_the_ledger_has_them(home: Home) -> None:
    answer = home.memory.opinions()
    first, second, third = answer.opinions
    assert first == wire.Opinion(
        id="7k2m9qx4mt",
        statement="Nils: Prefers cedar.",
        confidence=0.73,
        prior=0.7661,
        entities=("Nils",),
        updated="2026-03-05",
        source="bank/opinions.md#L3",
        supports=1,
        contradicts=1,
        pending=1,
        related=1,
        contested=True,
    )
    assert (second.id, second.confidence, second.edited) == (None, 0.9, False)
    assert third.edited
    assert len(answer.problems) == 1
    assert answer.problems[0].startswith("bank/opinions.md#L21: ^7k2mzzzzzz")


@pytest.mark.parametrize("name", ["Nils", "@Nils", "@nils", "Nisse"])
def test_opinions_about_an_entity_are_found_by_any_of_its_names(home: Home, name: str) -> None:
    (found,) = home.memory.opinions(name).opinions
    assert found.statement == "Nils: Prefers cedar."


def test_an_opinion_is_found_by_the_beginning_of_its_id(home: Home) -> None:
    (found,) = home.memory.opinions("^7K2M9").opinions
    assert found.id == "7k2m9qx4mt"
    for name in ("7k2", "@7k2m9"):
        with pytest.raises(NotFound):
            home.memory.opinions(name)


def test_an_id_that_a_person_wrote_may_have_any_letter(home: Home) -> None:
    page = home.root / "bank/opinions.md"
    page.write_text(page.read_text().replace("7k2m9qx4mt", "7oilu9qx4m"))
    home.index.reconcile()
    assert home.memory.why("^7oil").opinion == home.memory.opinion("7oilu9qx4m")
    with pytest.raises(NotFound, match=r"no fact or opinion \^nonexist"):
        home.memory.why("nonexist")


def test_a_section_without_prior_is_a_persons_and_no_trouble(home: Home) -> None:
    page = home.root / "bank/opinions.md"
    page.write_text(page.read_text().replace("- prior: 0.7000\n", ""))
    answer = home.memory.opinions()
    assert answer.problems == ()
    assert [each.prior for each in answer.opinions] == [0.7661, None, None]


def test_nobody_is_known_by_another_name(home: Home) -> None:
    with pytest.raises(NotFound, match="nobody knows 'Olaf'"):
        home.memory.opinions("Olaf")


def test_without_a_ledger_nothing_is_believed(tmp_path: Path) -> None:
    home = Home(tmp_path)
    assert home.memory.opinions().opinions == ()
    assert home.memory.recompute_opinions().opinions == 0
    home.close()


def test_an_opinion_is_shown_with_its_evidence_where_it_stands(home: Home) -> None:
    found = home.memory.opinion("^7k2m9")
    assert (found.prior, found.computed) == (0.7661, 0.73)
    assert [(each.role, each.weight, each.source, each.content) for each in found.evidence] == [
        ("supports", 0.2, "memory/2026-03-03.md#L4", "Prefers cedar."),
        ("contradicts", -0.4, "memory/2026-03-03.md#L5", "Bought oak again."),
        ("pending", -0.4, None, ""),
        ("related", 0.0, None, "Spoke of spruce"),
    ]


@pytest.mark.parametrize(
    ("name", "error"), [("7k2", InvalidInput), ("7k2m", InvalidInput), ("zzzz", NotFound)]
)
def test_an_id_must_name_one_opinion(home: Home, name: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        home.memory.opinion(name)


def test_why_follows_an_opinion_to_its_facts(home: Home) -> None:
    answer = home.memory.why("7k2m9q")
    assert (answer.id, answer.origin, answer.standing) == ("7k2m9qx4mt", "opinion", "stands")
    assert (answer.source, answer.bullet) == ("bank/opinions.md#L3", "## Nils: Prefers cedar.")
    assert answer.opinion == home.memory.opinion("7k2m9qx4mt")
    assert home.memory.why("7k2mzz").standing == "edited"
    with pytest.raises(InvalidInput, match="begins 2 facts"):
        home.memory.why("7k2m")


def test_why_knows_an_opinion_that_the_index_has_not_seen(home: Home) -> None:
    path = home.root / "bank/opinions.md"
    path.write_text(LEDGER.replace("7k2m9qx4mt", "0k2m9qx4mt"))
    assert home.memory.why("0k2m").origin == "opinion"


def test_a_fact_is_still_traced_to_its_log(home: Home) -> None:
    answer = home.memory.why("9qx4mt83ze")
    assert (answer.source, answer.opinion) == ("memory/2026-03-03.md#L4", None)


def test_recomputing_sets_what_people_edited_and_can_be_taken_back(home: Home) -> None:
    page = home.root / "bank/opinions.md"
    would = home.memory.recompute_opinions(dry_run=True)
    assert page.read_text() == LEDGER
    done = home.memory.recompute_opinions()
    assert (would.changed, would.diff) == (done.changed, done.diff)
    assert [(each.id, each.before, each.after) for each in done.changed] == [
        ("7k2mzzzzzz", 0.2, 0.7)
    ]
    assert page.read_text() == LEDGER.replace("- c: 0.20", "- c: 0.70")
    assert home.memory.opinions().problems == ()
    assert home.memory.recompute_opinions().changed == ()
    (entry,) = home.memory.log(wire.LogRequest()).entries
    assert (entry.path, entry.actor) == ("bank/opinions.md", "main")
    home.undo(entry.id)
    assert page.read_text() == LEDGER


def test_a_ledger_with_conflict_marks_is_not_recomputed(home: Home) -> None:
    page = home.root / "bank/opinions.md"
    page.write_text(f"<<<<<<< a\n{LEDGER}=======\n>>>>>>> b\n")
    with pytest.raises(Conflict, match="conflict marks"):
        home.memory.recompute_opinions()
    assert home.memory.opinions().problems == ("bank/opinions.md: has git conflict marks",)


def test_opinions_are_not_for_groups(home: Home) -> None:
    with pytest.raises(Forbidden):
        home.memory.opinions(scope="group")
    with pytest.raises(Forbidden):
        home.memory.opinion("7k2m9", "group")
    with pytest.raises(Forbidden):
        home.memory.recompute_opinions(scope="group")


def test_the_command_line_says_it_for_people(tmp_path: Path) -> None:
    write(tmp_path / "workspace")
    with running(tmp_path) as daemon:
        daemon.settle()
        listed = daemon.cli("opinions", "@Nisse")
        assert listed.returncode == 0
        assert listed.stdout == (
            "0.73  Nils: Prefers cedar.  "
            "(1 for, 1 against, 1 pending, contested, 2026-03-05) ^7k2m9qx4mt\n"
        )
        assert "its c is not" in listed.stderr
        assert "hippod opinions recompute" in listed.stderr
        assert '"statement":' in daemon.cli("opinions", "--json").stdout
        assert daemon.cli("opinions", "@Olaf").returncode == 4
        assert daemon.cli("opinions", "--dry-run").returncode == 2
        why = daemon.cli("why", "7k2m9").stdout
        assert "c=0.73, prior 0.77, contested, updated 2026-03-05" in why
        assert "contradicts -0.40  memory/2026-03-03.md#L5  ^p07d2c5hn1" in why
        assert "stands nowhere any more" in why
        would = daemon.cli("opinions", "recompute", "--dry-run").stdout
        assert would == "would set 0.20 to 0.70: Ida: Likes rain ^7k2mzzzzzz\n"
        assert daemon.cli("opinions", "recompute").stdout == would.replace("would set", "set")
        again = daemon.cli("opinions", "recompute").stdout
        assert re.fullmatch(r"3 opinions, each as its evidence gives\n", again)
