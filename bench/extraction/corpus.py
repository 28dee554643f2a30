"""The labelled sentences that the probe learns from.

`training/AUTHOR-LANGUAGE.txt` hold conversations that were written and labelled for this, none of
them a case of the sets: a head `# id date user=… agent=…`, then lines `u|a <tab> +why|-why <tab>
sentence`, `+` if it is worth keeping; `---` parts two turns of the same person.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from hippod.extraction import cues, probe
from hippod.language import guess

TRAINING = Path(__file__).parent / "training"
FINISHED = "finished"
"""All that is kept of an agent's words: what it says about the world is not known to be true."""
ROLES: dict[str, Literal["user", "assistant"]] = {"u": "user", "a": "assistant"}


@dataclass(frozen=True, slots=True)
class Example:
    """A labelled sentence; `author` names who wrote the file it is from."""

    author: str
    sentence: probe.Sentence
    keep: bool
    why: str


def read() -> Iterator[Example]:
    """Return the labelled sentences of all files."""
    for path in sorted(TRAINING.glob("*.txt")):
        author, _, language = path.stem.partition("-")
        for line in path.read_text(encoding="utf-8").splitlines():
            who, _, rest = line.partition("\t")
            label, _, text = rest.partition("\t")
            if who not in ROLES or not label or not text:
                continue
            role = ROLES[who]
            cue = cues.score(text, role, guess(text, default=language))
            keep = label[0] == "+" and (role == "user" or label[1:] == FINISHED)
            yield Example(author, probe.Sentence(text, role, cue), keep, label[1:])


def digest() -> str:
    """Return the sha256 of all training files."""
    files = sorted(TRAINING.glob("*.txt"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()
