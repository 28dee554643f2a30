"""The little of llama.cpp that every kind of model needs. Runs inside the worker child only.

It speaks llama.cpp's own functions: the `Llama` class can neither set an abort callback nor
leave out buffers that are broken on some processors.
"""

import ctypes
import os
from collections import deque

import llama_cpp

_ERROR_LEVEL = 4
_LONGEST_VALUE = 1024


class EngineError(Exception):
    """A request that failed with the model still usable; `code` says how."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class Model:
    """A loaded GGUF: its vocabulary, its metadata and what llama.cpp complained of."""

    def __init__(self, path: str, *, vocabulary_only: bool = False) -> None:
        """Load the file; raises `EngineError("load")` with llama.cpp's own reason."""
        self._complaints: deque[str] = deque(maxlen=4)
        # ctypes callbacks must outlive whatever calls them.
        self._log = llama_cpp.llama_log_callback(self._hear)
        llama_cpp.llama_log_set(self._log, ctypes.c_void_p(0))
        llama_cpp.llama_backend_init()
        self.handle = self._load(path, vocabulary_only)
        self.vocabulary = llama_cpp.llama_model_get_vocab(self.handle)

    def tokens(self, text: str, *, special: bool = False, framed: bool = False) -> list[int]:
        """Return the tokens of a text; `framed` with those that the model puts around it.

        Only with `special` does text become control tokens.
        """
        raw = text.encode("utf-8", "replace")
        room = len(raw) + 8
        array = (llama_cpp.llama_token * room)()
        count = llama_cpp.llama_tokenize(
            self.vocabulary, raw, len(raw), array, room, framed, special
        )
        if count < 0:
            raise EngineError("tokenize", f"llama_tokenize returned {count}")
        return array[:count]

    def value(self, key: str) -> str:
        """Return a value of the metadata as text, empty where there is none."""
        buffer = ctypes.create_string_buffer(_LONGEST_VALUE)
        length = llama_cpp.llama_model_meta_val_str(
            self.handle, key.encode(), buffer, _LONGEST_VALUE
        )
        return buffer.value.decode("utf-8", "replace") if length > 0 else ""

    def last_complaint(self, otherwise: str) -> str:
        """Return llama.cpp's last errors, or `otherwise` if it said nothing."""
        return "; ".join(self._complaints) or otherwise

    def _load(self, path: str, vocabulary_only: bool) -> object:
        parameters = llama_cpp.llama_model_default_params()
        parameters.vocab_only = vocabulary_only
        if b"AMX_INT8 = 1" in llama_cpp.llama_print_system_info():
            # Builds by GCC drop the AMX tile set-up: the first prompt dies with SIGILL
            # (ggml-org/llama.cpp#26954). Without extra buffers that code is never reached.
            parameters.use_extra_bufts = False
        model = llama_cpp.llama_model_load_from_file(os.fsencode(path), parameters)
        if not model:
            raise EngineError("load", self.last_complaint("it is not a usable GGUF file"))
        return model

    def _hear(self, level: int, text: bytes, _data: object) -> None:
        if level == _ERROR_LEVEL:
            self._complaints.append(text.decode("utf-8", "replace").strip())
