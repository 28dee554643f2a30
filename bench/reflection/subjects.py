"""Who and what the year is about: each with the ways to write its name, and with traps."""

import random
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from bench.reflection import vocabulary
from hippod import facts

Sort = Literal["person", "project", "tool", "company"]
Way = Literal["usual", "case", "unicode", "accents", "initial", "spelling", "alias"]

SHARES: dict[Sort, float] = {"person": 0.5, "project": 0.2, "tool": 1 / 6, "company": 0.1}
"""What the rest is goes to people."""
_FEWEST = 5
_NICKNAMED = 4
"""Every so many people have a nickname."""


@dataclass(frozen=True, slots=True)
class Form:
    """A way to write a name, in the grammar's form. One of the way `alias` has to be told first."""

    text: str
    way: Way


@dataclass(frozen=True, slots=True)
class Subject:
    """Somebody or something; `name` is the usual form. All `forms` mean it and nobody else.

    `traps` are names that others have too: a first name, an initial with a shared surname.
    """

    name: str
    sort: Sort
    forms: tuple[Form, ...]
    traps: tuple[str, ...] = ()

    @property
    def shown(self) -> str:
        """The name as people write it."""
        return facts.display_name(self.name)

    @property
    def nickname(self) -> Form | None:
        """The form that has to be told first, if there is one."""
        return next((form for form in self.forms if form.way == "alias"), None)


def make(rng: random.Random, count: int) -> list[Subject]:
    """Return `count` subjects of all sorts; first names are shared by about four people."""
    others: dict[Sort, tuple[tuple[str, ...], Callable[[str], Iterator[Form]]]] = {
        "project": (vocabulary.PROJECTS, _cases),
        "tool": (vocabulary.TOOLS, _spellings),
        "company": (vocabulary.COMPANIES, _nothing_else),
    }
    made = [
        Subject(name, sort, (Form(name, "usual"), *ways(name)))
        for sort, (names, ways) in others.items()
        for name in names[: max(_FEWEST, round(count * SHARES[sort]))]
    ]
    return [*_people(rng, count - len(made)), *made]


def _people(rng: random.Random, count: int) -> list[Subject]:
    foreign = list(vocabulary.OTHER_SCRIPTS[: count // 25])
    first = vocabulary.FIRST_NAMES[: max(2, (count - len(foreign)) // 4 + 1)]
    pairs = [(given, last) for given in first for last in vocabulary.LAST_NAMES]
    chosen = rng.sample(pairs, count - len(foreign))
    initials = Counter(_initial(given, last) for given, last in chosen)
    given_names = Counter(given for given, _ in chosen)
    nicknames = iter(vocabulary.NICKNAMES)
    people = [Subject(name, "person", (Form(name, "usual"),)) for name in foreign]
    for number, (given, last) in enumerate(chosen):
        nickname = next(nicknames, None) if number % _NICKNAMED == 0 else None
        people.append(_person(given, last, nickname, initials, given_names))
    return people


def _person(
    given: str, last: str, nickname: str | None, initials: Counter[str], given_names: Counter[str]
) -> Subject:
    name, initial = f"{given}-{last}", _initial(given, last)
    forms = [Form(name, "usual"), *_cases(name), *_accents(name)]
    traps = [given] if given_names[given] > 1 else []
    if initials[initial] == 1:
        forms.append(Form(initial, "initial"))
    else:
        traps.append(initial)
    if nickname:
        forms.append(Form(nickname, "alias"))
    return Subject(name, "person", tuple(forms), tuple(traps))


def _initial(given: str, last: str) -> str:
    return f"{given[0]}.-{last}"


def _cases(name: str) -> Iterator[Form]:
    yield Form(name.lower(), "case")
    yield Form(name.upper(), "case")


def _accents(name: str) -> Iterator[Form]:
    apart = unicodedata.normalize("NFD", name)
    if apart != name:
        yield Form(apart, "unicode")
        yield Form("".join(ch for ch in apart if not unicodedata.combining(ch)), "accents")


def _spellings(name: str) -> Iterator[Form]:
    yield Form(name.lower(), "case")
    if "-" in name or "." in name:
        yield Form(name.lower().replace("-", "").replace(".", ""), "spelling")
    if "-" in name:
        yield Form(name.lower().replace("-", "_"), "spelling")


def _nothing_else(name: str) -> Iterator[Form]:
    yield Form(name.lower(), "case")


def clear_forms(subject: Subject, told: bool) -> Sequence[Form]:
    """Return the forms that a reader understands; a nickname only once it was told."""
    return [form for form in subject.forms if told or form.way != "alias"]
