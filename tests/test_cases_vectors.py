"""What goes wrong with embedders and vector indexes elsewhere, replayed against ours."""

import contextlib
import json
import math
import multiprocessing
import os
import random
import signal
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import hnswlib
import numpy as np
import pytest

from hippod.errors import HippodError, IndexUnavailable, ModelError, ModelUnavailable
from hippod.index import Index
from hippod.index import graph as graphs
from hippod.index import vectors as module
from hippod.index.graph import Graph
from hippod.index.vectors import Vectors
from hippod.models import Embedder
from hippod.models import Vectors as Rows
from tests.documents import ZONE, Notes, ask, open_index
from tests.fakes import FakeEmbedder


def switched(
    folder: Path,
    notes: Notes,
    embedder: Embedder,
    spec: str,
    former: Callable[[str], Embedder | None] = lambda _: None,
) -> Index:
    from hippod import config

    return Index(
        folder, notes, embedder, chunking=config.Chunking(), zone=ZONE, spec=spec, former=former
    )


def twenty() -> Notes:
    return Notes({f"n/{n}.md": f"Note {n} about wombat number {n}\n" for n in range(20)})


# -- another embedder ------------------------------------------------------------------------


class Slow(FakeEmbedder):
    """An embedder that can be held before a batch."""

    def __init__(self, dimension: int, name: str) -> None:
        super().__init__(dimension, name)
        self.go = threading.Event()
        self.waiting = threading.Event()

    def embed_documents(self, texts: Sequence[str]) -> Rows:
        self.waiting.set()
        assert self.go.wait(30)
        return super().embed_documents(texts)


def test_the_old_vectors_serve_until_those_of_the_new_embedder_are_complete(
    tmp_path: Path,
) -> None:
    notes, old, new = twenty(), FakeEmbedder(32, "old"), Slow(48, "new")
    with contextlib.closing(switched(tmp_path, notes, old, "a")) as index:
        index.reconcile()
    again = {"a": FakeEmbedder(32, "old")}
    with contextlib.closing(switched(tmp_path, notes, new, "b", again.get)) as index:
        thread = threading.Thread(target=index.embed_pending)
        thread.start()
        assert new.waiting.wait(30)
        assert index.serving_embedder() is again["a"]
        answer = ask(index, "wombat number 7", mode="vector")
        assert answer.hits[0].content == "Note 7 about wombat number 7"
        assert not answer.degraded
        status = index.status()
        assert status["switching"]["stored"] == "old 32"
        assert status["switching"]["active"] == "new 48"
        assert status["switching"]["pending"] == 20
        assert status["switching"]["serving"] == "old vectors"
        new.go.set()
        thread.join()
        assert index.serving_embedder() is new
        assert "switching" not in index.status()
        assert ask(index, "wombat number 7", mode="vector").hits[0].vector_score is not None
    with contextlib.closing(switched(tmp_path, notes, new, "b")) as index:
        new.embedded.clear()
        assert index.reconcile().embedded == 0
        assert new.embedded == []


def test_an_old_embedder_that_is_gone_leaves_words_and_says_so(tmp_path: Path) -> None:
    notes, new = twenty(), FakeEmbedder(48, "new")
    with contextlib.closing(switched(tmp_path, notes, FakeEmbedder(32, "old"), "a")) as index:
        index.reconcile()
    with contextlib.closing(switched(tmp_path, notes, new, "b")) as index:
        new.failure = ModelUnavailable("down")
        index.embed_pending()
        with pytest.raises(IndexUnavailable, match="not complete"):
            index.serving_embedder()
        answer = ask(index, "wombat number 7", mode="hybrid")
        assert (answer.degraded, answer.legs["vector"]) == (True, "failed")
        assert answer.hits
        assert index.status()["switching"]["serving"] == "words alone"
        assert index.freshness(0).vectors_pending == 20
        index.embed_pending()
        answer = ask(index, "wombat number 7", mode="hybrid")
        assert (answer.degraded, answer.legs["vector"]) == (False, "ok")


def test_changes_during_a_switch_are_in_both(tmp_path: Path) -> None:
    notes, new = twenty(), FakeEmbedder(48, "new")
    with contextlib.closing(switched(tmp_path, notes, FakeEmbedder(32, "old"), "a")) as index:
        index.reconcile()
    former = FakeEmbedder(32, "old")
    with contextlib.closing(switched(tmp_path, notes, new, "b", lambda _: former)) as index:
        new.failure = ModelUnavailable("down")
        notes["fresh.md"] = "A numbat came by\n"
        del notes["n/3.md"]
        index.reconcile()
        assert ask(index, "A numbat came by", mode="vector").hits[0].path == "fresh.md"
        assert index.embed_pending().embedded == 20
        status = index.status()
        assert status["vectors"] == {"embedded": 20, "pending": 0, "rejected": 0}
        assert ask(index, "A numbat came by", mode="vector").hits[0].path == "fresh.md"


def test_switching_back_embeds_nothing(tmp_path: Path) -> None:
    notes, new = twenty(), FakeEmbedder(48, "new")
    with contextlib.closing(switched(tmp_path, notes, FakeEmbedder(32, "old"), "a")) as index:
        index.reconcile()
    with contextlib.closing(switched(tmp_path, notes, new, "b")) as index:
        new.failure = ModelUnavailable("down")
        index.embed_pending()
    old = FakeEmbedder(32, "old")
    with contextlib.closing(switched(tmp_path, notes, old, "a")) as index:
        assert index.embed_pending().embedded == 0
        assert ask(index, "wombat number 7", mode="vector").hits
        assert index.serving_embedder() is old


def test_another_configuration_of_the_same_model_keeps_the_vectors(tmp_path: Path) -> None:
    notes = twenty()
    with contextlib.closing(switched(tmp_path, notes, FakeEmbedder(32, "same"), "a")) as index:
        index.reconcile()
    again = FakeEmbedder(32, "same")
    with contextlib.closing(switched(tmp_path, notes, again, "b")) as index:
        assert index.embed_pending().embedded == 0
        assert index.serving_embedder() is again


def _switch_until_killed(folder: Path, texts: dict[str, str], after: int) -> None:
    class Dying(FakeEmbedder):
        def embed_documents(self, texts: Sequence[str]) -> Rows:
            if len(self.embedded) >= after:
                os.kill(os.getpid(), signal.SIGKILL)
            return super().embed_documents(texts)

    switched(folder, Notes(texts), Dying(48, "new"), "b").embed_pending()


@pytest.mark.parametrize("after", [0, 8, 100])
def test_a_switch_that_was_killed_goes_on(tmp_path: Path, after: int) -> None:
    texts = {f"n/{n}.md": f"Note {n} about wombats\n" for n in range(200)}
    with contextlib.closing(
        switched(tmp_path, Notes(texts), FakeEmbedder(32, "old"), "a")
    ) as index:
        index.reconcile()
    spawn = multiprocessing.get_context("spawn")
    child = spawn.Process(target=_switch_until_killed, args=(tmp_path, texts, after))
    child.start()
    child.join(60)
    assert child.exitcode == -signal.SIGKILL
    new = FakeEmbedder(48, "new")
    with contextlib.closing(switched(tmp_path, Notes(texts), new, "b")) as index:
        assert 0 < index.reconcile().embedded <= 200 - after * 0.5
        assert len(new.embedded) <= 200 - after // 2
        assert ask(index, "Note 7", mode="vector").hits
        assert index.status()["vectors"] == {"embedded": 200, "pending": 0, "rejected": 0}


def test_an_embedder_that_cannot_tell_its_width_yet_is_asked_again(tmp_path: Path) -> None:
    class Lazy(FakeEmbedder):
        up = False

        @property
        def dimension(self) -> int:
            if not self.up:
                raise ModelUnavailable("the endpoint is down")
            return 32

        @dimension.setter
        def dimension(self, _value: int) -> None: ...

    notes, lazy = twenty(), Lazy(32, "lazy")
    with contextlib.closing(switched(tmp_path, notes, lazy, "a")) as index:
        index.reconcile()
        assert index.status()["embedding_error"] == "the endpoint is down"
        assert ask(index, "wombat").hits
        lazy.up = True
        assert index.embed_pending().embedded == 20
        assert ask(index, "wombat number 7", mode="vector").hits


@pytest.mark.parametrize("spec", ["", "a"])
def test_a_rebuild_keeps_the_vectors_whatever_is_configured(tmp_path: Path, spec: str) -> None:
    notes, embedder = twenty(), FakeEmbedder(32, "one")
    with contextlib.closing(switched(tmp_path, notes, embedder, spec)) as index:
        index.reconcile()
        embedder.embedded.clear()
        index.embed_later = lambda: None
        index.rebuild()
        assert index.texts_waiting() == 0
        assert ask(index, "wombat number 7", mode="vector").hits
        assert index.embed_pending().embedded == 0
        assert embedder.embedded == []


def test_a_rebuild_during_a_switch_keeps_both_kinds_of_vectors(tmp_path: Path) -> None:
    notes = Notes({f"n/{n}.md": f"Note {n} about wombats\n" for n in range(60)})
    with contextlib.closing(switched(tmp_path, notes, FakeEmbedder(32, "old"), "a")) as index:
        index.reconcile()
    new = Failing(48, "new")
    former = Closing(32, "old")
    with contextlib.closing(switched(tmp_path, notes, new, "b", lambda _: former)) as index:
        assert index.embed_pending().embedded == 8
        index.embed_later = lambda: None
        notes["fresh.md"] = "A numbat came by\n"
        index.rebuild()
        assert ask(index, "Note 7", mode="vector").hits[0].vector_score is not None
        new.embedded.clear()
        new.fails = False
        index.embed_pending()
        assert len(new.embedded) == 60 - 8 + 1
        assert former.embedded == ["# fresh\nA numbat came by"]
        assert index.serving_embedder() is new


class Failing(FakeEmbedder):
    """An embedder that gives one batch and then no more, as long as it fails."""

    fails = True

    def embed_documents(self, texts: Sequence[str]) -> Rows:
        if self.fails and self.embedded:
            raise ModelUnavailable("down")
        return super().embed_documents(texts)


class Closing(FakeEmbedder):
    """An embedder that counts how often it was closed."""

    closed = 0

    def close(self) -> None:
        self.closed += 1


class Loading(Closing):
    """An embedder that knows what it is only once it was asked, as one in a process does."""

    loaded = False

    def status(self) -> dict[str, object]:
        known = {"model_id": self.model_id, "dimension": self.dimension}
        return known if self.loaded else {"model_id": "file", "dimension": None}

    def embed_query(self, text: str) -> Rows:
        self.loaded = True
        return super().embed_query(text)


@pytest.mark.parametrize("spec", ["a", "b"])
def test_vectors_are_never_asked_with_another_version_of_their_model(
    tmp_path: Path, spec: str
) -> None:
    notes, new = twenty(), FakeEmbedder(32, "v2")
    with contextlib.closing(switched(tmp_path, notes, FakeEmbedder(32, "v1"), "a")) as index:
        index.reconcile()
    made = []

    def former(_spec: str) -> Embedder:
        made.append(Closing(32, "v2"))
        return made[-1]

    with contextlib.closing(switched(tmp_path, notes, new, spec, former)) as index:
        for _ in range(2):
            answer = ask(index, "wombat number 7", mode="hybrid")
            assert (answer.degraded, answer.legs["vector"]) == (True, "failed")
            assert answer.hits
            new.failure = ModelUnavailable("down")
            index.embed_pending()
        assert index.status()["switching"]["serving"] == "words alone"
        index.embed_pending()
        assert ask(index, "wombat number 7", mode="vector").hits
    assert [each.closed for each in made] == [1] * len(made)


def test_a_model_that_turns_out_another_when_loaded_answers_nothing(tmp_path: Path) -> None:
    notes = twenty()
    with contextlib.closing(switched(tmp_path, notes, FakeEmbedder(32, "v1"), "a")) as index:
        index.reconcile()
    remade, new = Loading(32, "v2"), FakeEmbedder(32, "new")
    with contextlib.closing(switched(tmp_path, notes, new, "b", lambda _: remade)) as index:
        for _ in range(2):
            answer = ask(index, "wombat number 7", mode="hybrid")
            assert (answer.degraded, answer.legs["vector"]) == (True, "failed")
        assert index.embed_pending().embedded == 20
        assert ask(index, "wombat number 7", mode="vector").hits
    assert remade.closed == 1


@pytest.mark.parametrize("during", [False, True])
def test_a_model_that_is_replaced_while_it_runs_is_not_mixed_in(
    tmp_path: Path, during: bool
) -> None:
    class Replaced(FakeEmbedder):
        due = False

        def embed_documents(self, texts: Sequence[str]) -> Rows:
            if self.due:
                self.model_id, self.due = "v2", False
            return super().embed_documents(texts)

    notes, embedder = twenty(), Replaced(32, "v1")
    with contextlib.closing(switched(tmp_path, notes, embedder, "a")) as index:
        index.reconcile()
        notes["fresh.md"] = "A numbat came by\n"
        if during:
            embedder.due = True
        else:
            embedder.model_id = "v2"
        index.embed_later = lambda: None
        index.reconcile()
        if during:
            assert index.embed_pending().embedded == 0
            assert "replaced" in index.status()["embedding_error"]
            with pytest.raises(IndexUnavailable, match="replaced"):
                index.serving_embedder()
        embedder.embedded.clear()
        index.embed_pending()
        assert len(embedder.embedded) == 21
        assert ask(index, "A numbat came by", mode="vector").hits[0].path == "fresh.md"
        assert index.status()["embedding_error"] == ""


@pytest.mark.parametrize("end", ["close", "switch", "rebuild", "damage", "same"])
def test_an_embedder_that_was_made_again_is_closed_when_it_serves_no_more(
    tmp_path: Path, end: str
) -> None:
    notes, made = twenty(), []

    def former(_spec: str) -> Embedder:
        made.append(Closing(32, "old"))
        return made[-1]

    with contextlib.closing(switched(tmp_path, notes, FakeEmbedder(32, "old"), "a")) as index:
        index.reconcile()
    new = FakeEmbedder(32, "old") if end == "same" else Closing(48, "new")
    with contextlib.closing(switched(tmp_path, notes, new, "b", former)) as index:
        index.embed_later = lambda: None
        assert [each.closed for each in made] == [0]
        if end in ("switch", "same"):
            index.embed_pending()
        elif end == "rebuild":
            index.rebuild()
        elif end == "damage":
            index._damaged = True
            index.reconcile()
        if end != "close":
            assert made[0].closed == 1
    assert [each.closed for each in made] == [1] * len(made)
    assert getattr(new, "closed", 0) == 0, "it is whose who gave it"


# -- texts and vectors that are none ---------------------------------------------------------


class Ragged(FakeEmbedder):
    """Gives lists, as an endpoint may: of the wrong length, or nothing, for some texts."""

    def embed_documents(self, texts: Sequence[str]) -> Rows:
        rows: list[object] = list(super().embed_documents(texts))
        for place, text in enumerate(texts):
            if "short" in text:
                rows[place] = np.ones(3, np.float32)
            if "nothing" in text:
                rows[place] = None
            if "words" in text:
                rows[place] = ["no", "numbers"]
        return rows  # type: ignore[return-value]


def test_one_bad_row_costs_only_its_text(tmp_path: Path) -> None:
    notes = Notes({f"{word}.md": f"A {word} row\n" for word in ("short", "nothing", "words")})
    notes["good.md"] = "A good row\n"
    embedder = Ragged(8)
    with contextlib.closing(open_index(tmp_path, notes, embedder)) as index:
        report = index.reconcile()
        assert (report.embedded, report.rejected) == (1, 3)
        embedder.embedded.clear()
        index.reconcile(verify=True)
        assert embedder.embedded == []
        for hit in ask(index, "good row", embedder).hits:
            assert all(
                score is None or math.isfinite(score)
                for score in (hit.score, hit.bm25_score, hit.vector_score)
            )


class Limited(FakeEmbedder):
    """Refuses texts that are too long for it."""

    longest = 200

    def embed_documents(self, texts: Sequence[str]) -> Rows:
        if any(len(text) > self.longest for text in texts):
            raise ModelError("the input is longer than 200 tokens")
        return super().embed_documents(texts)


def test_a_text_that_is_too_long_is_embedded_by_its_head(tmp_path: Path) -> None:
    embedder = Limited(8)
    notes = Notes({"d.md": ",".join(str(n) for n in range(100, 220)) + "\n", "o.md": "Other\n"})
    with contextlib.closing(open_index(tmp_path, notes, embedder)) as index:
        report = index.reconcile()
        assert (report.embedded, report.rejected) == (2, 0)
        assert index.status()["vectors"]["pending"] == 0


def test_a_text_that_is_refused_at_any_length_is_parked_and_the_queue_drains(
    tmp_path: Path,
) -> None:
    embedder = Limited(8)
    embedder.longest = 20
    notes = Notes({"d.md": "7" * 400 + "\n", "o.md": "Other\n"})
    with contextlib.closing(open_index(tmp_path, notes, embedder)) as index:
        for _ in range(4):
            index.embed_pending() if index.status()["units"] else index.reconcile()
        assert index.status()["vectors"] == {"embedded": 1, "pending": 0, "rejected": 1}
        assert list(index.status()["parked"]) == ["the input is longer than 200 tokens"]
        embedder.embedded.clear()
        index.rebuild()
        assert embedder.embedded == []


def test_rules_and_dashes_never_reach_the_embedder(tmp_path: Path) -> None:
    embedder = FakeEmbedder(8)
    notes = Notes({"r.md": "## Retain\n" + "- W: ***\n- W: ... --- ...\n" * 3 + "- W: A tomato\n"})
    with contextlib.closing(open_index(tmp_path, notes, embedder)) as index:
        for _ in range(5):
            index.rebuild()
        assert all("tomato" in text for text in embedder.embedded)
        assert len(embedder.embedded) == 1
        assert index.status()["vectors"]["pending"] == 0


def test_status_counts_what_was_embedded_and_names_the_last_error(tmp_path: Path) -> None:
    class Picky(FakeEmbedder):
        def embed_documents(self, texts: Sequence[str]) -> Rows:
            if any("secret" in text for text in texts):
                raise ModelError("it will not read this")
            return super().embed_documents(texts)

    notes = Notes({f"{n}.md": f"{'secret ' * 40 if n else ''}{n}\n" for n in range(9)})
    with contextlib.closing(open_index(tmp_path, notes, Picky(8))) as index:
        index.reconcile()
        status = index.status()
        assert status["vectors"]["embedded"] + status["vectors"]["pending"] == 9
        assert status["vectors"]["embedded"] == 1


def test_an_answer_is_json_without_nan_whatever_the_query_embeds_to(tmp_path: Path) -> None:
    embedder = FakeEmbedder(8)
    notes = Notes({"a.md": "A tomato\n", "b.md": "-\n"})
    with contextlib.closing(open_index(tmp_path, notes, embedder)) as index:
        index.reconcile()
        for value in (0.0, math.nan, math.inf):
            embedder.embed_query = lambda _, v=value: np.full(8, v, np.float32)  # type: ignore[method-assign]
            answer = ask(index, "tomato", embedder)
            json.loads(json.dumps(answer.model_dump(mode="json"), allow_nan=False))
            assert answer.hits[0].path == "a.md"
        embedder.embed_query = lambda _: np.ones(5, np.float32)  # type: ignore[method-assign]
        answer = ask(index, "tomato", embedder)
        assert (answer.legs["vector"], answer.hits[0].path) == ("failed", "a.md")


def test_texts_wait_while_a_slow_embedder_works_but_words_are_found(tmp_path: Path) -> None:
    notes, slow = twenty(), Slow(16, "slow")
    with contextlib.closing(open_index(tmp_path, notes, slow)) as index:
        index.embed_later = lambda: None
        index.reconcile()
        thread = threading.Thread(target=index.embed_pending)
        thread.start()
        assert slow.waiting.wait(30)
        notes["now.md"] = "A numbat came by\n"
        began = time.monotonic()
        index.update(["now.md"])
        assert ask(index, "numbat", mode="lexical").hits[0].path == "now.md"
        assert time.monotonic() - began < 5  # the embedder is held for as long as we like
        assert index.freshness(0).vectors_pending == 21
        slow.go.set()
        thread.join()
        assert index.freshness(0).vectors_pending == 0
        assert slow.embedded[8].startswith("A numbat") or "numbat" in slow.embedded[8]


# -- the graph's file and library ------------------------------------------------------------


def test_a_graph_library_that_does_nothing_is_found_out_and_searches_stay_exact(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Stub:
        def __init__(self, *_: object) -> None: ...

        def init_index(self, *_: object, **__: object) -> None: ...

    monkeypatch.setattr(hnswlib, "Index", Stub)
    monkeypatch.setattr(module, "GRAPH_FROM", 10)
    graphs.problem.cache_clear()
    try:
        with contextlib.closing(open_index(tmp_path, twenty(), FakeEmbedder(16))) as index:
            index.reconcile()
            assert not index.build_graph()
            status = index.status()
            assert (status["engine"], status["vectors"]["embedded"]) == ("exact", 20)
            assert "hnswlib" in status["graph"]["problem"]
            assert ask(index, "wombat number 7", mode="vector").hits
    finally:
        graphs.problem.cache_clear()


def rows(count: int, width: int = 16) -> np.ndarray:
    made = np.random.default_rng(3).normal(size=(count, width)).astype(np.float32)
    return made / np.linalg.norm(made, axis=1, keepdims=True)


def saved(folder: Path, count: int = 300) -> Path:
    graph = Graph(16, count)
    graph.add(np.arange(1, count + 1), rows(count))
    graph.save(folder / "vectors.hnsw", "model 16")
    return folder / "vectors.hnsw"


@pytest.mark.parametrize("seed", range(12))
def test_a_flipped_bit_anywhere_is_refused(tmp_path: Path, seed: int) -> None:
    file = saved(tmp_path)
    chance = random.Random(seed)
    data = bytearray(file.read_bytes())
    data[chance.randrange(96 if seed < 6 else len(data))] ^= 1 << chance.randrange(8)
    file.write_bytes(data)
    assert Graph.load(file, 16, "model 16") is None


@pytest.mark.parametrize("seed", range(12))
def test_a_header_that_lies_is_refused_even_with_a_right_checksum(
    tmp_path: Path, seed: int
) -> None:
    file = saved(tmp_path)
    data = bytearray(file.read_bytes())
    place = [8, 16, 17, 24, 25, 32, 33, 40, 41, 56, 64, 60][seed]
    data[place] ^= 0x55 if place != 8 else 0x04
    data[8:16] = (0).to_bytes(8, "little") if place == 8 else data[8:16]
    file.write_bytes(data)
    sidecar = file.with_name("vectors.hnsw.json")
    about = json.loads(sidecar.read_text())
    about["sha256"] = graphs._sha256(file)
    sidecar.write_text(json.dumps(about))
    assert Graph.load(file, 16, "model 16") is None


def _save_for_ever(folder: Path, ready: object) -> None:
    graph = Graph(16, 3000)
    graph.add(np.arange(1, 3001), rows(3000))
    graph.save(folder / "vectors.hnsw", "model 16")
    ready.set()  # type: ignore[attr-defined]
    while True:
        graph.save(folder / "vectors.hnsw", "model 16")


def test_a_kill_during_a_save_leaves_a_graph_that_is_whole_or_refused(tmp_path: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    chance = random.Random(5)
    whole = 0
    for round_ in range(4):
        folder = tmp_path / str(round_)
        folder.mkdir()
        ready = spawn.Event()
        child = spawn.Process(target=_save_for_ever, args=(folder, ready))
        child.start()
        assert ready.wait(60)
        time.sleep(chance.random() / 20)
        child.kill()
        child.join()
        vectors = Vectors(16, folder, "model 16")
        graph = Graph.load(folder / "vectors.hnsw", 16, "model 16")
        if graph is not None:
            whole += 1
            assert graph.ids().tolist() == list(range(1, 3001))
        vectors.load(np.arange(1, 3001), rows(3000))
        found = vectors.nearest(vectors.snapshot(), rows(3000)[7], 1)[0]
        assert found.tolist() == [8]
    assert whole <= 4


def test_a_query_of_another_width_gets_no_graph_answer(tmp_path: Path) -> None:
    graph = Graph(16, 100)
    graph.add(np.arange(100), rows(100))
    assert graph.nearest(rows(1, 8)[0], 5) is None
    assert Graph.load(saved(tmp_path), 8, "model 16") is None


def test_capacity_counts_deleted_slots_and_each_id_gives_its_vector(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "GRAPH_FROM", 50)
    made = rows(700)
    vectors = Vectors(16, tmp_path, "model 16")
    vectors.load(np.arange(100), made[:100])
    assert vectors.build_graph(lambda: False)
    vectors.remove(range(50))
    vectors.add(range(100, 700), made[100:])
    assert vectors.build_graph(lambda: False)
    again = Vectors(16, tmp_path, "model 16")
    again.load(np.arange(50, 700), made[50:])
    assert again.build_graph(lambda: False)
    assert again.engine == "hnsw"
    for each in range(50, 700, 13):
        assert again.nearest(again.snapshot(), made[each], 1)[0].tolist() == [each]


def test_a_filter_with_fewer_matches_than_asked_gives_them_all(tmp_path: Path) -> None:
    text = "## Retain\n" + "".join(
        f"- W @{'Rowan' if n in (3, 6) else 'Ada'}: Has {n} hats\n" for n in range(10)
    )
    notes, embedder = Notes({"memory/2026-03-01.md": text}), FakeEmbedder(16)
    with contextlib.closing(open_index(tmp_path, notes, embedder)) as index:
        index.reconcile()
        asked = {"entity": ("Rowan",), "mode": "vector", "limit": 5}
        assert len(ask(index, "hats", embedder, **asked).hits) == 2
        notes["memory/2026-03-01.md"] = text.replace("- W @Rowan: Has 6 hats\n", "")
        index.reconcile()
        assert len(ask(index, "hats", embedder, **asked).hits) == 1


def test_failures_of_storage_do_not_end_a_run_of_the_embedder(tmp_path: Path) -> None:
    notes, slow = twenty(), Slow(16, "slow")
    index = open_index(tmp_path, notes, slow)
    index.embed_later = lambda: None
    index.reconcile()
    reports: list[object] = []
    thread = threading.Thread(target=lambda: reports.append(index.embed_pending()))
    thread.start()
    assert slow.waiting.wait(30)
    index.close()
    slow.go.set()
    thread.join(30)
    assert reports
    with pytest.raises(HippodError), index.view():
        pass
