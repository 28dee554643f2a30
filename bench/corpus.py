"""A workspace to measure on: daily logs with facts, and notes, the same on every machine.

Words are drawn as in language, the n-th most frequent one with a chance of 1/n. All of it
follows from the seed; nothing is taken from real people or real data.
"""

import random
from collections.abc import Iterator
from datetime import date, timedelta
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any, Literal

QuestionClass = Literal["rare", "mixed", "common"]

SEED = 20_260_302
LAST_DAY = date(2026, 3, 2)

_GLUE_WORDS = """
    the of and to in a is that for it was on are as with they be at this from or had by not but
    what some we can out other were all there when up use your how
"""
_ROOT_WORDS = """
    water house light paper river garden winter summer market window letter bridge kitchen
    engine harbor orange silver copper cotton forest valley island castle tunnel ladder basket
    bottle button candle carpet circle corner dinner doctor driver falcon farmer finger flower
    friend guitar hammer hunter jacket jungle kettle lemon lesson meadow mirror morning mountain
    needle number office orchard parcel pepper picture pillow planet pocket pencil quarter
    rabbit rocket saddle salad school season shadow shelter signal sister stable station stone
    summit table teacher temple ticket tiger timber tower travel village violin
    wagon whistle wonder yellow
"""
_FIRST_NAMES = """
    Ada Bruno Chiara Dmitri Elif Farid Greta Hugo Ines Jonas Kaya Lena Marek Nadia Oskar Priya
    Quentin Rosa Sven Tomas Uma Viktor Wanda Xenia Yusuf Zora
"""
_GLUE, _ROOTS, _NAMES = (text.split() for text in (_GLUE_WORDS, _ROOT_WORDS, _FIRST_NAMES))
_KINDS = ("W", "B", "O(c=0.8)", "S")
_FRAMES = (
    "My {a} is in the {b} behind the {c}, and I want it to stay there.",
    "We decided to move the {a} to the {b} because the {c} is too small.",
    "I prefer a {a} over a {b} whenever the {c} is involved.",
    "{n} told me that the {a} from the {b} will arrive with the next {c}.",
    "From now on I want the {a} checked before anyone opens the {b} or the {c}.",
    "I bought a {a} for {n}, who lives next to the {b} by the {c}.",
)


def documents(files: int, seed: int = SEED) -> dict[str, str]:
    """Return `files` documents by path, about five units of recall each."""
    draw = _Draw(seed)
    logs = files // 2
    made = dict(_log(draw, LAST_DAY - timedelta(days=n)) for n in range(logs))
    return made | dict(_note(draw, n) for n in range(files - logs))


def fill(root: Path, made: dict[str, str]) -> None:
    """Write documents below `root`."""
    for path, text in made.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


def questions(kind: QuestionClass, count: int, seed: int = SEED) -> list[str]:
    """Return `count` questions, no word twice in one.

    Rare: three words that a few units in ten thousand have. Common: eight of the forty most
    frequent words that are no stop words, each in 4 to 7 of a hundred units. Mixed: a common
    one, two between, two rare.
    """
    words, rng = vocabulary(), random.Random(f"{seed} {kind}")
    common, middle, rare = common_words(), words[200:2_000], words[4_000:]
    parts = {
        "rare": ((rare, 3),),
        "mixed": ((common, 1), (middle, 2), (rare, 2)),
        "common": ((common, 8),),
    }
    return [
        " ".join(word for part, size in parts[kind] for word in rng.sample(part, size))
        for _ in range(count)
    ]


def messages(count: int, seed: int = SEED) -> list[dict[str, Any]]:
    """Return what a user says in a conversation: plain statements, some worth remembering."""
    draw = _Draw(seed + 1)
    return [
        {"role": "user", "content": draw.statements(6), "id": f"m{number:04}"}
        for number in range(count)
    ]


def unique_word(rng: random.Random) -> str:
    """Return a word that stands nowhere yet."""
    return f"zq{rng.getrandbits(48):012x}"


def common_words() -> tuple[str, ...]:
    """Return the forty most frequent words that are no stop words."""
    return vocabulary()[len(_GLUE) : len(_GLUE) + 40]


@cache
def vocabulary() -> tuple[str, ...]:
    """Return all words, the most frequent first: glue, plain words, then compounds."""
    pairs = [a + b for a in _ROOTS for b in _ROOTS if a != b]
    random.Random(SEED).shuffle(pairs)
    return tuple(dict.fromkeys([*_GLUE, *_ROOTS, *pairs]))


class _Draw:
    """Sentences and names from one seed."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)
        self._words = vocabulary()
        self._weights = list(accumulate(1 / rank for rank in range(1, len(self._words) + 1)))

    def words(self, count: int) -> list[str]:
        return self._rng.choices(self._words, cum_weights=self._weights, k=count)

    def sentence(self, shortest: int = 8, longest: int = 18) -> str:
        return " ".join(self.words(self._rng.randint(shortest, longest))).capitalize() + "."

    def paragraph(self) -> str:
        return " ".join(self.sentence() for _ in range(self._rng.randint(2, 5)))

    def name(self) -> str:
        return self._rng.choice(_NAMES)

    def kind(self) -> str:
        return self._rng.choice(_KINDS)

    def statements(self, count: int) -> str:
        frames = self._rng.sample(_FRAMES, count)
        nouns = (self._rng.sample(_ROOTS, 3) for _ in frames)
        return " ".join(
            frame.format(a=a, b=b, c=c, n=self.name())
            for frame, (a, b, c) in zip(frames, nouns, strict=True)
        )


def _log(draw: _Draw, day: date) -> tuple[str, str]:
    lines = [f"# Daily Log - {day}", ""]
    lines += [f"[{hour:02}:15:00] {draw.sentence()}" for hour in range(8, 20, 2)]
    lines += ["", "## Retain"]
    lines += [f"- {draw.kind()} @{draw.name()}: {draw.sentence()}" for _ in range(3)]
    return f"memory/{day}.md", "\n".join(lines) + "\n"


def _note(draw: _Draw, number: int) -> tuple[str, str]:
    area = draw.words(1)[0]
    return f"projects/{area}/note-{number:05}.md", "\n\n".join(_note_parts(draw)) + "\n"


def _note_parts(draw: _Draw) -> Iterator[str]:
    yield f"# {' '.join(draw.words(3)).title()}"
    for _ in range(4):
        yield f"## {' '.join(draw.words(2)).title()}"
        yield draw.paragraph()
