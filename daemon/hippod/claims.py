"""Facts that clients state themselves: which are new, which stand already, which are refused."""

from collections.abc import Sequence
from datetime import date

from hippod.extraction import foreign, repetition
from hippod.facts import Fact
from hippod.language import guess

KNOWN = "already known"


class Claims:
    """Holds stated facts, one by one, against the `known` ones of recent days and each other."""

    def __init__(self, known: Sequence[tuple[date, Fact]]) -> None:
        self.new: list[Fact] = []
        """To be written, in the order in which they were stated."""
        self.standing: list[tuple[date, Fact]] = []
        """New ones, and for those that restate a known one that, with its day."""
        self.refused: list[tuple[str, str]] = []
        """Text and reason of the others."""
        self._known = list(known)

    def add(self, day: date, fact: Fact) -> None:
        """Take a fact stated on `day`; an opinion said again on another day is evidence for it."""
        if any(map(foreign.is_injection, (fact.content, *map(_spaced, fact.entities)))):
            self.refused.append((fact.content, foreign.INJECTED))
            return
        language = guess(fact.content)
        known = [each for each in self._known if each[0] == day or fact.kind != "O"]
        alike = [each for each in known if _says(each[1], fact, language)]
        same = [each for each in alike if _restates(each[1], fact, language)]
        if same:
            self.standing.append(same[-1])
        elif alike:
            self.refused.append((fact.content, KNOWN))
        else:
            self._known.append((day, fact))
            self.standing.append((day, fact))
            self.new.append(fact)


def _spaced(name: str) -> str:
    return name.replace("-", " ").replace("_", " ")


def _says(earlier: Fact, fact: Fact, language: str) -> bool:
    """Tell whether `earlier` says the same of the same: a content may leave its subject out."""
    old, new = ({name.casefold() for name in each.entities} for each in (earlier, fact))
    of_the_same = new <= old or old <= new
    return of_the_same and repetition.is_repeated(fact.content, earlier.content, language)


def _restates(earlier: Fact, fact: Fact, language: str) -> bool:
    return repetition.is_restated(fact.content, earlier.content, language)
