"""The state of a conversation that plays: a game of roles, a scene, a story or made-up data.

A frame is opened by an announcement and lasts over the turns until somebody leaves it; what is
said aside belongs to real life, and so does the rest of that turn.
"""

import re
from dataclasses import dataclass, replace
from typing import Literal

from hippod.extraction import foreign
from hippod.language import content_stems

Kind = Literal["real", "story", "roles"]
LEAST_BESIDE = 3
"""Content words beside "that's it for the game" that make a statement of their own."""


@dataclass(frozen=True, slots=True)
class Frame:
    """What is going on: real life, a story that is told, or roles that are played.

    `aside`: until its end the turn speaks of real life; `example`: to its end, of made-up data.
    """

    kind: Kind = "real"
    aside: bool = False
    example: bool = False


REAL = Frame()


def at_turn(frame: Frame, text: str, role: str) -> Frame:
    """Return the frame in which a turn begins."""
    told = frame.kind == "real" and role == "user" and foreign.begins_story(text)
    return Frame("story" if told else frame.kind)


def after(frame: Frame, sentence: str, role: str) -> Frame:
    """Return the frame that holds from this sentence of a turn on, itself included."""
    if role != "user":
        return frame
    if _OPENS.search(sentence):
        return Frame("roles")
    if frame.kind != "real" and _LEAVES.search(sentence):
        return REAL
    if frame.kind == "roles" and _ASIDE.search(sentence):
        return replace(frame, aside=True)
    return replace(frame, example=frame.example or bool(_EXAMPLE.search(sentence)))


def is_fiction(before: Frame, now: Frame, sentence: str, language: str) -> bool:
    """Tell whether a sentence between two states of the frame is no statement about real life."""
    if now.example or (now.kind == "roles" and not now.aside):
        return True
    if now.kind == "story":
        return foreign.is_of_story(sentence, language)
    leaves = before.kind == "roles" and now.kind == "real"
    return leaves and len(content_stems(_LEAVES.sub(" ", sentence), language)) < LEAST_BESIDE


def _pattern(*parts: str) -> re.Pattern[str]:
    """Join alternatives; `~` stands for white space."""
    return re.compile("|".join(parts).replace("~", r"\s+"), re.IGNORECASE)


_PLAY = r"(?:game|scene|story|role-?play|campaign|adventure|quest|skit|act|sketch|interview)"
_SPIEL = r"(?:spiels?|szene|rollenspiels?|abenteuers?|kampagne|geschichte|übung|sketch)"
_JUEGO = r"(?:juego|partida|escena|aventura|campaña|teatrillo|obra|historia)"
_JEU = r"(?:jeu|partie|scène|aventure|enquête|campagne|histoire|sketch)"
_JOGO = r"(?:jogo|partida|cena|aventura|campanha|novela|história|brincadeira|teatro)"
_OPENS = _pattern(
    rf"\blet'?s~(?:pretend|role-?play|make~believe|play~(?:pretend|make-believe|that|(?:an?|the|"
    rf"our|that)~(?:\w+~){{0,3}}{_PLAY})|(?:continue|resume|do)~(?:the|our|an?)~(?:\w+~)?{_PLAY})\b",
    r"^\W*(?:(?:ok|now|so|and)\W+)*pretend~(?:that~)?(?:you|we|i|it|to)\b",
    rf"\b(?:back~to|go~on~with|continue|resume)~(?:the|our)~(?:\w+~)?{_PLAY}\b(?!~at)",
    r"\byou(?:'re|~are|~be|~play|'ll~be)~(?:now~)?(?:the|an?|my)~[^.!?]{1,50}\b(?:i'm|i~am|i~play|"
    r"i'll~be)\b|\bi(?:'m|~am|~play|'ll~be)~[^.!?]{1,50}\byou(?:'re|~are|~be|~play|'ll~be)~(?:the|"
    r"an?|my)\b|\byou(?:'re|~are)~(?:the|an?|my)~\w+(?:~\w+)?~now\b",
    r"\btu(?:n~wir|~mal)?~(?:\w+~)?so,?~als\b|\b(?:lass\w*~uns|wir)~[^.!?]{0,30}\bspielen\b,?~"
    r"(?:dass|wir|du|ich)\b|\b(?:lass\w*~uns~|wir~)(?:\w+~)?(?:üben|proben)~[^.!?]{0,40}\b(?:du|"
    r"gespräch\b|\w*gespräch|dialog|szene)\b",
    r"\bdu~(?:bist|spielst|machst|gibst)~(?:jetzt~)?(?:der|die|das|den|mein\w*|ein\w*)~[^.!?]{1,50}"
    r"\bich~(?:bin|spiele?|mache?|gebe?)\b|\bich~(?:bin|spiele?|mache?|gebe?)~[^.!?]{1,50}\bdu~"
    r"(?:bist|spielst|machst|gibst)?\s*(?:der|die|das|den|mein\w*|ein\w*)\b|"
    rf"\bdu~bist~jetzt~(?:der|die|das|ein\w*)\b|\b(?:weiter|zurück)~(?:im|mit~(?:dem|der|"
    rf"unserem|unserer)|ins|zum|zur)~{_SPIEL}\b",
    r"\b(?:juguemos|vamos~a~jugar|jugamos)~a~(?:que|ser|los?~\w+:)|\b(?:finge|fingimos|finjamos|"
    r"hagamos~como|haz~como)~(?:que|si)\b|\bimagina~que~eres\b|"
    r"\b(?:yo~)?(?:soy|seré|hago~de)~(?:el|la|una?)?\s*[^.!?]{1,50}\b(?:y~)?(?:tú|vos)~(?:eres~|"
    r"sos~|haces~de~|serás~)?(?:el|la|una?)\b|\b(?:tú|vos)~(?:eres|sos|haces~de|serás)~(?:el|la|"
    rf"una?)~[^.!?]{{1,50}}\byo~(?:soy|seré|hago|el|la|una?)\b|\b(?:sigamos|seguimos|volvamos|"
    rf"volvemos|continuamos)~(?:con|a)~(?:la|el|nuestr[oa])~{_JUEGO}\b",
    r"\b(?:on|nous)~(?:joue|jouait|jouons)~(?:à|au|aux)~[^.!?]{0,40}\b(?:je|tu|moi|toi)\b|"
    r"\b(?:faisons|on~fait|fais)~comme~si\b|\bon~dirait~que~(?:je|tu)~\w+(?:ais|ait)\b|"
    r"\bimagine~que~tu~es\b|\bje~(?:suis|fais|joue)~(?:le|la|une?)~[^.!?]{1,40}\b(?:et~)?(?:toi|"
    r"tu~(?:es|fais|joues))\s*,?~(?:tu~(?:es|fais|joues)~)?(?:le|la|une?)\b|\btu~(?:es|fais|"
    r"joues)~(?:le|la|une?)~[^.!?]{1,50}\b(?:moi|je~(?:suis|fais|joue))\b",
    rf"\b(?:reprend\w*|reprenons|continue\w*)~(?:l'|la~|le~|notre~){_JEU}\b",
    r"\b(?:vamos|bora|quer|vem)~brincar~(?:de|que)\b|\bfaz~de~conta\b|\bfinj[ae]m?~que\b|"
    r"\beu~(?:sou|faço|vou~ser)~(?:o|a|uma?)~[^.!?]{1,40}\b(?:e~)?(?:você|vc|tu)~(?:é~|faz~|"
    r"és~|vai~ser~)?(?:o|a|uma?)\b|\b(?:você|vc|tu)~(?:é|és|faz|vai~ser)~(?:o|a|uma?)~[^.!?]{1,50}"
    rf"\beu~(?:sou|faço|vou~ser|o|a|uma?)\b|\b(?:continuar|voltar|continuemos)~(?:(?:com~)?a|o|ao|"
    rf"à|com~o)~(?:noss[oa]~)?{_JOGO}\b",
    r"(?:接着|继续|再来|来|陪我)玩.{0,10}(?:游戏|扮演|副本|剧本|冒险)|假装(?:你|我)|"
    r"(?:你|我)(?:来)?(?:演|扮演?)[^。！？]{1,14}[，,、]\s?(?:我|你)(?:来)?(?:演|扮演?)|"
    r"(?:假设|设定)?你(?:现在)?是[^。！？，,]{1,12}[，,]\s?我(?:现在)?是|我是[^。！？，,]{1,12}[，,]\s?你是",
    r"ごっこ(?:しよう|をしよう|遊び|の続き|やろう)|(?:の|という)(?:設定|つもり)で(?:話|やろう|いこう|"
    r"お願い|いく|遊)|なりきって|(?:あなた|君|きみ|そっち)[はが][^。！？]{1,14}(?:役|で|です)?[、,]\s?"
    r"(?:こっち|私|僕|俺)[はが]|(?:私|僕|俺)[はが][^。！？]{1,14}(?:役|で)?[、,]\s?(?:あなた|君|きみ|そっち)"
    r"[はが]|(?:ゲーム|冒険|シナリオ|ロールプレイ)の続き",
)
_LEAVES = _pattern(
    rf"\b(?:end|that's~the~end)~(?:of~)?(?:the~|this~|our~)?{_PLAY}\b|\bgame~over\b|\bout~of~"
    rf"character\b|\b(?:back~to|in)~(?:real(?:ity|~life)|the~real~world)\b|\bstop~(?:the~)?(?:"
    rf"{_PLAY}|playing|pretending|here)\b|\benough~(?:of~th\w+|playing|for~(?:today|now|tonight))\b|"
    rf"\b(?:done|finished)~(?:playing|pretending|with~the~{_PLAY})\b|\bfor~real\b(?!\?)|"
    r"^\W*(?:(?:ok(?:ay)?|right|well|ha\w*)\W+)*(?:pause|stop|cut|seriously|real~(?:talk|life))\b",
    rf"\bschluss~(?:mit|jetzt|für~heute)\b|\bende~(?:der|des|vom)~{_SPIEL}|\b{_SPIEL}~(?:aus|ende|"
    r"vorbei)\b|\bzurück~(?:zur|in~die)~(?:realität|wirklichkeit)\b|\bim~(?:echten|wirklichen|"
    r"richtigen)~leben\b|\bgenug~(?:gespielt|geübt|für~heute)\b|\b(?:jetzt|mal)~(?:\w+~)?(?:im~)?"
    r"ernst(?:haft)?\b|\baus~der~rolle\b",
    rf"\bbasta~(?:por~hoy|ya|de)\b|\bfin~(?:de~la|del)~{_JUEGO}\b|\bvolv\w+~a~la~(?:realidad|"
    r"vida~real)\b|\ben~la~vida~real\b|\b(?:ahora|ya|hablando)~en~serio\b|\bfuera~de~(?:personaje|"
    rf"juego)\b|\b(?:dejemos|se~acabó|terminó)~(?:el|la)~{_JUEGO}\b|^\W*(?:\w+\W+)?(?:pausa|"
    r"paremos)\b",
    rf"\bon~(?:coupe|arrête|s'arrête|fait~une~pause)\b|\bfin~(?:de~(?:la~|l')|du~){_JEU}\b|"
    r"\bcôté~réel\b|\b(?:retour~à|dans)~la~(?:réalité|vraie~vie)\b|\bpour~de~vrai\b|\bhors[- ](?:"
    r"jeu|rôle|personnage)\b|\bassez~joué\b|^\W*(?:\w+\W+)?(?:pause|stop|coupez|sérieusement)\b",
    rf"\bfim~d[ao]~{_JOGO}\b|\bchega~(?:de|por)\b|\bde~volta~à~(?:realidade|vida~real)\b|"
    r"\bna~vida~real\b|\b(?:falando|agora)~(?:é~)?(?:a~)?sério\b|\bfora~d[oa]~personagem\b|"
    r"^\W*(?:\w+\W+)?(?:pausa|parei|vamos~parar)\b",
    r"先停|停一下|暂停|不玩了|说正经的|回到现实|现实(?:里|中|生活)|出戏|(?:游戏|扮演|剧情)结束|到此为止|"
    r"说真的",
    r"(?:ゲーム|ごっこ|劇|シーン|遊び|芝居|役)は?(?:ここまで|おしまい|終わり|終了)|現実(?:に戻|では|の話)|"
    r"一旦(?:止|中断|ストップ)|素に戻|真面目な話|リアルでは",
)
_ASIDE = _pattern(
    r"^\W*(?:btw|by~the~way|ooc|side~note|übrigens|nebenbei|por~cierto|au~fait|aliás|a~propósito)\b",
    r"^\W*(?:顺便|ちなみに|ところで|そういえば)|^\W*\(\(",
)
_EXAMPLE = _pattern(
    r"\b(?:test|sample|dummy|fake|mock)~(?:user|persona|customer|profile|fixture|record|"
    r"conversation|data)s?\b[^.!?]{0,40}:\s*(?=\S|$)|\bfixtures?\b[^.!?]{0,30}:",
    r"\b(?:testdaten|testnutzer\w*|testkund\w+|beispieldaten|datos~de~prueba|(?:usuario|cliente)~de~"
    r"prueba|données~de~test|(?:utilisateur|client)~(?:de~test|fictif)|dados~de~teste|(?:usuário|"
    r"cliente)~(?:de~teste|fictício))\b[^.!?]{0,40}:",
    r"(?:测试数据|测试用户|假数据|テストデータ|ダミーデータ|テストユーザー)[^。！？]{0,14}[:：]",
)
