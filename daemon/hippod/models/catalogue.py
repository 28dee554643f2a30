"""The local models that hippod knows by name: where each lies on the hub, and what it needs.

Each is pinned to one revision and to the sha256 of its bytes, so a name always means the same
file. A name says nothing about what a generator may do here: its self-test decides that; and
how well an embedder finds has not been measured here.
"""

from dataclasses import dataclass
from typing import Literal

EMBEDDED_BYTES = 98_362_432
EMBEDDED_LICENCE = "Apache-2.0"
EMBEDDED_QUANTISATION = "Q4_1"

_RUNTIME_BYTES = 300_000_000
_SHARE_OF_FILE = 1.15

Role = Literal["generator", "embedder"]


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
    role: Role = "generator"


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
    CataloguedModel(
        name="bge-small-en-v1.5",
        repo="CompendiumLabs/bge-small-en-v1.5-gguf",
        file="bge-small-en-v1.5-q8_0.gguf",
        revision="d32f8c040ea3b516330eeb75b72bcc2d3a780ab7",
        sha256="ec38e8da142596baa913124ae50550de284b6916bf59577ef2f0cb9660c2f514",
        size=36_806_944,
        quantisation="Q8_0",
        licence="MIT",
        role="embedder",
    ),
    CataloguedModel(
        name="nomic-embed-text-v1.5",
        repo="nomic-ai/nomic-embed-text-v1.5-GGUF",
        file="nomic-embed-text-v1.5.Q8_0.gguf",
        revision="0188c9bf409793f810680a5a431e7b899c46104c",
        sha256="3e24342164b3d94991ba9692fdc0dd08e3fd7362e0aacc396a9a5c54a544c3b7",
        size=146_146_432,
        quantisation="Q8_0",
        licence="Apache-2.0",
        role="embedder",
    ),
    CataloguedModel(
        name="embeddinggemma-300m",
        repo="ggml-org/embeddinggemma-300M-GGUF",
        file="embeddinggemma-300M-Q8_0.gguf",
        revision="0f741b5a6585bd53aeb15cd1372c56f2a0f65e12",
        sha256="b5ce9d77a3fc4b3b39ccb5643c36777911cc4eb46a66962eadfa3f5f60490d63",
        size=333_590_944,
        quantisation="Q8_0",
        licence="Gemma terms",
        role="embedder",
    ),
    CataloguedModel(
        name="qwen3-embedding-0.6b",
        repo="Qwen/Qwen3-Embedding-0.6B-GGUF",
        file="Qwen3-Embedding-0.6B-Q8_0.gguf",
        revision="370f27d7550e0def9b39c1f16d3fbaa13aa67728",
        sha256="06507c7b42688469c4e7298b0a1e16deff06caf291cf0a5b278c308249c3e439",
        size=639_150_592,
        quantisation="Q8_0",
        licence="Apache-2.0",
        role="embedder",
    ),
)
"""By role, then by size. Of Qwen3 0.6B and 1.7B the publisher itself offers Q8_0 alone."""


def catalogued(name: str) -> CataloguedModel | None:
    """Return the model of that name, whatever the case of its letters."""
    return next((model for model in CATALOGUE if model.name == name.lower()), None)


def memory_needed(size: int) -> int:
    """Estimate the bytes of memory that a GGUF of `size` bytes takes at the default context."""
    return int(size * _SHARE_OF_FILE) + _RUNTIME_BYTES
