"""One loaded GGUF: labels' probabilities, greedy text under a grammar, and deadlines.

Runs inside the worker child only.
"""

import ctypes
import math
import time
from collections.abc import Iterator, Sequence

import llama_cpp

from hippod.models import Grammar
from hippod.models.chat import Frame, frame
from hippod.models.grammars import GRAMMARS
from hippod.models.library import EngineError, Model

_BYTES_PER_TOKEN = 64
"""More bytes than this per token of context cannot fit: refused without tokenizing."""
_TAIL = 40
_PIECE = 512
_ABORTED = 2
_CHOOSING, _WRITING = 0, 1
"""Sequences of the context: each keeps its own prefix, so that neither call evicts the other's."""


class Engine:
    """A model with one live context; prompts that share a prefix evaluate it once.

    `choose` and `complete` keep a prefix each, as long as the context holds both.
    The same prompt gets the same answer, whatever was asked before it.
    Not thread-safe: llama.cpp crashes when two threads use one context. `evaluated`
    (prompt tokens) and `generated` count since loading. Text never becomes a special token.
    """

    def __init__(self, path: str, context: int, batch: int, threads: int) -> None:
        """Load the model; raises `EngineError("load")` with llama.cpp's own reason."""
        self.evaluated = 0
        self.generated = 0
        self._deadline = math.inf
        self._batch = min(batch, context)
        self._held: dict[int, list[int]] = {_CHOOSING: [], _WRITING: []}
        self._frames: dict[bool, Frame] = {}
        self._labels: tuple[tuple[str, tuple[str, ...]], list[int]] | None = None
        # A ctypes callback must outlive the context that calls it.
        self._abort = llama_cpp.ggml_abort_callback(self._overdue)
        self._file = Model(path)
        self._model = self._file.handle
        self._vocab = self._file.vocabulary
        self._context = self._open_context(context, threads)
        self._memory = llama_cpp.llama_get_memory(self._context)
        self._buffer = llama_cpp.llama_batch_init(self._batch, 0, 1)
        self.n_context: int = llama_cpp.llama_n_ctx(self._context)

    def choose(
        self, prompts: Sequence[str], labels: Sequence[str], timeout: float
    ) -> list[list[float]]:
        """Return a row of log-probabilities per prompt, normalised over the labels.

        A label continues the prompt after a space (none when the prompt ends in white space)
        and is told by its first token. `timeout` is in seconds for each prompt.
        """
        return [self._weigh(prompt, labels, timeout) for prompt in prompts]

    def complete(
        self, system: str, prompt: str, grammar: Grammar, max_tokens: int, timeout: float
    ) -> tuple[str, str]:
        """Return the greedy answer and why it ended: `stop` or `length`.

        Both texts go through the model's chat template, if it has one. `timeout` is in seconds,
        for prompt and answer together; what was written by then is returned as `length`.
        """
        self._start_clock(timeout)
        tokens = self._chat_tokens(system, prompt)
        room = min(max_tokens, self.n_context - len(tokens))
        self._make_room(_WRITING, len(tokens) + room)
        self._evaluate(tokens, _WRITING)
        written: list[int] = []
        try:
            for token in self._greedy(grammar, room):
                written.append(token)
        except EngineError as error:
            if error.code != "timeout":
                raise
            room = len(written)
        finish = "length" if len(written) >= room else "stop"
        return self._text(written), finish

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return how many tokens each text has, without the start token."""
        return [len(self._tokens(text)) for text in texts]

    def _weigh(self, prompt: str, labels: Sequence[str], timeout: float) -> list[float]:
        self._start_clock(timeout)
        tokens = self._prompt_tokens(prompt)
        firsts = self._first_tokens(prompt, labels)
        self._make_room(_CHOOSING, len(tokens))
        self._evaluate(tokens, _CHOOSING)
        logits = llama_cpp.llama_get_logits_ith(self._context, -1)
        return _log_softmax([logits[first] for first in firsts])

    def _make_room(self, sequence: int, wanted: int) -> None:
        """Drop what the other sequence holds where the context is too small for both."""
        other = _WRITING if sequence == _CHOOSING else _CHOOSING
        if len(self._held[other]) + wanted > self.n_context:
            self._keep(other, 0)

    def _evaluate(self, tokens: list[int], sequence: int) -> None:
        """Bring a sequence to exactly `tokens`, reusing the prefix it already holds.

        Two tokens at least are evaluated together, always: a lone one takes another path
        through llama.cpp and the answer would depend on what was asked before.
        """
        shared = _shared_prefix(self._held[sequence], tokens)
        self._keep(sequence, max(0, min(shared, len(tokens) - 2)))
        for batch in _even_batches(tokens[len(self._held[sequence]) :], self._batch):
            self._decode(batch, sequence)
            self.evaluated += len(batch)

    def _keep(self, sequence: int, length: int) -> None:
        """Forget all but the first `length` tokens of a sequence."""
        if llama_cpp.llama_memory_seq_rm(self._memory, sequence, length, -1):
            del self._held[sequence][length:]
            return
        llama_cpp.llama_memory_clear(self._memory, True)  # recurrent models keep no prefix
        for held in self._held.values():
            held.clear()

    def _decode(self, tokens: list[int], sequence: int) -> None:
        held, buffer = self._held[sequence], self._buffer
        buffer.n_tokens = len(tokens)
        for place, token in enumerate(tokens):
            buffer.token[place] = token
            buffer.pos[place] = len(held) + place
            buffer.n_seq_id[place] = 1
            buffer.seq_id[place][0] = sequence
            buffer.logits[place] = place + 1 == len(tokens)
        status = llama_cpp.llama_decode(self._context, buffer)
        if status == _ABORTED:
            raise EngineError("timeout", "the deadline of a prompt passed")
        if status != 0:
            raise EngineError("decode", f"llama_decode returned {status}")
        held += tokens

    def _greedy(self, grammar: Grammar, room: int) -> Iterator[int]:
        """Yield at most `room` most likely tokens, up to the end of the text."""
        chain = self._sampler(grammar)
        try:
            for position in range(room):
                token = llama_cpp.llama_sampler_sample(chain, self._context, -1)
                if llama_cpp.llama_vocab_is_eog(self._vocab, token):
                    return
                self.generated += 1
                yield token
                if position + 1 < room:
                    self._decode([token], _WRITING)
        finally:
            llama_cpp.llama_sampler_free(chain)

    def _sampler(self, grammar: Grammar) -> object:
        rules = llama_cpp.llama_sampler_init_grammar(
            self._vocab, GRAMMARS[grammar].encode(), b"root"
        )
        if not rules:
            raise EngineError("grammar", f"llama.cpp refuses the grammar {grammar!r}")
        chain = llama_cpp.llama_sampler_chain_init(llama_cpp.llama_sampler_chain_default_params())
        llama_cpp.llama_sampler_chain_add(chain, rules)
        llama_cpp.llama_sampler_chain_add(chain, llama_cpp.llama_sampler_init_greedy())
        return chain

    def _prompt_tokens(self, prompt: str) -> list[int]:
        return self._fitting(prompt, self._start_token() + self._tokens(prompt))

    def _chat_tokens(self, system: str, prompt: str) -> list[int]:
        """Return start, template and texts; only the template's own words become control tokens."""
        around = self._frame(instructed=bool(system))
        tokens = self._start_token() + self._tokens(around.head, special=True)
        if system:
            tokens += self._tokens(system) + self._tokens(around.between, special=True)
        tokens += self._tokens(prompt) + self._tokens(around.tail, special=True)
        return self._fitting(prompt, tokens)

    def _fitting(self, prompt: str, tokens: list[int]) -> list[int]:
        if not prompt.strip():
            raise EngineError("bad_request", "the prompt is empty")
        if len(tokens) >= self.n_context:
            raise EngineError(
                "too_long", f"the prompt has {len(tokens)} tokens, the context {self.n_context}"
            )
        return tokens

    def _frame(self, *, instructed: bool) -> Frame:
        if instructed not in self._frames:
            template = llama_cpp.llama_model_chat_template(self._model, None)
            end = llama_cpp.llama_vocab_get_text(
                self._vocab, llama_cpp.llama_vocab_eos(self._vocab)
            )
            self._frames[instructed] = frame(
                template.decode("utf-8", "replace") if template else None,
                end.decode("utf-8", "replace") if end else "",
                instructed=instructed,
            )
        return self._frames[instructed]

    def _start_token(self) -> list[int]:
        wanted = llama_cpp.llama_vocab_get_add_bos(self._vocab)
        return [llama_cpp.llama_vocab_bos(self._vocab)] if wanted else []

    def _first_tokens(self, prompt: str, labels: Sequence[str]) -> list[int]:
        """Return each label's first token after `prompt`; only its last words matter."""
        tail = prompt.rpartition("\n")[2][-_TAIL:]
        key = (tail, tuple(labels))
        if self._labels is None or self._labels[0] != key:
            self._labels = (key, self._label_tokens(tail or "\n", labels))
        return self._labels[1]

    def _label_tokens(self, tail: str, labels: Sequence[str]) -> list[int]:
        joint = "" if tail[-1].isspace() else " "
        stem = self._tokens(tail)
        owners: dict[int, str] = {}
        for label in labels:
            whole = self._tokens(tail + joint + label)
            if not label.strip() or whole[: len(stem)] != stem or len(whole) == len(stem):
                raise EngineError("labels", f"the label {label!r} does not start with a new token")
            first = whole[len(stem)]
            if first in owners:
                raise EngineError(
                    "labels", f"the labels {owners[first]!r} and {label!r} start alike"
                )
            owners[first] = label
        return list(owners)

    def _tokens(self, text: str, *, special: bool = False) -> list[int]:
        raw = text.encode("utf-8", "replace")
        if len(raw) > self.n_context * _BYTES_PER_TOKEN:
            raise EngineError(
                "too_long", f"{len(raw)} bytes are too long for a context of {self.n_context}"
            )
        return self._file.tokens(text, special=special)

    def _text(self, tokens: Sequence[int]) -> str:
        return b"".join(map(self._piece, tokens)).decode("utf-8", "ignore")

    def _piece(self, token: int) -> bytes:
        buffer = ctypes.create_string_buffer(_PIECE)
        length = llama_cpp.llama_token_to_piece(self._vocab, token, buffer, _PIECE, 0, False)
        return buffer.raw[: max(length, 0)]

    def _open_context(self, context: int, threads: int) -> object:
        parameters = llama_cpp.llama_context_default_params()
        parameters.n_ctx = context
        parameters.n_batch = parameters.n_ubatch = self._batch
        parameters.n_seq_max = 2
        parameters.kv_unified = True  # both sequences share the cells: no memory for the second
        parameters.n_threads = parameters.n_threads_batch = threads
        # Flash attention makes answers depend on how a prompt was cut into batches.
        parameters.flash_attn_type = llama_cpp.LLAMA_FLASH_ATTN_TYPE_DISABLED
        parameters.abort_callback = self._abort
        opened = llama_cpp.llama_init_from_model(self._model, parameters)
        if not opened:
            raise EngineError("load", self._file.last_complaint("no context could be opened"))
        return opened

    def _start_clock(self, timeout: float) -> None:
        self._deadline = time.monotonic() + timeout

    def _overdue(self, _data: object) -> bool:
        return time.monotonic() > self._deadline


def _shared_prefix(held: Sequence[int], wanted: Sequence[int]) -> int:
    same = 0
    for one, other in zip(held, wanted, strict=False):
        if one != other:
            break
        same += 1
    return same


def _even_batches(tokens: list[int], most: int) -> Iterator[list[int]]:
    count = math.ceil(len(tokens) / most)
    size = math.ceil(len(tokens) / count)
    for start in range(0, len(tokens), size):
        yield tokens[start : start + size]


def _log_softmax(logits: Sequence[float]) -> list[float]:
    if not all(map(math.isfinite, logits)):
        raise EngineError("damaged", "the model answers with numbers that are not finite")
    top = max(logits)
    total = top + math.log(math.fsum(math.exp(logit - top) for logit in logits))
    return [logit - total for logit in logits]
