"""What a later turn of a session puts in the place of an earlier one, without saying so.

Two sentences are about the same thing if they share a topic; the later one replaces the earlier
one if it has another value in its slot, takes up another plan after a setback, or reports work
that undoes other work or repairs what was complained of.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from hippod.extraction import corrections, cues, cuewords, names
from hippod.extraction.candidates import Candidate
from hippod.language import content_stems

REACH = 30
"""Sentences that a later one is held against."""
REPLACED, UNDONE, REPAIRED = "replaced later", "undone later", "repaired later"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What is still so at the end, in order; and what is not, with the reason."""

    current: tuple[Candidate, ...]
    gone: tuple[tuple[Candidate, str], ...]


def settle(spoken: Sequence[Candidate]) -> Outcome:
    """Hold every sentence against the earlier ones; a substitute gets their standing and topic."""
    current = list(spoken)
    gone: dict[int, str] = {}
    for position, later in enumerate(spoken):
        for before in range(max(0, position - REACH), position):
            earlier = current[before]
            reason = None if before in gone else _replaces(later, before, position, spoken)
            if reason is None:
                continue
            gone[before] = reason
            if reason != REPAIRED and earlier.turn.role == later.turn.role and _stands(later):
                current[position] = in_its_place(current[position], earlier)
    kept = tuple(each for place, each in enumerate(current) if place not in gone)
    return Outcome(kept, tuple((current[place], reason) for place, reason in gone.items()))


def in_its_place(later: Candidate, earlier: Candidate) -> Candidate:
    """Return `later` with the standing of what it replaces, and with its topic."""
    if earlier.judged is not None and later.judged is not None:
        later = replace(later, judged=max(later.judged, earlier.judged))
    later = replace(later, margin=max(later.margin, earlier.margin))
    later = replace(later, cue=max(later.cue, earlier.cue, key=lambda cue: cue.score))
    topic = corrections.topic(earlier.sentence, earlier.language)
    known = set(content_stems(later.sentence, later.language))
    if topic is None or known & set(content_stems(topic, earlier.language)):
        return later
    return replace(
        later,
        about=topic,
        sources=(*later.sources, earlier.sentence),
        rests_on=(*later.rests_on, earlier.turn.id),
    )


def _replaces(
    later: Candidate, before: int, position: int, spoken: Sequence[Candidate]
) -> str | None:
    earlier = spoken[before]
    if earlier.turn == later.turn and earlier.turn.role == "assistant":
        return None
    if later.turn.role == "assistant":
        return _by_work(earlier, later, spoken[before + 1 : position])
    if earlier.turn.role != "user" or earlier.speaker != later.speaker or _asks(later):
        return None
    near = _lead(spoken, position)
    if _has_new_value(earlier, later, near) or _is_substitute(earlier, later, near):
        return REPLACED
    return None


def _stands(candidate: Candidate) -> bool:
    return candidate.cue.score > cues.FLOOR


def _asks(candidate: Candidate) -> bool:
    return candidate.cue.reason in ("question", "hypothesis", "fiction")


def _lead(spoken: Sequence[Candidate], position: int) -> list[Candidate]:
    """Return what people say just before a sentence: in its turn and the one before."""
    lead: list[Candidate] = []
    turns = {spoken[position].turn.id}
    for each in reversed(spoken[max(0, position - 6) : position]):
        if each.turn.role != "user":
            continue
        turns.add(each.turn.id)
        if len(turns) > 2:
            break
        lead.append(each)
    return lead


# --- another value, another plan -----------------------------------------------------------------


def _has_new_value(earlier: Candidate, later: Candidate, near: Sequence[Candidate]) -> bool:
    """Tell whether one value of the same thing and unit is another one now.

    Who admits a slip or measured again need share no more than the thing; two figures without
    such a word often belong to two things, or to then and now.
    """
    if not corrections.revalues(later.sentence, earlier.sentence, later.language):
        return False
    if _AGAINST.search(later.sentence) or _AGAINST.search(earlier.sentence):
        return False
    shared = _shared(earlier, later)
    if any(_SLIP.search(each.sentence) for each in (later, *_of_turn(near, later))):
        return shared > 0 or earlier in near
    # "The kitchen shelf is 60 deep, the hall shelf is 40 deep": what is new may be another thing.
    return (
        earlier.turn != later.turn
        and shared == _topics(later) > 1
        and _names_same(earlier, later)
        and _short_words(later) <= _short_words(earlier)
    )


def _names_same(earlier: Candidate, later: Candidate) -> bool:
    known = set(names.spans(earlier.sentence, earlier.language))
    return not earlier.cue.explicit and set(names.spans(later.sentence, later.language)) <= known


def _short_words(candidate: Candidate) -> set[str]:
    """Return the stems that are too short for topics: "tv", "car", "son" name things as well."""
    stems = content_stems(candidate.sentence, candidate.language)
    return {stem for stem in stems if stem.isalpha() and stem.isascii() and 1 < len(stem) < 4}


def _is_substitute(earlier: Candidate, later: Candidate, near: Sequence[Candidate]) -> bool:
    """Tell whether a plan was just given up and another one taken up in its place."""
    if not (_SUBSTITUTE.search(later.sentence) and _is_plan(earlier)) or earlier in near[:1]:
        return False
    setback = [each for each in near if each is not earlier and each.turn != earlier.turn]
    if not setback or _CONDITION.search(later.sentence):
        return False
    if any(_SETBACK.search(each.sentence) for each in setback):
        return True
    return any(_shared(earlier, each) for each in setback) and not _shared(earlier, later)


def _is_plan(candidate: Candidate) -> bool:
    return candidate.cue.score > cues.FLOOR and bool(
        _PLAN.search(candidate.cue.reason) or _SETTLED.search(candidate.sentence)
    )


def _of_turn(candidates: Sequence[Candidate], later: Candidate) -> list[Candidate]:
    return [each for each in candidates if each.turn == later.turn]


def _shared(one: Candidate, other: Candidate) -> int:
    return len(
        corrections.topics(one.sentence, one.language)
        & corrections.topics(other.sentence, other.language)
    )


def _topics(candidate: Candidate) -> int:
    return len(corrections.topics(candidate.sentence, candidate.language))


# --- work that undoes or repairs -----------------------------------------------------------------


def _by_work(earlier: Candidate, later: Candidate, between: Sequence[Candidate]) -> str | None:
    """Return what the agent's report does to an earlier report, order, finding or complaint."""
    told = later.turn.text[:_HEAD]
    shared = _shared(earlier, later)
    if not shared or _ADDS.search(told):
        return None
    announced = _ANNOUNCEMENT.match(told)
    if _REPAIRS.search(told) and (_is_complaint(earlier) or (announced and _is_finding(earlier))):
        return REPAIRED
    same = announced or shared >= max(2, _topics(earlier) // 2)
    if not same or not _RESTORES.search(announced[1] if announced else told):
        return None
    if earlier.turn.role == "assistant":
        return UNDONE if earlier.cue.score > 0 and _is_objected(between) else None
    return UNDONE if _is_order_of(earlier, between) else None


_HEAD = 40
"""Characters of a report in which it says what kind of work it was."""
_ANNOUNCEMENT = re.compile(r"\W*([^:：。!！.\d]{2,20})[:：。!！.]")
"""A head that says nothing else: "Restored: …"."""


def _is_objected(between: Sequence[Candidate]) -> bool:
    """Tell whether somebody spoke between two reports: nobody undoes what nobody minds."""
    return any(each.turn.role == "user" for each in between)


def _is_order_of(earlier: Candidate, between: Sequence[Candidate]) -> bool:
    """Tell whether the agent did directly afterwards what a person said."""
    done = next((each for each in between if each.turn.role == "assistant"), None)
    first = next((each for each in between if each.turn != earlier.turn), None)
    return (
        done is not None and done is first and done.cue.kind == "B" and _shared(earlier, done) > 0
    )


def _is_finding(candidate: Candidate) -> bool:
    return candidate.turn.role == "assistant" and candidate.cue.score <= 0


def _is_complaint(candidate: Candidate) -> bool:
    """Tell a complaint about a thing from its lasting flaw, and from what people want."""
    lasting = candidate.cue.explicit or _WANTED.search(candidate.cue.reason)
    if candidate.turn.role == "assistant" or lasting:
        return False
    habit = cuewords.HABITS.get(candidate.language, cuewords.HABITS["en"])
    return bool(_FAULT.search(candidate.sentence)) and not habit.search(candidate.sentence)


# --- words ---------------------------------------------------------------------------------------


def _pattern(*parts: str) -> re.Pattern[str]:
    """Join alternatives; `~` stands for white space."""
    return re.compile("|".join(parts).replace("~", r"\s+"), re.IGNORECASE)


_PLAN = re.compile("decision|standing")
_WANTED = re.compile("decision|preference|standing")
_SETTLED = _pattern(
    r"\b(?:settled|booked|decided|picked|confirmed|agreed|chose|signed|planned|fest|gebucht|"
    r"entschieden|vereinbart|zusage|ausgemacht|reservad[oa]|decidid[oa]|elegid[oa]|confirmad[oa]|"
    r"acordad[oa]|voté|décidé|réservé|choisi|convenu|marcad[oa]|combinad[oa]|fechad[oa])\b",
    r"定了|订好|说好|决定|决まっ|予約し|決め",
)
_SLIP = _pattern(
    r"\b(?:(?:measured|counted|checked|asked|looked)~(?:it~|them~)?(?:again|properly|twice|once~more)|"
    r"re-?(?:measured|counted|checked|calculated)|mis(?:read|counted|copied|heard|remembered|typed)|"
    r"(?:was|were|is|are)~(?:wrong|off|out~of~date|outdated)|mixed~up|forgot|forgotten|wait)\b",
    r"\b(?:nach(?:gemessen|gezählt|gerechnet|geschaut|gesehen)|noch~mal~(?:gemessen|gezählt|"
    r"gerechnet|nachgefragt)|ver(?:zählt|messen|rechnet|lesen|wechselt|tippt|tan)|vergessen|"
    r"falsch|moment|stimmt~nicht)\b",
    r"\b(?:mal~(?:copiad|medid|contad|apuntad)[oa]s?|volv\w+~a~(?:medir|contar|mirar|preguntar)|"
    r"(?:medí|conté|miré)~de~nuevo|confund\w+|olvid(?:é|ó|ado)|estaba~mal|espera)\b",
    r"\b(?:re(?:compté|mesuré|calculé|vérifié)\w*|mal~(?:compté|mesuré|lu|recopié)|confondu|oublié|"
    r"trompée?|attends)\b",
    r"\b(?:(?:medi|contei|olhei|mediu|contou)~de~novo|re(?:contei|contou|medi|mediu|fiz)|"
    r"esquec(?:i|eu|ido)|confundi|estava~errad[oa]|li~errado|espera)\b",
    r"重新(?:量|数|算|查)|又(?:量|数|算)了|量错|看错|数错|算错|忘了算|搞混|等等|"
    r"測り直|数え直|計り直|見間違|勘違い|曲がって|数え忘れ|待って",
)
_AGAINST = _pattern(
    r"\b(?:used~to|before|previously|earlier|last~(?:year|month|time)|originally|the~(?:other|"
    r"second|little|small|big)|another|also|too|as~well|plus|and~then|extra|each|former(?:ly)?|"
    r"vorher|früher|letzte[sn]?~(?:jahr|monat|mal)|davor|damals|ander\w+|auch|noch~ein\w*|zusätzlich|"
    r"außerdem|antes|el~(?:año|mes)~pasado|otr[oa]s?|también|además|avant|l'an~dernier|l'année~"
    r"dernière|dernière~fois|última~vez|autres?|aussi|en~plus|ano~passado|outr[oa]s?|também|além)\b",
    r"以前|之前|去年|上个?月|上次|前回|原来|另|也|还有|每人|前は|昨年|先月|別の|もう一|ほかの|も\d",
)
_SUBSTITUTE = _pattern(
    r"^\W*(?:(?:ok(?:ay)?|oh|no|and|so|fine|right)\W+)*(?:instead|then|well|(?:we|i)'ll~(?:take|use|"
    r"go~with)|(?:we'?re|i'?m)~going~with|let'?s~(?:take|use|go~with)|(?:we|i)~(?:switched|moved)~to)\b",
    r"\bweich\w*\b.{0,40}\baus\b|^\W*(?:(?:ok(?:ay)?|na|gut|so|ja)\W+)*(?:dann|stattdessen|(?:nehme\w*|"
    r"machen|gehen)~wir|wir~(?:nehmen|gehen~jetzt))\b",
    r"^\W*(?:(?:ok|bueno|vale|ay)\W+)*(?:entonces|pues|mejor|en~su~lugar|(?:al~final~)?nos~(?:vamos|"
    r"pasamos)~a|cogemos|tomamos)\b",
    r"^\W*(?:(?:ok|bon|ben|bah)\W+)*(?:alors|du~coup|plutôt|on~(?:prend|part~sur|passe|se~rabat)|"
    r"à~la~place)\b|\bon~prend\b.*\balors\b",
    r"^\W*(?:(?:ok|bom|tá|ah)\W+)*(?:então|em~vez|no~lugar|(?:a~gente~)?(?:vamos|vai|ficamos)~(?:de|"
    r"com|pro?|pra|para)~)",
    r"^\W*(?:那就|只好|改成|改到|换成|换到|改去|不如)|^[^。]{0,6}(?:それなら|じゃあ|代わりに)|にしよう|に変え",
)
_SETBACK = _pattern(
    r"\bbad~news\b|\b(?:fell|falls|fallen)~through\b|\bnot~available\b|\bno~longer~(?:available|"
    r"free|possible)\b|\b(?:is|are|it's)~(?:closed|full|booked~(?:out|up)|taken|gone|cancelled)\b",
    r"\bschlechte~nachricht\w*\b|\b(?:wasserschaden|fällt~aus|ausgefallen|geschlossen|abgesagt|"
    r"ausgebucht|belegt|geht~(?:doch~)?nicht|platzt|geplatzt)\b",
    r"\bmalas?~noticias?\b|\b(?:está~(?:cerrad|ocupad|complet)[oa]|cancelad[oa]|se~(?:cayó|"
    r"canceló)|no~(?:puede|hay|está~disponible))\b",
    r"\bmauvaises?~nouvelles?\b|\b(?:est~(?:fermée?|complète?|prise?|annulée?)|tombe~à~l'eau)\b",
    r"\bmás?~notícias?\b|\bmá~notícia\b|\b(?:está~(?:fechad|lotad|ocupad)[oa]|cancelaram|não~"
    r"(?:dá|pode|tem~vaga)|caiu)\b",
    r"坏消息|占着|关门|订满|满了|不开放|来不了|取消|残念|満席|満室|休館|休業|使えない|ふさが|埋まっ",
)
_CONDITION = _pattern(
    r"\b(?:if|in~case|unless|falls|wenn|sonst|si|sinon|au~cas|se|caso|senão)\b",
    r"如果|要是|万一|もし|なら|場合",
)
_RESTORES = _pattern(
    r"\b(?:restored|reverted|rolled~back|undone|undid|removed~again|switched|changed|moved|put~back|"
    r"set~back|replaced|corrected|swapped|is~back|are~back)\b",
    r"\b(?:wiederhergestellt|zurück(?:gesetzt|gestellt|genommen|gerollt|gezogen)|rückgängig|"
    r"umgestellt|umgezogen|geändert|verschoben|ersetzt|korrigiert|wieder)\b",
    r"\b(?:restaurad[oa]s?|restauré|revert\w+|deshech[oa]|deshice|volv\w+|corregid[oa]s?|corregí|"
    r"cambiad[oa]s?|cambié|movid[oa]s?|moví|quité|retirad[oa]s?|de~nuevo)\b",
    r"\b(?:rétabli\w*|restauré\w*|annulé\w*|remis\w*|revenue?s?|corrigé\w*|changé\w*|déplacé\w*|"
    r"remplacé\w*|retiré\w*)\b",
    r"\b(?:restaurad[oa]s?|restaurei|revert\w+|desfeit[oa]|desfiz|volt(?:ei|ou|aram)|corrigid[oa]s?|"
    r"corrigi|mudei|mudad[oa]s?|trocad[oa]s?|troquei|movid[oa]s?|movi|removid[oa]s?|de~novo)\b",
    r"恢复|还原|撤销|回滚|改成|改为|改回|换成|移到|已更正|"
    r"元に戻|戻しました|直しました|変更しました|取り消し|差し替え|修正しました",
)
_REPAIRS = _pattern(
    r"\b(?:fixed|repaired|solved|resolved|cured|back~(?:up|online)|works~again)\b",
    r"\b(?:behoben|repariert|gelöst|gefixt|geht~wieder|läuft~wieder|funktioniert~wieder)\b",
    r"\b(?:arreglad[oa]s?|arreglé|reparad[oa]s?|reparé|solucionad[oa]s?|solucioné|resuelt[oa]s?|"
    r"resolví|corregid[oa]s?|corregí)\b",
    r"\b(?:réparé\w*|résolu\w*|corrigé\w*|remarche|refonctionne|dépanné\w*)\b",
    r"\b(?:consertad[oa]s?|consertei|arrumad[oa]s?|arrumei|resolvid[oa]s?|resolvi|corrigid[oa]s?|"
    r"corrigi)\b",
    r"修好|修复|已解决|解决了|直りました|直しました|修正しました|復旧|解決しました",
)
_ADDS = _pattern(
    r"^\W*(?:done\W+)?(?:added|also|additionally|hinzugefügt|ergänzt|zusätzlich|añadid[oa]|agregad[oa]|"
    r"también|ajouté\w*|aussi|adicionad[oa]|acrescentad[oa]|também)\b",
    r"\b(?:i~(?:also~)?added|hinzugefügt|ergänzt|añadí|agregué|ajouté|adicionei|acrescentei)\b",
    r"添加|新增|增加|追加しました|加えました",
)
_FAULT = _pattern(
    r"\b(?:isn't|aren't|doesn't|don't|won't|can't|not|nothing|no~longer|keeps?|error|fail\w*|"
    r"broken|crash\w*|freez\w+|froze|hang(?:s|ing)|stuck|slow|blank|empty|dead|down|missing|lost|"
    r"wrong|blinks?|leaks?)\b",
    r"\b(?:nicht|nichts|kein\w*|fehler\w*|kaputt|hängt|ewig|grau|leer|stürzt|tot|langsam|fehlt|"
    r"spinnt|weg|falsch|blinkt|klemmt)\b",
    r"\b(?:no|nada|error\w*|falla\w*|rot[oa]s?|cuelga\w*|blanco|vací[oa]s?|lent[oa]s?|muert[oa]s?|"
    r"atascad\w+|perdid\w+|mal)\b",
    r"\b(?:ne|n'|pas|plus|rien|erreur\w*|panne|plante\w*|bloqué\w*|lente?s?|vides?|cassée?s?|"
    r"blanche?s?|perdue?s?)(?:\b|(?<='))",
    r"\b(?:não|nada|erro\w*|falha\w*|quebrad\w+|trav\w+|lent[oa]s?|branco|vazi[oa]s?|parad[oa]s?|"
    r"perdid\w+|caiu)\b",
    r"不|没|错|坏|卡|慢|空白|丢|死机|崩|ない|ません|エラー|壊|遅|止ま|固ま|落ち|真っ白|消え",
)
