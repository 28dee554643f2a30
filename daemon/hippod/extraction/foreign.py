"""What in a turn is not its speaker's own: instructions to a model, quotations, foreign text."""

import re
from unicodedata import normalize

from hippod import folding
from hippod.extraction import persons

INJECTED, REPORTED = "instructions to a model", "quotes something"
FOREIGN, OF_THE_USER = "text of others", "speaks of the user as of a third person"
ENDS_TRUST = (INJECTED, REPORTED, OF_THE_USER)
"""Reasons behind which nothing in a turn is trusted."""


def fault(sentence: str) -> str | None:
    """Return why a sentence is not its speaker's own statement, or None."""
    sentence = folding.fold(sentence)
    if is_injection(sentence):
        return INJECTED
    if _ABOUT_USER.search(sentence):
        return OF_THE_USER
    if _shows_link(sentence):
        return FOREIGN
    if _REPORTING.search(sentence) or _has_long_quote(sentence):
        return REPORTED
    return None


def is_injection(text: str) -> bool:
    """Tell whether `text` addresses a model as its instructions, or imitates our formats."""
    seen = folding.fold(_OF_NOBODY.sub(r"\1\2", text))
    return any(
        _INJECTION.search(each) or _ADDRESSES_MODEL.search(each)
        for each in {seen, normalize("NFKC", seen)}
    )


def with_user_named(text: str, name: str) -> str:
    """Return notes in which "the user prefers tea" says so of `name`.

    What "the user" wants, allows or orders is left as it is: it may be an instruction to a model.
    """
    return _NOTED_OF_USER.sub(lambda match: name + match["gap"], text)


def announces(sentence: str, *, ends_line: bool) -> bool:
    """Tell whether a sentence introduces a text of others that follows it.

    "Look at this page" or a link do so anywhere, "I read an article" only before a line break.
    """
    sentence = folding.fold(sentence)
    if _POINTS_AT_TEXT.search(sentence):
        return True
    if link := _LINK.search(sentence):
        before = sentence[: link.start()].strip(" <([")
        return not before or bool(_SOURCE.search(before)) or _shows_link(sentence)
    return ends_line and bool(_NAMES_TEXT.search(sentence))


def begins_story(text: str) -> bool:
    """Tell whether a person asks to go on with a story, a scene or a game of roles."""
    return _STORY.search(text) is not None


def is_of_story(sentence: str, language: str) -> bool:
    """Tell whether a sentence of such a conversation belongs to the story: it speaks neither
    of its author nor of the book, the players or the deadline."""
    return not persons.speaks_of_self(sentence, language) and not _OF_AUTHOR.search(sentence)


def _shows_link(sentence: str) -> bool:
    return bool(_LINK.search(sentence) and _SHOWS.search(sentence))


_STORY = re.compile(
    r"\b(?:keep\s+going|continue|go\s+on|next|write|draft)\b[^.!?\n]{0,30}\b(?:chapter|scene|"
    r"story|episode)\b|"
    r"\b(?:role-?play|stay\s+in\s+character|dungeon\s+master|our\s+(?:d&d\s+)?campaign|"
    r"short\s+story|my\s+novel)\b|"
    r"\b(?:weiter|schreib\w*|nächste)\b[^.!?\n]{0,30}\b(?:kapitel|szene|geschichte|folge)\b|"
    r"\b(?:rollenspiel|mein\s+roman)\b|"
    r"\b(?:sigue|seguimos|continúa|escribe|siguiente)\b[^.!?\n]{0,30}\b(?:capítulo|escena|"
    r"historia)\b|"
    r"\b(?:campaña\s+de\s+fantasía|partida\s+de\s+rol|mi\s+novela)\b|"
    r"\b(?:continue|écris|suite|prochaine?)\b[^.!?\n]{0,30}\b(?:chapitre|scène|histoire)\b|"
    r"\b(?:jeu\s+de\s+rôle|mon\s+roman)\b|"
    r"\b(?:continua|continue|escreve|próxim[oa])\b[^.!?\n]{0,30}\b(?:capítulo|cena|história)\b|"
    r"\b(?:meu\s+romance|jogo\s+de\s+papéis)\b|"
    r"(?:继续|接着|写).{0,8}(?:故事|小说|章|剧情)|角色扮演|我的小说|(?:続き|次の章|物語|"
    r"小説)を?(?:書|お願い)|ロールプレイ|私の小説",
    re.IGNORECASE,
)
_OF_AUTHOR = re.compile(
    r"\b(?:manuscript|draft|deadline|publisher|editor|agent|book|novel|words?|pages?|chapters?|"
    r"readers?|player\w*|session|table|"
    r"manuskript|verlag|lektor\w*|buch|roman|wörter|seiten|kapitel\w*|spieler\w*|manuscrito|"
    r"editorial|libro|novela|palabras|"
    r"páginas|capítulos?|tramas?|jugador\w*|mesa|manuscrit|éditeur|livre|roman|mots|pages|"
    r"chapitres?|joueur\w*|editora|livro|"
    r"romance|palavras|jogador\w*)\b|书稿|出版社|编辑|小说|字数|章|原稿|締め切り|出版|編集|小説|章",
    re.IGNORECASE,
)

# --- announcements ------------------------------------------------------------------------------

_TEXT_NOUN = (
    r"(?:web\s?)?(?:pages?|sites?|e-?mails?|mails?|articles?|posts?|letters?|newsletters?|ads?|"
    r"offers?|"
    r"texts?|messages?|notes?|docs?|documents?|leaflets?|flyers?|listings?|reviews?|threads?|"
    r"blogs?|links?|seiten?|webseiten?|internetseiten?|artikel|beitrag|nachricht(?:en)?|briefe?|"
    r"anzeigen?|angebote?|dokumente?|página|pagina|web|sitio|artículo|correo|mensaje|carta|"
    r"anuncio|documento|enlace|site|courriel|lettre|annonce|lien|artigo|mensagem|anúncio)"
)
_SHOW_VERB = (
    r"(?:look(?:\s+(?:at|what))?|check(?:\s+out)?|read|see|saw|found|got|received|came\s+across|"
    r"summari[sz]e|translate|review|here(?:'s|\s+is|\s+are)|schau\w*|guck\w*|sieh\w*|lies|lest|"
    r"gelesen|gefunden|bekommen|erhalten|prüf\w*|hier\s+ist|mir[ae]?|mirad|lee|revisa|leí|"
    r"encontré|encontrado|recibí|aquí\s+está|regarde[rz]?|lis(?:ez)?|vérifie[rz]?|trouvé|reçu|lu|"
    r"voici|"
    r"olh[ae]|veja?|vê|leia|confere|encontrei|recebi|aqui\s+está)"
)
_SHOWS = re.compile(rf"\b{_SHOW_VERB}\b", re.IGNORECASE)
_POINTS_AT_TEXT = re.compile(
    rf"\b{_SHOW_VERB}\b[^.!?\n]{{0,40}}\b(?:this|these|the\s+following|dies\w*|folgende\w*|"
    rf"est[aeo]s?|"
    rf"siguientes?|ce|cet|cette|ces|suivant\w*|seguintes?)\s+(?:\w+\s+){{0,2}}?{_TEXT_NOUN}\b|"
    r"\b(?:from|off)\s+(?:their|the|a|this)\s+(?:\w+\s+)?(?:web\s?site|page|newsletter)\W*$|"
    r"\b(?:von|auf)\s+(?:der|ihrer|einer|dieser)\s+(?:web)?seite\W*$|"
    r"\b(?:i've|i|we've)\s+pasted\b|\bpasted\s+(?:it|the\s+\w+)?\s*below\b|\bfrom\s+this\W*$|"
    r"\bhier\s+(?:reinkopiert|eingefügt)\b|"
    r"\b(?:te|os)\s+pego\b|\bje\s+(?:te\s+)?colle\b|\bcolei\s+(?:aqui|abaixo)\b|"
    r"(?:看|读|讀|查|检查|帮我看|看看|看一下|总结|翻译)[^。！？]{0,8}(?:这|那|這|以下|"
    r"下面)[^。！？]{0,4}"
    r"(?:网页|网站|页面|文章|邮件|信|消息|帖子|链接|内容|文档)|"
    r"(?:この|次の|以下の)(?:ページ|サイト|記事|メール|文章|メッセージ|投稿|リンク|手紙|文書)"
    r"[^。]{0,12}(?:見|読|確認|チェック|要約|翻訳|もら|届)",
    re.IGNORECASE,
)
_NAMES_TEXT = re.compile(
    rf"\b{_SHOW_VERB}\b[^.!?\n]{{0,40}}\b{_TEXT_NOUN}\b[^.!?,;\n]{{0,40}}\W*$|"
    rf"\b{_TEXT_NOUN}\b[^.!?,;\n]{{0,25}}\b(?:bekommen|erhalten|gefunden|gelesen|gesehen|an|"
    rf"durch)\W*$|"
    r"\b(?:look|see)\s+what\s+(?:i|we)\b|\bschau\w*\s+(?:mal,?\s+)?was\s+ich\b|"
    r"\bmira\s+lo\s+que\b|\bregarde[rz]?\s+ce\s+que\b|\bolha\s+o\s+que\b|"
    r"(?:看到|收到|读到|找到|发现)[^。]{0,12}(?:网页|网站|页面|文章|邮件|信|消息|帖子)|"
    r"(?:ページ|サイト|記事|メール|メッセージ|投稿)[^。]{0,10}(?:見つけ|届い|もらっ|読ん|読みま)",
    re.IGNORECASE,
)
_SOURCE = re.compile(r"\b(?:from|via|source|by|aus|von|quelle|de|fuente|fonte)\W*$|来自\W*$", re.I)
_LINK = re.compile(r"\b(?:https?://|www\.)\S+", re.IGNORECASE)

# --- injections and quotations ----------------------------------------------------------------

_MODEL = r"(?:AI|LLM|GPT|chat\s?bot|language\s+model|assistant|agent|bot)s?"
_MACHINE = (
    r"(?:(?:AI|KI|IA|LLM|GPT)s?\b[\s-]?(?:\w+)?|(?:chat)?bots?|(?:language\s+)?models?|assistants?|"
    r"agents?|assistent(?:en|in)?|agenten?|sprachmodelle?|asistentes?|agentes?|modelos?|"
    r"assistentes?|modèles?)"
)
_NOTICE = (
    r"(?:note|notice|attention|important|instructions?|message|memo|warning|reminder|hinweis|"
    r"achtung|anweisung(?:en)?|nachricht|wichtig|nota|aviso|atención|instrucci(?:ón|ones)|"
    r"mensaje|avis|consignes?|atenção|instruç(?:ão|ões)|mensagem)"
)
_ADDRESSES_MODEL = re.compile(
    rf"\b{_NOTICE}\W{{0,3}}\s?(?:to|for|an|für|para|ao?s?|à|aux?|pour|all|alle|"
    rf"(?:à\s+)?l['’]attention\s+d\w+)\s+"
    rf"(?:(?:all|any|the|every|your|alle|die|den|das|todos|los|las|el|la|tous|les|l['’]|os|as|"
    rf"o)\s*)*"
    rf"(?:\w+\s+)?{_MACHINE}\b|"
    rf"\b{_NOTICE}\W{{1,3}}(?:AI|KI|IA|LLM|assistant)\b|"
    rf"^\W*(?:dear|liebe[rs]?|sehr\s+geehrte[rs]?|querid[oa]|estimad[oa]|ch(?:er|ère)|car[oa]|"
    rf"prezad[oa])\s+"
    rf"(?:\w+\s+)?{_MACHINE}\b|"
    rf"\b(?:if|any|all)\s+(?:you\s+are\s+)?(?:an?\s+)?(?:AI|LLM)\b[^.]{{0,30}}\b(?:read|process|"
    rf"must|should|please|remember)|"
    rf"\bals\s+(?:KI|Assistent|Sprachmodell)\b|\bcomo\s+(?:IA|asistente|assistente)\b|"
    r"\ben\s+tant\s+qu['’](?:IA|assistant)\b|"
    r"(?:致|给|請|请|各位|所有|亲爱的|尊敬的)\s?(?:所有|各位|的)?\s?(?:AI|人工智能|"
    r"智能)?\s?(?:助手|代理|智能体|机器人|模型)|"
    r"(?:AI|人工智能)\s?(?:助手|代理|智能体|机器人|模型)?\s?(?:请|必须|应该|须|注意|指令|提示)|"
    r"(?:AI|人工知能)?(?:アシスタント|エージェント|ボット|AI)(?:へ|の皆|宛|への|は必ず)",
    re.IGNORECASE,
)
_STATES = (
    r"(?:is|was|has|had|lives|works|wants|needs|prefers|likes|loves|hates|uses|pays|banks|"
    r"agrees|asked|wishes|always|never)"
)
_ABOUT_USER = re.compile(
    rf"\b(?:the|this|your|our)\s+user(?:['’]s\b|\s+{_STATES}\b)|"
    r"\b(?:de[rsnm]|die|dieser?)\s+(?:be)?nutzer(?:in|s)?\b|\b(?:de[rsn]|die)\s+anwender(?:in|"
    r"s)?\b|"
    r"\b(?:el|la|del|al)\s+usuari[oa]\b|\bl['’]utilisat(?:eur|rice)\b|"
    r"\b(?:o|a|do|da|ao)\s+(?:usuári[oa]|utilizador[a]?)\b|"
    r"(?:用户|使用者)(?:的|是|喜欢|喜歡|想|要|住|偏好|同意|已|有|希望|需要|在|叫|不)|"
    r"ユーザー(?:は|の|が|さん)",
    re.IGNORECASE,
)
_ORDERS = (
    r"\b(?:you\w*|me|assistant\w*|agent\w*|ai|llm|bot|models?|must|shall|should|ignore\w*|instruct\w*|"
    r"approv\w*|consent\w*|authori[sz]\w*|allow\w*|agree\w*|confirm\w*|du|dich|dir|sie\s+sollen|muss|"
    r"müssen|soll|sollst|erlaubt\w*|genehmigt\w*|tú|te|ti|usted|debes?|autoriz\w*|permit\w*|tu|toi|vous|"
    r"dois|devez|autoris\w*|você|deve)\b|你|您|必须|应该|授权|同意|あなた|べき|許可|承認"
)
_NOTED_OF_USER = re.compile(
    r"(?:^[-*+•\s]*|(?<=[.!?。]\s)|(?<=。))(?:(?:the|our)\s+user|(?:der|die)\s+(?:be)?nutzer(?:in)?|"
    r"(?:el|la)\s+usuari[oa]|l['’]utilisat(?:eur|rice)|[oa]\s+(?:usuári[oa]|utilizadora?)|用户|ユーザー)"
    r"(?P<gap>\s*)(?=(?:(?:dis)?likes|prefers|loves|hates|uses|works|lives|speaks|drinks|eats|"
    r"is\s+(?:allergic|vegetarian|vegan)|['’]s\s+(?:favou?rite|preferred)|bevorzugt|mag|liebt|hasst|nutzt|"
    r"arbeitet|wohnt|spricht|trinkt|prefiere|odia|usa|trabaja|vive|habla|préfère|aime|déteste|utilise|"
    r"travaille|habite|parle|prefere|gosta|detesta|trabalha|mora|fala)\b|喜欢|偏好|住在|使用|は.{1,30}(?:好|使|"
    rf"住んで|嫌い))(?![^.!?。\n]*(?:{_ORDERS}))",
    re.IGNORECASE | re.MULTILINE,
)
# Our own quotation of somebody who gave no name is no forged role, nor a line of a page of ours
# that cites it.
_OF_NOBODY = re.compile(
    r'\AUser(?: \(\w+\))?: (".+")\Z|'
    r'^User(?: \(\w+\))?: (".+")(?=(?:,? \[\[[^\[\]\n]+\]\])+$)',
    re.MULTILINE,
)
_INJECTION = re.compile(
    r"\b(?:ignor\w*|disregard|forget|override|bypass)\b.{0,40}\b(?:previous|prior|above|earlier|"
    r"all|any|your|the|system)\b.{0,40}\b(?:instructions?|rules?|prompts?|guidelines?|"
    r"directions|training|messages?)\b"
    r"|(?:^|[\[({<\n]\s{0,3}|important\s{1,3})(?:system|assistant|developer|human|"
    r"user)\s{0,3}(?:note|message|prompt|override|instruction)?s?\s{0,3}[:>\]]"
    rf"|\bsystem\s+(?:prompt|note|message|override)\b|\b{_MODEL}(?:\s+{_MODEL})?\s+(?:must|shall|"
    rf"should|are\s+(?:required|"
    r"instructed|to)|(?:reading|processing)\s+this)\b"
    r"|\b(?:as|dear|attention|hey)\s+(?:an?\s+)?(?:AI|LLM|language\s+model)\b|"
    r"\byou\s+are\s+(?:now|no\s+longer)\s+(?:an?\b|in\b|the\b|free)"
    r"|\b(?:act\s+as\s+(?:an?|if|the)\b|pretend\s+(?:to\s+be|you)|jailbreak|"
    r"new\s+(?:system\s+)?(?:instructions?|persona)\b)"
    r"|\b(?:do\s+not|don'?t|never|without)\s+(?:tell|inform|alert|notify|telling|informing|"
    r"alerting|notifying)\w*\s+the\s+user"
    r"|\bthe\s+user\s+(?:prefers|wants|consents|authori[sz]e[sd]|approve[sd]|agree[sd]|"
    r"would\s+like|likes\s+to|has\s+(?:authori[sz]ed|approved|agreed|consented|asked|confirmed)|"
    r"always\s+\w+s)\b"
    r"|\bwhen(?:ever)?\s+the\s+user\s+(?:says?|asks?|types?|mentions?|requests?)\b"
    r"|(?:^|[\s\[(>])[WBOS]\s{0,3}(?:\(\s*c\s*=|@[\w.-]+\s*:)|<\||\|>|\[/?INST\]|<</?SYS>>|"
    r"#{2,}\s*(?:instruction|system|response)"
    r"|</?(?:system|assistant|memor(?:y|ies)|instructions?|hippod[\w-]*|think|tool\w*)\s*>|"
    r"\{\s*\"?facts\"?\s*:|\{\{.{0,80}\}\}"
    r"|\b(?:curl|wget)\b.{1,200}\|\s*(?:sh|bash|zsh|python)\b"
    r"|\b(?:ignorier\w*|vergiss|missachte)\b.{0,40}\b(?:anweisungen|regeln|instruktionen|"
    r"vorgaben)\b"
    r"|\b(?:ignora|olvida|descarta)\w*\b.{0,40}\b(?:instrucciones|reglas|indicaciones)\b"
    r"|\b(?:ignore[rz]?|oublie[rz]?)\b.{0,40}\b(?:instructions|consignes|règles)\b"
    r"|\b(?:ignore|ignora|esqueça|desconsidere)\b.{0,40}\b(?:instruções|regras)\b"
    r"|(?:忽略|无视|忘记|忽視).{0,15}(?:指令|指示|规则|提示|规定)|(?:指示|命令|ルール|"
    r"プロンプト).{0,10}(?:無視|忘れ)",
    re.IGNORECASE,
)
_QUOTED = re.compile(
    r"\"([^\"]*)(?:\"|$)|“([^”]*)(?:”|$)|«([^»]*)(?:»|$)|„([^“”]*)(?:[“”]|$)|「([^」]*)(?:」|$)|"
    r"『([^』]*)(?:』|$)"
)
_REPORTING = re.compile(
    r"(?:写着|发来|邮件|留言|贴)[^：:。]{0,6}[：:]?\s*[“\"「]|"
    r"^\W*(?:from|via|per|quoting|seen|posted)\s+(?:in\s+|on\s+)?(?:the|a|an|this|that|some|"
    r"\w+'s)\b[^:]{0,40}:\s+\S|\b(?:(?:page|site|website|e-?mail|mail|doc|docs|document|readme|"
    r"post|article|message|ticket|pr|comment|issue|letter|form|log|output|prompt|banner|notice|"
    r"sign|note|review|thread|wiki|blog|text|it|he|she|they|someone|"
    r"guy)\s+(?:\w+\s+){0,6}?(?:says|said|reads|states|tells|claims|wrote|writes|contains|goes|"
    r"was\s+like|told|asks)\b|(?:steht|schreibt|sagt|meint)|(?:dice|pone|ponía|escribió|afirma)|"
    r"(?:dit|écrit|indique)|(?:diz|disse|escreveu))\b[^:]{0,60}(?::\s+|：|:(?=[\"“«]))\S|(?:说|"
    r"写着|写道|言って(?:い)?る?|"
    r"書いてあ[るっ])[^:：]{0,10}[:：]",
    re.IGNORECASE,
)


def _has_long_quote(sentence: str) -> bool:
    for match in _QUOTED.finditer(sentence):
        inner = next((group for group in match.groups() if group), "")
        cjk = sum("\u3041" <= char <= "\u9fff" for char in inner)
        if len(inner.split()) >= 5 or cjk >= 12:
            return True
    return False
