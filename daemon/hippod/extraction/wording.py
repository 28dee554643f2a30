"""The text of a fact, made without a model: the sentence itself, in the third person, or quoted.

English sentences about the speaker become third person ("I live" → "Mirela lives"); what
cannot be shifted safely ("we", "you", other languages, commands) is quoted word for word.
"""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from hippod.extraction import persons
from hippod.extraction.names import spans
from hippod.language import is_spaceless, shows, word_set

if TYPE_CHECKING:
    from hippod.extraction.cuewords import Table

CORRECTED = "(corrected)"
"""Stands behind the speaker of a quotation in which a later sentence changed a word."""


def of_person(
    sentence: str,
    speaker: str,
    language: str,
    *,
    instruction: bool = False,
    about: str | None = None,
    corrected: bool = False,
    stated: bool = False,
) -> str:
    """Return the text of what a person said.

    `about` names what a leading pronoun refers to; `instruction`: it is a command and must
    stay one; `corrected`: the sentence is not verbatim any more; `stated`: it does not speak of
    its speaker, and is not known to be theirs.
    """
    body = statement(sentence, language)
    if about:
        return _quote(f"{speaker} about {about}", body)
    commands = _COMMAND.match(body) or (instruction and not _begins_with_name(body, language))
    if stated and not (corrected or commands):
        return as_stated(sentence, language)
    if language == "en" and shows(body, "en") and not (instruction or _COMMAND.match(body)):
        if not _ANYBODY.search(body):
            return _capital(body)
        if shifted := third_person(body, speaker):
            return _capital(shifted)
    return _quote(f"{speaker} {CORRECTED}" if corrected else speaker, body)


def _begins_with_name(body: str, language: str) -> bool:
    return body.startswith(tuple(spans(body, language)))


def of_agent(sentence: str, agent: str | None, language: str) -> str:
    """Return the text of finished work: "I fixed X" → "Fixed X", else by the agent's name."""
    body = statement(sentence, language)
    if language == "en":
        headless = _AGENT_SUBJECT.sub("", body)
        if not _ANYBODY.search(headless):
            return _capital(headless)
        if shifted := third_person(body, agent or "the agent"):
            return _capital(shifted)
    return _quote(agent or "Agent", body)


def as_stated(sentence: str, language: str) -> str:
    """Return the text of a note that says nothing of its author."""
    return _capital(statement(sentence, language))


def statement(sentence: str, language: str) -> str:
    """Return the sentence without greeting, "remember that" and trailing chatter."""
    text = sentence.replace("’", "'").strip()
    table = _table(language)
    for _ in range(3):
        text = _LEADS.get(language, _LEADS["en"]).sub("", text, count=1).strip()
        asked = table.explicit.search(text)
        if asked and asked.start() <= 2 and not table.not_explicit.search(text):
            rest = _CONNECTIVE.sub("", text[asked.end() :]).strip()
            enough = 3 if is_spaceless(language) else 8
            part = rest.casefold().startswith("to ") or is_place_only(rest, language)
            text = rest if len(rest) > enough and not part else text
    text = _TRAILERS.get(language, _NOTHING).sub("", text).strip()
    return text.rstrip(",;:，；、 ") or sentence.strip()


def asks_to_keep_before(sentence: str, language: str) -> bool:
    """Tell "note that in the README", which says where to keep what was said before it."""
    text = sentence.replace("’", "'").strip()
    table = _table(language)
    text = _LEADS.get(language, _LEADS["en"]).sub("", text, count=1).strip()
    asked = table.explicit.search(text)
    if not asked or asked.start() > 2 or table.not_explicit.search(text):
        return False
    return is_place_only(_CONNECTIVE.sub("", text[asked.end() :]), language)


def _table(language: str) -> "Table":
    # The tables take long to load: whoever only compares facts does without them.
    from hippod.extraction import cuewords

    return cuewords.TABLES.get(language, cuewords.TABLES["en"])


def is_place_only(text: str, language: str) -> bool:
    """Tell whether a text is a preposition and its noun, without a verb: "in the README"."""
    pattern = _PLACE_ONLY.get(language)
    return bool(pattern and pattern.fullmatch(_OBJECT.sub("", text).strip()))


_OBJECT = re.compile(
    r"^\W*(?:this|that|it|these|those|das|dies|es|eso|esto|lo|ça|cela|isso|isto)\s+(?:down\s+|"
    r"auf\s+)?",
    re.IGNORECASE,
)


def _place_only(prepositions: str, articles: str) -> re.Pattern[str]:
    noun = r"[\w./-]+\W*"
    return re.compile(
        rf"\W*(?:{prepositions})\s+(?:(?:{articles})\s*(?:[\w./-]+\s+)?)?{noun}", re.IGNORECASE
    )


_PLACE_ONLY = {
    "en": _place_only("in|on|at|into|onto|to|for|under|with|as", r"(?:the|an?|my|your|our|its)\b"),
    "de": _place_only(
        "in|an|auf|im|am|ins|für|bei|beim|unter|mit|als|zum|zur",
        r"(?:der|die|das|den|dem|dein\w*|mein\w*|unser\w*)\b",
    ),
    "es": _place_only("en|para|bajo|con|como", r"(?:el|las?|los?|tus?|mis?|nuestr[oa]s?)\b"),
    "fr": _place_only(
        "dans|sur|pour|sous|avec|comme|en", r"l'|(?:les?|la|ton|ta|tes|mon|ma|mes|notre)\b"
    ),
    "pt": _place_only(
        "no|na|nos|nas|em|sob|com|para|pra|como", r"(?:os?|as?|teu|tua|meu|minha|noss[oa])\b"
    ),
}


def third_person(sentence: str, name: str) -> str | None:
    """Shift an English sentence from "I" to `name`, or return None where that is not safe."""
    text = _spelt_out(sentence)
    own = sorted(match.start() for form in (_I, _MY, _ME) for match in form.finditer(text))
    if _OTHERS.search(text) or not (_I.search(text) or _MY.search(text)):
        return None
    if len(own) > 1 and not _they_is_clear(text, own):
        return None
    if not _I.search(text) and _is_past(text.split()[0].casefold()):
        return None  # the subject was left out: "moved my desk"
    shifted = _shift_subjects(text, name)
    if shifted is None or _I.search(shifted) or _REFLEXIVE.search(shifted):
        return None
    if len(own) > 1:
        return _MY.sub("their", shifted)
    return _ME.sub(lambda match: name, _MY.sub(lambda match: f"{name}'s", shifted))


def _they_is_clear(text: str, own: list[int]) -> bool:
    """Tell whether "they" behind the first "I" can mean nobody but the speaker."""
    if not _I.match(text, own[0]) or _ME.search(text):
        return False
    before = text[own[0] + 1 : own[-1]]
    return not (_PEOPLE.search(text) or _PLURAL.search(before) or spans(f"x{before}", "en"))


def leading_pronoun(body: str, language: str) -> bool:
    """Tell whether the sentence is about somebody or something named only before."""
    pattern = _PRONOUNS.get(language)
    by_aside = language == "en" and _ASIDE.match(body) and leading_person(body, language)
    return bool(by_aside or (pattern and pattern.match(body)))


def leading_person(body: str, language: str) -> bool:
    """Tell whether the pronoun that the sentence begins with stands for a person, or may."""
    if language == "en" and (aside := _ASIDE.match(body)):
        body = body[aside.end() :]
    pattern = _PERSON.get(language)
    return bool(pattern and pattern.match(body))


def points_at_the_moment(body: str, language: str) -> bool:
    """Tell whether the sentence begins with "this" or its like, which no name stands for."""
    pattern = _DEMONSTRATIVES.get(language)
    return bool(pattern and pattern.match(body))


_LEADS = {
    "en": re.compile(
        r"^(?:\W*\b(?:(?:hey|hi|hello)(?:\s+(?:all|everyone|everybody|folks|team|guys|there|again))?|"
        r"oh|ah|ok|okay|well|and|but|also|btw|by the way|anyway|"
        r"anyways|lol|ugh|wait|scratch that|never ?mind|on second thought|haha+|hmm+|yeah|yes|"
        r"good to know(?=\s*[:,–—-])|(?:oh |god |lord |gosh |hell )+no(?=,)|(?:then )?(?:scrap|"
        r"scratch|forget) that(?=\s*[,.:;–—-])|correction(?=\s*[,:–—-]\s*\S+\s\S+\s\S+\s)|"
        r"honestly(?=,)|"
        r"yep|right|cool|great|good(?!\s+to\b)|perfect|nice|thanks|thank you|thx|sorry|plus|"
        r"fine|sure|alright|nah|nope|actually|just|fyi|(?:no no|no|so|now|look|listen)(?=,)|"
        r"one more thing|"
        r"quick (?:thing|note|update|one)|heads up|important|noted|understood|got it|all set|"
        r"done(?=[,.:;!–—-]))\b(?:[,.:;!…–—-]+\s*|\s+))+",
        re.IGNORECASE,
    ),
    "de": re.compile(
        r"^(?:\W*\b(?:hallo|hi|hey|ach|oh|ok|okay|gut(?! zu\b)|und|aber|übrigens|naja|ja|genau|"
        r"super|danke|sorry|achso|also|haha+|noch was|"
        r"gut zu wissen(?=\s*[:,])|(?:(?:ne|nee|nein),? )?(?:das )?stimmt nicht(?=,)|"
        r"moment(?=,)|korrektur(?=\s*[,:]\s*\S+\s\S+\s\S+\s)|"
        r"(?:nein|nee|ne|so)(?=,))\b(?:[,.:;!…–—-]+\s*|\s+))+",
        re.IGNORECASE,
    ),
    "es": re.compile(
        r"^(?:\W*\b(?:hola|oye|ey|ah|oh|ok|vale|bueno(?! (?:es )?saber)|pues|y|pero|"
        r"también|además|por cierto|jaja\w*|ay(?: no)?|"
        r"(?:que|ay|no) no(?=,)|bueno (?:es )?saber(?=\s*[:,])|"
        r"corrección(?=\s*[,:]\s*\S+\s\S+\s\S+\s)|la verdad(?=,)|sí|claro|genial|gracias|perdón|"
        r"(?:no)(?=,))\b(?:[,.:;!…–—-]+\s*|\s+))+",
        re.IGNORECASE,
    ),
    "fr": re.compile(
        r"^(?:\W*\b(?:salut|bonjour|coucou|hey|ah|oh|ok|bon(?! à\b)|alors|et|mais|aussi|"
        r"au fait|du coup|mdr|haha+|en fait(?=,)|(?:ah |mais )*non non(?=,)|"
        r"bon à savoir(?=\s*[:,])|"
        r"correction(?=\s*[,:]\s*\S+\s\S+\s\S+\s)|oui|ouais|super|merci|"
        r"désolée?|donc|d'ailleurs|(?:non)(?=,))\b(?:[,.:;!…–—-]+\s*|\s+))+",
        re.IGNORECASE,
    ),
    "pt": re.compile(
        r"^(?:\W*\b(?:oi|olá|ei|ah|oh|ok|bom(?! saber)|então|e|mas|também|aliás|"
        r"a propósito|kkk+|haha+|"
        r"(?:ai|que|não) não(?=,)|na verdade(?=,)|bom saber(?=\s*[:,])|"
        r"correção(?=\s*[,:]\s*\S+\s\S+\s\S+\s)|"
        r"sim|claro|ótimo|obrigad[oa]|desculpa|"
        r"(?:não)(?=,))\b(?:[,.:;!…–—-]+\s*|\s+))+",
        re.IGNORECASE,
    ),
    "zh": re.compile(
        r"^(?:(?:你好|您好|嗨|嘿|哦|嗯+|好的?|对了|另外|还有|那|哈哈+|谢谢|"
        r"哦?不对|不是不是|更正|订正)(?:[，。！,!、：:\s]+))+"
    ),
    "ja": re.compile(
        r"^(?:(?:こんにちは|やあ|あ|うん|はい|そう|それと|あと|ところで|ちなみに|じゃあ|えっと|"
        r"了解|いや|いえ|やっぱり|訂正)(?:[、。！,!：:\s]+))+"
    ),
}
_CONNECTIVE = re.compile(
    r"^\s*(?:(?:(?:and|to|for|you|me|us|myself|yourself|self|everyone|everybody|all|later|know|und|"
    r"an|für|mich|dich|uns|alle|y|a|para|mí|ti|todos|et|à|pour|moi|toi|tous|e|mim|você)\b\s*){1,5}"
    r"[:：]\s*)?"
    r"(?:[:：,，、-]\s*)?(?:(?:that|dass|daß|que|de que|of|isso|this|it|bitte|por favor|please|"
    r"s'il te plaît)\b(?!['’\w])[:,]?\s*)*",
    re.IGNORECASE,
)
_TRAILERS = {
    "en": re.compile(
        r"[,;.!–-]*\s+(?:(?:so\s+)?(?:please\s+)?(?:remember|note|save|store|write)\s+(?:it|"
        r"this|that)(?:\s+down)?|(?:please\s+)?keep\s+(?:that|this|it)\s+in\s+mind[^.;]*|"
        r"(?:please\s+)?don'?t\s+forget(?:\s+(?:it|that|this))?|for\s+the\s+record|btw|"
        r"lol|haha+|ok\?|okay\?|thanks|thx|please\s+remember)\W*$",
        re.IGNORECASE,
    ),
    "de": re.compile(
        r"[,;.!–-]*\s+(?:(?:bitte\s+)?merk(?:e)?\s+(?:dir\s+)?(?:das|es)(?:\s+dir)?|"
        r"vergiss\s+(?:das|es)\s+nicht|danke|haha+)\W*$",
        re.IGNORECASE,
    ),
    "es": re.compile(
        r"[,;.!–-]*\s+(?:(?:por\s+favor\s+)?(?:recuérdalo|apúntalo|anótalo|tenlo\s+en\s+cuenta|"
        r"no\s+lo\s+olvides)|gracias|jaja\w*)\W*$",
        re.IGNORECASE,
    ),
    "fr": re.compile(
        r"[,;.!–-]*\s+(?:(?:s'il\s+te\s+plaît\s+)?(?:retiens-le|note-le|ne\s+l'oublie\s+pas|"
        r"souviens-t'en)|merci|haha+|mdr)\W*$",
        re.IGNORECASE,
    ),
    "pt": re.compile(
        r"[,;.!–-]*\s+(?:(?:lembra|lembre-se)\s+disso|não\s+esqueç\w+(?:\s+disso)?|"
        r"anota\s+(?:isso|aí)|obrigad[oa]|kkk+)\W*$",
        re.IGNORECASE,
    ),
    "zh": re.compile(r"[，,。\s]+(?:请?记住(?:这个|这一点)?|别忘了|记一下)[。！!]*$"),
    "ja": re.compile(
        r"[、。\s]*(?:(?:これ|それ)?(?:を|も)?覚えておいて(?:ね|ください)?|忘れないで(?:ね|"
        r"ください)?)[。！!]*$"
    ),
}
_NOTHING = re.compile(r"(?!)")
# Whoever decides such things is "they" in French: it refers to nobody who was named.
_THEY_CHANGED = (
    r"(?:(?:nous|l)\s*['’]?\s*)?(?:ont|vont)\s+(?:encore\s+|aussi\s+)?(?:décal|déplac|repouss|annul|"
    r"avanc|chang|ferm|report|augment|support|interdi|rouv|coup)\w+\s+(?:l[ea]s?\b|l'|not\w+|nos|mon|ma|mes)"
)
_PRONOUNS = {
    "en": re.compile(
        r"(?:he|she|they|it|him|her|his|their|its)(?:'\w+)?\b(?!\s+(?:turns\s+out|turned\s+out|"
        r"is\s+(?:final|settled|official)))",
        re.IGNORECASE,
    ),
    "de": re.compile(r"(?:er|sie|ihre?|seine?)\b", re.IGNORECASE),
    "es": re.compile(r"(?:él|ella|ellos|ellas)\b", re.IGNORECASE),
    "fr": re.compile(
        r"(?:il|elle|ils|elles)\b(?!\s+(?:y|faut|s'avère|se\s+trouve|paraît|fait))"
        rf"(?<!ils(?=\s{_THEY_CHANGED}))",
        re.IGNORECASE,
    ),
    "pt": re.compile(r"(?:ele|ela|eles|elas)\b", re.IGNORECASE),
    "zh": re.compile(r"[他她它](?!们决定)"),
    "ja": re.compile(r"彼女?(?:は|が|も)"),
}

_PERSON = {
    "en": re.compile(r"(?:he|she|him|her|his)(?:'\w+)?\b", re.IGNORECASE),
    "de": re.compile(r"(?:er|sie|ihre?|seine?)\b", re.IGNORECASE),
    "es": re.compile(r"(?:él|ella|ellos|ellas)\b", re.IGNORECASE),
    "fr": re.compile(r"(?:il|elle|ils|elles)\b", re.IGNORECASE),
    "pt": re.compile(r"(?:ele|ela|eles|elas)\b", re.IGNORECASE),
    "zh": re.compile(r"[他她]"),
    "ja": re.compile(r"彼女?"),
}
# What stands before a comma without naming anybody: "most days, he sleeps".
_ASIDE = re.compile(
    r"(?:(?!only\b|family\b|[smebj]\w+ly\b|lily\b)[a-z]+ly|mostly|most \w+|these days|"
    r"in (?:general|fact|the \w+)|"
    r"of course|as (?:always|usual|ever)|at (?:home|work|night|least|first)|on \w+days|by now|"
    r"since then|sometimes|always|anyhow|besides)\s*,\s*",
    re.IGNORECASE,
)

_DEMONSTRATIVES = {
    "en": re.compile(
        r"(?:this|that|these|those)(?:'\w+)?\b(?!\s+(?:is\s+(?:final|settled)))", re.I
    ),
    "de": re.compile(r"dies(?:er|e|es|en|em)?\b|das\s+(?:ist|war|hat|wird|geht)\b", re.IGNORECASE),
    "es": re.compile(r"(?:eso|esto)\b", re.IGNORECASE),
    "fr": re.compile(r"(?:ça|cela|ceci)\b", re.IGNORECASE),
    "pt": re.compile(r"(?:isso|isto|aquilo)\b", re.IGNORECASE),
    "zh": re.compile(r"[这那](?:个|是|些)"),
    "ja": re.compile(r"(?:それ|これ|あれ)(?:は|が|も)"),
}

_ANYBODY = re.compile(
    r"(?<![\w/.-])(?:i|i'?m|i've|i'll|i'd|me|my|mine|myself|we|we'\w+|us|our|ours|ourselves|"
    r"let's|you|you'\w+|your|yours)(?![\w/-])",
    re.IGNORECASE,
)
_OTHERS = re.compile(
    r"(?<![\w/.-])(?:we|we'\w+|us|our|ours|ourselves|let's|you|you'\w+|your|yours)(?![\w/-])",
    re.IGNORECASE,
)
_COMMAND = re.compile(
    r"(?:please\b|let's\b|always\b|never\b|don't\b|do not\b|no\s|only\b|keep\b|use\b|avoid\b|"
    r"stop\b|call\b|to\b|[a-z]+\s+(?:me|us)\b)",
    re.IGNORECASE,
)
_AGENT_SUBJECT = re.compile(
    r"^(?:done|fixed|great|ok|okay)?[:,.!\s]*\bI(?:'ve| have)?\s+(?:(?:now|also|just|then|"
    r"already|successfully)\s+)?",
    re.IGNORECASE,
)
_I = re.compile(r"(?<![\w.'/-])[iI](?![\w'/-]|\.\w)")
_MY = re.compile(r"(?<![\w'-])my(?![\w'-])", re.IGNORECASE)
_ME = re.compile(r"(?<![\w'-])me(?![\w'-])", re.IGNORECASE)
_REFLEXIVE = re.compile(r"\b(?:myself|mine)\b", re.IGNORECASE)
_ADVERB = (
    r"(?:really|always|never|also|only|just|usually|often|still|now|absolutely|definitely|"
    r"totally|generally|mostly|sometimes|currently|recently|already|finally|truly|strongly|"
    r"mainly|personally|normally|typically|rarely|probably|simply|both|kinda|actually|all|"
    r"honestly|officially|basically)"
)
_SUBJECT = re.compile(
    rf"(?<![\w.'/-])[iI]\s+(?P<adverbs>(?:{_ADVERB}\s+)*)(?P<verb>[a-z]+(?:'t)?)(?![\w'])"
)
_COORDINATED = re.compile(
    rf"(?P<head>,?\s(?:and|but|or)\s+(?:{_ADVERB}\s+)*)(?P<verb>[a-z]+(?:'t)?)(?![\w'])"
)
_PEOPLE = re.compile(
    r"\b(?:they|them|their|theirs|he|him|his|she|her|people|everyone|everybody|someone|somebody|"
    r"who|kids|children|parents|friends|colleagues|team|neighbou?rs)\b",
    re.IGNORECASE,
)
_PLURAL = re.compile(
    r"\b(?!always\b|sometimes\b|was\b|has\b)[a-z]{2,}[^sui\W]s\b|\b(?:two|three|four|both|\d+)\b"
)
_KEEP_VERBS = word_set(
    """
    can can't cannot could couldn't will won't would wouldn't should shouldn't must mustn't might
    may did didn't
    """
)
_PAST_VERBS = word_set(
    """
    arose ate awoke became began bent bit bled blew bore bought bound bred broke brought built
    burnt came caught chose clung crept dealt did dove drank dreamt drew drove dug fed fell felt
    fled flew flung forbade forgave forgot fought found froze gave got grew ground had heard held
    hid hung kept knelt knew laid lay leant leapt learnt led left lent lit lost made meant met
    misread mistook overcame overdid overheard overslept overtook paid ran rang rebuilt redid
    reran rewrote rode rose said sang sank sat saw sent shone shook shot shrank slept slid smelt
    sold sought sped spelt spent spilt spoke sprang spun stank stole stood stuck stung swam swept
    swore swung taught thought threw told took tore trod undid understood undertook wept went
    withdrew withheld woke won wore wound wove was were wrote born
    """
)
_PLURAL_VERBS = {"am": "are", "was": "were", "wasn't": "weren't"}
_LY_VERBS = word_set("fly apply rely supply reply comply multiply imply ally bully rally tally")
_CHANGED_VERBS = {
    "am": "is",
    "have": "has",
    "haven't": "hasn't",
    "do": "does",
    "don't": "doesn't",
    "wasn't": "wasn't",
    "hadn't": "hadn't",
    "go": "goes",
}
_AMBIGUOUS_VERBS = word_set(
    """
    put set cut let read hit cost quit shut hurt bet cast split spread beat burst bid fit knit
    shed sublet thrust upset reset wed embed broadcast forecast and or but who as too
    """
)
_BASE_VERBS = word_set(
    """
    live work use need want like love hate prefer go come take drive fly run eat drink play
    study teach speak own keep have do wear sleep travel swim cook write sing paint train
    manage lead avoid enjoy dislike commute pay rent know think start finish leave wake get
    make smoke dance
    """
)


def _spelt_out(text: str) -> str:
    """Write contractions with "I" out, also those without an apostrophe."""
    text = text.replace("’", "'")
    for pattern, words in _CONTRACTIONS:
        text = pattern.sub(words, text)
    return text


_CONTRACTIONS: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (re.compile(r"(?<![\w'-])i'?m(?![\w'-])", re.IGNORECASE), "I am"),
    (re.compile(r"(?<![\w'-])i'?ve(?![\w'-])", re.IGNORECASE), "I have"),
    (re.compile(r"(?<![\w'-])i'll(?![\w'-])", re.IGNORECASE), "I will"),
    (
        re.compile(
            r"(?<![\w'-])i'd(?=\s+(?:rather|prefer|like|love|want|be|never|always|say|go)\b)", re.I
        ),
        "I would",
    ),
    (re.compile(r"(?<![\w'-])i'd(?=\s+\w+ed\b)", re.IGNORECASE), "I had"),
    (
        re.compile(r"(?<![\w'-])(i\s+(?:\w+\s+)?)dont\b", re.IGNORECASE),
        lambda match: f"{match[1]}don't",
    ),
    (
        re.compile(r"(?<![\w'-])(i\s+(?:\w+\s+)?)cant\b", re.IGNORECASE),
        lambda match: f"{match[1]}can't",
    ),
)


def _shift_subjects(text: str, name: str) -> str | None:
    """Put `name` for the first "I" and "they" for later ones; None if a verb is uncertain."""
    shifted: list[str] = []
    done = 0
    for match in _SUBJECT.finditer(text):
        verb = _inflected(match["verb"])
        if verb is None:
            return None
        if done:
            plural = _PLURAL_VERBS.get(match["verb"], match["verb"])
            shifted += [text[done : match.start()], f"they {match['adverbs']}{plural}"]
            done = match.end()
            continue
        shifted += [text[done : match.start()], f"{name} {match['adverbs']}{verb}"]
        done = match.end()
        if verb != match["verb"]:  # a second verb of the same present subject
            following = _COORDINATED.search(text, done, done + 80)
            if following and following["verb"] in _BASE_VERBS:
                shifted += [
                    text[done : following.start("verb")],
                    str(_inflected(following["verb"])),
                ]
                done = following.end()
    return "".join([*shifted, text[done:]])


def _inflected(verb: str) -> str | None:
    """Return the third person singular of a verb behind "I", or None if it is uncertain."""
    if verb in _CHANGED_VERBS:
        return _CHANGED_VERBS[verb]
    if verb in _AMBIGUOUS_VERBS or verb.endswith("ing"):
        return None
    if verb in _KEEP_VERBS or _is_past(verb):
        return verb
    if verb.endswith("ly") and verb not in _LY_VERBS:
        return None  # an adverb that no list holds
    if verb.endswith(("s", "x", "z", "ch", "sh", "o")):
        return f"{verb}es"
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return f"{verb[:-1]}ies"
    return f"{verb}s"


def _is_past(verb: str) -> bool:
    if verb.endswith("eed"):
        return verb in ("agreed", "disagreed", "freed", "guaranteed")
    return verb in _PAST_VERBS or verb.endswith("ed")


def _quote(speaker: str, body: str) -> str:
    inner = re.sub(r"[\"“”„«»]", "'", body)
    return f'{speaker}: "{inner}"'


def _capital(text: str) -> str:
    """Start with a capital, unless the first word is a name written its own way."""
    first = text.split(maxsplit=1)[0] if text.split() else ""
    own_way = any(
        char.isupper() or char in "./_:\\-" or char.isdigit() for char in first.rstrip(".,:;!?")
    )
    return text if own_way else text[:1].upper() + text[1:]


def needs_speaker(body: str, language: str) -> bool:
    """Tell whether the speaker speaks of themselves: then they are an entity of the fact."""
    unspoken = _OWN_VERB.get(language)
    if unspoken and unspoken.search(body):
        return True
    return persons.speaks_of_self(_spelt_out(body) if language == "en" else body, language)


# Where the subject is left out or impersonal, the verb or "on" still means the speaker.
_OWN_VERB = {
    "es": re.compile(
        r"\b(?:(?:no|ya|si|lo|porque)\s+(?:l[aeo]s?\s+)?|[,;]\s+)(?!como\b|todo\b)\w{2,}o\b(?=\s+(?:a|en|"
        r"con|de|que|el|la|los|las|un|una|más|nunca|siempre|para|por|mucho|bien)\b|\W*$)",
        re.I,
    ),
    "fr": re.compile(r"(?<!l')(?<!l’)\bon\b(?!\s+(?:dit|sait)\b)", re.I),
}
