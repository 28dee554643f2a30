"""The label prompt: fixed text whose prefix never changes, so that a model evaluates it once."""

import re
from typing import Final

KEEP: Final = ("decision", "preference", "fact", "finished")
"""Labels of messages that state something lasting."""
SKIP: Final = ("question", "chat", "working")
LABELS: Final = (*KEEP, *SKIP)
"""What `Generator.choose` picks from; the first tokens differ in every tokenizer we know."""

LONGEST_SENTENCE: Final = 300
"""Characters of a sentence that go into a prompt."""

NULL_MESSAGES: Final = ("...", "ok", "hello", "N/A")
"""Content-free messages: their mean margin is the model's bias, which is subtracted."""
NULL_SPEAKER: Final = "Someone"
AGENT: Final = "Assistant"
"""What the prompt calls an agent, whatever its name."""

_EXAMPLES: Final = (
    ("Mirela", "we voted, the newsletter goes out on paper from now on", "decision"),
    ("Odd", "is the printer on the second floor working?", "question"),
    (AGENT, "I replaced the broken image links in the handbook.", "finished"),
    ("Takumi", "good night everyone", "chat"),
    ("Zanele", "I can't stand background music in tutorials", "preference"),
    (AGENT, "Opening the spreadsheet to look for the column.", "working"),
    ("Bogdan", "my aunt Vesna runs a bakery near the harbour", "fact"),
    ("Mirela", "give me a minute, the page is still loading", "working"),
    ("Takumi", "the ferry office closes at four on weekdays", "fact"),
    ("Odd", "could you look up how long rice keeps?", "question"),
    ("Zanele", "metric units in every recipe, please", "preference"),
    ("Bogdan", "wow, that was a long film", "chat"),
)

_PREFIX: Final = "Each message gets the label that says what kind of message it is.\n\n" + "".join(
    f"{speaker}: {message}\nLabel: {label}\n\n" for speaker, message, label in _EXAMPLES
)
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_SPECIAL = re.compile(r"<\|[^<>]{0,60}\|?>?|\|>|\[/?INST\]|</?s>")


def label_prompt(speaker: str, sentence: str) -> str:
    """Return the prompt behind which a label follows. Control tokens and newlines are cut."""
    return f"{_PREFIX}{clean(speaker)[:40]}: {clean(sentence)[:LONGEST_SENTENCE]}\nLabel:"


def clean(text: str) -> str:
    """Return one line without control characters and without tokens that models obey."""
    while (cut := _SPECIAL.sub("", text)) != text:
        text = cut
    return " ".join(_CONTROLS.sub(" ", text).split())
