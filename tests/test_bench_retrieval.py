"""The retrieval benchmark: what counts as found, any folder of the shape, and faults in a line."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from bench.retrieval import locomo, score
from bench.retrieval.__main__ import LEGS, main, measure
from bench.retrieval.locomo import Faulty
from bench.retrieval.score import Found

ROOT = Path(__file__).parents[1]
MEASURES = {"recall@5", "recall@10", "recall@20", "mrr", "ndcg@10", "questions"}


def conversation(**changes: Any) -> dict[str, Any]:
    said = {
        "speaker_a": "Noor",
        "speaker_b": "Olaf",
        "session_1_date_time": "9:05 am on 2 March, 2024",
        "session_1": [
            {"speaker": "Noor", "dia_id": "D1:1", "text": "My violin broke on the ferry."},
            {"speaker": "Olaf", "dia_id": "D1:2", "text": "Oh no!\nCan it be repaired?"},
        ],
        "session_2_date_time": "8:40 pm on 2 March, 2024",
        "session_2": [
            {"speaker": "Olaf", "dia_id": "D2:1", "text": "I baked rye bread for the harbour fair."}
        ],
        "session_10_date_time": "12:00 pm on 9 April, 2024",
        "session_10": [{"speaker": "Noor", "dia_id": "D10:1", "text": "The luthier called."}],
    }
    asked = [
        {"question": "What happened to the violin?", "evidence": ["D1:1; D10:1"], "category": 4},
        {"question": "What did Olaf bake?", "evidence": ["D2:1"], "category": 2},
        {"question": "Who painted the ferry?", "evidence": [], "category": 5},
        {"question": "Who sang?", "evidence": ["D99:1"], "category": 1},
    ]
    return {"sample_id": "c1", "conversation": said, "qa": asked, **changes}


def write(folder: Path, data: object, name: str = "data.json") -> Path:
    (folder / name).write_text(json.dumps(data))
    return folder


def test_each_session_is_a_file_of_its_own_even_on_one_day(tmp_path: Path) -> None:
    (read,) = locomo.conversations(write(tmp_path, [conversation()]))
    assert list(read.texts) == [
        "memory/2024-03-02.md", "memory/2024-03-02-2.md", "memory/2024-04-09.md",
    ]  # fmt: skip
    assert read.texts["memory/2024-03-02.md"].splitlines()[4:6] == [
        "**Noor**: My violin broke on the ferry.",
        "**Olaf**: Oh no! Can it be repaired?",
    ]
    violin, bread = read.questions
    assert violin.evidence == (("memory/2024-03-02.md", 5), ("memory/2024-04-09.md", 5))
    assert (violin.category, bread.category) == ("single", "temporal")


def test_a_file_may_hold_one_conversation_and_a_folder_several_files(tmp_path: Path) -> None:
    write(tmp_path, conversation(sample_id="b"), "b.json")
    write(tmp_path, [conversation(sample_id="a"), conversation(sample_id="c")], "a.json")
    assert [each.name for each in locomo.conversations(tmp_path)] == ["a", "c", "b"]


TURNS = {"a": (5, 6, 7), "b": (5,)}


def test_recall_counts_evidence_of_the_first_hits() -> None:
    found = Found((("a", 6, 7), ("b", 5, 5), ("a", 5, 6)), TURNS)
    scores = score.judge(found, [("a", 5), ("b", 5), ("z", 9)])
    assert scores["chunk"]["recall@5"] == pytest.approx(2 / 3)
    assert scores["chunk"]["mrr"] == 1 / 2
    assert scores["session"]["recall@5"] == 1.0
    assert scores["session"]["mrr"] == 1.0


def test_a_hit_takes_as_many_places_as_it_has_turns_to_read() -> None:
    hits = tuple((f"f{n}", 1, 3) for n in range(4))
    turns = {f"f{n}": (1, 2, 3) for n in range(4)}
    scores = score.judge(Found(hits, turns), [("f1", 3)])
    assert scores["chunk"]["mrr"] == 1 / 2
    assert scores["turn"]["mrr"] == 1 / 6
    assert scores["turn"]["recall@5"] == 0.0
    assert scores["turn"]["recall@10"] == 1.0


def test_a_turn_that_two_hits_show_is_read_once() -> None:
    found = Found((("a", 5, 6), ("a", 6, 7)), TURNS)
    assert score.judge(found, [("a", 7)])["turn"]["mrr"] == 1 / 3


def test_nothing_found_is_nothing_and_all_is_one() -> None:
    none = score.judge(Found((), TURNS), [("a", 5)])
    assert all(value == 0 for scores in none.values() for value in scores.values())
    whole = score.judge(Found((("a", 5, 7), ("b", 5, 5)), TURNS), [("a", 5), ("b", 5)])
    assert whole["chunk"] == dict.fromkeys(MEASURES - {"questions"}, 1.0)
    assert whole["session"] == dict.fromkeys(MEASURES - {"questions"}, 1.0)


def test_another_session_of_the_day_is_not_the_one_of_the_evidence() -> None:
    found = Found((("memory/2024-03-02-2.md", 1, 9),), {})
    scores = score.judge(found, [("memory/2024-03-02.md", 5)])
    assert scores["session"]["recall@20"] == 0.0


def test_every_leg_and_level_is_measured(tmp_path: Path) -> None:
    means = measure(locomo.conversations(write(tmp_path, [conversation()])), None)
    assert set(means) == {"all", "single", "temporal"}
    assert means["all"]["chunk"]["lexical"]["recall@5"] == pytest.approx(0.75)
    assert means["temporal"]["session"]["hybrid"]["mrr"] == 1.0
    assert means["all"]["chunk"]["vector"]["recall@20"] == 0.0  # there is no embedder


def test_json_is_fractions_by_level_and_leg(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--data", str(write(tmp_path, [conversation()])), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert list(printed) == ["chunk", "turn", "session", "categories"]
    for level in score.LEVELS:
        assert set(printed[level]) == set(LEGS) == {"hybrid", "lexical", "vector", "rrf"}
        for scores in printed[level].values():
            assert set(scores) == MEASURES
            assert scores.pop("questions") == 2
            assert all(0 <= value <= 1 for value in scores.values())
    assert set(printed["categories"]) == {"single", "temporal"}
    assert printed["chunk"]["hybrid"]["recall@10"] == 1.0


def test_for_people_it_prints_a_table_of_percent(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--data", str(write(tmp_path, [conversation()])), "--embedder", "none"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "all (2 questions), percent" in lines
    assert any(line.startswith("chunk    lexical    75.0") for line in lines)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "holds no *.json"),
        ("{", "data.json: not JSON"),
        ("[3]", "conversation 1 is not as LoCoMo has it"),
        ('[{"qa": []}]', "conversation 1 is not as LoCoMo has it: no field 'conversation'"),
        (json.dumps([conversation(qa=[{}])]), "no question has evidence"),
        (json.dumps([conversation(qa=7)]), "conversation 1 is not as LoCoMo has it"),
        (
            json.dumps({"conversation": {"session_1": [], "session_1_date_time": "x"}, "qa": []}),
            "does not match format",
        ),
        ("[]", "no question has evidence"),
    ],
)
def test_a_faulty_folder_is_told_in_one_line(
    tmp_path: Path, content: str | None, said: str
) -> None:
    if content is not None:
        (tmp_path / "data.json").write_text(content)
    with pytest.raises(SystemExit) as stopped:
        main(["--data", str(tmp_path), "--embedder", "none"])
    assert said in str(stopped.value)
    assert "\n" not in str(stopped.value)


def test_an_unknown_folder_or_embedder_too(tmp_path: Path) -> None:
    with pytest.raises(Faulty, match="is not a folder"):
        locomo.conversations(tmp_path / "nowhere")
    with pytest.raises(SystemExit, match="--embedder magic: there is no such provider"):
        main(["--data", str(write(tmp_path, [conversation()])), "--embedder", "magic"])


def test_it_runs_as_a_command(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "bench.retrieval", "--data", str(tmp_path)],
        cwd=ROOT, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert run.returncode == 1
    assert run.stderr.strip() == f"{tmp_path}: holds no *.json"
