"""What a question asks by its wording: about whom, for an opinion, for a state at a past time.

Words decide, no model: a question that matches nothing here is an ordinary search.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from hippod import facts, folding, tokens

Bound = Literal["since", "until", "around"]

_WORDS = 64
"""Words of a question among which names are looked for."""
_LONGEST_NAME = 3
"""Words of a name."""
_LONGEST_RUN = 6
"""Characters of a name inside a run of a script without spaces."""


@dataclass(frozen=True, slots=True)
class Event:
    """A time told by what happened then: "since the move"; `bound` is what it bounds."""

    text: str
    bound: Bound


@dataclass(frozen=True, slots=True)
class Question:
    """A question understood.

    `names` are keys (see `key`) that may be entities, `subjects` those of them that the whole
    question is about. `asks_state` says that it asks how things were, not what happened.
    """

    names: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()
    asks_opinion: bool = False
    asks_state: bool = False
    event: Event | None = None


def read(text: str, undated: str | None = None) -> Question:
    """Read the wording of a question; any text is safe.

    `undated` is the text without its dates: no name is looked for in those ("in May").
    """
    named = _beginning(text if undated is None else undated)
    text = _beginning(text)
    subjects = tuple(dict.fromkeys(_subjects(named)))
    return Question(
        names=tuple(dict.fromkeys([*subjects, *_names(named)])),
        subjects=subjects,
        asks_opinion=_OPINION.search(text) is not None,
        asks_state=_STATE.search(text) is not None,
        event=_event(text),
    )


def _beginning(text: str) -> str:
    return " ".join(text.split()[: 2 * _WORDS])[:1_000]


@lru_cache(maxsize=65_536)
def key(name: str) -> str:
    """Return the form in which entities are compared: `@Dana-Whitfield` is `dana whitfield`.

    All spellings of a name share it: case, width, `_` for `-` and last dots aside.
    """
    bare = name.strip().removeprefix("@")
    shared = _compared(folding.fold(bare).replace("_", "-")).rstrip(". ")
    return shared or _compared(bare)


def _compared(name: str) -> str:
    return facts.normalise(facts.display_name(name))


# --- names ----------------------------------------------------------------------------------------

_NO_NAMES = tokens.STOP_WORDS | {"may"}
_NAME_WORD = re.compile(r"@?\w+(?:[-_.&'’]\w+)*")
_POSSESSIVE = re.compile(r"(?:['’]s?|s)$")
_RUN = re.compile("[\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]{2,}")


def _names(text: str) -> Iterator[str]:
    """Yield the keys of all runs of up to three words, without possessive endings too."""
    words = _NAME_WORD.findall(text)[:_WORDS]
    for start in range(len(words)):
        for end in range(start + 1, min(start + _LONGEST_NAME, len(words)) + 1):
            if not _says_nothing(words[start:end], is_first=start == 0):
                yield from _spellings(" ".join(words[start:end]))
    for run in _RUN.findall(text[: 4 * _WORDS]):
        yield from _pieces(folding.fold(run))


def _says_nothing(words: list[str], *, is_first: bool) -> bool:
    """Tell whether all are stop words; "Will" inside a sentence is none."""
    if words[0][0].isupper() and not is_first and words[0] != "I":
        return False
    return all(word.casefold() in _NO_NAMES for word in words)


def _spellings(name: str) -> Iterator[str]:
    whole = key(name)
    yield whole
    owner = _POSSESSIVE.sub("", whole)
    if owner != whole and len(owner) > 1:
        yield owner


def _pieces(run: str) -> Iterator[str]:
    for start in range(len(run)):
        for end in range(start + 2, min(start + _LONGEST_RUN, len(run)) + 1):
            yield facts.normalise(run[start:end])


# --- the subject ----------------------------------------------------------------------------------

_ABOUT = re.compile(
    r"""^\W*(?:(?:please|bitte|por\ favor|can\ you|could\ you)\ )?(?:
    (?:tell|show)\ (?:me|us)\ (?:everything\ |all\ |more\ |something\ )?about
    | who(?:['’]s|\ is|\ was|\ are)
    | what\ (?:do|did)\ (?:you|we|i)\ know\ (?:about|of)
    | (?:everything|all|anything|info(?:rmation)?|facts|notes?)\ (?:about|on)
    | about | describe | summar(?:y\ of|i[sz]e)
    | (?:erzähle?|sag)\ (?:mir|uns)\ (?:etwas\ |alles\ |mehr\ )?(?:von|über)
    | wer\ (?:ist|war|sind)
    | was\ (?:wei(?:ß|ss)t\ du|wissen\ wir|wei(?:ß|ss)\ ich)\ (?:alles\ )?(?:über|von)
    | (?:alles|infos?|etwas)\ (?:über|zu)
    | (?:háblame|cuéntame|dime)\ (?:algo\ |todo\ |más\ )?(?:de|sobre)
    | quién\ (?:es|era)
    | qué\ (?:sabes|sabemos|sé)\ (?:de|sobre|acerca\ de)
    | parle(?:-moi|\ moi)\ de | qui\ (?:est|était)
    | (?:que\ sais-tu|que\ savons-nous|qu['’]est-ce\ que\ tu\ sais)\ (?:de|sur)
    | (?:fala|fale|conta|conte)(?:-me|\ me)?\ (?:de|sobre|do|da)
    | quem\ (?:é|era|foi)
    | (?:o\ )?que\ (?:você\ sabe|sabes|sabemos|sei)\ (?:sobre|de)
    | parlami\ di | chi\ (?:è|era)
    | (?:che\ )?cosa\ (?:sai|sappiamo|so)\ (?:di|su)
    )\ (?P<subject>.+)$
    | ^(?:谁是|介绍(?:一下)?|告诉我(?:关于)?|关于|你?(?:知道|了解)关于)
      (?P<zh>.+?)(?:的(?:事|一切|信息|情况))?$
    | ^(?P<zh_who>.+?)是谁$
    | ^(?P<ja>.+?)(?:について(?:教えて(?:ください)?)?|は(?:誰|だれ)(?:ですか)?|って(?:誰|だれ))$""",
    re.IGNORECASE | re.VERBOSE,
)
_AND = re.compile(r"\s*(?:,|&|\b(?:and|und|y|et|e)\b|和|と)\s*", re.IGNORECASE)
_AROUND_A_NAME = re.compile(r"^\W*(?:(?:the|our|my|der|die|das|el|la|le|les|o|il)\s+)?|\W+$", re.I)


def _subjects(text: str) -> Iterator[str]:
    """Yield the keys of what the whole question is about, if it is about anything."""
    plain = text.strip().rstrip("?？。.!！ ")
    match = _ABOUT.match(plain)
    rest = next(filter(None, match.groups()), "") if match else plain
    for name in (rest, *_AND.split(rest)):
        bare = _AROUND_A_NAME.sub("", name)
        if bare and len(bare.split()) <= _LONGEST_NAME:
            yield key(name.strip(" \"'“”„«»"))
            yield from _spellings(bare)


_HAPPENING = frozenset(
    """happened happen happening events event news log logs notes note entries diary summary
    summarize summarise recap overview around since during till
    passiert passierte geschah geschehen los ist war wurde gemacht haben hab habe wir ich es gab am
    im an seit um den vom bis der die das
    qué pasó paso que hice hicimos hizo ocurrió sucedió el la en los las de desde
    quoi est est-il s'est-il s'est passé fait avons nous j'ai ai qu'est-ce qu'on le les en au depuis
    aconteceu fiz fizemos o em no na successo fatto abbiamo ho cosa che è nel il
    """.split()  # noqa: SIM905
)
"""Words of "what happened", besides the stop words."""
_HAPPENING_UNSPACED = re.compile(
    r"(?:发生|發生|了|什么|什麼|事|做|我们|我|有|的|在|那|天|过|何|が|は|を|に|の|あった|ありました|した|しました|か|"
    r"起きた|起きました|日記|日志|日记)+"
)


def asks_what_happened(rest: str) -> bool:
    """Tell whether the rest of a question asks for nothing, or only for what happened or was done.

    `rest` is a question without its dates.
    """
    words = re.findall(r"[\w'’-]+", rest.casefold().replace("’", "'"))
    return all(
        word in tokens.STOP_WORDS or word in _HAPPENING or _HAPPENING_UNSPACED.fullmatch(word)
        for word in words
    )


# --- opinions, states, events ---------------------------------------------------------------------

_SEEMS = "".join(rf"(?<!\b{verb}\ )" for verb in ("look", "looks", "sound", "feel", "seem", "it"))
_OPINION = re.compile(
    rf"""\b(?:
    prefer(?:s|red)? | preferences?(?!\ (?:file|page|window|menu|dialog)) | favou?rites? | opinions?
    | {_SEEMS}(?:dis)?likes?(?=\W*$) | fond\ of | tastes?(?=\W*$)
    | (?:do|does|did|would)\ (?!it\b|this\b|that\b)\w+(?:\ \w+)?\ (?:(?:really|still|even)\ )?(?:
      {_SEEMS}(?:dis)?like(?!\ (?:me|us|to)\b) | love | hate | enjoy | think\ (?:of|about)
      | feel\ about)
    | (?:do|does|did|would)\ (?!the\b|it\b|this\b|that\b|I\b|we\b|you\b)\w+\ (?:believe|want|mind
      |trust|value)
    | (?:do|does)\ (?:the|our|my|his|her)\ \w+\ (?:want|value)(?=\W*$)
    | (?:what|which)\ \w+\ would\ \w+\ (?:choose|pick|order|want)
    | (?:thinks?|feels?|thought)\ (?:of|about)
    | (?:can['’]t|cannot|can\ not)\ (?:\w+\ )?stand | can['’]t\ \w+\ stand
    | (?:attitude|stance)\ (?:to|towards?|on) | views?\ on
    | bevorzug\w* | lieblings\w+ | meinung
    | (?:hält|halten|denkt|denken|meint)\b.{{0,40}}\b(?:von|über)
    | (?:mag|mögen|hasst|liebt|findet)\b.{{0,40}}\b(?:gern|lieber|am\ liebsten|gut|schlecht)
    | (?:was|wen|welche[nrs]?(?:\ \w+)?)\ (?:mag|mögen|hasst|liebt) | wie\ (?:findet|fand)
    | (?:was|wen|welche[nrs]?|wo)\b.{{0,40}}\bgerne? | lieber\b.{{1,40}}\boder
    | prefier[eo]s? | preferid[oa]s? | favorit[oa]s? | (?:le|les|te)\ gustan?
    | opina\w* | piensa\ (?:de|sobre)
    | préfèr\w+ | préférée?s? | (?:aime|déteste|adore)(?:-t-(?:il|elle))?
    | pense(?:-t-(?:il|elle))?\ (?:\w+\ ){{0,2}}d[eu] | avis\ sur
    | prefere[ms]? | gosta\w*\ d[eoa] | odeia | acha\ d[eoa]
    | preferit[oaie] | preferisc\w+ | pensa\ d[ie]l? | (?:gli|le)\ piac\w+
    )(?!\w)
    | 喜欢 | 喜歡 | 偏好 | 偏爱 | 讨厌 | 最爱 | 怎么看 | 觉得 | 看法
    | 好き | 嫌い | 好む | 好み | どう思""",
    re.IGNORECASE | re.VERBOSE,
)
_DONE = (
    r"(?:\w+ed|bought|brought|built|broken|caught|chosen|cut|done|drawn|eaten|found|given|gone|got|"
    r"held|known|left|lost|made|met|paid|put|read|said|seen|sent|set|shown|sold|spent|spoken|taken|"
    r"taught|thought|told|won|\w*written|\w*run)"
)
"""Participles: with "was" before them they tell what happened."""
_HAPPENED = rf"(?:(?:\w+ly|also|already|not|all)\ )?(?:{_DONE}|going\ on|wrong|new|up|at|on)\b"
_STATE = re.compile(
    rf"""\b(?:
    (?:who|what|which|where|how\ (?:much|many|old)|whose)\b.{{0,60}}?\b
      (?:(?:was|were)(?!\ {_HAPPENED})|had)
    | (?:where|what|which|who|how\ (?:much|many|long))\b.{{0,60}}?\bdid[ ]
      (?:(?!(?:say|tell|talk|write|ask|decide|mention)\b)\S+\ ){{1,4}}?
      (?:live|work|own|have(?!\ (?:for|to)\b)|use|belong|drive|cost|pay|rent|study|stay|prefer
      |like(?!\ about)|think|believe|know|weigh|earn|lead|run|manage|do\ for\ a\ living)
    | who\ (?:led|owned|managed|ran|lived|rented)
    | was\ \w+(?:\ \w+)?\ (?:still|already|living|working|using|married|employed|with)
    | used\ to | as\ of | at\ (?:the|that)\ time | back\ then
    | (?:wer|was|wo|welche[rsnm]?|wie(?:\ (?:viel|alt|hoch))?)\b.{{0,40}}?\b
      (?:war|waren|hatten?|hieß)\b(?!.*\b(?:los|da|dabei)\W*$)
    | (?:wohn|arbeite|leb|nutz|gehör|koste|verwende|moch|bevorzug)te[nt]? | fuhr | besaß | damals
    | (?:quién|qué|cuál|dónde|cuánto)\b.{{0,40}}?\b(?:era|eran|estaba|tenía|vivía|trabajaba|usaba
      |costaba)
    | (?:qui|que|quel(?:le)?s?|où|combien)\b.{{0,40}}?\b(?:était|étaient|avait|habitait|vivait
      |travaillait|utilisait|coûtait)
    | (?:quem|que|qual|onde|quanto)\b.{{0,40}}?\b(?:era|eram|estava|tinha|morava|vivia|trabalhava
      |usava|custava)
    | (?:chi|cosa|quale|dove|quanto)\b.{{0,40}}?\b(?:era|erano|aveva|viveva|abitava|lavorava|usava
      |costava)
    )\b
    | 当时|那时|当時|その頃 | (?:住|工作|上班).{{0,4}}(?:哪|什么) | (?:是谁|叫什么|用什么)$
    | (?:住んで|働いて|使って)い(?:た|まし)""",
    re.IGNORECASE | re.VERBOSE,
)
_EVENT = re.compile(
    rf"""(?<!\blook\ )(?<!\blooks\ )(?<!\blooking\ )(?<!\blooked\ )
    \b(?P<word>since|after|before|until|till|during|around|seit|nach|vor|bis|während
    | desde|después\ de|antes\ de|hasta|durante | depuis|après|avant|pendant
    | depois\ d[eoa]|antes\ d[eoa]|até | dopo|prima\ d(?:i|el|ella))[ ]
    (?P<det>(?:(?:the|our|my|his|her|their|your|that|this|I|we|he|she|they|\w+['’]s?
      | (?-i:[A-Z])\w+(?=\ {_DONE}\b)
      | de[mnr]|die|das|zum|zur|unsere[mnr]?|meine[mnr]?|(?:ihr|sein)e[mnr]?|wir|ich|er
      | el|la|los|las|mi|su|nuestr[oa] | le|les|mon|ma|notre|sa|son|que\ (?:nous\ avons|j['’]ai)
      | o|a|meu|minha|nosso|nossa | il|lo)\ )|l['’]|(?=\w{{3,}}ing\ ))
    (?P<event>(?!(?:while|fact|way|end|beginning|start|day|week|weekend|month|year|corner)(?!\w))
      [^\W\d_][\w-]*(?:\ (?!(?:did|is|are|has|have|had|do|does|what|who|where|when
      |why|how|and|und|y|et)\b|(?:was|were)\ (?!{_DONE}\b))[\w-]+){{0,4}})
    | (?P<unspaced>[\u4e00-\u9fff\u3041-\u30ff]{{2,6}}?)
      (?P<bound>[之以][后後]|以来|以來|[之以]前|の[後前]|してから)""",
    re.IGNORECASE | re.VERBOSE,
)
_OWNER = re.compile(r"['’]s?\s$|^(?:[A-Z]\w+\s)$")
_NO_OWNERS = frozenset("I The This That Our My His Her Their Your We He She They".split())  # noqa: SIM905
_SINCE = (
    "since", "after", "seit", "nach", "desde", "desp", "depu", "apr", "depo", "dopo",
    "之后", "之後", "以后", "以後", "以来", "以來", "の後", "してから",
)  # fmt: skip
_UNTIL = (
    "before", "until", "till", "vor", "bis", "antes", "hasta", "avant", "até", "prima",
    "之前", "以前", "の前",
)  # fmt: skip


def _event(text: str) -> Event | None:
    match = _EVENT.search(text)
    if match is None:
        return None
    if match["unspaced"]:
        return Event(match["unspaced"], _bound(match["bound"]))
    if not tokens.terms(match["event"]):
        return None
    det = match["det"]
    owner = det if _OWNER.search(det) and det.strip() not in _NO_OWNERS else ""
    return Event((owner + match["event"]).strip(), _bound(match["word"].casefold()))


def _bound(word: str) -> Bound:
    if word.startswith(_SINCE):
        return "since"
    return "until" if word.startswith(_UNTIL) else "around"
