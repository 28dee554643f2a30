"""The chat template of a GGUF, taken apart: fixed pieces with the model's control tokens around
the two texts of a request, which stay text.
"""

from dataclasses import dataclass
from typing import Any

from llama_cpp.llama_chat_format import Jinja2ChatFormatter

_SYSTEM, _USER = "first placeholder", "second placeholder"


@dataclass(frozen=True, slots=True)
class Frame:
    """What stands before, between and behind the instructions and the message."""

    head: str
    between: str
    tail: str


PLAIN = Frame("", "\n\n", "\n")
"""For models without a usable template."""


def frame(template: str | None, end_token: str, *, instructed: bool) -> Frame:
    """Return the frame of a Jinja template; `PLAIN` where there is none that works.

    With `instructed` false there are no instructions, and the message follows `head` at once.
    Templates that refuse a system message get the instructions at the head of the message.
    The start token is left out: the tokenizer knows whether a model wants one.
    """
    if not template:
        return PLAIN
    system, user = {"role": "system", "content": _SYSTEM}, {"role": "user", "content": _USER}
    if not instructed:
        return _split(_rendered(template, end_token, [user]), needs_system=False) or PLAIN
    joined = {"role": "user", "content": f"{_SYSTEM}\n\n{_USER}"}
    for messages in ([system, user], [joined]):
        found = _split(_rendered(template, end_token, messages), needs_system=True)
        if found:
            return found
    return PLAIN


def _rendered(template: str, end_token: str, messages: list[Any]) -> str:
    """Return the text of a template, empty where it refuses these messages or is broken."""
    try:
        formatter = Jinja2ChatFormatter(template, eos_token=end_token, bos_token="")
        return str(formatter(messages=messages, enable_thinking=False).prompt)
    except Exception:  # a template is a program of others, it may raise anything
        return ""


def _split(text: str, *, needs_system: bool) -> Frame | None:
    if text.count(_USER) != 1 or text.count(_SYSTEM) != int(needs_system):
        return None
    before, _, tail = text.partition(_USER)
    head, _, between = before.partition(_SYSTEM)
    return Frame(head, between, tail)
