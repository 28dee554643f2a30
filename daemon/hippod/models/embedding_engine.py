"""One loaded GGUF that turns texts into vectors. Runs inside the worker child only."""

import llama_cpp
import numpy as np

from hippod.models import Vectors
from hippod.models.library import EngineError, Model

_POOLINGS = {
    "mean": llama_cpp.LLAMA_POOLING_TYPE_MEAN,
    "cls": llama_cpp.LLAMA_POOLING_TYPE_CLS,
    "last": llama_cpp.LLAMA_POOLING_TYPE_LAST,
}
_RANK = llama_cpp.LLAMA_POOLING_TYPE_RANK
_MOST_CONTEXT = 2048
"""Tokens of a text that are read at most: far over any chunk."""
_CHARACTERS_PER_TOKEN = 16
"""What lies beyond so many characters per token of the context is not even tokenized."""


class EmbeddingEngine:
    """A model with one context; each text is evaluated alone, cut to what the model can read.

    Not thread-safe. `evaluated` counts tokens since loading; nothing is ever generated.
    """

    generated = 0

    def __init__(self, path: str, pooling: str, threads: int) -> None:
        """Load the model; `pooling` is mean, cls, last, or empty for what its metadata says.

        Raises `EngineError`: "load", or "pooling" where the model makes no vectors of texts.
        """
        self.evaluated = 0
        self._model = Model(path)
        self.architecture = self._model.value("general.architecture")
        self.pooling = pooling or self._own_pooling()
        trained = llama_cpp.llama_model_n_ctx_train(self._model.handle)
        self._most = min(trained or _MOST_CONTEXT, _MOST_CONTEXT)
        self._context = self._open_context(threads)
        self._memory = llama_cpp.llama_get_memory(self._context)
        self._batch = llama_cpp.llama_batch_init(self._most, 0, 1)
        encodes = llama_cpp.llama_model_has_encoder(self._model.handle)
        self._run = llama_cpp.llama_encode if encodes else llama_cpp.llama_decode
        self._end = llama_cpp.llama_vocab_eos(self._model.vocabulary)
        self._ends = {self._end, llama_cpp.llama_vocab_sep(self._model.vocabulary)}
        self.dimension: int = llama_cpp.llama_model_n_embd_out(self._model.handle)

    def describe(self) -> dict[str, object]:
        """Return what decides how the model wants to be asked."""
        return {
            "architecture": self.architecture,
            "name": self._model.value("general.name"),
            "basename": self._model.value("general.basename"),
            "pooling": self.pooling,
            "dimension": self.dimension,
            "context": self._most,
        }

    def embed(self, text: str) -> Vectors:
        """Return the L2-normalised vector of a text; it may hold what is not finite."""
        tokens = self._fitting(text)
        if not tokens:
            return np.zeros(self.dimension, dtype=np.float32)
        self._evaluate(tokens)
        pointer = llama_cpp.llama_get_embeddings_seq(self._context, 0)
        if not pointer:
            raise EngineError("pooling", "the model gives no vector of a whole text")
        vector: Vectors = np.ctypeslib.as_array(pointer, (self.dimension,)).copy()
        length = float(np.linalg.norm(vector))
        return vector / np.float32(length) if length else vector

    def _fitting(self, text: str) -> list[int]:
        """Return the tokens of a text with those around it, the text cut if it is too long."""
        most = self._most
        tokens = self._model.tokens(text[: most * _CHARACTERS_PER_TOKEN], framed=True)
        if self.pooling == "last" and tokens[-1:] != [self._end]:
            tokens.append(self._end)  # such models were trained to sum up there
        if len(tokens) <= most:
            return tokens
        closed = tokens[-1] in self._ends
        return [*tokens[: most - 1], tokens[-1]] if closed else tokens[:most]

    def _evaluate(self, tokens: list[int]) -> None:
        if self._memory:
            llama_cpp.llama_memory_clear(self._memory, True)
        batch = self._batch
        batch.n_tokens = len(tokens)
        for place, token in enumerate(tokens):
            batch.token[place] = token
            batch.pos[place] = place
            batch.n_seq_id[place] = 1
            batch.seq_id[place][0] = 0
            batch.logits[place] = True
        status = self._run(self._context, batch)
        if status != 0:
            raise EngineError("decode", f"llama.cpp returned {status}")
        self.evaluated += len(tokens)

    def _own_pooling(self) -> str:
        """Return how the file says that its vectors are pooled."""
        value = self._model.value(f"{self.architecture}.pooling_type")
        if value == str(_RANK):
            raise EngineError("pooling", "it is a reranker, which makes no vectors of texts")
        for name, number in _POOLINGS.items():
            if value == str(number):
                return name
        raise EngineError(
            "pooling",
            "it is no embedding model: its metadata tells no pooling of vectors "
            "(embedder.pooling = 'mean', 'cls' or 'last' uses it all the same)",
        )

    def _open_context(self, threads: int) -> object:
        parameters = llama_cpp.llama_context_default_params()
        parameters.n_ctx = parameters.n_batch = parameters.n_ubatch = self._most
        parameters.n_seq_max = 1
        parameters.n_threads = parameters.n_threads_batch = threads
        parameters.embeddings = True
        parameters.pooling_type = _POOLINGS[self.pooling]
        opened = llama_cpp.llama_init_from_model(self._model.handle, parameters)
        if not opened:
            raise EngineError("load", self._model.last_complaint("no context could be opened"))
        return opened
