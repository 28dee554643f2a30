"""Per language, whose wish a sentence is: refusals of the speaker, and likings of others."""

from hippod.extraction.cuewords.table import compiled

REFUSALS = {
    "en": compiled(
        r"^\W*(?:please~|absolutely~|really~)?(?:no|not|never|nothing|zero)~(?!one\b|idea\b)"
        r"[^,.;:]*\bfor~me\b|"
        r"^\W*(?!.*\b(?:we|us|our|nobody|legal)\b)(?:please~)?no~(?!no|one|idea|longer|matter|problem|worries|way|doubt|need|news|luck|"
        r"clue|rush|hurry|big\b)[\w-]+(?:~[\w-]+)?(?:~(?:at~all|ever|please|in~my~\w+))?\s*"
        r"(?:[,;!–—]|\.?$)|"
        r"^\W*(?!i\b|we\b|he\b|she\b|they\b|you\b|it\b|the\b)[\w-]+(?:~[\w-]+)?,?~never(?=\W*$|\s*[,;–—])|"
        r"^\W*(?!i\b|we\b|he\b|she\b|they\b|you\b|it\b)[\w-]+(?:~[\w-]+)?~(?:always|only)~(?:in|as|"
        r"with|without|gross|net|first|last|rounded|sorted|metric)\b(?!.*\b(?:is|are|was|were)\b)|"
        r"\b(?:answer|reply|respond|write|talk|speak|text|address)(?:~to)?~(?:me|us)~(?:only~)?"
        r"(?:in|with|without|as|briefly)\b|"
        r"\bi~(?:really~|just~|simply~)?(?:won't~(?:eat|drink|wear|use|touch|take|fly|drive|sleep|"
        r"read|watch|buy|stay|work)|refuse~to|can't~(?:stand|bear|abide)|don't~do|(?:would~)?never~"
        r"(?:eat|drink|wear|use|touch|take|read|fly|drive|book|answer|buy))\b"
        r"|\bi(?:'m|~am)~not~\w+ing\b.*\b(?:again|ever|any~?more|whatever|don't~care)\b|"
        r"^\W*(?:please~)?don't~(?!know|think|have|like|need|want|worry|mind|get|see|care|feel|forget|"
        r"you)\w+\b|"
        r"^\W*[\w-]+~over~[\w-]+(?:~(?:in|for)~my~\w+)?\s*(?:[,;!–—]|\.?$)|"
        r"\bin~(?:everything|anything|all)~you~(?:send|write|show|give)\b"
    ),
    "de": compiled(
        r"^\W*(?:bitte~|bloß~|ja~|absolut~)?(?:kein(?:e[nrms]?)?|nichts|nie)~[^,.;:]*\b(?:für|bei|"
        r"mit)~mi(?:ch|r)\b|"
        r"^\W*(?!.*\bwir\b)(?:bitte~|bloß~|ja~)?kein(?:e[nrms]?)?~(?!ahnung|problem|plan|frage|stress|sorge|zeit|"
        r"lust|eile|wunder)[\w-]+(?:~[\w-]+)?\s*(?:[,;!–—]|\.?$)|"
        r"^\W*(?!ich\b|wir\b|er\b|sie\b|es\b)[\w-]+,?~(?:nie(?:mals)?|auf~keinen~fall)(?=\W*$|\s*[,;–—])|"
        r"\b(?:antwort\w*|schreib\w*|red\w*|sprich)~(?:mir|mit~mir|uns)~(?:bitte~|immer~|nur~)*"
        r"(?:auf|in|mit|ohne|kurz)\b|"
        r"\bich~(?:esse|trinke|trage|nehme|fahre|fliege|benutze|lese|kaufe)~(?:\w+~)?"
        r"(?:nie(?:mals)?|kein\w*)\b|\bkommt~(?:für~mich|mir)~nicht~in\w*~(?:frage|haus)\b"
        r"|\bich~will~(?:nie|kein\w*|nur|nicht~mehr)\b|\bmit~mir~nicht\b|"
        r"^\W*(?:bitte~)?(?:bloß|nur)~(?:nicht|kein\w*|ned|net)\b"
    ),
    "es": compiled(
        r"^\W*(?!.*\w[aei]mos\b)(?:por~favor,?~)?(?:nada~de|cero)~(?!eso\b)\w+|"
        r"^\W*[^,.;]{3,30},?~(?:ni~hablar|ni~loc[oa]|ni~en~sueños|nunca)(?=\W*$|\s*[,;])|"
        r"\b(?:respónde|contésta|escríbe|hábla|trátá?)(?:me|nos)~(?:siempre~|solo~)?(?:en|con|sin|de)\b|"
        r"\bno~(?:como|bebo|uso|soporto|aguanto|tomo|piso|quiero~(?:más~)?\w+s)\b"
        r"|\byo~(?:\w+~){0,4}no~\w+o\b(?!~(?:sé|creo)\b)|^\W*no~quiero~(?!\w+[aei]r\b)\w+|"
        r"\bme~(?:sientan?|va|cae)n?~(?:mejor|peor|fatal)\b|\bno~se~tocan?\b|"
        r"^\W*(?:tomo|como|bebo)~.*\b(?:sin|con|siempre|nunca|solo)\b"
    ),
    "fr": compiled(
        r"^\W*(?!.*\b(?:on|nous)\b)(?:surtout~|s'il~te~plaît,?~)?(?:pas|jamais)~d(?:e~|['’])(?!souci|problème|panique|"
        r"chance|quoi)\w+|"
        r"^\W*[^,.;]{3,30},?~(?:hors~de~question|très~peu~pour~moi|jamais)(?=\W*$|\s*[,;])|"
        r"\b(?:réponds|écris|parle|rédige)-(?:moi|nous)~(?:toujours~|seulement~)?(?:en|avec|sans|au)\b|"
        r"\bje~(?:ne~|n['’])(?:mange|bois|porte|supporte|prends|lis|achète|veux)~(?:pas|jamais|plus)\b"
        r"|\bje~(?:ne~)?peux~pas~(?:\w+~)?(?:voir|sentir|supporter|encadrer)\b|"
        r"\bc['’]est~(?:non|niet)(?=\W*$|\s*,)|\bpas~question\b|\bj['’]en~veux~(?:pas|plus)\b"
    ),
    "pt": compiled(
        r"^\W*(?!.*(?:\w[aei]mos\b|\ba~gente\b))(?:por~favor,?~)?(?:nada~de|zero)~(?!isso\b|mais\b)\w+|"
        r"^\W*[^,.;]{3,30},?~(?:nem~pensar|nem~mort[oa]|de~jeito~nenhum|nunca)(?=\W*$|\s*[,;])|"
        r"\b(?:me~)?(?:respond[ae]|escrev[ae]|fal[ae])(?:-me|~comigo)?~(?:sempre~|só~)?"
        r"(?:em~(?:português|inglês|espanhol)|sem|com~frases)\b|"
        r"\bnão~(?:como|bebo|uso|suporto|aguento|tomo|visto|quero~(?:mais~)?\w+s)\b"
        r"|\beu~não~(?:\w+~)?(?!sei\b|acho\b)\w+o\b|^\W*(?:eu~)?(?:não~)?quero~(?!\w+[aei]r\b)\w+|"
        r"\bnunca~mais~na~minha~vida\b|\bnão~contem~comigo\b|\bme~(?:diz|manda|dá)~só\b|"
        r"^\W*(?:tomo|como|bebo)~.*\b(?:sem|com|sempre|nunca|só)\b"
    ),
    "zh": compiled(
        r"^\W*(?:千万|绝对)?(?:不要|拒绝|谢绝)[^，。；]{1,8}(?=[，。；]|$)|"
        r"我(?:从来|从|绝对|坚决|一向)?不(?:吃|喝|用|穿|坐|碰|住|接)|"
        r"(?:免谈|就免了|没得商量|坚决不行)|(?:回答|回复|跟)我.{0,4}(?:用|说|讲)(?:中文|英文|普通话|粤语|短句)|"
        r"用(?:中文|英文|普通话|短句).{0,4}(?:回答|回复|跟)我"
        r"|我.{0,6}只(?:吃|喝|用|穿|坐|住|选|看|听)|我.{0,8}(?:都不想|再也不|不想再)|"
        r"让我(?:头疼|难受|心烦|恶心)|(?:一概|唔准|不准)"
    ),
    "ja": compiled(
        r"[はも](?:絶対に?)?(?:無理|ダメ|駄目|嫌|いや|勘弁|NG|結構|お断り|いらない|要らない|不要|なし)"
        r"(?=です|だ|で|[。、！!]|$)|"
        r"(?:日本語|英語|敬語|箇条書き|短文)で(?:答|返|話|書)\S{0,4}て"
        r"|(?:て|で)(?:ほしい|欲しい)(?=[、。！!]|$)|(?:もう|絶対)(?:勘弁|御免|ごめん)|で統一|"
        r"(?:いじら|触ら|送ら|書か|言わ|使わ|入れ)ないで"
    ),
}
"""What somebody does not want, in the first person or without a verb, and in what form."""

_EN_OTHERS = (
    r"(?:he|she|they|(?:my|our|his|her|their|the)~(?:[\w-]+~){0,2}?(?!i\b)[\w-]+|"
    r"(?-i:(?!I\b)[A-Z][a-z]+)|mum|mom|dad)"
)
LIKINGS_OF_OTHERS = {
    "en": compiled(
        rf"^\W*(?:and~|but~|so~|because~)?{_EN_OTHERS}~(?:(?:\w+ly|just|also|only|always|still)~)?"
        r"(?:prefers?|likes?|loves?|hates?|dislikes?|loathes?|detests?|adores?|enjoys?|can't~(?:stand|"
        r"bear)|doesn't~(?:like|eat|drink|want|trust)|avoids?|insists?~on|is~(?:not~)?(?:a~fan|into|"
        r"fond|keen|picky))\b"
    ),
    "de": compiled(
        r"^\W*(?:und~|aber~)?(?:er|sie|(?:mein|unser|ihr|sein)\w*~(?:\w+~)?\w+|(?-i:[A-ZÄÖÜ])\w+)~"
        r"(?:heißt~.{2,30}?~und~)?(?:mag|hasst|liebt|bevorzugt|verabscheut|isst|trinkt|verträgt)\b"
    ),
    "es": compiled(
        r"^\W*(?:y~|pero~)?(?:él|ella|ellos|(?:mi|nuestr[oa]|su|el|la)~\w+|a~(?:mi~\w+|(?-i:[A-Z])\w+)|"
        r"(?-i:[A-ZÁÉÍÓÚ])\w+)~(?:no~)?(?:prefiere|odia|detesta|adora|le~(?:gusta|encanta|molesta)|"
        r"come|bebe|soporta|aguanta)\b"
    ),
    "fr": compiled(
        r"^\W*(?:et~|mais~)?(?:il|elle|ils|elles|(?:mon|ma|notre|son|sa|le|la)~\w+|"
        r"(?-i:[A-ZÉ])[\wé-]+)~(?:ne~|n')?(?:préfère|déteste|adore|aime|mange|boit|supporte)\b"
    ),
    "pt": compiled(
        r"^\W*(?:e~|mas~)?(?:ele|ela|eles|elas|(?:o~|a~)?(?:meu|minha|noss[oa])~\w+|"
        r"(?:[oa]~)?(?-i:[A-ZÁÉ])\w+)~(?:não~)?(?:prefere|odeia|detesta|adora|gosta|come|bebe|"
        r"suporta)\b"
    ),
    "zh": compiled(
        r"^\W*(?:[他她]们?|我(?:们|的)?(?:家)?(?:老婆|妻子|太太|老公|丈夫|妈妈?|爸爸?|姐姐?|妹妹?|哥哥?|弟弟?|"
        r"儿子|女儿|孩子|奶奶|爷爷|外婆|外公|老板|经理|领导|同事|房东|邻居|室友|朋友|老师))"
        r".{0,6}?(?:喜欢|讨厌|不爱|爱吃|爱喝|不吃|不喝|受不了|最烦)"
    ),
    "ja": compiled(
        r"^\W*(?:彼女?|(?:うちの|私の|僕の)?(?:妻|夫|旦那|奥さん|母|父|両親|姉|妹|兄|弟|息子|娘|子供|子ども|"
        r"祖母|祖父|上司|部長|課長|社長|同僚|大家|友人|友達))(?:さん)?(?:は|が|も)"
        r".{0,20}(?:好き|嫌い|苦手|食べ(?:ない|ません)|飲(?:まない|めない|みません))"
    ),
}
"""What others like or hate: a fact about them, not a wish of the speaker."""

PROCEDURES = {
    "en": compiled(
        r"^[^,]*\b(?:the|our|this|(?-i:[A-Z])\w+)~(?:[\w-]+~){0,3}?[\w-]*[^sui\W]s\b.*\b(?:whenever|"
        r"(?:every|each)~time)\b"
    ),
    "zh": compiled(
        r"[^，。、；\s]{2,}以后|(?:否则|不然|会(?:报错|坏|崩|掉|丢|漏|裂|卡)|才(?:能|行|会))"
    ),
    "ja": compiled(
        r"(?:ないと|しないと|すると|したら|と).{0,20}(?:落ちる|壊れる|止まる|消える|ずれる|割れる|失敗する|"
        r"エラー|なる|できない)|必ず[^。]{0,24}(?:している|ている|なる|する|できる|落ちる|出る)[。]?$"
    ),
}
"""How a thing is done or fails, in words that instructions use as well."""
ADDRESSES = {
    "en": compiled(r"\b(?:you|your|me|please|never|always|don't|do~not|must|should)\b"),
    "zh": compiled(r"我|请|你|咱"),
    "ja": compiled(r"私|僕|俺|うち|ください|下さい|くれ|お願い|ほしい|欲しい"),
}
"""Words that show that somebody is asked, or speaks for themselves."""
