"""The labelled extraction sets: floors that must hold, and that no rule knows a case."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from bench.extraction import cases, score
from bench.extraction.__main__ import measure, selector

from hippod.compose import assemble
from hippod.config import Config
from hippod.extraction.selection import Draft
from hippod.retain import SourceFile

ROOT = Path(__file__).parents[1]
WORD = re.compile(r"[\w'/.-]+")
GRAM = 5
HAN_GRAM = 7
"""Characters of a script without spaces that are as telling as five words."""


@pytest.mark.slow
@pytest.mark.xdist_group("model")
@pytest.mark.parametrize("model", ["rules", "probe", "embedded"])
def test_the_given_cases_keep_their_floors(model: str) -> None:
    with selector(model) as selects:
        total = score.summed(measure(cases.load("given"), selects))
    assert total.recall >= 0.85
    assert total.precision >= 0.9
    assert total.violations == 0
    assert total.unsupported == 0


@pytest.mark.parametrize("name", cases.names())
def test_a_set_is_sound(name: str) -> None:
    """Its patterns compile, and what is expected was said in the turns that are named."""
    loaded = cases.load(name)
    assert len({case["id"] for case in loaded}) == len(loaded)
    for case in loaded:
        for wanted in case["expected"]:
            said = cases.said(case, wanted["src"])
            for group in wanted["must"]:
                assert any(re.search(p, said, score.FLAGS) for p in group), (case["id"], group)
        for pattern in (*case["acceptable"], *(banned["re"] for banned in case["must_not"])):
            re.compile(pattern)


@pytest.mark.parametrize("name", cases.names())
def test_no_sentence_of_a_case_stands_in_the_code(name: str) -> None:
    code = dict(_code())
    spoken = {
        gram for case in cases.load(name) for t in case["turns"] for gram in _grams(t["text"])
    }
    known = {
        f"{path}: {gram}" for path, text in code.items() for gram in _grams(text) if gram in spoken
    }
    assert not known


@pytest.mark.parametrize("name", cases.names())
def test_no_name_of_a_case_stands_in_the_code(name: str) -> None:
    code = "\n".join(text for _, text in _code())
    assert not {each for each in _proper_names(name) if re.search(rf"\b{re.escape(each)}\b", code)}


def test_a_group_chat_gives_facts_as_a_main_session_and_none_as_what_it_is(
    tmp_path: Path,
) -> None:
    groups = [
        case for name in cases.names() for case in cases.load(name) if "group" in case["tags"]
    ]
    assert len(groups) >= 3
    for case in groups:
        assert _retained(tmp_path / f"{case['id']}-main", case, "main")
        assert not _retained(tmp_path / f"{case['id']}-group", case, "group")


def _retained(root: Path, case: cases.Case, kind: str) -> bool:
    """Return whether the daemon's own path makes facts of a case as a session of some kind."""
    root.mkdir()
    written = root / "sessions" / "chat.jsonl"
    written.parent.mkdir()
    lines = [
        {
            "role": turn.role,
            "content": turn.text,
            "timestamp": turn.time.isoformat() if turn.time else None,
            "id": turn.id,
            "name": turn.speaker,
        }
        for turn in cases.turns(case)
    ]
    written.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    config = Config(
        workspace={"path": root, "timezone": str(cases.ZONE), "user": case["user"]},
        sources=[{"name": "main", "path": "sessions/*.jsonl", "kind": kind}],
        retain={"backfill_days": 36_500},
        generator={"provider": "none"},
        encoder={"provider": "none"},
    )
    with assemble(config, None) as assembly:
        assembly.retainer.process(SourceFile("main", written))
    return any((root / "memory").glob("*.md")) if (root / "memory").exists() else False


def test_a_fact_that_nobody_said_is_counted() -> None:
    """The measure itself can fail: a word, a number and a forbidden fact are seen."""
    case = cases.load("given")[0]
    turn = cases.turns(case)[0]
    invented = Draft("W", "Zebediah owns 77 yachts.", (), 0.9, turn, "", False, 1.0)
    judged = score.judge(case | {"must_not": [{"re": "yacht", "why": "test"}]}, [invented])
    assert (judged.found, judged.precise, judged.violations) == (0, 0, 1)
    assert judged.unsupported >= 3


def _code() -> Iterator[tuple[str, str]]:
    for path in sorted((ROOT / "daemon").rglob("*.py")):
        yield path.name, path.read_text(encoding="utf-8")


def _grams(text: str) -> Iterator[str]:
    words = WORD.findall(text.lower())
    for start in range(len(words) - GRAM + 1):
        yield " ".join(words[start : start + GRAM])
    for run in re.findall(r"[぀-ヿ㐀-鿿]+", text):
        for start in range(len(run) - HAN_GRAM + 1):
            yield run[start : start + HAN_GRAM]


def _proper_names(name: str) -> set[str]:
    """Return names of people and things: capitalised words that no turn writes in lower case."""
    loaded = cases.load(name)
    named = {each for case in loaded for w in case["expected"] for each in w["entities"]}
    named |= {turn["name"] for case in loaded for turn in case["turns"] if turn.get("name")}
    text = json.dumps(loaded, ensure_ascii=False)
    return {
        each
        for each in named
        if each[:1].isupper() and not re.search(rf"\b{re.escape(each.lower())}\b", text)
    } - {"User", "Agent", "Assistant"}
