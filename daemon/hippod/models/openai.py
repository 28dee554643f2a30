"""The OpenAI API as its many implementations speak it: requests and replies as values."""

from collections.abc import Mapping, Sequence
from typing import Any

from hippod.models import Grammar
from hippod.models.dialects import (
    TOP,
    Ask,
    Manner,
    Reply,
    count,
    log_probability,
    messages,
    one_of,
)
from hippod.models.grammars import SCHEMAS

_COMPLETIONS, _CHAT = "completions", "chat"


class OpenAI:
    """`/chat/completions`, and `/completions` for labels where it exists.

    A label prompt is plain text to be continued. The built-in model tells labels well there
    (area 0.83 in the self-test) and by chance in chat (0.46, with instructions 0.51).
    """

    label_forms = (_COMPLETIONS, _CHAT)

    def __init__(self, model: str) -> None:
        self._model = model

    def chat(
        self, manner: Manner, system: str, prompt: str, grammar: Grammar, max_tokens: int
    ) -> Ask:
        """Return the request for an answer."""
        body: dict[str, Any] = {
            "model": self._model,
            "messages": messages(system, prompt),
            manner.limit: max_tokens,
        }
        if manner.cool:
            body["temperature"] = 0
        if form := manner.format(grammar):
            body["response_format"] = _response_format(form, grammar)
        return Ask("/chat/completions", body)

    def label(self, form: str, prompt: str, labels: Sequence[str]) -> Ask:
        """Return the request for the alternatives of one token behind `prompt`."""
        body: dict[str, Any] = {"model": self._model, "max_tokens": 1, "temperature": 0}
        if form == _COMPLETIONS:
            return Ask("/completions", {**body, "prompt": prompt, "logprobs": TOP})
        said = messages(one_of(labels), prompt)
        return Ask(
            "/chat/completions",
            {**body, "messages": said, "logprobs": True, "top_logprobs": TOP},
        )

    def read(self, reply: Mapping[str, Any]) -> Reply:
        """Return what a reply holds; raises `LookupError` or `TypeError` for another shape."""
        choice, usage = reply["choices"][0], reply.get("usage") or {}
        return Reply(
            _text(choice),
            choice.get("finish_reason") != "length",
            count(usage.get("prompt_tokens")),
            count(usage.get("completion_tokens")),
            _alternatives(choice.get("logprobs")),
        )


def _response_format(form: str, grammar: Grammar) -> dict[str, Any]:
    if form != "json_schema":
        return {"type": form}
    schema = {"name": grammar, "strict": True, "schema": SCHEMAS[grammar]}
    return {"type": form, "json_schema": schema}


def _text(choice: Mapping[str, Any]) -> str:
    """Return the text of a choice: a refusal where there is nothing else."""
    if "text" in choice:
        return str(choice["text"] or "")
    message = choice["message"]
    said = message.get("content") or message.get("refusal") or ""
    if isinstance(said, list):  # content in parts
        said = "".join(part.get("text") or "" for part in said)
    return str(said)


def _alternatives(found: Any) -> dict[str, float] | None:
    """Return the first token's alternatives in either of the two shapes."""
    if not found:
        return None
    if "top_logprobs" in found:
        listed = (found["top_logprobs"] or [{}])[0] or {}
    else:
        places = found.get("content") or [{}]
        listed = {e["token"]: e["logprob"] for e in places[0].get("top_logprobs") or ()}
    return {str(token): log_probability(value) for token, value in listed.items()} or None
