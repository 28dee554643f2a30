"""The API of Ollama: requests and replies as values."""

from collections.abc import Mapping, Sequence
from typing import Any

from hippod.models import Grammar
from hippod.models.dialects import TOP, Ask, Manner, Reply, count, log_probability, messages
from hippod.models.grammars import SCHEMAS


class Ollama:
    """`/api/chat` for answers; for labels `/api/generate`, raw (log-probabilities since 0.12.11).

    `context` is the room for prompt and answer in tokens: without it Ollama takes its own
    default and silently cuts what is longer. `keep_alive` (seconds) is how long it keeps the
    model in memory after a call; 0 means for good here and -1 there.
    """

    label_forms = ("generate",)

    def __init__(self, model: str, context: int, keep_alive: float) -> None:
        self._model = model
        self._context = context
        self._keep_alive = int(keep_alive) or -1

    def chat(
        self, manner: Manner, system: str, prompt: str, grammar: Grammar, max_tokens: int
    ) -> Ask:
        """Return the request for an answer."""
        body = self._body(max_tokens) | {"messages": messages(system, prompt), "think": False}
        if form := manner.format(grammar):
            body["format"] = SCHEMAS[grammar] if form == "json_schema" else "json"
        return Ask("/api/chat", body)

    def label(self, form: str, prompt: str, labels: Sequence[str]) -> Ask:
        """Return the request for the alternatives of one token behind `prompt`."""
        asked = {"prompt": prompt, "raw": True, "logprobs": True, "top_logprobs": TOP}
        return Ask(f"/api/{form}", self._body(1) | asked)

    def read(self, reply: Mapping[str, Any]) -> Reply:
        """Return what a reply holds; raises `LookupError` or `TypeError` for another shape."""
        text = reply["response"] if "response" in reply else reply["message"]["content"]
        places = reply.get("logprobs") or [{}]
        listed = {e["token"]: e["logprob"] for e in places[0].get("top_logprobs") or ()}
        return Reply(
            str(text or ""),
            reply.get("done_reason") != "length",
            count(reply.get("prompt_eval_count")),
            count(reply.get("eval_count")),
            {str(token): log_probability(value) for token, value in listed.items()} or None,
        )

    def _body(self, max_tokens: int) -> dict[str, Any]:
        options = {"temperature": 0, "num_predict": max_tokens, "num_ctx": self._context}
        return {
            "model": self._model,
            "stream": False,
            "keep_alive": self._keep_alive,
            "options": options,
        }
