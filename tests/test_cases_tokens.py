"""Replays of field cases of tokenisation and ranking, through the index and the real recall."""

import contextlib
import threading
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from hippod.index import Index
from tests.documents import Notes, ask, open_index
from tests.fakes import FakeEmbedder

LINES = {
    "chinese": "前天和小周讨论了服务器扩容方案",
    "japanese": "今朝は機械学習の論文を読んだ",
    "korean": "오늘 계약서를 다시 검토했다",
    "mixed": "昨夜把queue-drain改成15分钟一次",
    "thai": "เมื่อวานประชุมฝ่ายขายเรื่องราคาใหม่",
    "lao": "ມື້ນີ້ກອງປະຊຸມຢູ່ຫ້ອງການ",
    "khmer": "ថ្ងៃនេះមានប្រជុំនៅការិយាល័យ",
    "vietnamese nfc": unicodedata.normalize("NFC", "lịch khám răng thứ năm"),
    "vietnamese nfd": unicodedata.normalize("NFD", "hẹn khám răng của Hạnh"),
    "arabic": "موعد الاجتماع مع إلهام في المدرسة",
    "hebrew": "הפגישה עם נועה ביום שלישי",
    "folded": "Besuch in Zürich: ﬁnally, KÖNIGSTRASSE 9",
    "german": "Das Gartenhaus braucht im Mai neue Fenster",
    "speech": "Ported the solver from C++ to C#, the rest runs on .NET",
    "guard": "the guard around handleRetry swallowed the error",
    "error": "E_LINK_0x80070017 came up twice in the log",
    "version": "rolled out 4.12.7 to the second host",
    "path": "snapshots lie in /var/lib/harbor/snap.d and are kept for a week",
    "command": "`git rebase -i --autosquash` lost the fixup",
    "hash": "bisected to commit 7d1e9fa this morning",
    "mail": "write to noor@harbor.example about the invoice",
    "lamps": "Bought two lamps for the hallway",
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    notes = Notes({f"notes/{name}.md": f"{line}\n" for name, line in LINES.items()})
    folder: Path = tmp_path_factory.mktemp("index")
    with contextlib.closing(open_index(folder, notes)) as made:
        made.reconcile()
        yield made


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("服务器", "chinese"),
        ("扩容", "chinese"),
        ("機械学習", "japanese"),
        ("論文", "japanese"),
        ("계약서", "korean"),
        ("queue", "mixed"),
        ("drain", "mixed"),
        ("queue-drain", "mixed"),
        ("15", "mixed"),
        ("ประชุม", "thai"),
        ("ราคา", "thai"),
        ("ກອງປະຊຸມ", "lao"),
        ("ប្រជុំ", "khmer"),
        ("lich kham", "vietnamese nfc"),
        (unicodedata.normalize("NFD", "lịch khám"), "vietnamese nfc"),
        (unicodedata.normalize("NFC", "hẹn Hạnh"), "vietnamese nfd"),
        ("Hanh", "vietnamese nfd"),
        ("الهام", "arabic"),
        ("إلهـــام", "arabic"),
        ("اجتماع", "arabic"),
        ("والمدرسة", "arabic"),
        ("נועה", "hebrew"),
        ("נוֹעָה", "hebrew"),
        ("zurich", "folded"),
        ("Zuerich", "folded"),
        ("Königstraße", "folded"),
        ("koenigstrasse", "folded"),
        ("finally", "folded"),
        ("Garten", "german"),
        ("Gartenhäuser Fenster", "german"),
        ("c++", "speech"),
        ("C#", "speech"),
        ("csharp", "speech"),
        (".NET", "speech"),
        ("dotnet", "speech"),
        ("handleRetry", "guard"),
        ("handle retry", "guard"),
        ("handle_retry", "guard"),
        ("E_LINK_0x80070017", "error"),
        ("0x80070017", "error"),
        ("v4.12.7", "version"),
        ("4.12", "version"),
        ("/var/lib/harbor/snap.d", "path"),
        ("snap.d", "path"),
        ("git rebase -i", "command"),
        ("7d1e9fa", "hash"),
        ("noor@harbor.example", "mail"),
        ("what did we buy", "lamps"),
    ],
)
def test_words_alone_find_it_first(index: Index, query: str, name: str) -> None:
    hits = ask(index, query, mode="lexical").hits
    assert hits
    assert hits[0].content == LINES[name]


@pytest.mark.parametrize("query", ["据服", "ラー", "돋보기", "walk", "handleless", "5.13.8", "cat"])
def test_what_is_not_there_is_not_found(index: Index, query: str) -> None:
    assert ask(index, query, mode="lexical").hits == ()


def test_umlauts_and_their_spelling_with_e_find_each_other(tmp_path: Path) -> None:
    notes = Notes({"a.md": "Herr Müller kommt\n", "b.md": "Frau Mueller geht\n"})
    with contextlib.closing(open_index(tmp_path, notes)) as index:
        index.reconcile()
        for query in ("Müller", "Mueller", unicodedata.normalize("NFD", "Müller")):
            assert len(ask(index, query, mode="lexical").hits) == 2, query


def test_languages_with_a_letter_for_a_name_are_told_apart(tmp_path: Path) -> None:
    notes = Notes(
        {
            "a.md": "The client is written in C\n",
            "b.md": "The client is written in C++\n",
            "c.md": "The client is written in C#\n",
        }
    )
    with contextlib.closing(open_index(tmp_path, notes)) as index:
        index.reconcile()
        assert ask(index, "client in C++", mode="lexical").hits[0].path == "b.md"
        assert ask(index, "client in C#", mode="lexical").hits[0].path == "c.md"


def test_an_exact_text_is_first_and_kept_and_nonsense_is_low(tmp_path: Path) -> None:
    """Thresholds look at the evidence of a leg: fused scores are near 1 for anything."""
    embedder = FakeEmbedder(256)
    facts = [f"- W : Shelf {n} holds crate {n * 7} of the archive" for n in range(500)]
    notes = Notes(
        {
            f"memory/2026-01-{1 + part:02}.md": "## Retain\n" + "\n".join(facts[part::20]) + "\n"
            for part in range(20)
        }
    )
    with contextlib.closing(open_index(tmp_path, notes, embedder)) as index:
        index.reconcile()
        wanted = "Shelf 123 holds crate 861 of the archive"
        for fusion in ("zscore", "rrf"):
            hits = ask(index, wanted, embedder, min_score=0.5, fusion=fusion).hits
            assert hits[0].content == wanted
            assert max(hits[0].bm25_score or 0, hits[0].vector_score or 0) > 0.9
        nonsense = ask(index, "zqxv wmplk", embedder).hits
        assert all(max(h.bm25_score or 0, h.vector_score or 0) < 0.5 for h in nonsense)
        assert ask(index, "zqxv wmplk", embedder, min_score=0.5).hits == ()


def test_ties_come_in_the_same_order_every_time_and_from_every_thread(tmp_path: Path) -> None:
    embedder = FakeEmbedder(64)
    notes = Notes(
        {f"notes/{n:02}.md": f"Row {n} of the very same garden plan\n" for n in range(20)}
    )
    with contextlib.closing(open_index(tmp_path, notes, embedder)) as index:
        index.reconcile()
        for fields in ({}, {"mode": "lexical"}, {"mode": "vector"}):
            found: list[tuple[str, ...]] = []

            def look(into: list[tuple[str, ...]] = found, asked: dict[str, str] = fields) -> None:
                for _ in range(10):
                    answer = ask(index, "same garden plan", embedder, limit=20, **asked)
                    into.append(tuple(hit.id for hit in answer.hits))

            threads = [threading.Thread(target=look) for _ in range(5)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert len(found) == 50
            assert len(set(found)) == 1
            assert len(set(found[0])) == len(found[0])


def test_the_first_five_are_the_first_five_of_twenty(tmp_path: Path) -> None:
    embedder = FakeEmbedder(64)
    notes = Notes(
        {
            f"notes/{file}.md": "\n\n".join(
                f"# Part {part}\n\nThe ferry of line {part * file % 7} leaves pier {part}."
                for part in range(8)
            )
            for file in range(9)
        }
    )
    with contextlib.closing(open_index(tmp_path, notes, embedder)) as index:
        index.reconcile()
        for query in ("ferry pier 3", "line 5 leaves", "part 2"):
            twenty = [hit.id for hit in ask(index, query, embedder, limit=20).hits]
            for limit in (1, 3, 5, 10):
                assert [hit.id for hit in ask(index, query, embedder, limit=limit).hits] == twenty[
                    :limit
                ]


class Listening(FakeEmbedder):
    """Remembers what questions it was given."""

    def __init__(self) -> None:
        super().__init__(64)
        self.heard: list[str] = []

    def embed_query(self, text: str) -> np.ndarray:  # type: ignore[override]
        self.heard.append(text)
        return super().embed_query(text)


def test_words_that_most_units_have_do_not_turn_the_vector(tmp_path: Path) -> None:
    names = ("Ana", "Ben")
    notes = Notes(
        {
            f"notes/{n}.md": f"**{names[n % 2]}**: Hello {names[1 - n % 2]}, story number {n}\n"
            for n in range(30)
        }
    )
    embedder = Listening()
    with contextlib.closing(open_index(tmp_path, notes, embedder)) as index:
        index.reconcile()
        ask(index, "Which story did Ana's brother tell Ben?", embedder)
        ask(index, "Ana and Ben", embedder)
        ask(index, "Who is Ana?", embedder)
    assert "Ana" not in embedder.heard[0]
    assert "brother tell" in embedder.heard[0]
    assert embedder.heard[1:] == ["Ana and Ben", "Who is Ana?"]


def test_what_a_group_cannot_see_does_not_say_which_words_are_common(tmp_path: Path) -> None:
    seen = {f"projects/{n}.md": f"The kiln fires batch {n}\n" for n in range(25)}
    hidden = {f"memory/2026-01-{n:02}.md": f"Ana called, note {n}\n" for n in range(1, 31)}
    embedder = Listening()
    with contextlib.closing(open_index(tmp_path, Notes({**seen, **hidden}), embedder)) as index:
        index.reconcile()
        ask(index, "Did Ana empty the kiln?", embedder, scope="main")
        ask(index, "Did Ana empty the kiln?", embedder, scope="group")
    assert embedder.heard == ["Did  empty the kiln?", "Did Ana empty the ?"]
