"""What models propose beside the rules: a reading of the whole batch, words for a quotation.

A proposal never writes by itself: it is held against the sentences that it cites.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from hippod import redact
from hippod.extraction import cues, fidelity, reading, replies, rewrite
from hippod.extraction.candidates import Candidate, Rejection, shortened
from hippod.language import content_stems
from hippod.models import Generator


def _nobody() -> None:
    return None


@dataclass(frozen=True, slots=True)
class Strategies:
    """The generators that are trusted with more than labels, each asked for when it is needed.

    `transcript` reads the whole batch, `rewrite` words what would only be quoted. Both propose;
    what they say passes the same guards, and the rules go on beside them. `splits`: see
    `reading.read`.
    """

    transcript: Callable[[], Generator | None] = _nobody
    rewrite: Callable[[], Generator | None] = _nobody
    splits: int = reading.SPLITS


RULES = Strategies()


def propose(
    settled: list[Candidate],
    before: list[Candidate],
    strategies: Strategies,
    rejected: list[Rejection],
) -> list[Candidate]:
    """Return the candidates, those that a reading model cites with its proposal."""
    open_ones = [n for n, each in enumerate(settled) if _may_be_cited(each)]
    reader = strategies.transcript() if open_ones else None
    if reader is None:
        return settled
    found = reading.read(reader, _lines(settled, before, open_ones), strategies.splits)
    rejected += [Rejection("", f"the model's reply: {flaw}") for flaw in found.flaws]
    rejected += [
        Rejection(shortened(redact.redact(each.text).text), f"the model's item: {each.reason}")
        for each in found.invalid
    ]
    proposals: dict[int, list[Candidate]] = {}
    for item in found.items:
        place, candidate = _cited([open_ones[n - 1] for n in item.lines], item, settled)
        reason = _unsound(candidate)
        if reason is not None:  # small models miscount: the line it words may be another one
            place, candidate = _cited([_likest(item, open_ones, settled)], item, settled)
            reason = _unsound(candidate) and reason
        if reason is None:
            proposals.setdefault(place, []).append(candidate)
        else:
            text = redact.redact(item.text).text
            rejected.append(candidate.rejected(f"the model's item: {reason}", text))
    return [_agreed(each, proposals.get(n, [])) for n, each in enumerate(settled)]


def _may_be_cited(candidate: Candidate) -> bool:
    """Tell what a model may propose; of an agent only work that it plainly finished."""
    least = cues.FLOOR if candidate.turn.role == "user" else 0.0
    return candidate.cue.score > least


def _lines(
    settled: list[Candidate], before: list[Candidate], open_ones: list[int]
) -> list[reading.Line]:
    """Number what may become a fact from 1; of the rest keep what stands shortly before it."""
    numbers = {place: number for number, place in enumerate(open_ones, 1)}
    near = {place + back for place in open_ones for back in (-2, -1, 0)}
    shown = [
        *((None, each) for each in before[-reading.CONTEXT :]),
        *((numbers.get(n), each) for n, each in enumerate(settled) if n in near),
    ]
    return [
        reading.Line(each.prompted_as, each.sentence, each.language, number)
        for number, each in shown
    ]


def _cited(
    places: list[int], item: replies.Item, settled: list[Candidate]
) -> tuple[int, Candidate]:
    """Return the line that an item words, with the other lines of its speaker as backing."""
    main = _likest(item, places, settled)
    cited = settled[main]
    others = [
        settled[n]
        for n in places
        if n != main
        and (settled[n].turn.role, settled[n].speaker) == (cited.turn.role, cited.speaker)
    ]
    return main, replace(
        cited,
        proposal=item.text,
        proposed_kind=item.kind if item.kind in ("W", "O") else "W",
        backing=tuple(each.sentence for each in others),
        rests_on=tuple(dict.fromkeys((*cited.rests_on, *(each.turn.id for each in others)))),
    )


def _likest(item: replies.Item, places: list[int], settled: list[Candidate]) -> int:
    """Return the place of the sentence that shares most words with an item."""

    def shared(place: int) -> int:
        language = settled[place].language
        stems = set(content_stems(settled[place].sentence, language))
        return len(stems & set(content_stems(item.text, language)))

    return max(places, key=shared)


def _unsound(candidate: Candidate) -> str | None:
    """Return why a proposal says what its lines do not say, or None."""
    text = candidate.proposal or ""
    if redact.redact(text).text != text:
        return "holds a secret"
    words = candidate.words
    other_language = fidelity.misworded(text, words) == fidelity.OTHER_LANGUAGE
    if other_language or fidelity.is_verbatim(text, words):
        return None  # its lines count, in their own words
    return fidelity.unsupported(text, words)


def _agreed(candidate: Candidate, proposals: list[Candidate]) -> Candidate:
    """Take one proposal; several for one sentence say no more than that it is worth keeping."""
    if len(proposals) == 1:
        return proposals[0]
    if not proposals:
        return candidate
    return replace(candidate, proposal="", proposed_kind=proposals[0].proposed_kind)


def sound_wording(candidate: Candidate) -> str | None:
    """Return the proposed text where it may stand for the sentence."""
    text = candidate.proposal
    if not text or _is_instruction(candidate):
        return None
    return text if fidelity.fault(text, candidate.words) is None else None


def in_its_words(writer: Generator, candidate: Candidate, spoken: list[Candidate]) -> str | None:
    """Return a model's guarded wording of a sentence, or None where its own words stand.

    `spoken` are the sentences of the conversation, for context.
    """
    if _is_instruction(candidate):
        return None
    before: list[tuple[str, str]] = []
    for each in spoken:
        if each.turn == candidate.turn and each.sentence == candidate.sentence:
            break
        before.append((each.prompted_as, each.sentence))
    return rewrite.reworded(writer, candidate.words, before)


def _is_instruction(candidate: Candidate) -> bool:
    """Tell what must stay as it was said: an instruction is none any more when it is told."""
    return "standing" in candidate.cue.reason
