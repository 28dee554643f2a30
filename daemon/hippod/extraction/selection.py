"""Which sentences of some turns become facts, and as which: the extraction pipeline.

    provenance → private, secrets, pasted and injected text out → sentences → corrections
    → cue + calibrated label score, or proposed by a model that reads all of them
    → wording → guard → dates → duplicates → caps → quotations worded by a model

Everything is a pure function of values, except the calls of the generators.
"""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from typing import Literal

from hippod import redact
from hippod.extraction import (
    corrections,
    cues,
    dates,
    foreign,
    frames,
    labels,
    names,
    persons,
    probe,
    repetition,
    sentences,
    superseded,
    support,
    wording,
)
from hippod.extraction.candidates import Candidate, Rejection, shortened
from hippod.extraction.cues import Cue, Kind
from hippod.extraction.labels import Calibration
from hippod.extraction.proposals import RULES, Strategies, in_its_words, propose, sound_wording
from hippod.language import LANGUAGES, content_stems, guess
from hippod.models import Generator
from hippod.transcripts.turns import LONGEST_TURN, Turn

__all__ = [
    "RULES",
    "Calibration",
    "Draft",
    "Extraction",
    "Rejection",
    "Strategies",
    "WordedBy",
    "extract",
    "scorer",
]

WordedBy = Literal["rules", "rewrite", "transcript"]

MAX_FACTS = 8
"""Facts of one batch; what was asked to be remembered is never cut."""
LONGEST_WITHOUT_I = 1_200
"""Characters above which a turn that never says I or we is taken for pasted text."""
EXPLICIT_CONFIDENCE, CUE_CONFIDENCE, LABEL_CONFIDENCE = 0.9, 0.75, 0.6


@dataclass(frozen=True, slots=True)
class Draft:
    """A fact to be stored: its text is one line, self-contained and guarded.

    `sentence` is the normalised source sentence (the fact's id is made from it), `turn` the
    turn to cite, `confidence` how sure the extraction is, `score` only orders. `turns` are the
    ids of all turns that it rests on.
    """

    kind: Kind
    content: str
    entities: tuple[str, ...]
    confidence: float
    turn: Turn
    sentence: str
    explicit: bool
    score: float
    turns: tuple[str, ...] = ()
    worded_by: WordedBy = "rules"


@dataclass(frozen=True, slots=True)
class Extraction:
    """What came of a batch; facts in the order in which they were said."""

    facts: tuple[Draft, ...]
    rejected: tuple[Rejection, ...]


def scorer(
    generator: Generator, calibration: Calibration | None = None
) -> Callable[[Sequence[tuple[str, str]]], list[float]]:
    """Return the label score of a generator, as its self-test judges it."""
    calibration = calibration or Calibration()
    return lambda items: labels.margins(generator, items, calibration)


def extract(
    turns: Sequence[Turn],
    *,
    context: Sequence[Turn] = (),
    user: str,
    agent: str | None,
    zone: tzinfo,
    known_entities: Sequence[str] = (),
    recent: Sequence[str] = (),
    generator: Generator | None = None,
    calibration: Calibration | None = None,
    judge: probe.Judge | None = None,
    strategies: Strategies = RULES,
    max_facts: int = MAX_FACTS,
    unsigned: bool = False,
) -> Extraction:
    """Return the facts that `turns` state.

    `context` are earlier turns: they are understood but make no facts. `user` names whoever
    speaks in user turns without a speaker. `recent` are contents of facts that stand already.
    `judge` scores sentences, else a `generator` labels them, else the cues decide alone.
    `unsigned` turns are notes of a person or the agent: finished work without a subject is the
    agent's, what speaks of no I or we is stated as it stands, all else is the user's. Raises
    `ModelError` if a model fails.
    """
    rejected: list[Rejection] = []
    before = _read(context, user, agent, [], unsigned=unsigned)
    frame = _played(context)
    heard = _join_remember(_read(turns, user, agent, rejected, unsigned=unsigned, frame=frame))
    settled = _settle(heard, before, rejected)
    proposed = propose(settled, before, strategies, rejected)
    scored = _score(proposed, judge, generator, calibration or Calibration(), rejected)
    drafts: list[Draft] = []
    origins: dict[tuple[str, str], Candidate] = {}
    mentioned = _mentioned([*before, *heard])
    for candidate in _refer(scored, [*before, *heard], rejected):
        draft = _draft(candidate, known_entities, mentioned, user, agent, zone, rejected)
        if draft:
            _add(draft, drafts, recent, candidate.language, rejected)
            origins[draft.turn.id, draft.sentence] = candidate
    kept = _capped(drafts, max_facts, rejected)
    worded = _reworded(kept, origins, [*before, *heard], zone, strategies)
    return Extraction(tuple(worded), tuple(rejected))


# --- reading ---------------------------------------------------------------------------------


def _read(
    turns: Sequence[Turn],
    user: str,
    agent: str | None,
    rejected: list[Rejection],
    *,
    unsigned: bool,
    frame: frames.Frame = frames.REAL,
) -> list[Candidate]:
    """Return every sentence that a person or the agent states, with its cue."""
    found: list[Candidate] = []
    batch_language = guess(
        " ".join(turn.text[:LONGEST_TURN] for turn in turns if turn.role == "user")
    )
    voices = () if unsigned else _voices(turns, user)
    for turn in turns:
        if turn.role not in ("user", "assistant"):
            continue
        text = _own_text(turn)
        if len(text) > LONGEST_WITHOUT_I and not _SELF.search(text):
            rejected.append(Rejection(shortened(text), "pasted", turn.id))
            continue
        teller = _speaker(turn, user, agent)
        if unsigned:
            text = foreign.with_user_named(text, teller)
        default = guess(text, default=batch_language)
        frame = frames.at_turn(frame, text, turn.role)
        own = sentences.pieces(text, **_parties(turn, teller, agent))
        for speaker, piece in _voiced(own, text, teller, voices if turn.role == "user" else ()):
            before, frame = frame, frames.after(frame, piece.text, turn.role)
            sentence = _without_secret(piece.text)
            if piece.skipped or sentence is None:
                reason = piece.skipped or "only a secret"
                rejected.append(Rejection(shortened(piece.text), reason, turn.id))
                continue
            language = guess(sentence, LANGUAGES, default=default)
            if unsigned:
                found.append(_of_note(turn, speaker, sentence, language))
                continue
            cue = cues.score(sentence, turn.role, language)
            if frames.is_fiction(before, frame, sentence, language):
                cue = Cue(cues.FLOOR, None, False, "fiction")
            found.append(Candidate(turn, speaker, sentence, language, cue, (sentence,), turn.time))
    return found


def _voices(turns: Sequence[Turn], user: str) -> frozenset[str]:
    """Return the names that stand before a colon in what people typed, and are speakers there."""
    typed = [turn for turn in turns if turn.role == "user"]
    people = {user, *(turn.speaker for turn in typed if turn.speaker)}
    return persons.voices([turn.text[:LONGEST_TURN] for turn in typed], people)


def _parties(turn: Turn, teller: str, agent: str | None) -> dict[str, str]:
    """Return who writes to whom, of a turn of a person: a letter in it may be of others."""
    return {"speaker": teller, "agent": agent or ""} if turn.role == "user" else {}


def _voiced(
    pieces: Iterable[sentences.Piece], text: str, teller: str, voices: Collection[str]
) -> Iterable[tuple[str, sentences.Piece]]:
    """Return the sentences of a turn, each with who says it: lines may be of other people."""
    speaker = teller
    for piece in pieces:
        label = persons.voice(piece.text)
        if label is not None and label.name in voices:
            speaker = label.name
            piece = replace(piece, text=label.said)
        elif speaker != teller and _begins_line(piece.text, text):
            speaker = teller
        if piece.text:
            yield speaker, piece


def _begins_line(sentence: str, text: str) -> bool:
    lines = (line.lstrip(" \t-*>•.)0123456789") for line in text.splitlines())
    return any(line.startswith(sentence) for line in lines)


def _played(turns: Sequence[Turn]) -> frames.Frame:
    """Return what is going on at the end of earlier turns: real life, a story, a game of roles."""
    frame = frames.REAL
    for turn in turns:
        text = _own_text(turn)
        frame = frames.at_turn(frame, text, turn.role)
        for piece in sentences.pieces(text):
            frame = frames.after(frame, piece.text, turn.role)
    return frame


def _of_note(turn: Turn, speaker: str, sentence: str, language: str) -> Candidate:
    """Return a sentence that nobody signed, as of the agent if it tells of finished work."""
    sentence = _USER.sub(lambda match: speaker, sentence, count=1)
    work = cues.finished_work(sentence, language)
    return Candidate(
        turn if work is None else replace(turn, role="assistant"),
        speaker,
        sentence,
        language,
        work or cues.score(sentence, "user", language),
        (sentence,),
        turn.time,
        noted=True,
        as_stated=not persons.speaks_of_self(sentence, language),
    )


_USER = re.compile(r"^User(?='s\s|\s+[a-z])")
"""How agents call, in their notes, whom they work for."""


def _own_text(turn: Turn) -> str:
    text = redact.strip_private(redact.strip_memory(turn.text))
    return redact.redact(text).text[:LONGEST_TURN]


def _speaker(turn: Turn, user: str, agent: str | None) -> str:
    name = (turn.speaker or user) if turn.role == "user" else (agent or turn.speaker or "Agent")
    cleaned = " ".join(re.sub(r"[\"“”«»:\x00-\x1f]", " ", name).split())[:60]
    return cleaned or "User"


_SELF = re.compile(
    r"(?<!\w)(?:I|I'm|my|we|our|ich|wir|mein\w*|yo|mi|nosotros|je|j'|mon|ma|nous|eu|meu|minha|"
    r"nós)(?!\w)|我|私|僕|俺"
)
_SECRET_VALUE = re.compile(
    r"(?:\b(?:is|was|are|equals|reads|to|now|and|use|with|ist|lautet|auf|jetzt|und|es|puse|puso|a|y|est|mis|en|et|é|"
    r"virou|ficou|para|pra|e|key|token|passw(?:or)?d|pass|pwd?|secret|bearer|pin|code)|[/、:=：是为成は])"
    r"[\s\"'`]{0,3}\[REDACTED\]|\[REDACTED\][\"'`]?\s+(?:is|was|ist|war|es|era|est|était|é|foi)\b",
    re.IGNORECASE,
)
_SECRET = re.compile(r"[\s,;:(—–-]*[\"'`]?\[REDACTED\][\"'`]?\)?")


def _without_secret(sentence: str) -> str | None:
    """Return the sentence without redacted parts, or None if the secret was its message."""
    if redact.REDACTED not in sentence:
        return sentence
    if _SECRET_VALUE.search(sentence):
        return None
    rest = _SECRET.sub("", sentence).strip()
    return rest if len(content_stems(rest, guess(rest))) >= 3 else None


def _join_remember(heard: list[Candidate]) -> list[Candidate]:
    """Let "remember that" stand for the sentence before it, of the same person."""
    joined: list[Candidate] = []
    for candidate in heard:
        previous = joined[-1] if joined else None
        if not _is_bare_request(candidate):
            joined.append(candidate)
        elif previous and previous.turn.role == "user" and previous.speaker == candidate.speaker:
            joined[-1] = _asked(previous)
    return joined


def _asked(candidate: Candidate) -> Candidate:
    if candidate.cue.score <= cues.FLOOR and candidate.cue.reason != cues.TOO_LITTLE:
        return candidate
    cue = Cue(cues.CEILING, candidate.cue.kind or "W", True, cues.ASKED)
    return replace(candidate, cue=cue)


def _is_bare_request(candidate: Candidate) -> bool:
    """Tell "remember it!" from "remember that the shed leaks"."""
    if not candidate.cue.explicit:
        return False
    body = wording.statement(candidate.sentence, candidate.language)
    return bool(_BARE.fullmatch(body)) or wording.asks_to_keep_before(
        candidate.sentence, candidate.language
    )


_BARE = re.compile(
    r"\W*(?:please|pls|so|and|bitte|por favor|s'il te plaît)?\W*(?:remember|memori[sz]e|note|"
    r"save|store|keep|write|don'?t forget|do not forget|merk(?:e)?|vergiss|notier\w*|"
    r"speicher\w*|recuérdalo|recuerda|apúnta\w+|anóta\w+|guarda|no (?:lo )?olvides|retiens|note|"
    r"garde|n'oublie pas|lembr\w+|anot\w+|não esqueç\w+|请?记住|记下|别忘了?|覚えて\w*|"
    r"忘れないで\w*|メモして\w*)(?:[\s-]+(?:it|that|this|in|mind|down|please|for|me|later|"
    r"everything|dir|es|das|nicht|bitte|eso|esto|isso|disso|isto|ça|cela|le|bien|aí|"
    r"one|all|of))*[这那个点一下了吧ねよ]*\W*",
    re.IGNORECASE,
)


# --- corrections and reversals ---------------------------------------------------------------


def _settle(
    heard: list[Candidate], before: list[Candidate], rejected: list[Rejection]
) -> list[Candidate]:
    """Apply corrections to what they correct, and drop what was taken back later."""
    settled: list[Candidate] = []
    for candidate in heard:
        if candidate.turn.role == "user":
            if _correct(candidate, settled, before, rejected):
                continue
            _retire(candidate, settled, rejected)
            _deny(candidate, settled, rejected)
            renewed = _overrule(candidate, settled, rejected)
            if corrections.gives_name_only(candidate.sentence) or (
                renewed is None and corrections.is_bare(candidate.sentence, candidate.language)
            ):
                rejected.append(candidate.rejected("corrects something unknown"))
                continue
            candidate = renewed or candidate
        elif corrections.declines(candidate.sentence):
            _withhold(settled, rejected)
        settled.append(candidate)
    return settled


def _deny(candidate: Candidate, settled: list[Candidate], rejected: list[Rejection]) -> None:
    """Drop the finished work that the agent told of last, if the person says it is not done."""
    told = settled[-1].turn if settled and settled[-1].turn.role == "assistant" else None
    if told is None or not corrections.denies(candidate.sentence):
        return
    for claim in [each for each in settled if each.turn == told and each.cue.score > cues.FLOOR]:
        rejected.append(claim.rejected("denied later"))
        settled.remove(claim)


def _withhold(settled: list[Candidate], rejected: list[Rejection]) -> None:
    """Drop what a person said last of a secret, if the agent declines to keep it."""
    last = next((each.turn for each in reversed(settled) if each.turn.role == "user"), None)
    for told in [each for each in settled if each.turn == last]:
        if redact.names_secret(told.sentence):
            rejected.append(told.rejected("not kept by the agent", redact.REDACTED))
            settled.remove(told)


def _overrule(
    candidate: Candidate, settled: list[Candidate], rejected: list[Rejection]
) -> Candidate | None:
    """Drop what `candidate` states anew, and return it with that standing; None if nothing is."""
    if candidate.cue.score <= cues.FLOOR and candidate.cue.reason != cues.TOO_LITTLE:
        return None
    for _, earlier in _recent_statements(settled, most=4):
        if earlier.speaker != candidate.speaker or not corrections.overrules(
            candidate.sentence, earlier.sentence, candidate.language
        ):
            continue
        rejected.append(earlier.rejected("corrected later"))
        settled.remove(earlier)
        return superseded.in_its_place(candidate, earlier)
    return None


def _correct(
    candidate: Candidate,
    settled: list[Candidate],
    before: list[Candidate],
    rejected: list[Rejection],
) -> bool:
    """Put the corrected sentence in the place of the one that `candidate` corrects."""
    spoken = [*before, *settled]
    last = next((each for each in reversed(spoken) if _says_something(each)), None)
    for position, earlier in _recent_statements(spoken):
        if earlier.speaker != candidate.speaker:
            continue
        text = corrections.corrected(
            candidate.sentence, earlier.sentence, earlier.language, directly_after=earlier is last
        )
        if text is None:
            continue
        cue = cues.score(text, "user", earlier.language)
        new = replace(
            candidate,
            speaker=earlier.speaker,
            sentence=text,
            language=earlier.language,
            cue=max(cue, earlier.cue, key=lambda each: each.score),
            sources=(*earlier.sources, candidate.sentence),
            rests_on=(*earlier.rests_on, earlier.turn.id),
            said=earlier.said,
        )
        if position >= len(before):
            rejected.append(earlier.rejected("corrected later"))
            del settled[position - len(before)]
        settled.append(new)
        return True
    return False


def _says_something(candidate: Candidate) -> bool:
    noise = ("small talk", cues.TOO_LITTLE)
    return candidate.turn.role == "user" and candidate.cue.reason not in noise


def _recent_statements(spoken: list[Candidate], most: int = 8) -> Iterable[tuple[int, Candidate]]:
    people = [(n, each) for n, each in enumerate(spoken) if each.turn.role == "user"]
    return reversed([(n, each) for n, each in people if each.cue.score > cues.FLOOR][-most:])


def _retire(candidate: Candidate, settled: list[Candidate], rejected: list[Rejection]) -> None:
    for earlier in settled[-_REACH:]:
        if earlier.turn.role != "user" or earlier.cue.explicit or earlier.cue.score <= cues.FLOOR:
            continue
        plan = _PLAN.search(earlier.cue.reason) is not None
        if corrections.retires(
            candidate.sentence, earlier.sentence, candidate.language, settled=plan
        ):
            rejected.append(earlier.rejected("taken back later"))
            settled.remove(earlier)


_PLAN = re.compile("decision|dated|standing")
_REACH = 40
"""Sentences that somebody can have in mind when taking something back."""


# --- scoring ---------------------------------------------------------------------------------


def _score(
    candidates: list[Candidate],
    judge: probe.Judge | None,
    generator: Generator | None,
    calibration: Calibration,
    rejected: list[Rejection],
) -> list[Candidate]:
    """Keep what cue and model together put above 0 and is still so at the end.

    Questions never reach a model, but what is asked for may replace what was stated before.
    """
    least = cues.DOUBTFUL if judge is None else cues.FLOOR
    weighed = _weighed(candidates, least, judge, generator, calibration)
    outcome = superseded.settle(weighed)
    rejected += [each.rejected(reason) for each, reason in outcome.gone]
    open_ones = [each for each in outcome.current if each.cue.score > least]
    shut = [each for each in outcome.current if each.cue.score <= least]
    rejected += [each.rejected(each.cue.reason) for each in shut]
    rejected += [
        each.rejected(f"not lasting ({each.cue.reason})") for each in open_ones if not _lasts(each)
    ]
    return [each for each in open_ones if _lasts(each)]


def _weighed(
    candidates: list[Candidate],
    least: float,
    judge: probe.Judge | None,
    generator: Generator | None,
    calibration: Calibration,
) -> list[Candidate]:
    """Return all candidates, those above `least` with what a model makes of them."""
    open_ones = [each for each in candidates if each.cue.score > least]
    if judge is not None:
        asked = [probe.Sentence(each.sentence, each.turn.role, each.cue) for each in open_ones]
        told = [
            replace(each, judged=score) for each, score in zip(open_ones, judge(asked), strict=True)
        ]
    elif generator is not None:
        items = [(each.prompted_as, each.sentence) for each in open_ones]
        margins = labels.margins(generator, items, calibration)
        told = [
            replace(each, margin=margin) for each, margin in zip(open_ones, margins, strict=True)
        ]
    else:
        return candidates
    found = iter(told)
    return [next(found) if each.cue.score > least else each for each in candidates]


def _lasts(candidate: Candidate) -> bool:
    return candidate.cue.explicit or candidate.score > 0 or candidate.proposal is not None


# --- from candidate to fact ------------------------------------------------------------------


def _refer(
    candidates: list[Candidate], spoken: list[Candidate], rejected: list[Rejection]
) -> Iterable[Candidate]:
    """Say what a leading pronoun refers to, where one name was just mentioned."""
    for candidate in candidates:
        body = wording.statement(candidate.sentence, candidate.language)
        explicit = candidate.cue.explicit
        if not explicit and len(content_stems(body, candidate.language)) < 2:
            rejected.append(candidate.rejected(cues.TOO_LITTLE, body))
        elif not explicit and wording.points_at_the_moment(body, candidate.language):
            rejected.append(candidate.rejected("refers to something unnamed"))
        elif (
            candidate.about
            or not wording.leading_pronoun(body, candidate.language)
            or _names_it(candidate)
        ):
            yield candidate
        elif about := _antecedent(candidate, spoken):
            yield replace(
                candidate,
                about=about.name,
                sources=(*candidate.sources, about.sentence),
                rests_on=(*candidate.rests_on, about.turn.id),
            )
        elif explicit:
            yield candidate
        else:
            rejected.append(candidate.rejected("refers to something unnamed"))


def _names_it(candidate: Candidate) -> bool:
    """Tell whether a model says, from other lines that it cites, what a pronoun refers to."""
    return bool(candidate.backing) and sound_wording(candidate) is not None


@dataclass(frozen=True, slots=True)
class _Antecedent:
    """The one name that a pronoun can mean, and where it was mentioned."""

    name: str
    sentence: str
    turn: Turn


def _antecedent(candidate: Candidate, spoken: list[Candidate]) -> _Antecedent | None:
    earlier: list[Candidate] = []
    for each in spoken:
        if each.turn == candidate.turn and each.sentence == candidate.sentence:
            break
        if each.speaker == candidate.speaker:
            earlier.append(each)
    body = wording.statement(candidate.sentence, candidate.language)
    person = wording.leading_person(body, candidate.language)
    for each in reversed(earlier[-4:]):
        found = names.spans(each.sentence, each.language)
        if person and not any(names.is_person(n, each.sentence, each.language) for n in found):
            continue
        if found:
            return _Antecedent(found[0], each.sentence, each.turn) if len(found) == 1 else None
    return None


def _draft(
    candidate: Candidate,
    known: Sequence[str],
    mentioned: Sequence[str],
    user: str,
    agent: str | None,
    zone: tzinfo,
    rejected: list[Rejection],
) -> Draft | None:
    content, worded_by = _content(candidate, agent), _BY_RULES
    proposal = sound_wording(candidate)
    if proposal and (support.quotation(content) is not None or _dangles(candidate)):
        content, worded_by = proposal, _BY_READING
        candidate = replace(candidate, sources=candidate.words.sources)
    reason = support.check(content, candidate.sources, candidate.speaker, candidate.language)
    if reason is None and foreign.is_injection(content):
        reason = foreign.INJECTED
    if reason:
        rejected.append(candidate.rejected(reason, content))
        return None
    cue = candidate.cue
    return Draft(
        kind=_kind(candidate),
        content=_dated(content, candidate, zone),
        entities=_entities(candidate, known, mentioned, user),
        confidence=_confidence(cue),
        turn=candidate.turn,
        sentence=" ".join(candidate.sentence.split()),
        explicit=cue.explicit,
        score=round(candidate.score, 3),
        turns=tuple(dict.fromkeys((candidate.turn.id, *candidate.rests_on))),
        worded_by=worded_by,
    )


_BY_RULES: WordedBy = "rules"
_BY_READING: WordedBy = "transcript"


def _kind(candidate: Candidate) -> Kind:
    if candidate.turn.role == "assistant":
        return "B"
    if candidate.as_stated and "preference" in candidate.cue.reason:
        return "O"  # notes are about their user by name, whose preferences are opinions
    return candidate.cue.kind or candidate.proposed_kind or "W"


def _content(candidate: Candidate, agent: str | None) -> str:
    language = candidate.language
    if candidate.turn.role == "assistant" and candidate.as_stated:
        text = wording.as_stated(candidate.sentence, language)
    elif candidate.turn.role == "assistant":
        text = wording.of_agent(candidate.sentence, agent or candidate.turn.speaker, language)
    else:
        text = wording.of_person(
            candidate.sentence,
            candidate.speaker,
            language,
            instruction="standing" in candidate.cue.reason,
            about=candidate.about,
            corrected=candidate.sentence not in candidate.sources,
            stated=candidate.as_stated,
        )
    return " ".join(text.split()).lstrip("#>*+-=|~` \t")


def _dangles(candidate: Candidate) -> bool:
    """Tell whether the sentence begins with a pronoun that it does not explain."""
    body = wording.statement(candidate.sentence, candidate.language)
    return wording.leading_pronoun(body, candidate.language) and candidate.about is None


def _dated(content: str, candidate: Candidate, zone: tzinfo) -> str:
    """Resolve the dates of a fact; who is quoted says nothing about its tense."""
    head, said, close = "", content, ""
    if support.quotation(content) is not None:
        head, mark, said = content.partition(': "')
        head, said, close = head + mark, said.removesuffix('"'), '"'
    return head + dates.annotate(said, candidate.said, zone, (candidate.language,)) + close


def _mentioned(spoken: Iterable[Candidate]) -> tuple[str, ...]:
    """Return who speaks, and the names that stand within a sentence, where a capital shows them."""
    found = [each.speaker for each in spoken if each.turn.role == "user"]
    for each in spoken:
        found += names.mentioned(each.sentence, each.language)
    return tuple(dict.fromkeys(found))


def _entities(
    candidate: Candidate, known: Sequence[str], mentioned: Sequence[str], user: str
) -> tuple[str, ...]:
    body = wording.statement(candidate.sentence, candidate.language)
    person = candidate.turn.role == "user"
    own = person and wording.needs_speaker(body, candidate.language)
    about = [candidate.about] if candidate.about and not candidate.about.islower() else []
    # "Remember that Iris ...": only in the whole sentence the capital shows a name.
    shown = names.spans(candidate.sentence, candidate.language)
    first = [
        name for name in [*shown, *mentioned] if re.match(rf"{re.escape(name)}(?![\w-])", body)
    ]
    return names.entities(
        f"{candidate.about}. {body}" if about else body,
        candidate.language,
        [*about, *known, *first],
        candidate.speaker if person else user,
        first_person=own,
    )


def _confidence(cue: Cue) -> float:
    if cue.explicit:
        return EXPLICIT_CONFIDENCE
    return CUE_CONFIDENCE if cue.score > 0 else LABEL_CONFIDENCE


# --- duplicates and caps ---------------------------------------------------------------------


def _add(
    draft: Draft,
    drafts: list[Draft],
    recent: Sequence[str],
    language: str,
    rejected: list[Rejection],
) -> None:
    """Add a draft unless it repeats something; a richer one replaces what it repeats."""
    rivals = (each for each in drafts if not draft.explicit or each.kind != "B")
    known = [*recent, *(each.content for each in rivals)]
    # What somebody asked to be remembered is dropped only if it certainly stands already.
    repeats = repetition.is_restated if draft.explicit else repetition.is_repeated
    if any(repeats(draft.content, earlier, language) for earlier in known):
        rejected.append(_rejected(draft, "already known"))
        return
    for each in list(drafts):
        outdone = each.kind == draft.kind and not (each.explicit and not draft.explicit)
        if outdone and repeats(each.content, draft.content, language):
            rejected.append(_rejected(each, "said more fully later"))
            drafts.remove(each)
    drafts.append(draft)


def _rejected(draft: Draft, reason: str) -> Rejection:
    return Rejection(shortened(draft.content), reason, draft.turn.id)


def _capped(drafts: list[Draft], most: int, rejected: list[Rejection]) -> list[Draft]:
    ranked = sorted(drafts, key=lambda draft: (not draft.explicit, -draft.score))
    cut = [draft for draft in ranked[most:] if not draft.explicit]
    rejected += [_rejected(draft, f"over {most} facts a batch") for draft in cut]
    return [draft for draft in drafts if not any(draft is each for each in cut)]


# --- quotations worded by a model ------------------------------------------------------------


def _reworded(
    drafts: list[Draft],
    origins: dict[tuple[str, str], Candidate],
    spoken: list[Candidate],
    zone: tzinfo,
    strategies: Strategies,
) -> list[Draft]:
    """Return the drafts, those of persons that only quote with a model's words if it has some."""
    quotes = [
        draft for draft in drafts
        if draft.kind != "B" and support.quotation(draft.content) is not None
    ]  # fmt: skip
    writer = strategies.rewrite() if quotes else None
    if writer is None:
        return drafts
    worded: list[Draft] = []
    for draft in drafts:
        candidate = origins[draft.turn.id, draft.sentence]
        text = in_its_words(writer, candidate, spoken) if draft in quotes else None
        if text is None:
            worded.append(draft)
            continue
        content = _dated(text, candidate, zone)
        worded.append(replace(draft, content=content, worded_by="rewrite"))
    return worded
