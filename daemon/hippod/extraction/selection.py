"""Which sentences of some turns become facts, and as which: the extraction pipeline.

    provenance → private, secrets, pasted and injected text out → sentences → corrections
    → cue + calibrated label score → wording → guard → dates → duplicates → caps

Everything is a pure function of values, except the calls of `Generator.choose`.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo

from hippod import redact
from hippod.extraction import (
    corrections,
    cues,
    dates,
    foreign,
    labels,
    names,
    prompts,
    sentences,
    support,
    wording,
)
from hippod.extraction.cues import Cue, Kind
from hippod.extraction.labels import Calibration
from hippod.language import LANGUAGES, content_stems, guess
from hippod.models import Generator
from hippod.transcripts.turns import Turn

__all__ = ["Calibration", "Draft", "Extraction", "Rejection", "extract", "scorer"]

MAX_FACTS = 5
"""Facts of one batch; what was asked to be remembered is never cut."""
LONGEST_TURN = 8_000
"""Characters of a turn that are read; nobody types more."""
LONGEST_WITHOUT_I = 1_200
"""Characters above which a turn that never says I or we is taken for pasted text."""
CUE_LIMIT, LABEL_LIMIT = 3.0, 4.0
EXPLICIT_CONFIDENCE, CUE_CONFIDENCE, LABEL_CONFIDENCE = 0.9, 0.75, 0.6


@dataclass(frozen=True, slots=True)
class Draft:
    """A fact to be stored: its text is one line, self-contained and guarded.

    `sentence` is the normalised source sentence (the fact's id is made from it), `turn` the
    turn to cite, `confidence` how sure the extraction is, `score` only orders.
    """

    kind: Kind
    content: str
    entities: tuple[str, ...]
    confidence: float
    turn: Turn
    sentence: str
    explicit: bool
    score: float


@dataclass(frozen=True, slots=True)
class Rejection:
    """A candidate that did not become a fact, and why. Holds no secret."""

    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class Extraction:
    """What came of a batch; facts in the order in which they were said."""

    facts: tuple[Draft, ...]
    rejected: tuple[Rejection, ...]


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A sentence on its way; `sources` are the sentences that support it, `said` their time."""

    turn: Turn
    speaker: str
    sentence: str
    language: str
    cue: Cue
    sources: tuple[str, ...]
    said: datetime | None
    margin: float = 0.0
    about: str | None = None

    @property
    def score(self) -> float:
        return _clamp(self.cue.score, CUE_LIMIT) + _clamp(self.margin, LABEL_LIMIT)


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
    max_facts: int = MAX_FACTS,
) -> Extraction:
    """Return the facts that `turns` state.

    `context` are earlier turns: they are understood but make no facts. `user` names whoever
    speaks in user turns without a speaker. `recent` are contents of facts that stand already.
    Without a generator the cues decide alone. Raises `ModelError` if the generator fails.
    """
    rejected: list[Rejection] = []
    before = _read(context, user, agent, [])
    heard = _join_remember(_read(turns, user, agent, rejected))
    settled = _settle(heard, before, rejected)
    scored = _score(settled, generator, calibration or Calibration(), rejected)
    drafts: list[Draft] = []
    for candidate in _refer(scored, [*before, *heard], rejected):
        draft = _draft(candidate, known_entities, user, agent, zone, rejected)
        if draft:
            _add(draft, drafts, recent, candidate.language, rejected)
    return Extraction(tuple(_capped(drafts, max_facts, rejected)), tuple(rejected))


# --- reading ---------------------------------------------------------------------------------


def _read(
    turns: Sequence[Turn], user: str, agent: str | None, rejected: list[Rejection]
) -> list[_Candidate]:
    """Return every sentence that a person or the agent states, with its cue."""
    found: list[_Candidate] = []
    batch_language = guess(
        " ".join(turn.text[:LONGEST_TURN] for turn in turns if turn.role == "user")
    )
    for turn in turns:
        if turn.role not in ("user", "assistant"):
            continue
        text = _own_text(turn)
        if len(text) > LONGEST_WITHOUT_I and not _SELF.search(text):
            rejected.append(Rejection(_short(text), "pasted"))
            continue
        speaker = _speaker(turn, user, agent)
        default = guess(text, default=batch_language)
        for piece in sentences.pieces(text):
            sentence = _without_secret(piece.text)
            if piece.skipped or sentence is None:
                rejected.append(Rejection(_short(piece.text), piece.skipped or "only a secret"))
                continue
            language = guess(sentence, LANGUAGES, default=default)
            cue = cues.score(sentence, turn.role, language)
            found.append(_Candidate(turn, speaker, sentence, language, cue, (sentence,), turn.time))
    return found


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
    r"(?:\b(?:is|was|are|to|use|with|ist|lautet|es|est|é|key|token|password|secret|bearer|pin)|"
    r"[:=：是为は])"
    r"[\s\"'`]{0,3}\[REDACTED\]",
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


def _join_remember(heard: list[_Candidate]) -> list[_Candidate]:
    """Let "remember that" stand for the sentence before it, of the same person."""
    joined: list[_Candidate] = []
    for candidate in heard:
        previous = joined[-1] if joined else None
        if not _is_bare_request(candidate):
            joined.append(candidate)
        elif previous and previous.turn.role == "user" and previous.speaker == candidate.speaker:
            joined[-1] = _asked(previous)
    return joined


def _asked(candidate: _Candidate) -> _Candidate:
    if candidate.cue.score <= cues.FLOOR and candidate.cue.reason != cues.TOO_LITTLE:
        return candidate
    cue = Cue(cues.CEILING, candidate.cue.kind or "W", True, cues.ASKED)
    return replace(candidate, cue=cue)


def _is_bare_request(candidate: _Candidate) -> bool:
    """Tell "remember it!" from "remember that the shed leaks"."""
    if not candidate.cue.explicit:
        return False
    body = wording.statement(candidate.sentence, candidate.language)
    return bool(_BARE.fullmatch(body))


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
    heard: list[_Candidate], before: list[_Candidate], rejected: list[Rejection]
) -> list[_Candidate]:
    """Apply corrections to what they correct, and drop what was taken back later."""
    settled: list[_Candidate] = []
    for candidate in heard:
        if candidate.turn.role == "user":
            if _correct(candidate, settled, before, rejected):
                continue
            if corrections.is_bare(candidate.sentence, candidate.language):
                rejected.append(Rejection(_short(candidate.sentence), "corrects something unknown"))
                continue
            _retire(candidate, settled, rejected)
        settled.append(candidate)
    return settled


def _correct(
    candidate: _Candidate,
    settled: list[_Candidate],
    before: list[_Candidate],
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
            said=earlier.said,
        )
        if position >= len(before):
            rejected.append(Rejection(_short(earlier.sentence), "corrected later"))
            del settled[position - len(before)]
        settled.append(new)
        return True
    return False


def _says_something(candidate: _Candidate) -> bool:
    noise = ("small talk", cues.TOO_LITTLE)
    return candidate.turn.role == "user" and candidate.cue.reason not in noise


def _recent_statements(spoken: list[_Candidate]) -> Iterable[tuple[int, _Candidate]]:
    people = [(n, each) for n, each in enumerate(spoken) if each.turn.role == "user"]
    return reversed([(n, each) for n, each in people if each.cue.score > cues.FLOOR][-8:])


def _retire(candidate: _Candidate, settled: list[_Candidate], rejected: list[Rejection]) -> None:
    for earlier in list(settled):
        if earlier.turn.role != "user" or earlier.cue.explicit or earlier.cue.score <= cues.FLOOR:
            continue
        plan = _PLAN.search(earlier.cue.reason) is not None
        if corrections.retires(
            candidate.sentence, earlier.sentence, candidate.language, settled=plan
        ):
            rejected.append(Rejection(_short(earlier.sentence), "taken back later"))
            settled.remove(earlier)


_PLAN = re.compile("decision|dated|standing")


# --- scoring ---------------------------------------------------------------------------------


def _score(
    candidates: list[_Candidate],
    generator: Generator | None,
    calibration: Calibration,
    rejected: list[Rejection],
) -> list[_Candidate]:
    """Keep what cue and label score together put above 0; questions never reach the model."""
    open_ones = [each for each in candidates if each.cue.score > cues.FLOOR]
    rejected += [
        Rejection(_short(each.sentence), each.cue.reason)
        for each in candidates
        if each.cue.score <= cues.FLOOR
    ]
    if generator is not None:
        items = [(_prompted_as(each), each.sentence) for each in open_ones]
        margins = labels.margins(generator, items, calibration)
        open_ones = [
            replace(each, margin=margin) for each, margin in zip(open_ones, margins, strict=True)
        ]
    rejected += [
        Rejection(_short(each.sentence), f"not lasting ({each.cue.reason})")
        for each in open_ones
        if not _lasts(each)
    ]
    return [each for each in open_ones if _lasts(each)]


def _prompted_as(candidate: _Candidate) -> str:
    return candidate.speaker if candidate.turn.role == "user" else prompts.AGENT


def _lasts(candidate: _Candidate) -> bool:
    return candidate.cue.explicit or candidate.score > 0


def _clamp(value: float, limit: float) -> float:
    return max(-limit, min(limit, value))


# --- from candidate to fact ------------------------------------------------------------------


def _refer(
    candidates: list[_Candidate], spoken: list[_Candidate], rejected: list[Rejection]
) -> Iterable[_Candidate]:
    """Say what a leading pronoun refers to, where one name was just mentioned."""
    for candidate in candidates:
        body = wording.statement(candidate.sentence, candidate.language)
        explicit = candidate.cue.explicit
        if not explicit and len(content_stems(body, candidate.language)) < 2:
            rejected.append(Rejection(_short(body), cues.TOO_LITTLE))
        elif not explicit and wording.points_at_the_moment(body, candidate.language):
            rejected.append(Rejection(_short(candidate.sentence), "refers to something unnamed"))
        elif not wording.leading_pronoun(body, candidate.language):
            yield candidate
        elif about := _antecedent(candidate, spoken):
            yield replace(candidate, about=about[0], sources=(*candidate.sources, about[1]))
        elif explicit:
            yield candidate
        else:
            rejected.append(Rejection(_short(candidate.sentence), "refers to something unnamed"))


def _antecedent(candidate: _Candidate, spoken: list[_Candidate]) -> tuple[str, str] | None:
    earlier: list[_Candidate] = []
    for each in spoken:
        if each.turn == candidate.turn and each.sentence == candidate.sentence:
            break
        if each.speaker == candidate.speaker:
            earlier.append(each)
    for each in reversed(earlier[-4:]):
        found = names.spans(each.sentence, each.language)
        if found:
            return (found[0], each.sentence) if len(found) == 1 else None
    return None


def _draft(
    candidate: _Candidate,
    known: Sequence[str],
    user: str,
    agent: str | None,
    zone: tzinfo,
    rejected: list[Rejection],
) -> Draft | None:
    content = _content(candidate, agent)
    reason = support.check(content, candidate.sources, candidate.speaker, candidate.language)
    if reason is None and foreign.is_injection(content):
        reason = foreign.INJECTED
    if reason:
        rejected.append(Rejection(_short(content), reason))
        return None
    cue = candidate.cue
    kind: Kind = "B" if candidate.turn.role == "assistant" else cue.kind or "W"
    return Draft(
        kind=kind,
        content=_dated(content, candidate, zone),
        entities=_entities(candidate, known, user),
        confidence=_confidence(cue),
        turn=candidate.turn,
        sentence=" ".join(candidate.sentence.split()),
        explicit=cue.explicit,
        score=round(candidate.score, 3),
    )


def _content(candidate: _Candidate, agent: str | None) -> str:
    language = candidate.language
    if candidate.turn.role == "assistant":
        text = wording.of_agent(candidate.sentence, agent or candidate.turn.speaker, language)
    else:
        text = wording.of_person(
            candidate.sentence,
            candidate.speaker,
            language,
            instruction="standing" in candidate.cue.reason,
            about=candidate.about,
            corrected=candidate.sentence not in candidate.sources,
        )
    return " ".join(text.split()).lstrip("#>*+-=|~` \t")


def _dated(content: str, candidate: _Candidate, zone: tzinfo) -> str:
    """Resolve the dates of a fact; who is quoted says nothing about its tense."""
    said = content if support.quotation(content) is None else content.partition(': "')[2]
    head = content.removesuffix(said)
    return head + dates.annotate(said, candidate.said, zone, (candidate.language,))


def _entities(candidate: _Candidate, known: Sequence[str], user: str) -> tuple[str, ...]:
    body = wording.statement(candidate.sentence, candidate.language)
    person = candidate.turn.role == "user"
    own = person and wording.needs_speaker(body, candidate.language)
    return names.entities(
        f"{candidate.about}. {body}" if candidate.about else body,
        candidate.language,
        [*([candidate.about] if candidate.about else []), *known],
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
    repeats = support.is_restated if draft.explicit else support.is_repeated
    if any(repeats(draft.content, earlier, language) for earlier in known):
        rejected.append(Rejection(_short(draft.content), "already known"))
        return
    for each in list(drafts):
        outdone = each.kind == draft.kind and not (each.explicit and not draft.explicit)
        if outdone and repeats(each.content, draft.content, language):
            rejected.append(Rejection(_short(each.content), "said more fully later"))
            drafts.remove(each)
    drafts.append(draft)


def _capped(drafts: list[Draft], most: int, rejected: list[Rejection]) -> list[Draft]:
    ranked = sorted(drafts, key=lambda draft: (not draft.explicit, -draft.score))
    cut = [draft for draft in ranked[most:] if not draft.explicit]
    rejected += [Rejection(_short(draft.content), f"over {most} facts a batch") for draft in cut]
    return [draft for draft in drafts if not any(draft is each for each in cut)]


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 300 else f"{line[:299]}…"
