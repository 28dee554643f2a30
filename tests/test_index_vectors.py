import contextlib
import json
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hippod.index import graph as graphs
from hippod.index import vectors as module
from hippod.index.graph import Graph
from hippod.index.store import rounded
from hippod.index.vectors import Vectors
from tests.documents import Notes, ask, open_index
from tests.fakes import FakeEmbedder

WIDTH = 16


def unit_rows(count: int, seed: int = 0, width: int = WIDTH) -> np.ndarray:
    rows = np.random.default_rng(seed).normal(size=(count, width)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def brute(held: dict[int, np.ndarray], query: np.ndarray, limit: int) -> list[int]:
    return sorted(held, key=lambda id_: (-np.float32(held[id_] @ query), id_))[:limit]


def small_graphs(monkeypatch: pytest.MonkeyPatch, size: int = 100) -> None:
    monkeypatch.setattr(module, "GRAPH_FROM", size)


# -- the matrix ------------------------------------------------------------------------------

STEPS = st.lists(
    st.tuples(st.sampled_from(["add", "remove"]), st.lists(st.integers(1, 400), max_size=60)),
    max_size=12,
)


@settings(max_examples=60, deadline=None)
@given(STEPS, st.integers(1, 30))
def test_search_equals_brute_force_after_any_changes(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, list[int]]], limit: int
) -> None:
    vectors = Vectors(WIDTH, Path("unused"), "x")
    pool = unit_rows(401)
    held: dict[int, np.ndarray] = {}
    used: set[int] = set()
    for action, numbers in steps:
        if action == "add":
            ids = [n for n in dict.fromkeys(numbers) if n not in used]  # ids are never reused
            vectors.add(ids, pool[ids])
            used.update(ids)
            held |= {n: pool[n] for n in ids}
        else:
            vectors.remove(numbers)
            held = {n: row for n, row in held.items() if n not in numbers}
    query = unit_rows(1, seed=9)[0]
    snapshot = vectors.snapshot()
    assert len(snapshot) == len(held)
    found, cosines = snapshot.nearest(query, limit)
    assert found.tolist() == brute(held, query, limit)
    assert cosines.tolist() == sorted(cosines.tolist(), reverse=True)
    some = list(range(0, 400, 7))
    assert set(snapshot.cosines(query, some)) == held.keys() & set(some)
    among = np.array(some, dtype=np.int64)
    inside = {n: row for n, row in held.items() if n in some}
    assert snapshot.nearest(query, limit, among)[0].tolist() == brute(inside, query, limit)


def test_a_snapshot_does_not_change() -> None:
    vectors = Vectors(WIDTH, Path("unused"), "x")
    rows = unit_rows(600)
    vectors.add(range(1, 301), rows[:300])
    before = vectors.snapshot()
    expected = before.nearest(rows[0], 300)[0].tolist()
    vectors.add(range(301, 601), rows[300:])
    vectors.remove(range(1, 400))
    assert before.nearest(rows[0], 300)[0].tolist() == expected
    assert len(vectors.snapshot()) == 201


def test_equal_vectors_come_in_the_order_of_their_ids() -> None:
    vectors = Vectors(WIDTH, Path("unused"), "x")
    same = np.repeat(unit_rows(1), 50, axis=0)
    vectors.add(range(50, 0, -1), same)
    assert vectors.snapshot().nearest(same[0], 10)[0].tolist() == list(range(1, 11))


@pytest.mark.parametrize("count", [0, 1, 3])
def test_more_may_be_asked_for_than_there_is(count: int) -> None:
    vectors = Vectors(WIDTH, Path("unused"), "x")
    vectors.add(range(count), unit_rows(count))
    assert len(vectors.snapshot().nearest(unit_rows(1)[0], 10)[0]) == count


# -- the graph -------------------------------------------------------------------------------


def built(tmp_path: Path, rows: np.ndarray) -> Vectors:
    vectors = Vectors(WIDTH, tmp_path, "model 16")
    vectors.load(np.arange(1, len(rows) + 1), rows)
    assert vectors.build_graph(lambda: False)
    return vectors


def loaded(tmp_path: Path, ids: np.ndarray, rows: np.ndarray, identity: str) -> Vectors:
    vectors = Vectors(rows.shape[1], tmp_path, identity)
    vectors.load(ids, rows)
    return vectors


def settled(vectors: Vectors) -> Vectors:
    """Wait until a saved graph is read."""
    while vectors.graph_status()["state"] == "loading":
        time.sleep(0.001)
    return vectors


def test_below_the_size_there_is_no_graph(tmp_path: Path) -> None:
    vectors = Vectors(WIDTH, tmp_path, "x")
    vectors.add(range(50), unit_rows(50))
    assert not vectors.build_graph(lambda: False)
    assert (vectors.engine, list(tmp_path.iterdir())) == ("exact", [])


def test_the_graph_finds_nearly_what_brute_force_finds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_graphs(monkeypatch)
    rows = unit_rows(1500)
    vectors = built(tmp_path, rows)
    assert vectors.engine == "hnsw"
    more = unit_rows(200, seed=1)
    vectors.add(range(1501, 1701), more)
    vectors.remove(range(1, 301))
    snapshot = vectors.snapshot()
    hits = total = 0
    for query in unit_rows(20, seed=2):
        exact = set(snapshot.nearest(query, 10)[0].tolist())
        found, cosines = vectors.nearest(snapshot, query, 10)
        assert cosines.tolist() == sorted(cosines.tolist(), reverse=True)
        assert min(found.tolist()) > 300
        hits += len(exact & set(found.tolist()))
        total += 10
    assert hits / total > 0.95
    assert vectors.nearest(snapshot, more[7], 1)[0].tolist() == [1508]


def test_beside_a_graph_the_matrix_takes_half_and_answers_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_graphs(monkeypatch)
    rows = rounded(unit_rows(3_000))
    vectors = loaded(tmp_path, np.arange(1, 3_001), rows, "model 16")
    before = vectors.snapshot()
    vectors.build_graph(lambda: False)
    after = vectors.snapshot()
    assert (before.matrix.itemsize, after.matrix.itemsize) == (4, 2)
    some = np.random.default_rng(3).permutation(3_000)[:2_900] + 1
    for query in unit_rows(5, seed=4):
        for among in (None, some, some[:3]):
            ids, cosines = before.nearest(query, 20, among)
            again, same = after.nearest(query, 20, among)
            assert again.tolist() == ids.tolist()
            assert same == pytest.approx(cosines, abs=1e-6)
        assert after.cosines(query, some.tolist()) == pytest.approx(
            {int(id_): float(rows[id_ - 1] @ query) for id_ in some}, abs=1e-6
        )
    vectors.add([3_001], query[None])
    assert vectors.nearest(vectors.snapshot(), query, 1)[0].tolist() == [3_001]


def test_the_exact_search_answers_while_a_saved_graph_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_graphs(monkeypatch)
    rows, ids = unit_rows(200), np.arange(1, 201)
    built(tmp_path, rows)
    go, load = threading.Event(), Graph.load

    def slow(*args: object) -> Graph | None:
        assert go.wait(20)
        return load(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(Graph, "load", slow)
    vectors = loaded(tmp_path, ids, rows, "model 16")
    vectors.remove([1])
    vectors.add([201], rows[:1])
    assert vectors.nearest(vectors.snapshot(), rows[0], 1)[0].tolist() == [201]
    # Whoever asks does not wait for it: the daemon asks in its loop.
    assert (vectors.engine, vectors.wants_graph) == ("exact", False)
    assert vectors.graph_status()["state"] == "loading"
    go.set()
    settled(vectors)
    assert (vectors.engine, vectors.wants_graph) == ("hnsw", False)
    assert vectors.nearest(vectors.snapshot(), rows[0], 1)[0].tolist() == [201]


def test_at_the_end_nobody_waits_until_a_saved_graph_has_taken_what_it_lacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_graphs(monkeypatch)
    rows, add, added = unit_rows(2_000), Graph.add, threading.Event()
    built(tmp_path, rows[:200])
    ending = threading.Event()

    def slow(self: Graph, ids: np.ndarray, made: np.ndarray) -> None:
        added.set()
        assert ending.wait(20)
        add(self, ids, made)

    monkeypatch.setattr(Graph, "add", slow)
    vectors = loaded(tmp_path, np.arange(1, 2_001), rows, "model 16")
    assert added.wait(20)
    assert not vectors.build_graph(lambda: True)
    threading.Timer(0.1, ending.set).start()
    vectors.save()
    assert vectors.graph_status()["state"] == "none"


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("out of order"), ValueError("odd")])
def test_a_saved_graph_that_cannot_be_read_leaves_the_exact_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    small_graphs(monkeypatch)
    rows, ids = unit_rows(200), np.arange(1, 201)
    built(tmp_path, rows)

    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(Graph, "load", fail)
    vectors = settled(loaded(tmp_path, ids, rows, "model 16"))
    assert (vectors.engine, vectors.snapshot().matrix.dtype) == ("exact", np.float32)
    assert vectors.wants_graph
    assert vectors.nearest(vectors.snapshot(), rows[0], 1)[0].tolist() == [1]


def test_changes_go_on_while_a_graph_takes_what_came_as_it_was_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_graphs(monkeypatch)
    rows = unit_rows(1_000)
    vectors = Vectors(WIDTH, tmp_path, "model 16")
    vectors.add(range(200), rows[:200])
    add, held_up = Graph.add, []

    def watched(self: Graph, ids: np.ndarray, made: np.ndarray) -> None:
        if len(vectors.snapshot()) == 200:  # much comes while the first are taken in
            vectors.add(range(200, 1_000), rows[200:])
            vectors.remove([5, 300])
        if vectors._changing.locked():
            held_up.append(len(ids))
        add(self, ids, made)

    monkeypatch.setattr(Graph, "add", watched)
    assert vectors.build_graph(lambda: False)
    assert sum(held_up) < 100
    assert vectors.nearest(vectors.snapshot(), rows[999], 1)[0].tolist() == [999]
    assert vectors._graph is not None
    assert vectors._graph.ids().tolist() == [n for n in range(1_000) if n not in (5, 300)]


def test_the_graph_finds_98_of_100_nearest_even_where_nothing_is_near() -> None:
    rows = unit_rows(12_000, width=64)
    graph = Graph(64, len(rows))
    graph.add(np.arange(len(rows)), rows)
    found = total = 0
    for query in unit_rows(30, seed=5, width=64):
        best = set(np.argsort(-(rows @ query))[:10].tolist())
        found += len(best & set((graph.nearest(query, 50) or [])[:10]))
        total += 10
    assert found / total >= 0.98


def test_a_saved_graph_is_used_again_and_brought_up_to_date(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_graphs(monkeypatch)
    rows = unit_rows(400)
    built(tmp_path, rows[:300])
    monkeypatch.setattr(Vectors, "_built", lambda *_: pytest.fail("built again"))
    ids = np.arange(51, 401)  # 50 went and 100 came while nobody looked
    vectors = settled(loaded(tmp_path, ids, rows[50:], "model 16"))
    assert vectors.engine == "hnsw"
    snapshot = vectors.snapshot()
    assert vectors.nearest(snapshot, rows[399], 1)[0].tolist() == [400]
    assert 10 not in vectors.nearest(snapshot, rows[9], 300)[0].tolist()
    vectors.save()
    assert settled(loaded(tmp_path, ids, rows[50:], "model 16")).engine == "hnsw"


def spoil(name: str, file: Path) -> None:
    data = bytearray(file.read_bytes())
    sidecar = file.with_name(f"{file.name}.json")
    if name == "file truncated":
        file.write_bytes(data[: len(data) // 2])
    elif name == "file flipped":
        data[len(data) // 2] ^= 8
        file.write_bytes(data)
    elif name == "file empty":
        file.write_bytes(b"")
    elif name == "file gone":
        file.unlink()
    elif name == "sidecar gone":
        sidecar.unlink()
    elif name == "sidecar garbage":
        sidecar.write_bytes(b"\xff{")
    elif name == "sidecar a list":
        sidecar.write_text("[1]")
    else:
        about = json.loads(sidecar.read_text())
        del about["count"]
        sidecar.write_text(json.dumps(about))


@pytest.mark.parametrize(
    "name",
    [
        "file truncated", "file flipped", "file empty", "file gone",
        "sidecar gone", "sidecar garbage", "sidecar a list", "sidecar short",
    ],
)  # fmt: skip
def test_a_spoilt_file_is_refused_and_built_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    small_graphs(monkeypatch)
    rows = unit_rows(200)
    built(tmp_path, rows)
    spoil(name, tmp_path / "vectors.hnsw")
    vectors = settled(loaded(tmp_path, np.arange(1, 201), rows, "model 16"))
    assert vectors.engine == "exact"
    assert vectors.nearest(vectors.snapshot(), rows[5], 1)[0].tolist() == [6]
    assert vectors.build_graph(lambda: False)
    assert settled(loaded(tmp_path, np.arange(1, 201), rows, "model 16")).engine == "hnsw"


def test_a_graph_of_another_model_or_width_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_graphs(monkeypatch)
    built(tmp_path, unit_rows(200))
    ids = np.arange(1, 201)
    assert settled(loaded(tmp_path, ids, unit_rows(200), "other 16")).engine == "exact"
    assert settled(loaded(tmp_path, ids, unit_rows(200, width=8), "model 16")).engine == "exact"


def test_a_save_that_fails_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_graphs(monkeypatch)
    rows = unit_rows(220)
    vectors = built(tmp_path, rows[:200])
    before = (tmp_path / "vectors.hnsw").read_bytes()
    vectors.add(range(201, 221), rows[200:])
    (tmp_path / "vectors.hnsw.new").mkdir()  # hnswlib cannot write there, and does not say so
    vectors.save()
    assert (tmp_path / "vectors.hnsw").read_bytes() == before
    (tmp_path / "vectors.hnsw.new").rmdir()
    vectors.save()
    assert (tmp_path / "vectors.hnsw").read_bytes() != before


def test_building_can_be_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small_graphs(monkeypatch)
    vectors = Vectors(WIDTH, tmp_path, "x")
    vectors.add(range(200), unit_rows(200))
    assert not vectors.build_graph(lambda: True)
    assert vectors.engine == "exact"


def test_a_worn_graph_is_built_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small_graphs(monkeypatch)
    rows = unit_rows(400)
    vectors = built(tmp_path, rows)
    vectors.remove(range(1, 201))
    assert vectors._graph
    assert vectors._graph.worn
    assert vectors.build_graph(lambda: False)
    assert vectors._graph
    assert vectors._graph.ids().tolist() == list(range(201, 401))
    assert not vectors._graph.worn


def test_the_graph_grows_past_its_capacity() -> None:
    graph = Graph(WIDTH, 1)
    rows = unit_rows(3000)
    for start in range(0, 3000, 700):
        graph.add(np.arange(start, min(3000, start + 700)), rows[start : start + 700])
    assert len(graph.ids()) == 3000
    assert graph.nearest(rows[2999], 1) == [2999]


@pytest.mark.parametrize(("held", "gone", "asked", "expected"), [(1, 0, 10, 1), (3, 2, 3, 1)])
def test_the_graph_never_raises_for_too_few(
    held: int, gone: int, asked: int, expected: int
) -> None:
    graph = Graph(WIDTH, 10)
    graph.add(np.arange(held), unit_rows(held))
    graph.remove([*range(gone), *range(gone), 99])  # twice, and one that is not there
    found = graph.nearest(unit_rows(1)[0], asked)
    assert found is not None
    assert len(found) == expected
    assert Graph(WIDTH, 10).nearest(unit_rows(1)[0], 10) is None
    assert graph.nearest(unit_rows(1, width=8)[0], 1) is None


def test_many_rounds_of_adding_and_deleting_lose_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_graphs(monkeypatch, 40)
    vectors = built(tmp_path, unit_rows(50))
    next_id = 100
    for round_ in range(30):
        rows = unit_rows(40, seed=round_ + 1)
        ids = range(next_id, next_id + 40)
        vectors.add(ids, rows)
        assert vectors.nearest(vectors.snapshot(), rows[3], 10)[0][0] == next_id + 3
        vectors.remove(ids)
        if vectors._graph and vectors._graph.worn:
            vectors.build_graph(lambda: False)
        next_id += 40
    assert vectors._graph
    assert len(vectors._graph.ids()) == 50


def test_threads_search_while_vectors_come_and_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_graphs(monkeypatch)
    rows = unit_rows(2000)
    vectors = built(tmp_path, rows[:500])
    done = threading.Event()
    wrong: list[int] = []

    def search() -> None:
        while not done.is_set():
            for number in range(400, 500):
                found = vectors.nearest(vectors.snapshot(), rows[number], 5)[0].tolist()
                if found[0] != number + 1:
                    wrong.append(number)

    threads = [threading.Thread(target=search) for _ in range(3)]
    for thread in threads:
        thread.start()
    for start in range(500, 2000, 100):
        vectors.add(range(start + 1, start + 101), rows[start : start + 100])
        vectors.remove(range(start - 480, start - 400) if start < 700 else ())
    done.set()
    for thread in threads:
        thread.join()
    assert wrong == []


# -- in the index ----------------------------------------------------------------------------


def test_many_lines_of_one_text_share_a_vector(tmp_path: Path) -> None:
    lines = "## Retain\n" + "- B: Standup done.\n" * 300
    odd = "".join(f"- W: Gadget number {n} is in box {n * 3}.\n" for n in range(20))
    notes = Notes({"memory/2026-03-03.md": lines + odd})
    embedder = FakeEmbedder(128)
    with contextlib.closing(open_index(tmp_path, notes, embedder)) as index:
        index.reconcile()
        status = index.status()
        assert (status["units"], status["vectors"]["embedded"]) == (320, 21)
        for number in range(20):
            text = f"Gadget number {number} is in box {number * 3}."
            assert ask(index, text, embedder, mode="vector").hits[0].content == text
        standup = [h.content for h in ask(index, "standup", embedder, limit=50).hits]
        assert standup.count("Standup done.") == 1


def test_a_large_index_uses_saves_and_reloads_its_graph(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_graphs(monkeypatch, 50)
    notes = Notes({f"n/{n}.md": f"Note {n} about {n * 31} wombats\n" for n in range(120)})
    notes["context/x.md"] = "Wombats dig at night\n"
    embedder = FakeEmbedder(64)
    with contextlib.closing(open_index(tmp_path, notes, embedder)) as index:
        index.reconcile()
        exact = ask(index, "wombats at night", embedder).hits
        assert index.build_graph()
        assert index.status()["engine"] == "hnsw"
        assert ask(index, "wombats at night", embedder).hits[0].id == exact[0].id
        inside = ask(index, "wombats", embedder, mode="vector", path="context/*").hits
        assert [hit.path for hit in inside] == ["context/x.md"]
        del notes["n/7.md"]
        index.update(["n/7.md"])
    with contextlib.closing(open_index(tmp_path, notes, embedder)) as index:
        while index.status()["graph"]["state"] == "loading":
            time.sleep(0.001)
        assert index.status()["engine"] == "hnsw"
        found = ask(index, "Note 7 about 217 wombats", embedder, mode="vector", limit=100).hits
        assert "n/7.md" not in {hit.path for hit in found}
    (tmp_path / "vectors.hnsw").unlink()
    with contextlib.closing(open_index(tmp_path, notes, embedder)) as index:
        assert index.status()["engine"] == "exact"
        assert ask(index, "wombats at night", embedder).hits[0].id == exact[0].id


def test_a_rebuild_does_not_believe_the_old_graph(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_graphs(monkeypatch, 50)
    notes = Notes({f"n/{n:03}.md": f"Note {n} about {n * 31} wombats\n" for n in range(60)})
    embedder = FakeEmbedder(64)
    index = open_index(tmp_path, notes, embedder)
    index.reconcile()
    index.build_graph()
    index.close()
    (tmp_path / "index.sqlite").unlink()
    notes["n/-first.md"] = "This one shifts every number\n"
    with contextlib.closing(open_index(tmp_path, notes, embedder)) as index:
        index.reconcile()
        text = "Note 30 about 930 wombats"
        assert ask(index, text, embedder, mode="vector").hits[0].path == "n/030.md"
        assert graphs.Graph.load(tmp_path / "vectors.hnsw", 64, "anything") is None
