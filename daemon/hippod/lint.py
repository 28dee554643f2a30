"""Text in the memory that reads like instructions to a model: in a hit, and over all documents."""

import re
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass

from hippod.extraction import foreign
from hippod.index import Index
from hippod.language import word_set

INSTRUCTING = frozenset({"AGENTS.md", "SOUL.md", "IDENTITY.md", "HEARTBEAT.md"})
"""Documents whose purpose it is to instruct agents."""
_PATIENCE = 0.2
"""Seconds that one look over the documents may take; the next one goes on from there."""
_AT_ONCE = 500
_MOST_FLAGGED = 200


def reads_like_instructions(path: str, content: str) -> bool:
    """Tell whether a text of that document tries to instruct whichever model reads it."""
    if path in INSTRUCTING:
        return False
    return _may(content.casefold()) and foreign.is_injection(content)


def _may(lowered: str) -> bool:
    """Tell quickly whether any pattern of the detector can match: they cost ten times as much."""
    return any(map(lowered.__contains__, _SIGNS)) or _MACHINE.search(lowered) is not None


_MACHINE = re.compile(r"\b(?:ai|ki|ia|llm|gpt|bot)s?\b")
_SIGNS = (
    *word_set(
        """
        ignor disregard override bypass forget system assist asistent developer human user instruc
        prompt chatbot agent model modèle jailbreak persona pretend (c= @ <| |> inst] sys>> {{
        facts memor hippod <think </think <tool </tool response curl wget vergiss missacht olvid
        descart oubli esque esqueç desconsid notif inform alert 忽略 无视 忽視 忘 無視 助手 代理
        智能 机器人 模型 アシスタント エージェント ボット 指令 指示
        """
    ),
    "act as", "you are", "tell the",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Flagged:
    path: str
    line: int


class Lint:
    """Looks over the units of an index, each once. Thread-safe."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._lock = threading.Lock()
        self._epoch = ""
        self._seen = 0
        self._flagged: dict[int, _Flagged] = {}

    def oddities(self) -> dict[str, str]:
        """Return by path what in it reads like instructions, as far as was looked at until now.

        Raises what the index raises.
        """
        with self._lock, self._index.view() as view:
            if view.epoch() != self._epoch:
                self._epoch, self._seen, self._flagged = view.epoch(), 0, {}
            until = time.monotonic() + _PATIENCE
            while time.monotonic() < until and (units := view.scan(self._seen, _AT_ONCE)):
                self._seen = units[-1].unit
                for each in units:
                    if reads_like_instructions(each.path, each.content):
                        self._flagged[each.unit] = _Flagged(each.path, each.line_start)
            standing = view.fetch(self._flagged)
            self._flagged = {unit: self._flagged[unit] for unit in list(standing)[-_MOST_FLAGGED:]}
        return _by_path(self._flagged.values())


def _by_path(flagged: Iterable[_Flagged]) -> dict[str, str]:
    lines: dict[str, list[int]] = {}
    for each in flagged:
        lines.setdefault(each.path, []).append(each.line)
    return {
        path: f"{_lines(sorted(found))} like instructions to a model"
        for path, found in lines.items()
    }


def _lines(numbers: list[int]) -> str:
    if len(numbers) == 1:
        return f"line {numbers[0]} reads"
    shown = ", ".join(map(str, numbers[:5]))
    return f"lines {shown}{' and more' if len(numbers) > 5 else ''} read"
