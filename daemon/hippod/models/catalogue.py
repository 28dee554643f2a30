"""The local models that hippod knows by name: where each lies on the hub, and what it needs.

Each is pinned to one revision and to the sha256 of its bytes, so a name always means the same
file. A name says nothing about what a model may do here: its self-test decides that.
"""

from dataclasses import dataclass

EMBEDDED_BYTES = 98_362_432
EMBEDDED_LICENCE = "Apache-2.0"
EMBEDDED_QUANTISATION = "Q4_1"

_RUNTIME_BYTES = 300_000_000
_SHARE_OF_FILE = 1.15


@dataclass(frozen=True, slots=True)
class CataloguedModel:
    """A GGUF file on the hub under a short name."""

    name: str
    repo: str
    file: str
    revision: str
    sha256: str
    size: int
    """Bytes."""
    quantisation: str
    licence: str


CATALOGUE = (
    CataloguedModel(
        name="qwen2.5-0.5b",
        repo="Qwen/Qwen2.5-0.5B-Instruct-GGUF",
        file="qwen2.5-0.5b-instruct-q4_k_m.gguf",
        revision="9217f5db79a29953eb74d5343926648285ec7e67",
        sha256="74a4da8c9fdbcd15bd1f6d01d621410d31c6fc00986f5eb687824e7b93d7a9db",
        size=491_400_032,
        quantisation="Q4_K_M",
        licence="Apache-2.0",
    ),
    CataloguedModel(
        name="qwen3-0.6b",
        repo="Qwen/Qwen3-0.6B-GGUF",
        file="Qwen3-0.6B-Q8_0.gguf",
        revision="23749fefcc72300e3a2ad315e1317431b06b590a",
        sha256="9465e63a22add5354d9bb4b99e90117043c7124007664907259bd16d043bb031",
        size=639_446_688,
        quantisation="Q8_0",
        licence="Apache-2.0",
    ),
    CataloguedModel(
        name="gemma-3-1b",
        repo="ggml-org/gemma-3-1b-it-GGUF",
        file="gemma-3-1b-it-Q4_K_M.gguf",
        revision="f9c28bcd85737ffc5aef028638d3341d49869c27",
        sha256="8ccc5cd1f1b3602548715ae25a66ed73fd5dc68a210412eea643eb20eb75a135",
        size=806_058_240,
        quantisation="Q4_K_M",
        licence="Gemma terms",
    ),
    CataloguedModel(
        name="qwen3-1.7b",
        repo="Qwen/Qwen3-1.7B-GGUF",
        file="Qwen3-1.7B-Q8_0.gguf",
        revision="90862c4b9d2787eaed51d12237eafdfe7c5f6077",
        sha256="061b54daade076b5d3362dac252678d17da8c68f07560be70818cace6590cb1a",
        size=1_834_426_016,
        quantisation="Q8_0",
        licence="Apache-2.0",
    ),
    CataloguedModel(
        name="llama-3.2-3b",
        repo="bartowski/Llama-3.2-3B-Instruct-GGUF",
        file="Llama-3.2-3B-Instruct-Q4_K_M.gguf",
        revision="5ab33fa94d1d04e903623ae72c95d1696f09f9e8",
        sha256="6c1a2b41161032677be168d354123594c0e6e67d2b9227c84f296ad037c728ff",
        size=2_019_377_696,
        quantisation="Q4_K_M",
        licence="Llama 3.2",
    ),
    CataloguedModel(
        name="gemma-3-4b",
        repo="ggml-org/gemma-3-4b-it-GGUF",
        file="gemma-3-4b-it-Q4_K_M.gguf",
        revision="d0976223747697cb51e056d85c532013931fe52e",
        sha256="882e8d2db44dc554fb0ea5077cb7e4bc49e7342a1f0da57901c0802ea21a0863",
        size=2_489_757_856,
        quantisation="Q4_K_M",
        licence="Gemma terms",
    ),
    CataloguedModel(
        name="phi-4-mini",
        repo="unsloth/Phi-4-mini-instruct-GGUF",
        file="Phi-4-mini-instruct-Q4_K_M.gguf",
        revision="78eb92a46fc37e6b524df991ed9aca9bc6aa7b80",
        sha256="88c00229914083cd112853aab84ed51b87bdf6b9ce42f532d8c85c7c63b1730a",
        size=2_491_874_272,
        quantisation="Q4_K_M",
        licence="MIT",
    ),
    CataloguedModel(
        name="qwen3-4b",
        repo="unsloth/Qwen3-4B-Instruct-2507-GGUF",
        file="Qwen3-4B-Instruct-2507-Q4_K_M.gguf",
        revision="a06e946bb6b655725eafa393f4a9745d460374c9",
        sha256="3605803b982cb64aead44f6c1b2ae36e3acdb41d8e46c8a94c6533bc4c67e597",
        size=2_497_281_120,
        quantisation="Q4_K_M",
        licence="Apache-2.0",
    ),
)
"""By size. Of Qwen3 0.6B and 1.7B the publisher itself offers Q8_0 alone."""


def catalogued(name: str) -> CataloguedModel | None:
    """Return the model of that name, whatever the case of its letters."""
    return next((model for model in CATALOGUE if model.name == name.lower()), None)


def memory_needed(size: int) -> int:
    """Estimate the bytes of memory that a GGUF of `size` bytes takes at the default context."""
    return int(size * _SHARE_OF_FILE) + _RUNTIME_BYTES
