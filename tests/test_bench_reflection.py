"""The benchmark of reflection: its check and scores on hand-made pages, and a small year."""

import json
from collections import Counter
from datetime import date, timedelta
from pathlib import Path
from xml.etree import ElementTree

import pytest
from bench.reflection import __main__ as command
from bench.reflection import check, following, judging, plot, score, sets, year
from bench.reflection.score import Bank
from bench.reflection.subjects import Form, Subject
from bench.reflection.year import Belief, Told, Year

from hippod import daylog, facts, markdown
from hippod.facts import Fact
from hippod.reflection import entities
from hippod.reflection.known import known
from hippod.reflection.verdicts import Verdict

ADA = Subject("Ada-Quist", "person", (Form("Ada-Quist", "usual"), Form("A.-Quist", "initial")))
BEA = Subject("Bea-Quist", "person", (Form("Bea-Quist", "usual"),), traps=("Quist",))


def told(
    day: int, content: str, about: str = "Ada-Quist", id_: str | None = "", **truth: object
) -> Told:
    when = date(2025, 1, 1) + timedelta(day)
    block = f"aaaa{day:04}" if id_ == "" else id_
    sort = "opinion" if "side" in truth else "state"
    fact = Fact("W", content, (about,), id=block)
    return Told(when, fact, sort, about, **truth)  # type: ignore[arg-type]


MOVES = (
    told(0, "Lives in Graz.", attribute="city", value="Graz"),
    told(9, "Is at home in Graz.", attribute="city", value="Graz"),
    told(40, "Moved to Linz.", attribute="city", value="Linz"),
    told(50, "Lives in Linz.", attribute="city", value="Linz"),
)
WRITTEN = Year((ADA, BEA), MOVES, {})


def link(number: int) -> str:
    one = MOVES[number]
    return f"[[{one.day}#^{one.id}]]"


def page(summary: str, history: str = "") -> Bank:
    text = (
        f"---\nentity: Ada-Quist\nupdated: 2025-03-01\n---\n# Ada Quist\n\n"
        f"<!-- hippod:summary sha256:00 -->\n{summary}\n<!-- /hippod:summary -->\n\n## History\n\n"
        f"<!-- hippod:history sha256:00 -->\n{history}\n<!-- /hippod:history -->\n"
    )
    return Bank({"bank/entities/Ada-Quist.md": text})


# -- the check -------------------------------------------------------------------------------


def test_a_page_in_the_words_of_its_facts_passes() -> None:
    history = (
        f"- 2025-02-10: Moved to Linz. {link(2)}\n"
        f"- ~~2025-01-01: Lives in Graz.~~ {link(0)} superseded by {link(2)}"
    )
    found = score.support(page(f"Ada Quist lives in Linz. {link(3)}, {link(2)}", history), MOVES)
    assert (found.sentences, found.wrong, found.broken) == (3, (), ())


@pytest.mark.parametrize(
    ("line", "faults"),
    [
        ("Lives in Linz.", ["no link"]),
        (f"Lives in Bergen. {link(0)}", ["name"]),
        (f"Lives happily in Graz. {link(0)}", ["word"]),
        (f"Lives in 3 Graz. {link(0)}", ["number"]),
        (f"- 2025-01-02: Lives in Graz. {link(0)}", ["day"]),
        ("Lives in Graz. [[2025-01-01#^zzzz]]", ["broken link"]),
    ],
)
def test_what_no_linked_fact_says_is_found(line: str, faults: list[str]) -> None:
    found = score.support(page(line), MOVES)
    assert [each.fault for each in found.wrong] == faults
    assert found.unsupported == 1
    assert len(found.broken) == faults.count("broken link")


def test_each_sentence_of_a_line_needs_its_own_facts() -> None:
    line = f"Lives in Graz. {link(0)} Moved to Linz. {link(0)}"
    found = list(check.parts("x.md", 1, line))
    assert [each.text for each in found] == ["Lives in Graz.", "Moved to Linz."]
    assert [each.what for each in score.support(page(line), MOVES).wrong] == ["Moved", "to", "Linz"]


def test_a_fact_without_id_is_found_by_its_day() -> None:
    by_hand = told(3, "Swims on Mondays.", id_=None)
    ok, broken = "Swims on Mondays. [[2025-01-04]]", "Swims on Mondays. [[2025-01-05]]"
    assert not score.support(page(ok), [by_hand]).wrong
    assert [w.fault for w in score.support(page(broken), [by_hand]).wrong] == ["broken link"]


def test_a_quoted_fact_without_id_must_be_one_of_its_day() -> None:
    by_hand = told(3, "Moved to Linz.", id_=None, attribute="city", value="Linz")
    line = f"- ~~Lives in Graz.~~ {link(0)} superseded by [[2025-01-04]] "
    good, bad = page("", f'{line}"Moved to Linz."'), page("", f'{line}"Moved to Rome."')
    assert not score.support(good, [*MOVES, by_hand]).wrong
    assert [w.fault for w in score.support(bad, [*MOVES, by_hand]).wrong] == ["broken link"]
    assert score.marks(WRITTEN, [MOVES[0], by_hand], good).recall == 1


def test_lines_that_say_the_same_are_found() -> None:
    again = f"- 2025-01-01: Lives in Graz. {link(0)}\n- 2025-02-10: Lives in Graz. {link(1)}"
    assert not score.support(page("", again), MOVES).doubled
    twice = f"Lives in Graz. {link(0)}\nLives in Graz. {link(1)}"
    assert len(score.support(page(twice), MOVES).doubled) == 1


# -- scores ----------------------------------------------------------------------------------


def test_outdated_is_what_had_another_value() -> None:
    assert WRITTEN.outdated() == {MOVES[0].id, MOVES[1].id}
    assert WRITTEN.current(date(2025, 1, 20))["Ada-Quist", "city"].value == "Graz"


def test_a_summary_is_held_against_its_day() -> None:
    bank = page(f"Lives in Graz. {link(0)}\nMoved to Linz. {link(2)}")
    now = score.state(WRITTEN, bank, date(2025, 3, 1))
    assert (now.holding, now.stated, len(now.outdated), now.accuracy) == (1, 1, 1, 0.5)
    assert score.state(WRITTEN, bank, date(2025, 1, 20)).stated == 1


def test_marks_have_precision_and_recall() -> None:
    right = f"- ~~Lives in Graz.~~ {link(0)} superseded by {link(2)}"
    wrong = f"- ~~Moved to Linz.~~ {link(2)} superseded by {link(3)}"
    found = score.marks(WRITTEN, MOVES, page("", f"{right}\n{wrong}"))
    assert (found.precision, found.recall) == (0.5, 0.5)
    assert found.wrong == ("Moved to Linz. -> Lives in Linz.",)
    assert found.missed == ("Is at home in Graz.",)


def test_merges_are_counted_by_way_of_writing() -> None:
    said = [told(0, "Swims."), told(1, "Runs.", about="A.-Quist"), told(2, "Ill.", about="Quist")]
    logs = [known(one.day, one.fact, "memory/x.md", 1, 1) for one in said]
    plain = score.merges(WRITTEN, said, entities.resolve(logs, []), Bank({}))
    assert plain.seen == Counter({"initial": 1})
    mixed = entities.Page("bank/entities/Ada-Quist.md", "Ada-Quist", ("A.-Quist", "Quist"))
    found = score.merges(WRITTEN, said, entities.resolve(logs, [mixed]), Bank({}))
    assert (found.missed.total(), found.wrong) == (0, (("Ada-Quist", "Quist"),))


def test_a_fact_on_somebody_elses_page_is_a_stray() -> None:
    other = told(60, "Swims.", about="Bea-Quist")
    bank = page(f"Swims. [[{other.day}#^{other.id}]]\nLives in Linz. {link(3)}")
    who = entities.resolve([], [])
    strays = score.merges(WRITTEN, [*MOVES, other], who, bank).strays
    assert len(strays) == 1
    assert "Bea-Quist" in strays[0]


def test_the_ledger_is_held_against_what_was_believed() -> None:
    likes = [
        told(0, "Likes tea.", topic="tea", side=1),
        told(30, "Dislikes tea.", topic="tea", side=-1),
        told(40, "Hates tea.", topic="tea", side=-1),
        told(45, "Read about tea.", topic="tea", side=0),
    ]
    turned = date(2025, 1, 31)
    belief = Belief("Ada-Quist", "tea", "change", ((date(2025, 1, 1), 1), (turned, -1)))
    lines = "".join(
        f"- {stance}: [[{one.day}#^{one.id}]] {weight}\n"
        for stance, one, weight in zip(
            ("supports", "contradicts", "supports", "supports"), likes,
            ("+0.20", "-0.40", "+0.20", "+0.20"), strict=True,
        )
    )  # fmt: skip
    text = f"# Opinions\n\n## Likes tea.\n- id: abcd\n- prior: 0.7107\n- c: 0.79\n{lines}"
    points = {
        "abcd": [(date(2025, 1, 7), 0.75), (date(2025, 2, 7), 0.45), (date(2025, 2, 14), 0.4)]
    }
    found = following.beliefs(
        Year((ADA,), tuple(likes), {("Ada-Quist", "tea"): belief}), points, text
    )
    assert (found.sections, found.covered, found.uncomputed) == (1, 1, ["Likes tea.: 0.79, 0.7500"])
    assert found.evidence == Counter({"right": 1, "flipped": 1, "no side": 1})
    assert (found.right["change"], found.crossings["change"], found.turns["change"]) == (1, 1, 1)
    assert found.delays == [7]
    assert found.largest_step == pytest.approx(0.3)


def test_judgement_counts_flips_and_what_moves() -> None:
    pairs = sets.opinions()[:3] + [each for each in sets.opinions() if each.stance == "related"][:1]
    judged = judging.judge_all(pairs, lambda _, __: Verdict("contradicts", "", 1.0))
    assert (judged.accuracy, judged.flips, judged.moves, judged.moved_rightly) == (0, 3, 4, 0)
    found = judging.find_all(sets.supersession(), lambda both: {both[0].id: both[1].id})
    assert found.recall == 1
    assert found.precision == pytest.approx(sum(p.replaces for p in sets.supersession()) / 189)


def test_the_sets_are_whole() -> None:
    opinions, replaced = sets.opinions(), sets.supersession()
    assert len({(each.statement, each.text) for each in opinions}) == len(opinions) >= 150
    assert sum(each.lang != "en" for each in opinions) >= 35
    assert min(Counter(each.stance for each in opinions).values()) >= 30
    assert len({(each.older, each.newer) for each in replaced}) == len(replaced) >= 150
    assert 0.4 < sum(each.replaces for each in replaced) / len(replaced) < 0.6


# -- the year --------------------------------------------------------------------------------


def test_the_year_is_the_same_for_a_seed_and_reads_back(tmp_path: Path) -> None:
    made = year.make(3, 30, 400)
    assert made == year.make(3, 30, 400)
    assert made != year.make(4, 30, 400)
    assert len(made.by_id()) == len(made.told) == 400
    assert len(made.subjects) == 30
    year.write(tmp_path, made.told)
    read = [
        placed.fact
        for path in sorted(tmp_path.glob("*.md"))
        for placed in daylog.retained(markdown.parse(path.read_text("utf-8")))
    ]
    assert read == [facts.canonical(each.fact) for each in made.told]


def test_names_that_mean_one_subject_mean_no_other() -> None:
    made = year.make(1, 300, 10)
    clear = Counter(form.text for one in made.subjects for form in one.forms)
    traps = {trap for one in made.subjects for trap in one.traps}
    assert max(clear.values()) == 1
    assert traps
    assert not traps & clear.keys()


def test_the_picture_is_sound_xml() -> None:
    first, last = date(2025, 1, 1), date(2025, 12, 31)
    curve = plot.Curve("<tea> & cake", ((first, 0.75), (date(2025, 6, 1), 0.4)), ((first, True),))
    root = ElementTree.fromstring(plot.svg([curve, curve], first, last))
    lines = [each.get("points", "") for each in root.iter() if each.tag.endswith("polyline")]
    assert len(lines) == 2
    assert len(lines[0].split()) == 5


def test_a_small_run_ends_in_a_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "QUICK", (24, 100))
    report, picture = tmp_path / "r.json", tmp_path / "r.svg"
    asked = ["--quick", "--model", "none", "--json", str(report), "--plot", str(picture)]
    assert command.main(asked) == 0
    shown = capsys.readouterr().out
    assert "unsupported sentences, own check" in shown
    written = json.loads(report.read_text())
    rows = {row["what"]: row["here"]["p50"] for row in written["results"][-1]["rows"]}
    assert rows["sentences on pages"] > 50
    assert rows["broken links"] == 0
    assert rows["unchanged: edits"] == 0
    assert rows["model calls a fact"] == 0
    ElementTree.fromstring(picture.read_text())
