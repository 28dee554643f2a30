"""The built-in embedder: unit vectors, odd texts, and no way to the network."""

import json
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hippod.errors import ModelUnavailable
from hippod.models.wordllama import WordLlamaEmbedder

TEXTS = ["The stove was fixed on Monday.", "der Ofen", "ストーブ", "a" * 3000, "x", "🧠 brain"]


@pytest.fixture(scope="module")
def embedder() -> WordLlamaEmbedder:
    return WordLlamaEmbedder()


def test_rows_are_unit_vectors_of_the_stated_width(embedder: WordLlamaEmbedder) -> None:
    rows = embedder.embed_documents(TEXTS)
    assert rows.shape == (len(TEXTS), embedder.dimension) == (len(TEXTS), 256)
    assert rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1) == pytest.approx(1.0, abs=1e-5)


def test_related_texts_are_nearer(embedder: WordLlamaEmbedder) -> None:
    query = embedder.embed_query("repairing the oven")
    near, far = embedder.embed_documents(["The stove was fixed.", "She plays chess on Fridays."])
    assert query.shape == (256,)
    assert query @ near > query @ far + 0.1


def test_a_text_without_words_is_a_zero_row(embedder: WordLlamaEmbedder) -> None:
    rows = embedder.embed_documents(["", " \n\t", "pear"])
    assert not rows[:2].any()
    assert rows[2].any()
    assert embedder.embed_documents([]).shape == (0, 256)


@settings(max_examples=100, deadline=None)
@given(text=st.text(max_size=300) | st.text(st.characters(categories=["Cs", "Cc", "Cf"])))
def test_any_text_gives_a_unit_or_a_zero_vector(text: str) -> None:
    vector = EMBEDDER.embed_query(text)
    length = float(np.linalg.norm(vector))
    assert np.isfinite(vector).all()
    assert length == 0 or abs(length - 1) < 1e-4


EMBEDDER = WordLlamaEmbedder()


def test_a_huge_text_is_read_up_to_a_bound(embedder: WordLlamaEmbedder) -> None:
    start = "pear plum " * 2000
    assert np.array_equal(
        embedder.embed_query(start + "quince " * 500_000), embedder.embed_query(start)
    )


def test_threads_may_share_it(embedder: WordLlamaEmbedder) -> None:
    expected = embedder.embed_documents(TEXTS)
    agreed: list[bool] = []

    def check() -> None:
        agreed.extend(np.array_equal(embedder.embed_documents(TEXTS), expected) for _ in range(20))

    threads = [threading.Thread(target=check) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert agreed == [True] * 80


def test_it_agrees_with_the_library_it_takes_its_data_from(embedder: WordLlamaEmbedder) -> None:
    script = (
        "import json, pathlib, socket, sys\n"
        "def refuse(*_): raise OSError('no network here')\n"
        "socket.socket.connect = socket.getaddrinfo = refuse\n"
        "import wordllama\n"
        "folder = pathlib.Path(wordllama.__file__).parent\n"
        "model = wordllama.WordLlama.load(cache_dir=folder, disable_download=True)\n"
        "print(json.dumps(model.embed(json.loads(sys.argv[1]), norm=True).tolist()))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, json.dumps(TEXTS)], capture_output=True, check=True
    )
    theirs = np.array(json.loads(done.stdout))
    assert np.abs(embedder.embed_documents(TEXTS) - theirs).max() < 1e-5


def test_it_loads_no_network_client_and_leaves_logging_alone() -> None:
    script = (
        "import logging, sys\n"
        "from hippod.models.wordllama import WordLlamaEmbedder\n"
        "WordLlamaEmbedder().embed_query('pear')\n"
        "loaded = {'requests', 'urllib3', 'http.client', 'wordllama'} & set(sys.modules)\n"
        "sys.exit(f'{loaded} {logging.root.handlers}' if loaded or logging.root.handlers else 0)\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_the_model_id_follows_the_files(tmp_path: Path, embedder: WordLlamaEmbedder) -> None:
    copy = _copied_package(tmp_path)
    assert WordLlamaEmbedder(copy).model_id == embedder.model_id
    tokenizer = copy / "tokenizers" / "l2_supercat_tokenizer_config.json"
    tokenizer.write_text(tokenizer.read_text() + "\n")
    assert WordLlamaEmbedder(copy).model_id != embedder.model_id


@pytest.mark.parametrize("damage", ["missing", "truncated", "tokenizer", "empty"])
def test_damaged_files_are_named(tmp_path: Path, damage: str) -> None:
    copy = _copied_package(tmp_path)
    weights = copy / "weights" / "l2_supercat_256.safetensors"
    tokenizer = copy / "tokenizers" / "l2_supercat_tokenizer_config.json"
    match damage:
        case "missing":
            weights.unlink()
        case "truncated":
            weights.write_bytes(weights.read_bytes()[:100_000])
        case "tokenizer":
            tokenizer.write_text("{")
        case "empty":
            weights.write_bytes(b"")
    with pytest.raises(ModelUnavailable, match=tokenizer.name if damage == "tokenizer" else "256"):
        WordLlamaEmbedder(copy)


def _copied_package(folder: Path) -> Path:
    import importlib.util

    spec = importlib.util.find_spec("wordllama")
    assert spec is not None
    assert spec.submodule_search_locations
    home = Path(spec.submodule_search_locations[0])
    for name in ("weights", "tokenizers"):
        shutil.copytree(home / name, folder / name)
    return folder
