import contextlib
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import threading
from datetime import timedelta
from multiprocessing.synchronize import Barrier
from pathlib import Path

import apsw
import numpy as np
import pytest

from hippod import config
from hippod.errors import IndexUnavailable, ModelError, ModelUnavailable, StorageError
from hippod.index import Index, schema, store
from hippod.models import Vectors
from tests.documents import NOW, Notes, ask, dump, open_index
from tests.fakes import FakeEmbedder

DAY = "# Daily Log - 2026-03-03\n\n[09:15:00] Called the plumber\n\n## Retain\n"
FACT = "- W @Ina: Keeps the spare key under the blue pot. ^k3f9ab27qt\n"


def notes() -> Notes:
    return Notes(
        {
            "memory/2026-03-03.md": DAY + FACT,
            "context/house.md": "# House\n\nThe boiler is in the cellar.\n",
            "MEMORY.md": "Prefers tea over coffee.\n",
        }
    )


def contents(index: Index, query: str) -> list[str]:
    return [hit.content for hit in ask(index, query, mode="lexical").hits]


# -- following the documents -----------------------------------------------------------------


def test_a_save_is_found_at_once_and_an_edit_replaces_it(tmp_path: Path) -> None:
    found = notes()
    with contextlib.closing(open_index(tmp_path, found, FakeEmbedder())) as index:
        assert index.reconcile().indexed == 3
        found["context/house.md"] = "# House\n\nThe boiler moved to the attic.\n"
        report = index.update(["context/house.md"])
        assert (report.indexed, report.failed) == (1, {})
        assert contents(index, "attic")[0].endswith("The boiler moved to the attic.")
        assert contents(index, "cellar") == []


def test_equal_bytes_are_nothing_to_do(tmp_path: Path) -> None:
    found, embedder = notes(), FakeEmbedder()
    with contextlib.closing(open_index(tmp_path, found, embedder)) as index:
        index.reconcile()
        embedder.embedded.clear()
        found.times["MEMORY.md"] = 77  # touched
        report = index.update(["MEMORY.md", "MEMORY.md"])
        assert (report.indexed, report.unchanged, embedder.embedded) == (0, 1, [])
        found.loads.clear()
        assert index.reconcile().unchanged == 3
        assert found.loads == []
        assert index.reconcile(verify=True).unchanged == 3
        assert len(found.loads) == 3


def test_verify_finds_an_edit_that_left_size_and_time_as_they_were(tmp_path: Path) -> None:
    found = Notes({"a.md": "Release is on 5 May\n"})
    with contextlib.closing(open_index(tmp_path, found)) as index:
        index.reconcile()
        found["a.md"] = "Release is on 9 May\n"
        assert index.reconcile().indexed == 0
        assert index.reconcile(verify=True).indexed == 1
        assert contents(index, "release") == ["Release is on 9 May"]


def test_only_new_texts_are_embedded(tmp_path: Path) -> None:
    found, embedder = notes(), FakeEmbedder()
    with contextlib.closing(open_index(tmp_path, found, embedder)) as index:
        index.reconcile()
        embedder.embedded.clear()
        found["memory/2026-03-03.md"] += "- W @Ina: Has a second key at work.\n"
        assert index.update(["memory/2026-03-03.md"]).embedded == 1
        assert len(embedder.embedded) == 1
        assert "second key" in embedder.embedded[0]


def test_what_is_gone_is_removed_with_its_vectors(tmp_path: Path) -> None:
    found = notes()
    with contextlib.closing(open_index(tmp_path, found, FakeEmbedder())) as index:
        index.reconcile()
        del found["MEMORY.md"]
        assert index.update(["MEMORY.md", "never/there.md"]).removed == 1
        del found["context/house.md"]
        assert index.reconcile().removed == 1
        assert {row[0] for row in dump(index)} == {"memory/2026-03-03.md"}
        status = index.status()
        assert status["vectors"]["embedded"] == status["units"] == 2


def test_a_name_that_is_no_text_is_no_document(tmp_path: Path) -> None:
    with contextlib.closing(open_index(tmp_path, notes())) as index:
        index.reconcile()
        assert index.update(["notes/\udcff.md"]).summary()["failed"] == 0


def test_a_moved_file_is_found_under_its_new_path_only(tmp_path: Path) -> None:
    found = notes()
    with contextlib.closing(open_index(tmp_path, found)) as index:
        index.reconcile()
        found["archive/house.md"] = found.pop("context/house.md")
        index.reconcile()
        assert [hit.path for hit in ask(index, "boiler").hits] == ["archive/house.md"]


def test_a_workspace_that_is_gone_deletes_nothing(tmp_path: Path) -> None:
    found = notes()
    with contextlib.closing(open_index(tmp_path, found)) as index:
        index.reconcile()
        found.gone = True
        for change in (index.reconcile, index.rebuild):
            with pytest.raises(StorageError):
                change()
        assert contents(index, "boiler")


def test_what_cannot_be_looked_into_is_not_deleted(tmp_path: Path) -> None:
    found = notes()
    with contextlib.closing(open_index(tmp_path, found)) as index:
        index.reconcile()
        found.unreadable = ("context/house.md",)
        assert index.reconcile().removed == 0
        assert contents(index, "boiler")


@pytest.mark.parametrize("error", [StorageError("no permission"), ValueError("our own fault")])
def test_one_bad_document_does_not_touch_the_others(tmp_path: Path, error: Exception) -> None:
    found = notes()
    found.broken["context/house.md"] = error
    with contextlib.closing(open_index(tmp_path, found)) as index:
        report = index.reconcile()
        assert list(report.failed) == ["context/house.md"]
        assert (report.indexed, report.summary()["failed"]) == (2, 1)
        assert contents(index, "tea")
        found.broken.clear()
        assert index.reconcile().indexed == 1


def test_an_empty_workspace_answers(tmp_path: Path) -> None:
    with contextlib.closing(open_index(tmp_path, Notes(), FakeEmbedder())) as index:
        index.reconcile()
        answer = ask(index, "anything", FakeEmbedder())
        assert (answer.hits, answer.degraded) == ((), False)
        assert index.entities() == []


def test_entities_come_most_mentioned_first(tmp_path: Path) -> None:
    facts = "- W @Bo: Sings.\n- W @Ina @Bo: Sail.\n- B @ina: Ran.\n- W @Bo: Hums.\n"
    with contextlib.closing(
        open_index(tmp_path, Notes({"memory/2026-03-03.md": DAY + facts}))
    ) as index:
        index.reconcile()
        assert index.entities() == ["Bo", "Ina"]


# -- the same content, whatever happens ------------------------------------------------------


def test_a_rebuild_gives_the_same(tmp_path: Path) -> None:
    found = notes()
    with contextlib.closing(open_index(tmp_path, found, FakeEmbedder())) as index:
        index.reconcile()
        before, answer = dump(index), ask(index, "spare key", FakeEmbedder())
        report = index.rebuild()
        assert (report.indexed, dump(index)) == (3, before)
        assert ask(index, "spare key", FakeEmbedder()).hits == answer.hits


@pytest.mark.parametrize("reopen", [True, False])
def test_a_deleted_index_is_made_again(tmp_path: Path, reopen: bool) -> None:
    found, embedder = notes(), FakeEmbedder()
    index = open_index(tmp_path, found, embedder)
    index.reconcile()
    before = dump(index)
    if reopen:
        index.close()
    for file in tmp_path.iterdir():
        file.unlink()
    if reopen:
        index = open_index(tmp_path, found, embedder)
    index.update([])  # any change notices
    index.reconcile()
    assert dump(index) == before
    assert (tmp_path / "index.sqlite").exists()
    index.close()


def test_an_index_whose_folder_is_away_answers_from_what_is_open(tmp_path: Path) -> None:
    folder = tmp_path / "here"
    folder.mkdir()
    with contextlib.closing(open_index(folder, found := notes())) as index:
        index.reconcile()
        before = dump(index)
        ask(index, "spare key")  # its connection serves again
        folder.rename(tmp_path / "away")
        with pytest.raises(StorageError, match="is gone"):
            index.update([next(iter(found))])
        assert ask(index, "spare key").hits
        (tmp_path / "away").rename(folder)
        assert not index.reconcile().renewed
        assert dump(index) == before


def damage(name: str, file: Path) -> None:
    data = bytearray(file.read_bytes())
    chance = random.Random(5)
    if name == "truncated":
        del data[len(data) // 2 :]
    elif name == "empty":
        data.clear()
    elif name == "text":
        data[:] = b"this is not a database at all\n" * 200
    elif name == "header":
        data[18:40] = os.urandom(22)
    else:
        for place in chance.sample(range(100, len(data)), 400):
            data[place] ^= 1 << chance.randrange(8)
    file.write_bytes(data)


@pytest.mark.parametrize("name", ["truncated", "empty", "text", "header", "bits"])
def test_a_damaged_index_is_made_again(tmp_path: Path, name: str) -> None:
    found = notes() | {f"n/{n}.md": f"Note {n} about wombats and {n * 7}\n" for n in range(80)}
    found = Notes(found)
    index = open_index(tmp_path, found, FakeEmbedder())
    index.reconcile()
    before = dump(index)
    index.close()
    damage(name, tmp_path / "index.sqlite")
    with contextlib.closing(open_index(tmp_path, found, FakeEmbedder())) as index:
        index.reconcile()
        assert dump(index) == before


def test_damage_met_while_running_is_named_and_mended(tmp_path: Path) -> None:
    found = Notes({f"n/{n}.md": f"Note {n} about wombats\n" for n in range(400)})
    with contextlib.closing(open_index(tmp_path, found)) as index:
        index.reconcile()
        before = dump(index)
        with index._require().writing() as connection:
            connection.execute("UPDATE words_data SET block = x'00' WHERE id > 10")
        answer = ask(index, "wombats")
        assert (answer.legs["lexical"], answer.degraded, answer.hits) == ("failed", True, ())
        assert index.status()["state"] == "damaged"
        index.update([])
        assert dump(index) == before
        assert index.status()["state"] == "ready"
        assert contents(index, "wombats")


def test_damage_met_by_a_change_is_mended_by_it(tmp_path: Path) -> None:
    found = Notes({f"n/{n}.md": f"Note {n} about wombats\n" for n in range(40)})
    with contextlib.closing(open_index(tmp_path, found)) as index:
        index.reconcile()
        with index._require().writing() as connection:
            connection.execute("UPDATE words_data SET block = x'00'")
        found["n/7.md"] = "Seven wombats\n"
        assert index.update(["n/7.md"]).indexed == 40
        assert contents(index, "seven")[0] == "Seven wombats"


def test_damage_met_by_tidying_is_named_and_mended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def damaged(_connection: apsw.Connection) -> bool:
        raise apsw.CorruptError("malformed")

    found = notes()
    with contextlib.closing(open_index(tmp_path, found)) as index:
        index.reconcile()
        before = dump(index)
        with monkeypatch.context() as patched:
            patched.setattr(store, "merge_words", damaged)
            assert index.tidy() is False
        assert (index.status()["state"], index.status()["problem"]) == (
            "damaged",
            "the index is damaged",
        )
        assert index.update([]).renewed
        assert (index.status()["state"], dump(index)) == ("ready", before)


def test_examining_takes_what_was_merged_since_a_search_for_no_damage(tmp_path: Path) -> None:
    """A connection that has searched keeps the words' structure of then, and checks against it."""
    notes = Notes({f"{number}.md": f"heron {number}\n" for number in range(40)})
    with contextlib.closing(open_index(tmp_path, notes)) as index:
        index.reconcile()
        for turn in range(5):
            ask(index, "heron")
            for number in range(20):
                notes[f"{number}.md"] = f"heron at weir {turn} {number}\n"
                index.update([f"{number}.md"])
            while index.tidy():
                pass
            assert index.examine().faults == (), turn


def test_an_index_that_is_opened_again_never_answers_with_the_words_of_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = Notes({"a.md": "A wombat\n", "b.md": "A zebra\n"})
    with contextlib.closing(open_index(tmp_path, found)) as index:
        index.reconcile()
        assert contents(index, "zebra")
        old = index._lexicon
        index._close_store()
        seen: list[object] = []
        attach = index._backfill.attach

        def look() -> None:
            with contextlib.suppress(IndexUnavailable), index._lend() as (_, _, lexicon):
                seen.append(lexicon)

        def slow(opened: store.Store) -> None:
            reader.start()
            reader.join(0.2)  # it either waits for the turn or sees a half-opened index
            attach(opened)

        reader = threading.Thread(target=look)
        monkeypatch.setattr(index._backfill, "attach", slow)
        index.reconcile()
        reader.join()
        assert seen == [index._lexicon]
        assert index._lexicon is not old


def test_another_chunking_means_a_new_index(tmp_path: Path) -> None:
    found = Notes({"a.md": "One sentence here. " * 40})
    index = open_index(tmp_path, found, chunking=config.Chunking(max_chunk_size=500))
    index.reconcile()
    large = index.status()["units"]
    index.close()
    small_chunks = config.Chunking(max_chunk_size=100, overlap=0)
    with contextlib.closing(open_index(tmp_path, found, chunking=small_chunks)) as index:
        assert index.status()["units"] == 0
        index.reconcile()
        assert index.status()["units"] > large


def test_another_embedder_keeps_the_words_and_embeds_again(tmp_path: Path) -> None:
    found = notes()
    index = open_index(tmp_path, found, FakeEmbedder(32))
    index.reconcile()
    index.close()
    other = FakeEmbedder(48, "fake-hash-2")
    with contextlib.closing(open_index(tmp_path, found, other)) as index:
        assert contents(index, "boiler")
        waiting = index.freshness(0).vectors_pending
        assert waiting == index.status()["units"] == 4
        found.loads.clear()
        assert index.reconcile().embedded == waiting
        assert found.loads == []
        assert ask(index, "boiler cellar", other, mode="vector").hits


def test_without_an_embedder_words_answer_and_one_can_come_later(tmp_path: Path) -> None:
    found = notes()
    index = open_index(tmp_path, found)
    index.reconcile()
    assert index.freshness(0).vectors_pending == 0
    index.close()
    with contextlib.closing(open_index(tmp_path, found, FakeEmbedder())) as index:
        assert index.embed_pending().embedded == 4


def _index_until_killed(folder: Path, texts: dict[str, str], batches: int) -> None:
    index = open_index(folder, Notes(texts), FakeEmbedder())
    commit, done = index._commit, 0

    def counted(*arguments: object) -> None:
        nonlocal done
        commit(*arguments)  # type: ignore[arg-type]
        done += 1
        if done == batches:
            os.kill(os.getpid(), signal.SIGKILL)

    index._commit = counted  # type: ignore[method-assign]
    index.reconcile()


@pytest.mark.parametrize("batches", [1, 2, 3])
def test_a_first_build_that_was_killed_goes_on(tmp_path: Path, batches: int) -> None:
    texts = {f"n/{n}.md": f"Note {n} about wombats\n" for n in range(500)}
    spawn = multiprocessing.get_context("spawn")
    child = spawn.Process(target=_index_until_killed, args=(tmp_path / "a", texts, batches))
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    child.start()
    child.join(60)
    assert child.exitcode == -signal.SIGKILL
    with contextlib.closing(open_index(tmp_path / "a", Notes(texts), FakeEmbedder())) as index:
        report = index.reconcile()
        assert report.indexed == max(0, 500 - 200 * batches)
        survivor = dump(index)
    with contextlib.closing(open_index(tmp_path / "b", Notes(texts), FakeEmbedder())) as index:
        index.reconcile()
        assert dump(index) == survivor


def test_stop_ends_a_build_early_and_the_next_goes_on(tmp_path: Path) -> None:
    found = Notes({f"n/{n}.md": f"Note {n}\n" for n in range(30)})
    index = open_index(tmp_path, found)
    load = found.load

    def load_and_stop(path: str) -> object:
        if len(found.loads) == 9:
            index.stop()
        return load(path)

    found.load = load_and_stop  # type: ignore[assignment,method-assign]
    report = index.reconcile()
    assert (report.stopped, report.indexed) == (True, 10)
    index.close()
    found.load = load  # type: ignore[method-assign]
    with contextlib.closing(open_index(tmp_path, found)) as index:
        assert index.reconcile().indexed == 20


# -- SQLite ----------------------------------------------------------------------------------


def _open_and_close(folder: Path, together: Barrier) -> None:
    together.wait(60)
    index = open_index(folder, Notes({"a.md": "Wombats\n"}))
    try:
        index.reconcile()
        assert contents(index, "wombats") == ["Wombats"]
    finally:
        index.close()


def test_many_processes_may_open_a_new_index_at_once(tmp_path: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    together = spawn.Barrier(3)
    children = [spawn.Process(target=_open_and_close, args=(tmp_path, together)) for _ in range(3)]
    for child in children:
        child.start()
    for child in children:
        child.join(60)
    assert [child.exitcode for child in children] == [0, 0, 0]


def test_a_save_waits_while_another_process_holds_the_file(tmp_path: Path) -> None:
    found = notes()
    with contextlib.closing(open_index(tmp_path, found)) as index:
        index.reconcile()
        other = apsw.Connection(str(tmp_path / "index.sqlite"))
        other.execute("BEGIN IMMEDIATE")
        release = threading.Timer(0.5, other.execute, ["ROLLBACK"])
        release.start()
        found["new.md"] = "Wombats\n"
        assert index.update(["new.md"]).indexed == 1
        release.join()
        other.close()


def test_readers_are_not_held_up_by_a_writer(tmp_path: Path) -> None:
    with contextlib.closing(open_index(tmp_path, notes())) as index:
        index.reconcile()
        with index._require().writing() as connection:
            connection.execute("DELETE FROM units")
            assert contents(index, "boiler")
            connection.execute("ROLLBACK")
            connection.execute("BEGIN")


def test_the_timeout_is_set_and_the_journal_mode_read_back(tmp_path: Path) -> None:
    with contextlib.closing(open_index(tmp_path, notes())) as index:
        index.reconcile()
        assert index.status()["journal_mode"] == "wal"
        assert index.status()["state"] == "ready"


def test_a_full_disk_stores_nothing_half_and_goes_on_later(
    tmp_path: Path,
) -> None:
    found = notes()
    with contextlib.closing(open_index(tmp_path, found)) as index:
        index.reconcile()
        before = dump(index)
        writer = index._require()._writer
        pages = writer.pragma("page_count")
        writer.pragma("max_page_count", pages)
        found["big.md"] = "\n\n".join(f"Wombat number {n} lives here." for n in range(4000))
        with pytest.raises(StorageError, match="full"):
            index.update(["big.md"])
        assert dump(index) == before
        assert "full" in index.status()["problem"]
        writer.pragma("max_page_count", 1_000_000)
        assert index.update(["big.md"]).indexed == 1
        assert index.status()["problem"] == ""


def test_an_index_that_cannot_be_made_is_a_state_not_a_crash(tmp_path: Path) -> None:
    folder = tmp_path / "absent"
    index = open_index(folder, notes(), FakeEmbedder())
    answer = ask(index, "boiler", FakeEmbedder())
    assert answer.legs == {"lexical": "failed", "vector": "failed"}
    assert index.status()["state"] == "unavailable"
    with pytest.raises(StorageError):
        index.update(["MEMORY.md"])
    folder.mkdir()
    assert index.reconcile().indexed == 3
    assert index.status()["state"] == "ready"
    index.close()


def test_a_closed_index_refuses(tmp_path: Path) -> None:
    index = open_index(tmp_path, notes())
    index.reconcile()
    assert index.entities() == ["Ina"]
    index.close()
    with pytest.raises(IndexUnavailable), index.view():
        pass
    assert index.entities() == []
    index.close()


def test_errors_do_not_show_sql(tmp_path: Path) -> None:
    with contextlib.closing(open_index(tmp_path, notes())) as index:
        with index._require().writing() as connection:
            connection.execute("ALTER TABLE units RENAME TO elsewhere")
        with index.view() as view, pytest.raises(IndexUnavailable) as caught:
            view.fetch([1])
        assert "units" not in str(caught.value.wire())


def documents_seen_by_another_process(folder: Path) -> int:
    """Counted from outside: a second SQLite in this process would drop our locks itself."""
    script = "import sqlite3, sys; print(*sqlite3.connect(sys.argv[1]).execute(sys.argv[2]))"
    arguments = [str(folder / "index.sqlite"), "SELECT count(*) FROM documents"]
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=True
    )
    return int(done.stdout.strip("(),\n"))


def test_the_live_file_is_never_opened_by_other_means(tmp_path: Path) -> None:
    """A plain open and close of ours would let others remove our WAL under us."""
    found = notes()
    with contextlib.closing(open_index(tmp_path, found)) as index:
        index.reconcile()
        index.status()
        assert documents_seen_by_another_process(tmp_path) == 3
        found["new.md"] = "Wombats\n"
        index.update(["new.md"])
        assert documents_seen_by_another_process(tmp_path) == 4


# -- embedders that misbehave ----------------------------------------------------------------


class Odd(FakeEmbedder):
    """Gives what it is told for texts that contain a word."""

    def __init__(self, odd: dict[str, Vectors | Exception], dimension: int = 8) -> None:
        super().__init__(dimension)
        self.odd = odd

    def embed_documents(self, texts: list[str]) -> Vectors:  # type: ignore[override]
        rows = super().embed_documents(texts)
        for row, text in zip(rows, texts, strict=True):
            for word, value in self.odd.items():
                if word in text and isinstance(value, Exception):
                    raise value
                if word in text:
                    row[:] = value
        return rows


def test_bad_vectors_are_counted_once_and_leave_the_unit_to_words(tmp_path: Path) -> None:
    embedder = Odd(
        {
            "zeros": np.zeros(8, np.float32),
            "nan": np.full(8, np.nan, np.float32),
            "infinite": np.full(8, np.inf, np.float32),
        }
    )
    found = Notes({f"{word}.md": f"About {word} things\n" for word in ("zeros", "nan", "infinite")})
    found["good.md"] = "About good things\n"
    with contextlib.closing(open_index(tmp_path, found, embedder)) as index:
        report = index.reconcile()
        assert (report.embedded, report.rejected) == (1, 3)
        embedder.embedded.clear()
        assert index.reconcile(verify=True).rejected == 0
        assert embedder.embedded == []
        assert index.status()["vectors"] == {"embedded": 1, "pending": 0, "rejected": 3}
        assert contents(index, "infinite")
        assert [hit.path for hit in ask(index, "good", embedder, mode="vector").hits] == ["good.md"]


def test_a_text_that_fails_alone_is_parked_and_the_others_go_on(tmp_path: Path) -> None:
    embedder = Odd({"poison": ModelError("too many tokens")})
    found = Notes({f"{n}.md": f"Note {n}\n" for n in range(20)} | {"p.md": "poison " * 30})
    with contextlib.closing(open_index(tmp_path, found, embedder)) as index:
        assert index.reconcile().embedded == 20
        assert index.status()["vectors"] == {"embedded": 20, "pending": 1, "rejected": 0}
        index.embed_pending()
        index.embed_pending()
        assert index.status()["vectors"] == {"embedded": 20, "pending": 0, "rejected": 1}
        fresh = index.freshness(0)
        assert (fresh.vectors_pending, fresh.vectors_parked) == (0, 1)


@pytest.mark.parametrize("error", [ModelUnavailable("down"), ModelError("always")])
def test_an_embedder_that_is_down_leaves_texts_waiting(tmp_path: Path, error: ModelError) -> None:
    embedder = Odd({"": error})
    found = notes()
    with contextlib.closing(open_index(tmp_path, found, embedder)) as index:
        assert index.reconcile().indexed == 3
        assert contents(index, "boiler")
        status = index.status()
        assert status["vectors"] == {"embedded": 0, "pending": 4, "rejected": 0}
        assert status["embedding_error"]
        embedder.odd = {}
        assert index.embed_pending().embedded == 4
        assert index.status()["embedding_error"] == ""


def test_vectors_of_another_width_than_promised_are_refused(tmp_path: Path) -> None:
    embedder = FakeEmbedder(16)
    found = notes()
    with contextlib.closing(open_index(tmp_path, found, embedder)) as index:
        embedder.embed_documents = FakeEmbedder(24).embed_documents  # type: ignore[method-assign]
        index.reconcile()
        assert "24" in index.status()["embedding_error"]
        assert "16" in index.status()["embedding_error"]
        assert index.status()["vectors"]["pending"] == 4


def test_a_vector_that_was_damaged_in_the_file_is_embedded_again(tmp_path: Path) -> None:
    found = notes()
    index = open_index(tmp_path, found, FakeEmbedder(8))
    index.reconcile()
    before = dump(index)
    with index._require().writing() as connection:
        wrong = np.full(8, np.nan, np.float16).tobytes()
        connection.execute("UPDATE vectors SET vector = ? WHERE id = 1", (wrong,))
        connection.execute("UPDATE vectors SET vector = x'00' WHERE id = 2")
    index.close()
    with contextlib.closing(open_index(tmp_path, found, FakeEmbedder(8))) as index:
        assert index.reconcile().embedded == 2
        assert dump(index) == before


def test_an_edit_while_the_embedder_is_down_never_shows_old_text(tmp_path: Path) -> None:
    embedder = Odd({})
    found = Notes({"a.md": "Release is on 5 May\n"})
    with contextlib.closing(open_index(tmp_path, found, embedder)) as index:
        index.reconcile()
        embedder.odd = {"": ModelUnavailable("down")}
        found["a.md"] = "Release is on 9 May\n"
        index.update(["a.md"])
        hits = ask(index, "release date", embedder).hits
        assert [hit.content for hit in hits] == ["Release is on 9 May"]
        assert hits[0].vector_score is None
        assert index.freshness(0).vectors_pending == 1


def test_freshness_counts_what_waits(tmp_path: Path) -> None:
    with contextlib.closing(open_index(tmp_path, notes())) as index:
        assert index.freshness(0).updated is None
        index.reconcile()
        fresh = index.freshness(0)
        assert (fresh.pending, fresh.behind_seconds) == (0, 0.0)
        assert fresh.updated is not None
        assert index.freshness(3).pending == 3


def test_behind_is_how_long_something_waits_not_how_long_nothing_came(tmp_path: Path) -> None:
    with contextlib.closing(open_index(tmp_path, notes())) as index:
        index.reconcile()
        index._updated = NOW - timedelta(hours=3)
        assert index.freshness(1, 0.4).behind_seconds == 0.4
        assert index.freshness(0, 0.4).behind_seconds == 0.0


def test_of_an_index_that_is_gone_nobody_says_that_its_vectors_are_complete(tmp_path: Path) -> None:
    index = open_index(tmp_path, notes(), FakeEmbedder(16))
    index.reconcile()
    assert index.freshness(0).vectors_pending == 0
    index.close()
    assert index.freshness(0).vectors_pending is None


def test_a_fingerprint_covers_zone_and_chunking() -> None:
    one = schema.fingerprint({"max_chunk_size": 500}, "Europe/Vienna")
    assert one != schema.fingerprint({"max_chunk_size": 400}, "Europe/Vienna")
    assert one != schema.fingerprint({"max_chunk_size": 500}, "UTC")


def test_threads_may_ask_while_documents_change(tmp_path: Path) -> None:
    found, embedder = notes(), FakeEmbedder()
    with contextlib.closing(open_index(tmp_path, found, embedder)) as index:
        index.reconcile()
        done = threading.Event()
        problems: list[object] = []

        def questions() -> None:
            while not done.is_set():
                answer = ask(index, "where is the boiler", embedder)
                if answer.degraded or answer.hits[0].path != "context/house.md":
                    problems.append(answer)

        threads = [threading.Thread(target=questions) for _ in range(3)]
        for thread in threads:
            thread.start()
        for number in range(40):
            found["memory/2026-03-03.md"] = DAY + FACT + f"- W @Bo: Has {number} hats.\n"
            index.update(["memory/2026-03-03.md"])
        index.rebuild()
        done.set()
        for thread in threads:
            thread.join()
    assert problems == []
    assert not (tmp_path / "rebuild").exists()


def test_a_conflicted_document_keeps_its_last_good_version(tmp_path: Path) -> None:
    notes = Notes({"memory/2026-06-10.md": "## Retain\n- W: Deploy on Sunday\n"})
    sides = "<<<<<<< HEAD\n- W: Deploy on Monday\n=======\n- W: Deploy on Tuesday\n>>>>>>> b\n"
    with contextlib.closing(open_index(tmp_path, notes)) as index:
        index.update(["memory/2026-06-10.md"])
        notes["memory/2026-06-10.md"] = f"## Retain\n{sides}"
        report = index.update(["memory/2026-06-10.md"])
        assert "conflict" in report.failed["memory/2026-06-10.md"]
        assert [hit.content for hit in ask(index, "deploy").hits] == ["Deploy on Sunday"]
        notes["memory/2026-06-10.md"] = "## Retain\n- W: Deploy on Tuesday\n"
        index.update(["memory/2026-06-10.md"])
        assert [hit.content for hit in ask(index, "deploy").hits] == ["Deploy on Tuesday"]


# -- looking after itself --------------------------------------------------------------------


def test_a_rebuild_takes_over_the_vectors_of_texts_that_did_not_change(tmp_path: Path) -> None:
    found, embedder = notes(), FakeEmbedder()
    with contextlib.closing(open_index(tmp_path, found, embedder)) as index:
        index.reconcile()
        before = dump(index)
        embedder.embedded.clear()
        index.rebuild()
        assert embedder.embedded == []  # with a configuration: tests/test_cases_vectors.py
        assert dump(index) == before
        found["new.md"] = "A numbat came by\n"
        index.rebuild()
        assert len(embedder.embedded) == 1


def test_words_that_are_damaged_in_the_file_are_found_by_a_look_that_verifies(
    tmp_path: Path,
) -> None:
    found = Notes({f"{n}.md": f"Note {n} about wombats and rivers\n" for n in range(200)})
    with contextlib.closing(open_index(tmp_path, found)) as index:
        index.reconcile()
        with index._require().writing() as connection:
            connection.execute(
                "UPDATE words_data SET block = zeroblob(length(block)) WHERE id > 10"
            )
        assert index.reconcile(verify=True).renewed
        assert len(contents(index, "wombats")) > 0
        assert not index.reconcile(verify=True).renewed


def test_the_words_are_checked_once_a_day(tmp_path: Path) -> None:
    found = Notes({f"{n}.md": f"Note {n} about wombats and rivers\n" for n in range(200)})
    with contextlib.closing(open_index(tmp_path, found)) as index:
        index.reconcile()
        checked = index.status()["words_checked"]
        with index._require().writing() as connection:
            connection.execute(
                "UPDATE words_data SET block = zeroblob(length(block)) WHERE id > 10"
            )
        assert not index.reconcile().renewed
        assert index.status()["words_checked"] == checked
        with index._require().writing() as connection:
            schema.write_meta(connection, "words_checked", "2026-01-02T03:04:05+00:00")
        assert index.reconcile().renewed
        assert len(contents(index, "wombats")) > 0
        assert index.status()["words_checked"] >= checked


def test_status_waits_for_no_model(tmp_path: Path) -> None:
    class Lazy(FakeEmbedder):
        """Tells what it is only once it is loaded, and loads for as long as one waits."""

        def status(self) -> dict[str, object]:
            return {"state": "loading", "model_id": "lazy", "dimension": None}

        def __getattribute__(self, name: str) -> object:
            if name in ("model_id", "dimension"):
                raise AssertionError("status may not ask for this")
            return super().__getattribute__(name)

    embedder = FakeEmbedder()
    with contextlib.closing(open_index(tmp_path, notes(), embedder)) as index:
        embedder.__class__ = Lazy
        status = index.status()
        assert (status["embedder"], status["dimension"]) == ("lazy", None)
        embedder.__class__ = FakeEmbedder


def test_status_is_told_while_the_file_cannot_say_which_embedder_serves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def locked() -> dict[str, object]:
        raise IndexUnavailable("the index is locked")

    with contextlib.closing(open_index(tmp_path, notes(), FakeEmbedder())) as index:
        index.reconcile()
        whole = index.status()
        monkeypatch.setattr(index._backfill, "status", locked)
        status = index.status()
        assert status.keys() >= whole.keys()
        assert (status["embedder"], status["documents"]) == (None, 3)


def test_tidying_goes_step_by_step_and_changes_no_answer(tmp_path: Path) -> None:
    found = notes()
    with contextlib.closing(open_index(tmp_path, found)) as index:
        index.reconcile()
        for number in range(60):
            found["context/house.md"] = f"# House\n\nThe boiler was seen {number} times\n"
            index.update(["context/house.md"])
        before = contents(index, "boiler")
        steps = 0
        while index.tidy():
            steps += 1
            assert steps < 100
        assert contents(index, "boiler") == before == [found["context/house.md"].strip()]


def test_a_file_that_was_closed_well_is_checked_later_and_one_that_was_not_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checks: list[str] = []
    sound = schema.is_sound

    def noted(connection: apsw.Connection) -> bool:
        checks.append("checked")
        return sound(connection)

    monkeypatch.setattr(schema, "is_sound", noted)
    found = notes()
    with contextlib.closing(open_index(tmp_path, found)) as index:
        index.reconcile()
    checks.clear()
    index = open_index(tmp_path, found)
    assert checks == []
    index.reconcile()
    index.reconcile()
    assert checks == ["checked"]
    index._require()._writer.close(True)  # as after a kill: nothing is marked
    checks.clear()
    with contextlib.closing(open_index(tmp_path, found)) as index:
        assert checks == ["checked"]
        index.reconcile()
        assert checks == ["checked"]
