"""Who a sentence speaks of, by its pronouns: the speaker, or somebody whom it does not name."""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from hippod.language import LANGUAGES, is_function_word, word_set

_SELF = {
    "en": r"\b(?:i|i'?m|i'?ve|i'?ll|i'd|me|my|mine|myself|"
    r"we|we're|we've|we'll|us|ours?|ourselves)\b",
    "de": r"\b(?:ich|mir|mich|mein\w*|wir|uns|unser\w*)\b",
    "es": r"\b(?:yo|me|mí|mis?|mí[oa]s?|conmigo|nosotr[oa]s|nos|nuestr[oa]s?|soy|voy|doy|estoy|"
    r"\w+[aei]mos)\b",
    "fr": r"\b(?:je|me|moi|mon|ma|mes|mien\w*|nous|notre|nos)\b|\b[jm]'",
    "pt": r"\b(?:eu|me|mim|comigo|meus?|minhas?|nós|nos|noss[oa]s?|conosco|a gente|"
    r"sou|vou|dou|estou|\w+[aei]mos)\b",
    "zh": r"我|咱",
    "ja": r"私|僕|俺|わたし|ぼく|うちの|我々|弊社",
}
# Where pronouns are left out, the ending of a first verb says who speaks.
_SELF_BY_VERB = {
    "es": r"^\W*(?:no|ya|siempre|nunca|también|ahora)\s+(?:\w{2,}o|he)\b|^\W*"
    r"(?!(?:todo|bueno|luego|pero|como|cuando|primero|claro|eso|esto|algo|cuatro|ocho|cinco|"
    r"marzo|junio|julio|agosto|enero|febrero|mayo|nuevo|cómo)\b)"
    r"(?:\w{2,}o(?!\s+(?:es|vive|trabaja|tiene|está|llega|viene|va|fue|come|se)\b)|he)\b",
    "pt": r"^\W*(?:não|já|sempre|nunca|também|agora)\s+\w{2,}o\b|^\W*"
    r"(?!(?:tudo|como|quando|primeiro|claro|isso|isto|quatro|oito|cinco|março|junho|julho|"
    r"agosto|janeiro|fevereiro|maio|novo|quanto|enquanto|são|então|não)\b)"
    r"(?:\w{2,}o(?!\s+(?:é|mora|trabalha|tem|está|chega|vem|vai|foi|come|se)\b))\b",
}
_SELF_WHOLE = {
    "zh": r"(?:我们|我們|咱们|我|咱)的?",
    "ja": r"(?:(?:私|僕|俺|わたし|ぼく)(?:たち|達)?|我々|弊社)の?|うちの",
}
_OTHERS = {
    "en": r"\b(?:he|she|they|him|her|hers|his|them|their|theirs)\b",
    "de": r"\b(?:er|sie|ihm|ihn|ihnen|ihre?[mnrs]?|sein(?:e[mnrs]?)?)\b",
    "es": r"\b(?:él|ella|ellos|ellas|les?|sus?)\b",
    "fr": r"\b(?:il|elle|ils|elles|lui|leurs?|sa|son|ses)\b",
    "pt": r"\b(?:ele|ela|eles|elas|del[ea]s?|lhes?|seus?|suas?)\b",
    "zh": r"他|她|它们",
    "ja": r"彼|彼女|あの人",
}


def speaks_of_self(sentence: str, language: str) -> bool:
    """Tell whether the speaker is in the sentence: I, my, we, our or a verb that says so."""
    plain = sentence.replace("’", "'")
    by_verb = _SELF_BY_VERB.get(language)
    return first_person(plain, language) or bool(by_verb and _found(by_verb, plain))


def first_person(text: str, language: str) -> bool:
    """Tell whether a word of the first person is left in a text that is told by another."""
    return _found(_SELF.get(language, _SELF["en"]), text.replace("’", "'"))


def without_self(text: str, language: str) -> str:
    """Return a text of a language without spaces with its words for I, my, we, our cut out."""
    pattern = _SELF_WHOLE.get(language)
    return re.sub(pattern, " ", text) if pattern else text


def third_person(text: str, language: str) -> bool:
    """Tell whether a text speaks of somebody by a pronoun alone."""
    return _found(_OTHERS.get(language, _OTHERS["en"]), text)


@dataclass(frozen=True, slots=True)
class Voice:
    """A line that is put into somebody's mouth: who says it, and what."""

    name: str
    said: str


def voice(line: str) -> Voice | None:
    """Return who says a line by its own words, as in "Ada: I'm late", or None."""
    match = _VOICE.match(line)
    if match is None or _is_heading(match["name"]):
        return None
    return Voice(match["name"], match["said"].strip())


def voices(texts: Sequence[str], people: Collection[str]) -> frozenset[str]:
    """Return the names that speakers of a session have in front of their lines.

    Only whoever says I or we speaks: "Ada: please call" may as well address her. They are names
    of `people`, or stand with other names that recur or speak so too, or begin texts of a group.
    """
    said = [found for text in texts for line in text.splitlines() if (found := voice(line))]
    count = Counter(each.name for each in said)
    speaking = {each.name for each in said if any(first_person(each.said, x) for x in LANGUAGES)}
    known = speaking & {*people}
    recurs = max(count.values(), default=0) > 1
    if speaking and len(count) > 1 and (recurs or known or speaking == {*count}):
        return frozenset(count)
    starts = {found.name for text in texts if (found := voice(text.strip().partition("\n")[0]))}
    group = len(people) > 2 or len(starts) > 1
    return frozenset(known | (starts & speaking if group else set()))


_VOICE = re.compile(
    r"\s*(?:[-*>]\s+|\[?\d{1,2}[:.]\d\d\]?\s+)?(?P<name>[^\W\d_a-zà-ÿ][^\W\d_]{1,19}"
    r"(?: [^\W\d_a-zà-ÿ][^\W\d_]{1,19})?) ?[:：]\s*(?P<said>(?!//)\S.*)",
    re.DOTALL,
)


def _is_heading(name: str) -> bool:
    if name.isupper() and name.isascii():
        return True
    return any(
        word.casefold() in _HEADINGS or any(is_function_word(word, each) for each in LANGUAGES)
        for word in name.split()
    )


_HEADINGS = word_set(
    """
    note notes todo lesson decision decisions important update question answer warning tip
    reminder remember plan goal goals status summary result results context background idea fact
    facts problem cause fix solution rule rules example examples budget date time place address
    monday tuesday wednesday thursday friday saturday sunday breakfast lunch dinner pros cons
    title subject from to re fwd cc name email phone user assistant system human agent ai bot me
    correction edit deadline caveat ps fyi step day week option version server client input output
    notiz entscheidung wichtig frage antwort hinweis achtung plan ziel ergebnis idee problem ursache
    lösung regel beispiel termin datum ort adresse montag dienstag mittwoch donnerstag freitag
    samstag sonntag korrektur betreff thema
    nota notas decisión importante pregunta respuesta aviso objetivo resultado causa solución regla
    ejemplo fecha lugar dirección lunes martes miércoles jueves viernes sábado domingo corrección
    asunto tema décision question réponse attention objectif résultat idée problème règle exemple
    lieu adresse lundi mardi mercredi jeudi vendredi samedi dimanche objet rappel
    decisão pergunta resposta aviso atenção problema solução regra exemplo data local endereço
    segunda terça quarta quinta sexta correção assunto lembrete
    注意 备注 决定 问题 原因 结论 日期 时间 地点 地址 更正 订正 訂正 提醒 重点 目标
    计划 备忘 总结 教训
    メモ 注意 決定 質問 回答 原因 結論 日時 時間 場所 住所 目標 予定 教訓 件名 結果 追記 補足
    """
)


def _found(pattern: str, text: str) -> bool:
    return re.search(pattern, text, re.IGNORECASE) is not None
