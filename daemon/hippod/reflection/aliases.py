"""Facts that say of two names that they are one's: "Dana Whitfield, also known as Dee".

Only plain statements count, in a few languages. A wrong one joins two people, so what is negated,
supposed or asked, or leaves open whom it is about, says nothing.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from hippod import facts, folding
from hippod.facts import Fact
from hippod.questions import key

IsKnown = Callable[[str], bool]
"""Whether some fact or page is about an entity of that name."""

_MOST_WORDS = 4
"""Words of a name."""
_LONGEST = 600
"""Characters of a fact that is read."""


def stated(fact: Fact, is_known: IsKnown) -> Iterator[tuple[str, str]]:
    """Yield entity and alias for each such statement of a fact, in the grammar's form.

    The entity is one at the fact's head, or one that `is_known`.
    """
    text = " ".join(folding.fold(fact.content[:_LONGEST]).split())
    if text.rstrip().endswith("?"):
        return
    for cue, order in _cues_of(text):
        for match in cue.finditer(text):
            if not _UNSURE.search(_clause_before(text, match.start())):
                yield from _read(text, match, order, fact.entities, is_known)


@lru_cache(maxsize=4096)
def owns(owner: str, possessive: str, text: str) -> bool:
    """Say whether `text` has the possessive of `owner` and never the name `possessive`.

    Both are keys: "peter" and "peters".
    """
    said = facts.normalise(folding.fold(text)).replace("-", " ")
    has_possessive = rf"(?<!\w){re.escape(owner)}['’](?:s(?!\w)|(?!\w))"
    has_name = rf"(?<![\w@]){re.escape(possessive)}(?![\w'’])"
    return bool(re.search(has_possessive, said)) and not re.search(has_name, said)


# -- cues: what stands between two names -----------------------------------------------------------

_BE = r"(?:\s*[,(:]?\s*(?:(?:who|which)\s+)?(?<![^\W_])(?:is|was|ist|war|es|est|è|é)\b)?\s*[,(]?\s*"
_KNOWN_AS = (
    _BE
    + r"""(?<![^\W_])(?:
    (?:also|better|commonly|formerly|otherwise|previously)\ (?:known|referred\ to)\ as
    | a\.?k\.?a\.?(?!\w) | nicknamed
    | (?:auch|besser|früher)\ bekannt\ (?:als|unter\ dem\ Namen)
    | (?:también|más|antes)\ conocid[oa]\ como | apodad[oa]
    | (?:aussi|mieux)\ connue?\ sous\ le\ nom\ (?:de|d['’]) | surnommée?
    | (?:anche|meglio)\ (?:not|conosciut)[oa]\ come | soprannominat[oa]
    | (?:também|mais)\ conhecid[oa]\ como | apelidad[oa]\ de
    )\s*"""
)
_MOSTLY = r"(?:also|mostly|mainly|often|usually|always|just|simply)"
_OFTEN = rf"(?:{_MOSTLY}\ )?"
_GOES_BY = rf"(?:^|\s+){_OFTEN}(?:goes|go)\ by\ (?:the\ (?:name|nickname|handle)\ (?:of\ )?)?"
_NICKNAME = r"""(?:['’]s)?\s*(?:
    (?<![^\W_])(?:nickname|alias)(?:\ is|:)
    | (?<![^\W_])(?:Spitzname|Rufname)\ (?:ist|lautet)
    | (?<![^\W_])(?:apodo|alias)\ es | (?<![^\W_])surnom\ est
    | (?<![^\W_])soprannome\ è | (?<![^\W_])apelido\ é
    )\s*"""
_SHORT_FOR = r"""\s*[,(]?\s*(?:(?<![^\W_])(?:is|ist|es|est|è|é)\ )?(?<![^\W_])(?:
    short\ for
    | (?:an?\ |the\ )?(?:nickname|abbreviation|pet\ name|alias)\ (?:for|of)
    | kurz\ für | (?:die\ |eine\ )?(?:Kurzform|Abkürzung)\ (?:von|für)
    | (?:el\ |la\ |un\ )?(?:diminutivo|apodo|abreviatura)\ de
    | (?:le\ |un\ |l['’])?(?:diminutif|surnom|abréviation)\ (?:de\ |d['’])
    | (?:il\ |un\ |l['’])?(?:diminutivo|soprannome|abbreviazione)\ di
    | (?:o\ |a\ |um\ )?(?:diminutivo|apelido|abreviação)\ (?:de|da|do)
    )\s*"""
_ANYBODY = r"(?:everyone|everybody)"
_THEY_ALL = rf"(?:{_ANYBODY}|people|all|most\ people|friends|colleagues|the\ team)"
_TO_ALL = rf"(?:(?:his|her|their|our)\ )?{_THEY_ALL}"
_BEING = rf"""(?:^|[,(]\s*|\s+)(?:
    (?:is|was)\ (?:{_MOSTLY}\ called | called(?=[^.;!?]{{1,60}}\ by\ {_TO_ALL}(?!\w)))
    | (?:(?:is|was)\ {_OFTEN})?known\ (?:(?:to|among|by)\ {_TO_ALL}\ )?as
    | (?:likes|prefers)\ to\ be\ called | (?:has|uses)\ the\ (?:nickname|handle|alias)
    )\s+"""
_CALLED = rf"""(?<![^\W_])(?:
    (?:(?:his|her|their)\ )?{_THEY_ALL}\ (?:just\ |all\ |usually\ |always\ )?calls?
    (?=\ (?:her|him)\ )
    | {_ANYBODY}\ (?:just\ |usually\ |always\ )?calls
    | alle\ nennen
    | todos\ (?=l[aoe]\ ) | tout\ le\ monde\ (?=l) | tutti\ (?=l[ao]\ )
    | (?:todos|todo\ mundo)\ (?=[ao]\ cham)
    )\s*(?P<whom>
    (?:her|him|ihn|sie)(?=\ )
    | l[aoe]\ (?:llaman|dicen|chiamano) | l['’]appelle | l[ae]\ surnomme
    | [ao]\ chamam?(?:\ de)?
    | [^\W\d_][\w.-]*(?:\ [^\W\d_][\w.-]*)??
    )\s+"""
_IS_CALLED = r"""(?:^|\s+)wird\ (?:von\ (?:allen|\w+)\ |im\ Team\ )?(?:nur\ |meist\ |oft\ )?
    (?P<alias>\S+(?:\ \S+){0,2}?)\ genannt(?!\w)"""
_CALLED_BESIDE = (
    r"\s*[,(]\s*(?:auch|kurz|nur|von\ (?:allen|\w+))\ (?P<alias>\S+(?:\ \S+){0,2}?)\ genannt(?!\w)"
)
_ALIAS = r"(?P<alias>[^\s,()]+(?:\ [^\s,()]+){0,2}?)"
_APPOSED = rf"""\s*[,(]\s*(?:(?:
    (?:also\ )?called | alias | (?:with\ the\ )?nickname:? | who\ goes\ by
    | whom?\ {_THEY_ALL}\ (?:just\ |usually\ |always\ )?calls?
    | (?:auch\ )?genannt | (?:mit\ (?:dem\ )?)?(?:Spitz|Ruf)namen?:?
    | a(?:l|\ la)\ que\ todos\ llaman | llamad[oa] | apodo:?
    | dite? | que\ tout\ le\ monde\ (?:appelle|surnomme) | surnom:?
    | dett[oa] | (?:not|conosciut)[oa]\ anche\ come | che\ tutti\ chiamano
    | chamad[oa] | conhecid[oa]\ (?:também\ )?(?:como|por) | que\ todos\ chamam\ de
    )\ {_ALIAS} | or\ {_ALIAS.replace("alias", "short")}\ for\ short
    | (?:die|den|das)\ alle\ {_ALIAS.replace("alias", "nennen")}\ nennen
    )\s*[,)]"""
"""Between two commas or in brackets, and a name to the very end."""
_UNSPACED = r"""(?:
    [,、]?(?:又名|又叫|也叫|又[称稱]|[别別]名|外[号號]|昵称|暱稱|绰号|綽號|通[称稱])(?:是|叫|は)?
    |の?(?:愛称|あだ名|ニックネーム)は|[,、]?大家都叫[他她它])(?P<alias>[^\s,、。.;!?]{1,24})"""

_CUES: tuple[tuple[re.Pattern[str], str, frozenset[str]], ...] = tuple(
    (re.compile(pattern, re.VERBOSE | re.IGNORECASE), order, frozenset(words.split()))
    for pattern, order, words in (
        (
            _KNOWN_AS,
            "alias",
            "known referred aka k nicknamed bekannt conocido conocida apodado apodada connu connue "
            "surnommé surnommée noto nota conosciuto conosciuta soprannominato soprannominata "
            "conhecido conhecida apelidado apelidada",
        ),
        (_GOES_BY, "alias alone", "goes go"),
        (_NICKNAME, "alias", "nickname alias spitzname rufname apodo surnom soprannome apelido"),
        (
            _SHORT_FOR,
            "entity",
            "short nickname abbreviation pet alias kurz kurzform abkürzung diminutivo apodo "
            "abreviatura diminutif surnom abréviation soprannome abbreviazione apelido abreviação",
        ),
        (_CALLED, "whom", "call calls nennen llaman dicen appelle surnomme chiamano chama chamam"),
        (_BEING, "alias", "known called nickname handle alias"),
        (_IS_CALLED, "within", "genannt"),
        (_CALLED_BESIDE, "within", "genannt"),
        (
            _APPOSED,
            "apposed",
            "called alias nickname goes call calls short genannt spitzname spitznamen rufname "
            "rufnamen nennen llaman llamado llamada apodo dit dite appelle surnomme surnom detto "
            "detta noto nota conosciuto conosciuta chiamano chamado chamada conhecido conhecida "
            "chamam",
        ),
    )
)
"""Each with how its names stand, and with words of which a text that it matches has one."""
_UNSPACED_CUE = re.compile(_UNSPACED, re.VERBOSE)
_WORD = re.compile(r"\w+")
_UNSURE = re.compile(
    r"""\b(?:not|never|no\ longer|nobody|no\ one|n['’]t|cannot|if|whether|would|could|might|may
    |should|maybe|perhaps|thinks?|believes?|claims?|pretends?|says?|jok(?:es?|ing\w*)|hates?
    |dislikes?|wants?|wish(?:es)?|instead\ of|refus\w+
    |nicht|nie|kein\w*|falls|ob|vielleicht|soll\w*|würde|niemand
    |nunca|jamás|nadie|quizás?|pas|jamais|personne|peut-être|mai|nessuno|forse|não|ninguém|talvez
    )\b|n['’]t\b|^\s*(?:no|ne|non)\b|\b(?:no|ne|non)\s+\w+\s*$|不|没|沒|ない""",
    re.VERBOSE | re.IGNORECASE,
)


def _cues_of(text: str) -> Iterator[tuple[re.Pattern[str], str]]:
    """Yield the cues that could match: nearly every fact has no word of any."""
    words = set(_WORD.findall(text.casefold()))
    for cue, order, theirs in _CUES:
        if not words.isdisjoint(theirs):
            yield cue, order
    if not text.isascii():
        yield _UNSPACED_CUE, "unspaced"


def _clause_before(text: str, end: int) -> str:
    """Return what stands before `end` in its sentence."""
    return re.split(r"[.;!?。]\s", text[:end])[-1]


# -- the two names ---------------------------------------------------------------------------------


def _read(
    text: str, match: re.Match[str], order: str, heads: tuple[str, ...], is_known: IsKnown
) -> Iterator[tuple[str, str]]:
    """Yield who is called what, as the cue that matched has it."""
    before, rest = text[: match.start()], text[match.end() :]
    if order == "entity":
        entity, alias = _leading_name(rest)[0], _trailing_name(before)
        if alias and entity and (is_known(entity) or _among(entity, heads)):
            yield from _pair(entity, alias)
        return
    if order == "apposed":
        name = match["alias"] or match["short"] or match["nennen"]
        names = [name.strip("\"'“”„«»")] if _leading_name(name)[1] == len(name) else []
    elif order == "within":
        names = [match["alias"].strip("\"'“”„«»")]
    elif order == "unspaced":
        names = [match["alias"].strip("\"'“”「」『』《》")]
    elif order == "whom" and match["whom"][0].isupper():
        yield from _called(f"{match['whom']} {_leading_name(rest)[0]}".split(), heads, is_known)
        return
    else:
        names = list(_leading_names(rest, alone=order == "alias alone"))
    for alias in filter(None, map(_as_alias, names)):
        others = tuple(head for head in heads if key(head) != key(alias))
        is_whom = order == "whom"
        entity = _whom(before, others) if is_whom else _subject(before, others, is_known)
        if entity:
            yield from _pair(entity, alias)


def _pair(entity: str, alias: str) -> Iterator[tuple[str, str]]:
    name, other = facts.entity_name(entity), _as_alias(alias)
    if name and other and key(name) != key(other):
        yield name, other


_GENERIC = frozenset(
    """boss chief captain doc doctor sir madam mom mum mommy mummy dad daddy grandma grandpa granny
    mama papa oma opa chef buddy dude honey i me you he she it they we everyone friend uncle aunt
    the a an monday tuesday wednesday thursday friday saturday sunday jefe chefin patron capo
    """.split()  # noqa: SIM905
)
"""What many people are called: no name."""


def _as_alias(text: str) -> str:
    """Return a name in the grammar's form; empty if it is none, or anybody's."""
    name = facts.entity_name(text)
    is_name = len(name) > 1 and any(ch.isalpha() for ch in name) and not name[0].islower()
    return name if is_name and key(name) not in _GENERIC else ""


def _subject(before: str, heads: tuple[str, ...], is_known: IsKnown) -> str:
    """Return whom a cue is about by what stands before it; empty if that is open."""
    said = before.strip(" ,(、:\"'“”„«»").removesuffix("'s").removesuffix("’s")
    if not said or _PRONOUN.fullmatch(said):
        return heads[0] if len(heads) == 1 else ""
    run = _trailing_name(said)
    if not run:
        return ""
    if is_known(run) or _among(run, heads):
        return run
    longer = [head for head in heads if key(run).startswith(f"{key(head)} ")]
    return longer[0] if len(longer) == 1 else _full_name(run, heads)


def _called(
    words: Sequence[str], heads: tuple[str, ...], is_known: IsKnown
) -> Iterator[tuple[str, str]]:
    """Yield who is called what, of names in a row: "Everyone calls Dana Whitfield Dee"."""
    for count in range(len(words) - 1, 0, -1):
        whom, alias = " ".join(words[:count]), _as_alias(" ".join(words[count:]))
        others = tuple(head for head in heads if key(head) != key(alias))
        is_clear = is_known(whom) or _among(whom, heads)
        entity = whom if is_clear else _full_name(whom, others) if count == len(words) - 1 else ""
        if entity and alias:
            yield from _pair(entity, alias)
            return


def _full_name(run: str, heads: tuple[str, ...]) -> str:
    """Return the only head if its name goes on after `run`."""
    goes_on = len(heads) == 1 and key(heads[0]).startswith(f"{key(run)} ")
    return heads[0] if goes_on else ""


def _whom(before: str, heads: tuple[str, ...]) -> str:
    """Return the only head where a pronoun begins the fact."""
    said = before.strip()
    is_clear = not said or (said[-1] in ".;," and not _OTHERS.search(said))
    return heads[0] if is_clear and len(heads) == 1 else ""


def _among(name: str, heads: tuple[str, ...]) -> bool:
    return key(facts.entity_name(name)) in map(key, heads)


_PRONOUN = re.compile(
    r"(?:she|he|it|they|her|his|its|their|sie|er|es|ihr|sein|ella|él|su|elle|il|son|lei|lui"
    r"|(?:il\ )?suo|ela|ele|(?:o\ )?seu|他|她|它|彼|彼女)",
    re.IGNORECASE,
)
_OTHERS = re.compile(
    r"""\b(?:with|and|her|his|their|sister|brother|mother|father|wife|husband|son|daughter|friend
    |mit|und|ihre?|seine?|schwester|bruder|frau|mann)\b""",
    re.VERBOSE | re.IGNORECASE,
)
"""What shows that somebody else was spoken of before."""
_QUOTES = {'"': '"', "“": "”", "„": "“", "«": "»", "'": "'", "‘": "’"}
_AFTER_A_NAME = re.compile(
    r"\s*(?:$|[.,;)!]|(?:at\ work|among|online|now|these\ days|in\ the|with\ |to\ |since)(?!\w))"
)


def _leading_names(text: str, *, alone: bool) -> Iterator[str]:
    """Yield the name that `text` begins with, and those behind "or"."""
    name, end = _leading_name(text)
    if not name or (alone and not _AFTER_A_NAME.match(text, end)):
        return
    yield name
    if more := re.compile(r"\s*,?\s+(?:or|oder|ou|o)\s+").match(text, end):
        yield from _leading_names(text[more.end() :], alone=alone)


def _leading_name(text: str) -> tuple[str, int]:
    """Return the quoted or capitalised words that `text` begins with, and where they end."""
    closing = _QUOTES.get(text[:1])
    if closing:
        end = text.find(closing, 1, 80)
        return (text[1:end], end + 1) if end > 1 else ("", 0)
    end = 0
    for count, word in enumerate(re.finditer(r"\S+", text)):
        if count == _MOST_WORDS or not _begins_name(word[0]):
            break
        bare = word[0].rstrip(".,;:!?)\"'”»")
        end = word.start() + len(bare)
        if bare != word[0]:
            break
    return text[:end], end


_JOINED = re.compile(
    r"\b(?:and|or|und|oder|y|et|ou|e|o)\s+[\w.-]+(?:\s+[^\W\d_a-zß-ÿ][\w.-]*)?$|&\s*[\w.-]+$"
)
"""Two names that share what is said."""


def _trailing_name(text: str) -> str:
    """Return the quoted or capitalised words that `text` ends with; empty if several share it."""
    said = text.rstrip(" ,(")
    if said and said[-1] in "\"”“»'":
        inner = re.search(r"[\"“„«'‘]([^\"“”„«»]{1,80})[\"”“»']$", said)
        return inner[1] if inner else ""
    if _JOINED.search(said):
        return ""
    words: list[str] = []
    for word in reversed(said.split()):
        bare = word.lstrip("(\"'“„«@")
        if not _begins_name(bare) or word[-1] in ".,;:!?)" or len(words) == _MOST_WORDS:
            break
        words.append(bare)
        if bare != word:
            break
    return " ".join(reversed(words))


def _begins_name(word: str) -> bool:
    return word[:1].isalpha() and not word[0].islower()
