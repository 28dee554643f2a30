"""The ledger of opinions held against what people in the year hold: who follows whom, and when."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import pairwise

from bench.reflection.year import Told, Year
from hippod.reflection import ledger as hippod_ledger

_BLOCK = re.compile(r"\[\[\d{4}-\d\d-\d\d#\^([0-9a-z]+)\]\]")
_EVIDENCE = re.compile(r"- (supports|contradicts|pending): (.*?) ([+-]?\d+\.\d+)$")
_FIELD = re.compile(r"- (id|prior|c): (.*)")


@dataclass(frozen=True, slots=True)
class Evidence:
    """A line of the ledger: the stance, or `pending`; the fact's id if it has one; the weight."""

    stance: str
    fact: str
    weight: float


@dataclass(frozen=True, slots=True)
class Section:
    """An opinion of the ledger as it stands in the Markdown."""

    statement: str
    id: str
    prior: float
    c: float
    evidence: tuple[Evidence, ...]

    @property
    def founded_by(self) -> str:
        """The id of the fact that came first."""
        return next((each.fact for each in self.evidence if each.stance == "supports"), "")

    @property
    def computed(self) -> float:
        """What prior and weights give, by hand."""
        weights = sum(each.weight for each in self.evidence if each.stance != "pending")
        return 1 / (1 + math.exp(-(math.log(self.prior / (1 - self.prior)) + weights)))


def recomputed(text: str) -> int:
    """Return how many opinions hippod itself would set to another confidence from their lines."""
    return len(hippod_ledger.recompute(text)[1]) if text else 0


def ledger(text: str) -> list[Section]:
    """Read the sections of `bank/opinions.md`."""
    return [found for part in re.split(r"(?m)^## ", text)[1:] if (found := _section(part))]


def _section(part: str) -> Section | None:
    statement, *lines = part.splitlines()
    fields = {match[1]: match[2] for line in lines if (match := _FIELD.fullmatch(line))}
    evidence = [
        Evidence(match[1], _block(match[2]), float(match[3]))
        for line in lines if (match := _EVIDENCE.fullmatch(line))
    ]  # fmt: skip
    if not {"id", "prior", "c"} <= fields.keys():
        return None
    prior, c = float(fields["prior"]), float(fields["c"])
    return Section(statement, fields["id"], prior, c, tuple(evidence))


def _block(target: str) -> str:
    match = _BLOCK.search(target)
    return match[1] if match else ""


@dataclass(frozen=True, slots=True)
class Track:
    """The confidence of one opinion over the reflections, and the belief that it is about.

    `stands_for` is the side of its statement.
    """

    section: Section
    belief: tuple[str, str]
    stands_for: int
    points: tuple[tuple[date, float], ...]

    def sides(self) -> list[tuple[date, int]]:
        """Return the side that it says is held, after each reflection; 0 at exactly a half."""
        return [(day, self.stands_for * ((c > 0.5) - (c < 0.5))) for day, c in self.points]

    @property
    def crossings(self) -> int:
        """How often it changed sides."""
        sides = [side for _, side in self.sides() if side]
        return sum(one != next_ for one, next_ in pairwise(sides))

    @property
    def steps(self) -> list[float]:
        """How much it moved from each reflection to the next."""
        values = [c for _, c in self.points]
        return [abs(next_ - one) for one, next_ in pairwise(values)]


@dataclass(slots=True)
class Beliefs:
    """How the ledger followed what people hold."""

    sections: int = 0
    foreign: list[str] = field(default_factory=list)
    """Statements of opinions that rest on a fact that is none."""
    beliefs: int = 0
    """How many there are of which somebody told an opinion."""
    covered: int = 0
    right: Counter[str] = field(default_factory=Counter)
    of: Counter[str] = field(default_factory=Counter)
    """By course: opinions that end on the side that is held, and all."""
    crossings: Counter[str] = field(default_factory=Counter)
    turns: Counter[str] = field(default_factory=Counter)
    """By course: times that an opinion changed sides, and that its holder did."""
    largest_step: float = 0.0
    delays: list[int] = field(default_factory=list)
    """Days from a real change of mind to the reflection that followed it."""
    never: list[str] = field(default_factory=list)
    """Opinions that did not follow a change of mind within the year."""
    told: int = 0
    used: int = 0
    """Facts that take a side, and those of them that count in some opinion."""
    evidence: Counter[str] = field(default_factory=Counter)
    """Lines of evidence: right, flipped, without a side, of another topic."""
    examples: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    uncomputed: list[str] = field(default_factory=list)
    """Opinions whose c is not what prior and weights give."""
    tracks: list[Track] = field(default_factory=list)
    """The main opinion about each belief: the one with most evidence."""


def beliefs(year: Year, points: Mapping[str, Sequence[tuple[date, float]]], text: str) -> Beliefs:
    """Compare the ledger, and its confidences by opinion over time, with what people hold."""
    ids = {each.fact.id: each for each in year.told if each.fact.id}
    told = {(each.about, each.topic) for each in year.told if each.sort == "opinion" and each.side}
    sided = {id_ for id_, each in ids.items() if each.sort == "opinion" and each.side}
    sections = ledger(text)
    used = {line.fact for section in sections for line in section.evidence} & sided
    found = Beliefs(beliefs=len(told), told=len(sided), used=len(used))
    tracks: dict[tuple[str, str], list[Track]] = defaultdict(list)
    for section in sections:
        found.sections += 1
        if abs(round(section.computed, 2) - section.c) > 0.0051:
            found.uncomputed.append(f"{section.statement}: {section.c}, {section.computed:.4f}")
        founder = ids.get(section.founded_by)
        if founder is None:
            continue
        if founder.sort != "opinion" or not founder.side:
            found.foreign.append(section.statement)
            continue
        _weigh(found, section, founder, ids)
        key = (founder.about, founder.topic)
        seen = tuple(points.get(section.id, ()))
        tracks[key].append(Track(section, key, founder.side, seen))
    for key, several in tracks.items():
        main = max(several, key=lambda each: len(each.section.evidence))
        found.tracks.append(main)
        _follow(found, main, year)
        found.largest_step = max([found.largest_step, *(s for one in several for s in one.steps)])
        found.covered += key in told
    return found


def _weigh(found: Beliefs, section: Section, founder: Told, ids: Mapping[str, Told]) -> None:
    """Hold each line of evidence against what its fact really says."""
    for line in section.evidence:
        fact = ids.get(line.fact)
        if fact is None or fact is founder:
            continue
        for_it = line.stance == "supports" or (line.stance == "pending" and line.weight > 0)
        if (fact.about, fact.topic) != (founder.about, founder.topic):
            kind = "other topic"
        elif not fact.side:
            kind = "no side"
        else:
            kind = "right" if (fact.side == founder.side) == for_it else "flipped"
        found.evidence[kind] += 1
        if kind != "right":
            found.examples[kind].append(
                f"{section.statement} {line.stance}: {fact.fact.content} (@{fact.about})"
            )


def _follow(found: Beliefs, track: Track, year: Year) -> None:
    """Hold how an opinion went over the year against how its holder's mind went."""
    belief = year.beliefs[track.belief]
    sides = track.sides()
    if not sides:
        return
    turned = [day for day, _ in belief.sides[1:]]
    found.crossings[belief.course] += track.crossings
    found.turns[belief.course] += sum(day > sides[0][0] for day in turned)
    last_day, last_side = sides[-1]
    if belief.course != "noise":
        found.of[belief.course] += 1
        found.right[belief.course] += last_side == belief.side(last_day)
    if belief.course == "change" and turned[0] > sides[0][0]:
        after = [day for day, side in sides if day >= turned[0] and side == belief.sides[1][1]]
        if after:
            found.delays.append((after[0] - turned[0]).days)
        else:
            found.never.append(track.section.statement)
