"""A reader in place of a model: it understands what a month's script says, and counts tokens."""

import re
from collections.abc import Sequence

from hippod.models import Completion, Grammar, Spent

PRESSING, SETTLED = "still unanswered", "answered at last"
"""Words of a note by which the reader sees that something is open, or that it is no more."""
_NOTE = re.compile(r"^(\d+)\. .*$", re.MULTILINE)


class Reader:
    """A generator that says ATTENTION for notes with `PRESSING` in them, else HEARTBEAT_OK.

    A token is four characters.
    """

    model_id = "reader#0"

    def __init__(self) -> None:
        self.spent = Spent()
        self.prompts: list[str] = []

    def choose(self, prompts: Sequence[str], labels: Sequence[str]) -> list[list[float]]:
        """Refuse: nothing here is to be labelled."""
        raise NotImplementedError

    def complete(
        self, prompt: str, grammar: Grammar, max_tokens: int, *, system: str = ""
    ) -> Completion:
        """Judge one item of a checklist."""
        self.prompts.append(prompt)
        notes = {int(match[1]): match[0] for match in _NOTE.finditer(prompt)}
        pressing = [number for number, note in notes.items() if PRESSING in note]
        is_settled = any(SETTLED in note for note in notes.values())
        said = "HEARTBEAT_OK"
        if pressing and not is_settled:
            said = f"ATTENTION {', '.join(map(str, pressing))}"
        tokens_in, tokens_out = (len(system) + len(prompt)) // 4, len(said) // 4
        self.spent += Spent(1, tokens_in, tokens_out, 0.0)
        return Completion(said, True, tokens_in, tokens_out, 0.0)

    def close(self) -> None:
        """Do nothing."""

    def status(self) -> dict[str, object]:
        """Return its name."""
        return {"state": "ready", "model_id": self.model_id}
