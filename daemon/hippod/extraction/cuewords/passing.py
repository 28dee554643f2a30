"""What never lasts, whatever cue words stand in it: each kind side by side in all languages.

Errands and bodily needs of the moment, wishes and conditions, rumours, what is not to be kept,
and jests. `~` stands for white space, as in the tables.
"""

import re
from typing import Final

from hippod.extraction.cuewords.table import compiled

WISH, RUMOUR, PRIVATE, IRONY, SECRET, FICTION = (
    "hypothesis",
    "hearsay",
    "not to be stored",
    "jest",
    "tells a secret",
    "fiction",
)

_EN_ERRAND = (
    r"(?:grab|fetch|sit|stand~up|lie(?:~down|~on)?|nap|move~over|wash|rinse|eat|drink|snack|pee|"
    r"shower|stretch|sleep|wait|"
    r"breathe|cook|(?:dash|run|leave|go|pause|stop|wait)(?=\W*$|~(?:now|and|soon|a~bit|before|"
    r"until|for~a))|head~(?:out|off|home)|hop~off|log~off|rush|"
    r"call~it~a~(?:day|night)|order~(?:\w+~)?(?:pizza|food|takeaway|takeout|sushi|curry)|"
    r"skip~(?:lunch|dinner|breakfast)|let~(?:the|my)~\w+~wait|(?:walk|feed|let~out)~the~\w+|"
    r"answer~the~(?:door|phone)|put~the~kettle~on|shut~the~\w+|restart~my|find~my|charge~my|"
    r"change~(?:trains|my~\w+)|get~(?:up|off|dressed|ready|going|(?:a|some|my|the)~(?:coffee|tea|"
    r"snack|drink|water|food|lunch|dinner|breakfast|bus|train|door|phone))|(?:have|make|take)~"
    r"(?:(?:a|an|some|my|myself|another)~)*(?:quick~)?(?:coffee|tea|toast|sandwich|snack|drink|"
    r"bite|"
    r"lunch|dinner|breakfast|break|nap|walk|shower|bath|breather|look|call|moment|minute))"
)
_ERRANDS: Final = {
    "en": r"\b(?:i|we)(?:'ve|'d|'m|~have|~had|~am|~'?ll|~will)?~(?:(?:just|really|actually|"
    r"finally|now|"
    r"probably|only)~)*(?:decided|decide|prefer|promised|need|want|have|got|must|ought|plan|going|"
    r"about|better|should|chose|voted|agreed)~(?:to~|on~|for~)?(?:(?:just|quickly|really|first|"
    r"go~and|go~for|go)~)*" + _EN_ERRAND + r"\b"
    r"|\b(?:i'm|i~am)~(?:\w+~)?(?:switching|moving|going|heading|off)~(?:to|"
    r"back~to)~(?:the~)?(?:couch|sofa|bed|floor|kitchen|balcony|garden|bath|shop|shops|gym|pub|"
    r"bar|loo|toilet)\b"
    r"|\b(?:i'm|we're|i~am|we~are)~(?:going~with|having|making)~(?:the~|some~|a~)?(?:toast|soup|"
    r"pizza|"
    r"pasta|curry|leftovers|noodles|sandwich\w*|salad|eggs|cereal|rice)\b"
    r"|\b(?:i|we)~(?:need|have|want|got|must|gotta)~(?:to~)?(?:\w+~){0,5}(?:before~anything|first|"
    r"asap|right~away|in~(?:five|ten|two|a))\W*$"
    r"|\b(?:brb|afk|gtg|for~a~(?:sec|second|minute|moment|bit)|until~(?:she|he|they)~(?:calls?|"
    r"comes?|"
    r"rings?|answers?|gets?)|before~the~\w+~(?:rings|calls|arrives|closes|gets~cold))\b"
    r"|\b(?:we're|i'm|we~are|i~am|they're)~(?:all~)?out~of~(?!office|town|the~country)\w+\b"
    r"|\bdecided~(?:to|on)~\w+(?:~\w+)?~(?:it|this|that)\W*$|\b\w+'s~killing~me\b|\b(?:can't|"
    r"cannot)~find~(?:my|the|any)\b",
    "de": r"\b(?:ich|wir|muss|will|möchte)\b.*\b(?:kurz|schnell|erst~?mal|mal~eben|eben~mal|"
    r"zuerst|jetzt|"
    r"gleich|rasch)\b.*\b(?:suchen|holen|essen|trinken|schlafen|duschen|gehen|einkaufen|aussteigen|"
    r"umsteigen|los|weg|raus|hin|telefonieren|sitzen|hinsetzen|setzen|hinlegen|warten|ausruhen|"
    r"aufräumen|anrufen|putzen|kochen|füttern|lüften|rennen|kaffee|pause|tee)\b"
    r"|\b(?:ich~)?muss~(?:\w+~){0,2}(?:los|weg|raus|aussteigen|umsteigen|auflegen|aufs~klo|rennen|"
    r"rein|"
    r"heim|ins~bett)\W*$|\b(?:mich|mir)~(?:entschieden|beschlossen|vorgenommen)?,?~?\b(?:.*\b)?"
    r"(?:erst~?mal|heute|jetzt)~.*\b(?:hinzu(?:legen|setzen)|zu~(?:essen|trinken|schlafen|warten|"
    r"gehen))\b"
    r"|\b(?:finde?|such\w*)~(?:\w+~)?(?:mein\w*|de[nr]|die|das)~\w+~(?:grad|gerade|nicht)\b"
    r"|\bich~(?:hab|habe|brauch|brauche)~(?:grad|gerade|jetzt)\b",
    "es": r"\b(?:necesito|necesitamos|tengo~que|tenemos~que|voy~a|vamos~a|quiero|prefiero|debo|"
    r"(?:he~)?decid(?:ido|í)|me~voy~a|habrá~que|hay~que)~(?:(?:ya|primero|antes|ahora|"
    r"no)~)*(?:comer|"
    r"cenar|desayunar|almorzar|beber|dormir|ducharme|sentarme|tumbarme|irme|salir~(?:ya|corriendo|"
    r"un)|"
    r"descansar|acostarme|levantarme|esperar|parar|colgar|correr|picar|merendar|"
    r"tomar(?:me)?~(?:un|una|algo)|ir~al~(?:baño|súper)|ir~a~por|buscar~(?:mis?|las?|el|un)|"
    r"coger~(?:el|un)|pedir~(?:una~)?(?:pizza|comida)|hacer(?:me)?~(?:un~)?(?:café|té)|"
    r"(?:abrir|cerrar)~la~puerta|poner~el~móvil)\b"
    r"|\bno~encuentro~(?:mis?|el|la|los|las|ni)\b|\bse~me~(?:ha|han)~(?:\w+o)\b|"
    r"\bando~\w+ndo\b|\bahora~(?:vuelvo|vengo)\b|\bespera~que\b",
    "fr": r"\b(?:je~(?:dois|vais|veux|préfère|voudrais)|j'ai~(?:décidé~d(?:e~|')|besoin~d(?:e~|'))|"
    r"il~faut~que~j(?:e~|')|on~(?:va|doit))\s*(?:(?:juste|d'abord|vite|aussi|bien)~)*(?:manger|"
    r"mange|boire|"
    r"dormir|dorme|m'asseoir|m'allonger|me~(?:doucher|poser|coucher|reposer|lever)|grignoter|"
    r"raccrocher|"
    r"raccroche|filer|file|partir|parte|courir|coure|attendre|sortir~(?:le|un)|descendre|"
    r"prendre~(?:un~|une~|mon~|le~)(?:café|thé|douche|pause|bus|train|métro)|faire~(?:un~café|"
    r"une~(?:sieste|pause)|pipi|les~courses)|chercher~(?:mes|mon|ma|un)|aller~(?:aux~toilettes|"
    r"ouvrir|"
    r"me~coucher))\b"
    r"|\bje~(?:cherche|trouve~(?:pas|plus))~(?:mes|mon|ma)\b",
    "pt": r"\b(?:preciso|precisamos|tenho~(?:que|de)|temos~que|vou|vamos|quero|prefiro|decidi|"
    r"resolvi|devo)~"
    r"(?:(?:já|primeiro|antes|agora|só|não)~)*(?:comer|almoçar|jantar|beber|dormir|sentar|deitar|"
    r"descansar|"
    r"esperar|correr|sair~(?:correndo|já|agora)|desligar|levantar|acordar|parar~um|virar~os|"
    r"tomar~(?:um|uma|banho|café)|ir~(?:ao~banheiro|dormir|embora|nessa)|buscar~(?:um|uma|o|a|meu)|"
    r"pegar~(?:um|uma|o|meu|minha)|fazer~(?:um~café|uma~pausa|xixi)|pedir~(?:uma~)?(?:pizza|"
    r"comida)|"
    r"atender|abrir~a~porta)\b"
    r"|\bnão~(?:acho|encontro)~(?:meus?|minhas?|[oa]s?)\b|\bjá~volto\b|\btô~(?:com~a|n[oa]|"
    r"\w+ndo)\b",
    "zh": r"(?:决定|打算|想|要|得|宁愿|还是|必须|需要|准备|喜欢)先.{0,6}(?:吃|喝|睡|买|"
    r"躺|坐|歇|休息|洗|拿|等|去|眯)"
    r"|(?:我|咱们?|得|要|想|先|决定)(?:得|要|想|先|去|马上|赶紧|现在)*(?:吃|喝|睡|躺|歇|"
    r"洗澡|上厕所|眯|取|拿|接|下车|换乘|开门|"
    r"收衣服)(?:个|点|杯|会|一下|一会|口|饭|早[饭餐]|[午晚][饭餐]|觉|电话|外卖|快递|了$|[。！]?$)"
    r"|等(?:我)?一下|等会儿?|稍等|找不到我?的?|马上就?(?:回|来|到)",
    "ja": r"(?:ちょっと|とりあえず|まず|先に|今から|もう|そろそろ|"
    r"いったん)、?.{0,10}(?:食べ|飲|寝|座|休|風呂|トイレ|買|待|コーヒー|昼寝|"
    r"シャワー|"
    r"行|出|帰|取|戻).{0,8}(?:ことにした|ことにする|ことに決めた|たい|なきゃ|ないと|"
    r"てくる|てきます|に行く|行ってくる|ます|る|ね)[。！ね]*$"
    r"|(?:行か|出|食べ|寝|戻ら|帰ら|切ら|降り)(?:なきゃ|なくちゃ|ないと)[。！]*$|"
    r"が見つからない|(?:が|も)鳴った|"
    r"(?:して|で)(?:い)?る最中",
}
_DUTIES: Final = {
    "en": r"\b(?:i|we)(?:'ve|~have|'ll~have)?~(?:(?:really|just|still|now|also|"
    r"probably)~)*(?:need|needed|must|gotta|got~to|"
    r"have~to|had~to|better|should)~(?!(?:to~)?(?:be|use|avoid|keep|take~\w+~(?:pills?|medication|"
    r"meds|tablets?)|wear|inject|"
    r"carry|follow|know|have|support|live)\b)|^\W*(?:(?:ok|right|anyway|sorry)\W+)*(?:need|gotta|"
    r"got|have)~to~\w+",
    "de": r"\b(?:ich|wir)~(?:\w+~)?(?:muss|müssen|sollte|brauch\w*)\b|\b(?:muss|müssen)~(?:ich|"
    r"wir)\b|^\W*muss\b",
    "es": r"\b(?:necesito|tengo~que|tenemos~que|debo|debería)~(?!(?:usar|evitar|llevar|"
    r"tomar~(?:la|el|una)~(?:pastilla|"
    r"medicación)|ser|tener)\b)\w+",
    "fr": r"\b(?:je~dois|on~doit|nous~devons|il~(?:me~)?faut~que~(?:je|j'|on)|"
    r"j'ai~besoin~d[e'])\s*(?!(?:éviter|utiliser|"
    r"porter|être|suivre|garder)\b)",
    "pt": r"\b(?:preciso|tenho~(?:que|de)|temos~(?:que|de)|devo|deveria)~(?!(?:usar|evitar|ser|"
    r"ter|manter|tomar~(?:o|um)~"
    r"(?:remédio|comprimido))\b)\w+",
    "zh": r"(?:我|咱们?)(?:还|又|也|现在|马上|赶紧)*(?:得|必须|需要|要)(?:先|去|赶紧|马上|回|把)",
    "ja": r"(?:なきゃ|なくちゃ|ないと(?:いけない)?|なければ(?:ならない|いけない))[。！ね]*$",
}
_CRAVINGS: Final = {
    "en": r"\b(?:i|we)(?:'d|~would)~(?:really~)?(?:love|kill~for|murder|give~anything~for|"
    r"die~for)~(?:an?|some|another)\b|"
    r"\b(?:i|we)~(?:\w+~){0,2}(?:crave|fancy|want)~(?:\w+~){1,4}(?:now|before~\w+~else)\W*$|"
    r"\b(?:prefer|like|want|love|hate)\b"
    r".*\b(?:tonight|right~now|this~minute|today)\b|\bcould~(?:do~with|murder)~an?\b|"
    r"\babout~now\W*$",
    "de": r"\b(?:hätte?|hab\w*)~(?:ich~)?(?:jetzt~|so~|grad~|voll~)*(?:gern|lust~auf|bock~auf)\b|"
    r"\b(?:lieber|mag|hasse|liebe)\b.*"
    r"\b(?:heute~abend|jetzt~gerade|gerade~jetzt)\b",
    "es": r"\bme~(?:apetece|muero~por)\b|\b(?:prefiero|quiero|odio|me~gusta)\b.*\b(?:esta~noche|"
    r"ahora~mismo|ahorita)\b",
    "fr": r"\bj'ai~(?:trop~|bien~)?envie~d|\b(?:je~(?:préfère|veux|déteste))\b.*\b(?:ce~soir|"
    r"là~maintenant|tout~de~suite)\b",
    "pt": r"\b(?:tô|estou)~(?:com~vontade|doid[oa]~p\w+|morrendo~de)\b|\b(?:prefiro|quero|"
    r"odeio)\b.*\b(?:hoje~à~noite|agora)\b",
    "zh": r"(?:好|真|突然|有点)想(?:吃|喝|睡|要)|(?:今晚|现在)我?(?:想|要|更喜欢|宁愿)",
    "ja": r"(?:今|いま|今夜|今晩).{0,12}(?:たい|ほしい|がいい|気分)|(?:食べ|飲み|寝|"
    r"帰り)たい(?:なあ|な|よ)?[。！]*$",
}
_HABITS: Final = {
    "en": r"\b(?:every|each|always|usually|normally|daily|weekly|whenever|never|since|for~years|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days|twice|per~(?:day|week)|"
    r"because~of~my)\b(?!.*\bin~this\b)",
    "de": r"\b(?:jede[nrs]?|immer|nie|niemals|täglich|wöchentlich|montags|dienstags|mittwochs|"
    r"donnerstags|"
    r"freitags|samstags|sonntags|seit|normalerweise|meistens|stets)\b",
    "es": r"\b(?:cada|siempre~(?!me)|nunca|todos~los|todas~las|a~diario|normalmente|desde|"
    r"los~(?:lunes|martes|"
    r"miércoles|jueves|viernes|sábados|domingos))\b",
    "fr": r"\b(?:chaque|toujours|jamais|tous~les|toutes~les|d'habitude|depuis|le~(?:lundi|mardi|"
    r"mercredi|"
    r"jeudi|vendredi|samedi|dimanche)s?)\b",
    "pt": r"\b(?:cada|sempre|nunca|todos~os|todas~as|tod[oa]~(?:dia|semana|mês)|normalmente|desde|"
    r"às~(?:segundas|"
    r"terças|quartas|quintas|sextas))\b",
    "zh": r"每|总是|一直|从来|以后|平时|通常",
    "ja": r"毎|いつも|普段|必ず|ずっと|から(?:ずっと)?は",
}
_WISHES: Final = {
    "en": r"\bif\b.*\b(?:im|id|ill)~\w+|\bwould~(?:cost|take|mean|need|pay|be~(?:more|less|"
    r"fun))\b|\b(?:i|we)'?d~need\b|\bif~\w+.*\b(?:i|we|he|she|they|it|you)(?:'m~\w+ing|"
    r"~am~\w+ing|'re~\w+ing|~are~\w+ing|'d|~would|"
    r"~might|~could|'ll~(?:probably|just|have~to|be)|~will~probably|'m~(?:done|off|out|gonna|"
    r"toast|doomed))\b"
    r"|\b(?:i|we|he|she|they|it)(?:'d|~would|~might|~could)\b.*\bif\b|\bas~if\b|\bin~(?:a|"
    r"my)~(?:perfect|"
    r"ideal|next|dream)~(?:world|life)\b|\bin~my~dreams\b|\b(?:i|we)'d~(?:\w+ly~|never~|always~|"
    r"just~)*(?!rather|prefer|like|love|better|been|had|got|already|never|always|just|say|"
    r"\w+ed\b)\w+\b|\bwhen~i'm~(?:rich|famous|dead|old|retired)\b",
    "de": r"\b(?:am~liebsten|gern\w*)~(?:würd|hätt|wär)\w*|\bfalls\b.*\b(?:ich|wir)\b|\b(?:würd|"
    r"wär|hätt|tät)e?~(?:ich|wir)\b|\bich~(?:würd|wär|hätt|tät)e?\b(?!~(?:lieber|gern)\b)|"
    r"\b(?:wenn|falls)\b.*\b(?:werd(?:e|en|')?~(?:ich|wir)|würd\w*|wär\w*|hätt\w*|könnt\w*|"
    r"müsst\w*|"
    r"dürft\w*|tät\w*)\b|\b(?:würd|wär|hätt|könnt)\w*\b.*\b(?:wenn|falls)\b|\bschön~wär'?s\b|"
    r"\birgendwann~(?:mal|"
    r"vielleicht)\b|\bwär\w*~(?:schon~|doch~)?(?:cool|schön|nett|super)\b|\bvielleicht\b",
    "es": r"(?:^|[,;.…]\s*|\b(?:y|pero|que)~)si~(?:\w+~){0,5}?(?!(?:para|cara|clara|base|clase|"
    r"frase|siquiera|cualquiera)\b)"
    r"\w*(?:iera|iese|fuera|ara|ase)(?:n|s|mos)?\b"
    r"|\bsi\b.*\b(?!(?:pana|lib|tonte|mayo|catego|teo|cafete|bate|gale)ría)\w{2,}ría(?:s|n|"
    r"mos)?\b|\bojalá\b|"
    r"\bsi~(?:algún~día|un~día|me~toca)\b|\bquién~\w+(?:era|ara)\b|"
    r"^\W*(?:y~)?si~(?:\w+~){1,5}?(?:me~|nos~|la~|lo~|yo~)?(?!(?:no|como|cuando|"
    r"solo)\b)(?:\w{3,}o|voy|doy|\w+(?:amos|emos|imos))~(?!el\b)|"
    r"\bcon~\w+~(?:\w+~){1,3}más~\w+ría\w*",
    "fr": r"\bça~\w+rait\b|"
    r"\bs(?:i~|')(?:\w+['~]\s*){0,4}?(?!(?:sais|vais|fais|jamais|mais|fait|plaît|"
    r"français\w*|anglais\w*)\b)"
    r"\w+(?:ais|ait|aient|ions|iez)\b|\bsi~(?:un~jour|jamais)\b|\bà~la~limite\b|"
    r"\bfaudrait~(?:peut|un~jour)|"
    r"\bsi\b.*\b(?:\w+erai[st]?|\w+irai[st]?|serai[st]|aurai[st])\b.*\b(?:mdr|lol)\b|"
    r"\bsi~seulement\b|\bje~(?:\w+['~]){0,2}?(?!(?:voudr|aimer|préférer|souhaiter)ais)\w+rais\b",
    "pt": r"\bse~(?:\w+~){0,4}?(?!(?:esse|nesse|interesse|posse)\b)\w*sse(?:m|mos)?\b|"
    r"\bse~(?:um~dia|algum~dia)\b|"
    r"\bquem~me~dera\b|\bse~(?:eu|a~gente)~(?:\w+~)?\w+(?:ar|er|ir|rmos)\b.*\b(?:vou|vamos|ia|"
    r"compro|viro|mudo|largo)\b|"
    r"\bbem~que~\w+~podia|^\W*se~(?:\w+~){1,4}?(?:\w+(?:ar|er|ir)|der|for|tiver|"
    r"puder)\b(?:~\w+){0,4}?,?~(?:eu~)?\w{2,}o\b",
    "zh": r"就好了|该多好|(?:要是|如果|假如)有.{1,10}我?(?:早|就|也|肯定)|(?:要是|如果|"
    r"假如)(?:我|能|有|哪天|真|可以|中了).{0,30}(?:就|会|可能|一定|肯定|得)|"
    r"(?:要是|如果|假如).{1,20}的话.{0,4}(?:我|就)|哪天|万一|不如干脆",
    "ja": r"(?:たら|れば|なら)(?:いい|よかった|なあ|なぁ|どうしよう|どうする)|"
    r"もし.*(?:かも|だろう|たい|かな|なあ|のに)|"
    r"(?:でも|ても|なくても)いい(?:けど|か|や)|(?:でき|当て|くれ|なっ|あっ|おっ|勝っ|"
    r"受かっ|合格し|間に合え|と言っ|って言っ)(?:たら|ば)、?.*(?:[るく]|たい|最高|泣く|"
    r"がのう|のに|けど)[。！]*$|だったら(?:いい|いいのに|楽)|いつか.*たい",
}
_RUMOURS: Final = {
    "en": r"\b(?:apparently|supposedly|allegedly|rumou?r\w*|word~(?:is|has~it)|gossip|(?:people|"
    r"they|some|folks)~"
    r"(?:say|reckon|claim)|some(?:one|body)\b(?:~[\w']+){0,5}~(?:says|said|told|reckons|mentioned|"
    r"claims|thinks)|"
    r"an?~(?:mate|friend|guy|bloke|woman|man|stranger|neighbou?r|"
    r"colleague)(?:~[\w']+){0,4}~(?:says|said|told|reckons|"
    r"mentioned|claims|swears)|i~(?:heard|read)~(?:that|somewhere|on|in|online|about|from)|"
    r"i've~(?:heard|read)|"
    r"if~(?:that's|it's|that~is)~(?:even~)?true|(?:is|'s)~true~or~not|so~(?:i'm~told|they~say)|"
    r"(?:i~)?(?:choose|refuse)~(?:not~)?to~believe|take~(?:it|that)~with~a|"
    r"i'll~believe~it~when|the~(?:woman|man|guy|lady|bloke)~\w+~says|swears~(?:that|by))\b",
    "de": r"\b(?:angeblich|gerücht\w*|gerüchteweise|man~(?:sagt|munkelt|erzählt)|es~heißt,?|"
    r"hab\w*~(?:\w+~){0,3}(?:gehört|"
    r"gelesen)|soll(?:en)?~(?:wohl|angeblich)|irgendwer|irgend~?jemand|jemand~(?:sagt|meint|"
    r"meinte|hat~gesagt)|"
    r"(?:wer~weiß|keine~ahnung|mal~sehen),?~ob|ob(?:'s|~das|~es)~stimmt|heißt~es,|erzählt~(?:man|"
    r"rum)|"
    r"hat~(?:man|wer|einer)~(?:mir~)?(?:erzählt|gesagt))\b",
    "es": r"\b(?:dicen~(?:que|por)|por~lo~visto|al~parecer|supuestamente|se~rumorea|rumor\w*|"
    r"se~dice~que|he~(?:oído|leído)|"
    r"leí~(?:que|en|por)|me~han~(?:dicho|contado)|(?:alguien|un~(?:amigo|vecino|colega|compañero|"
    r"tipo)|una~(?:amiga|vecina|"
    r"compañera))(?:~\w+){0,3}~(?:dice|dijo|cuenta|contó|jura)|a~saber~si|no~sé~si~(?:es|"
    r"será)~(?:verdad|cierto)|"
    r"vete~a~saber|cuentan~que|según~(?:dicen|cuentan)|no~me~(?:lo~)?(?:creo|fío)~mucho)\b",
    "fr": r"\b(?:il~paraît|paraît~que|paraît-il|soi-disant|rumeur\w*|on~(?:raconte|m'a~dit|"
    r"dit~que)|"
    r"(?:quelqu'un|un~(?:pote|ami|collègue|voisin|gars|mec|type)|une~(?:copine|amie|collègue|"
    r"voisine|dame))(?:~[\w']+){0,4}~"
    r"(?:dit|raconte|prétend|jure)|j'ai~(?:entendu|lu)|à~vérifier|si~c'est~vrai|les~gens~disent|"
    r"d'après~(?:la~rumeur|les~gens)|à~ce~qu'il~paraît|je~n'y~crois~pas)\b",
    "pt": r"\b(?:dizem|parece~que|ouvi~(?:dizer|falar)|li~(?:que|por~aí)|supostamente|boato\w*|"
    r"rumor\w*|"
    r"(?:alguém|um~(?:amigo|colega|vizinho|cara|sujeito)|uma~(?:amiga|colega|"
    r"vizinha))(?:~\w+){0,4}~(?:disse|diz|falou|contou|jura)|"
    r"(?:não|nem)~sei~se~é~verdade|sei~lá~se|me~disseram|segundo~(?:dizem|boatos)|"
    r"fala-se|falam~(?:por~aí|que))\b",
    "zh": r"听说|据说|听.{1,10}说|有人说|网上说|他们说|别人说|传言|传闻|谣传|"
    r"(?:不知道?|谁知道)(?:是)?(?:真假|真的|是不是真)|未必是真",
    "ja": r"らしい(?:です|よ|けど|が)?[。、！]?|(?:という|って)(?:噂|うわさ)|って聞い|"
    r"とかならないとか|(?:噂|うわさ)(?:では|で|だ|を)|"
    r"(?:誰か|友達|友人|知り合い|知人|隣の人|みんな|同僚|人)(?:が|から|"
    r"に)?.{0,20}(?:って言って|と言って|と聞い|って聞い|って話)|"
    r"(?:本当か|真偽)(?:どうか|は)|と(?:か)?聞いた(?:けど|が|よ)?|んだって[。！]?$",
}
_WORD_OF_OTHERS: Final = {
    "en": r"\b(?:friend|mate|neighbou?r|cousin|uncle|aunt\w*|brother|sister|mum|mom|dad|nephew|"
    r"niece|son|daughter|roommate|"
    r"flatmate|taxi~driver|barber|guy|bloke|lad|woman|man|kids?|driver|buddy|colleague|"
    r"coworker)\b(?:~\w+){0,3}~(?:says?|said|told~(?!me~to)|"
    r"wrote|reckons|heard|thinks)\b|\b(?:told)~(?-i:[A-Z])\w+\b|\b(?:she|he|they)~says?\W*$|"
    r"\bin~(?:the~)?(?:\w+~)?(?:group|chat|forum)~"
    r"(?:wrote|says|said)\b|\bthe~last~\w+~\w+ed\b",
    "de": r"\b(?:nachbar\w*|kolleg\w+|kumpel|freund\w*|schwager|schwester|bruder|oma|opa|mutter|"
    r"mutti|vater|tante|onkel|cousin\w*|"
    r"lehrling|hebamme|(?:der|die|frau|herr)~\w+)~(?:\w+~)?(?:sagt|sagte|erzählt|hat~(?:gesagt|"
    r"erzählt|gehört))\b",
    "es": r"\b(?:dice|dijo|sostiene|cuenta|ha~oído|oyó)~(?:la|el|mi)~\w+~que\b|\b\w+~(?:dice|dijo|"
    r"sostiene|cuenta|oyó)~que\b|\bme~dijeron~que\b",
    "fr": r"\bm'a~(?:assuré|dit|raconté|soutenu)~(?:que|qu')|\ba~(?:laissé~entendre|entendu~dire|"
    r"ouï)\b|\b\w+~(?:dit|raconte|soutient)~(?:que|qu')",
    "pt": r"\b(?:falou|disse|contou|escutou|ouviu)~que\b|\banda~a~dizer\b|"
    r"\bdiz~(?:[oa]~\w+~)?que\b",
    "zh": r"(?:邻居|隔壁|楼[上下]|同学|朋友|群里|亲戚|大妈|阿姨|太太|老[\u4e00-\u9fff]|"
    r"同行|别人|家长|司机)[^，。]{0,6}(?:说|讲|传)",
    "ja": r"(?:さん|ちゃん|くん|隣|ママ|爺|じい|ばあ|おば|"
    r"おじ)[^、。]{0,24}(?:って言って|と言う|って言う|と言って|って話|と言い)",
}
_SECRETS: Final = (
    r"\b(?:password|passwd|passcode|passphrase|pin|log-?in|credentials?|(?:api|live|secret|access|"
    r"licen[cs]e|wifi|stream)~key|token|"
    r"(?:door|gate|alarm|entry|lock|safe|box)~code|combination|key~?box|lock~?box|passwort|"
    r"kennwort|zugangsdaten|türcode|"
    r"contraseña|clave|código~(?:de|del)~\w+|mot~de~passe|digicode|code~(?:d'entrée|de~la~\w+|"
    r"du~\w+)|senha|código~d[oa]~\w+)\b"
    r".{0,40}?(?:\bis\b|'s\b|:|=|\bist\b|\blautet\b|\bes\b|\bc'est\b|\best\b|"
    r"\bé\b)\s*\S*(?:[^\s\d.,]\S*\d|\d{4}|[!/_#$&]|\w+-\w+-)"
    r"|(?:密码|口令|门禁码|パスワード|暗証番号|アカウント|账号|キー|"
    r"鍵ボックス)[^。]{0,12}?(?:是|为|：|は|"
    r":)\s*[\w!#/ -]*\d|\bsk_(?:live|test)"
)
_FICTIONS: Final = {
    "en": r"\bin~(?:the|my)~(?:novel|campaign|story)~(?:i'm~reading~)?(?:the|a|she|he|they|it|"
    r"one)\b|\b(?:in~)?(?:chapter|act|scene|episode|book)~(?:\d+|one|two|three|four|five|six|"
    r"[ivx]+)\b.*\b(?:dies|drowns|kills|poisons|"
    r"finds|marries|leaves|hides|falls|meets|kisses|flees)\b|\b(?:protagonist|antagonist|heroine?|"
    r"villain)\b|\b(?:my|the|main)~character~(?!set"
    r"|limit|count)\w+|\b(?:queen|king|princess|prince|baron\w*|duke|duchess|captain|dragon|"
    r"wizard|elf|elves|robot|knight|goblin)s?\b(?:~[\w']+){0,3}~(?:called|"
    r"named|rules?|hates?|eats?|swears|poisons|lives~in|guards)\b|\bshould~be~called\b",
    "de": r"\bin~(?:meinem|dem|unserem)~(?:roman|buch|spiel)\b|\bin~(?:kapitel|akt|szene|"
    r"folge)~\w+~\w+t\b|\b(?:protagonist\w*|antagonist\w*|held(?:in)?|bösewicht|hauptfigur)\b|"
    r"\b(?:der|die)~(?:könig\w*|prinz\w*|herzog\w*|drache\w*|zauber\w*|ritter|kapitän)~\w+t\b",
    "es": r"\ben~(?:la~partida|mi~(?:novela|historia))\b|\ben~(?:el~(?:capítulo|acto)|"
    r"la~(?:escena|novela|historia|trama))\b.*\b(?:se~llama|muere|mata|huye|vive|descubre|"
    r"odia)\b|"
    r"\b(?:protagonista|antagonista|villan[oa])~(?!es~ficción)\w+|\b(?:el|la|los)~(?:rey|reina|"
    r"princesa|príncipe|duque\w*|dragón|mago|"
    r"caballero|héroes?|capitán)~\w+",
    "fr": r"\bdans~(?:mon~roman|la~partie)\b|\b(?:dans|au)~(?:le~|la~|mon~)?(?:chapitre|acte|"
    r"scène|roman|histoire)\b.*\b(?:s'appelle|meurt|tue|fuit|vit|découvre)\b|"
    r"\b(?:protagoniste|héroïne|méchant)\b|\b(?:le|la|les)~(?:roi|reine|princesse|prince|duc|"
    r"duchesse|dragon|sorcier|chevalier|capitaine)~\w+",
    "pt": r"\b(?:no~meu~(?:romance|livro)|na~partida)\b|\bno~(?:capítulo|ato|romance|"
    r"conto)\b.*\b(?:se~chama|morre|mata|foge|vive|descobre)\b|\b(?:protagonista|vilã\w?|"
    r"heroína)\b|"
    r"\b(?:o|a|os)~(?:rei|rainha|princesa|príncipe|duque|dragão|mago|cavaleiro|capitão)~\w+",
    "zh": r"(?:小说|故事|剧本|游戏)里.{0,12}(?:会|是|死|爱上|杀|住)|主角|反派|"
    r"(?:公主|王子|国王|女王|巨龙|魔法师)",
    "ja": r"(?:小説|物語|話|ゲーム|劇)の(?:中|主人公)|主人公|悪役|(?:姫|王子|国王|女王|"
    r"魔王|勇者|竜)(?:は|が)",
}
_PRIVATE: Final = {
    "en": r"\b(?:don't|do~not|never|no~need~to|please~don't)~(?:\w+~)?(?:store|save|remember|keep|"
    r"memori[sz]e|record|"
    r"log|write~down|note~down|hold~on~to)~(?:any~of~)?(?:it|that|this|them|those|any|"
    r"the~(?:password|code|pin|login|key|number))\b"
    r"|\b(?:and|then)~forget~(?:it|that|about~it)\b|\boff~the~record\b|"
    r"\bnot~for~(?:your~)?memory\b",
    "de": r"\b(?:nicht|bloß~nicht|nirgends)~(?:speichern|merken|notieren|behalten|aufschreiben|"
    r"aufheben)\b|\b(?:speicher\w*|"
    r"merk\w*|behalt\w*|notier\w*)~(?:dir~)?(?:das|es|die|den|ihn|sie)~(?:\w+~){0,2}nicht\b|"
    r"\b(?:danach|dann)~"
    r"(?:wieder~)?vergessen\b|\bvergiss~(?:es|das|ihn|sie)~(?:danach|wieder|gleich)",
    "es": r"\bno~(?:lo|la|los|las|me~lo|te~l[oa])~(?:guardes|recuerdes|apuntes|anotes|memorices|"
    r"registres)\b|"
    r"\bno~(?:guardes|memorices|registres)\b|\by~(?:luego~)?(?:olvídal[oa]|bórral[oa])\b",
    "fr": r"\bnote~(?:le|la|ça)~pas\b|\bne~(?:le|la|les|l')\s*(?:garde|retiens|note|enregistre|"
    r"mémorise|conserve)\w*~(?:surtout~)?pas\b|"
    r"\b(?:n')?(?:enregistre|garde|note|retiens)~(?:surtout~)?pas\b|\boublie-l[ea]\b",
    "pt": r"\bnão~(?:o~|a~|me~)?(?:guard|salv|anot|memoriz|registr|grav|decor)\w+\b|\b(?:depois|"
    r"e)~(?:esquec[ea]|apag[ae])\b",
    "zh": r"(?:不要|别|不用|不必|无需)(?:保存|存|记|记录|记住|留)|用完(?:就|请)?(?:忘|删)|不要记",
    "ja": r"(?:覚え|保存し|記録し|メモし|残さ|書き残さ)ないで|(?:あとで|使ったら|"
    r"終わったら).{0,6}(?:忘れて|消して)|忘れてください",
}
_JESTS: Final = {
    "en": r"(?:\b(?:lol|lmao|rofl|(?:ha){2,}h?|hehe\w*|xd|jk|/s|kidding)|[😂🤣😜😉🙃])\W*$|"
    r"\bjust~kidding\b|"
    r"\b(?:always|often|running|standing)~(?:\w+~)?jok(?:e|es|ing)\b|\bjok(?:es?|ed|ing)~(?:that|"
    r"about)\b|"
    r"\b(?:remember|never~forget)~(?:kids|folks|people|children|everyone|guys|ladies)\b|"
    r"\bsarcas\w+|\ballergic~to~(?:mondays?|mornings?|meetings?|work(?:ing)?|exercise|effort|"
    r"adulting|cleaning|housework|people|bullshit|stupidity|nonsense|early~\w+|small~talk)"
    r"(?=\W*$|,|~and\b)",
    "de": r"(?:\b(?:lol|(?:ha){2,}|(?:hi){2,}|hehe|xd|\*?grins\*?|zwinker|scherz)|"
    r"[😂🤣😜😉🙃])\W*$|"
    r"\bnur~spaß\b|\b(?:witz\w*|scherz\w*)\b|"
    r"\b(?:sagt|sagen|meint)~(?:doch~)?immer\b.*\b(?:wär\w*|eh|halt)\b|"
    r"\ballergisch~(?:gegen|auf)~(?:montage?|arbeit|meetings|sport|frühes?~\w+|dummheit|menschen|"
    r"hausarbeit|putzen)\b",
    "es": r"(?:\b(?:ja){2,}j?|\b(?:je){2,}|\bxd|\blol|[😂🤣😜😉🙃])\W*$|\b(?:broma\w*|brome\w+|"
    r"chiste\w*)\b|"
    r"\b(?:siempre~)?(?:dice|decimos|dicen)~(?:siempre~)?que~«|"
    r"\balérgic[oa]~(?:a~los~lunes|al~(?:trabajo|deporte)|a~(?:las~reuniones|madrugar|la~gente))\b",
    "fr": r"(?:\b(?:mdr+|ptdr|lol|(?:h[aé]){2,}|(?:hi){2,}|xd)|"
    r"[😂🤣😜😉🙃])\W*$|\b(?:blague\w*|"
    r"plaisant\w+|rigol\w+)\b|\bon~dit~toujours\b|"
    r"\ballergique~(?:aux?~(?:lundis?|travail|sport|réunions|gens)|à~l'effort)\b",
    "pt": r"(?:\b(?:k{3,}|(?:rs)+|(?:ha){2,}|(?:he){2,}|lol)|"
    r"[😂🤣😜😉🙃])\W*$|\b(?:brinc(?:o|amos|a|"
    r"adeira)|zoeira|zoando|piada\w*)\b|"
    r"\balérgic[oa]~(?:às?~segundas?(?:-feiras?)?|a~(?:segundas?|trabalho|acordar|gente)|ao~trabalho|"
    r"às~reuniões)\b",
    "zh": r"(?:哈哈+|嘻嘻|呵呵|嘿嘿|233+|笑死|lol|[😂🤣😜😉🙃])[。！!~～\s]*$|开玩笑|玩笑|段子|"
    r"对(?:周一|星期一|上班|开会|工作|早起)过敏",
    "ja": r"(?:笑|[wｗ]{2,}|草|（笑）|\(笑\)|[😂🤣😜😉🙃])[。！!\s]*$|冗談|ジョーク|"
    r"ネタ(?:だ|です|で)|(?:月曜日?|仕事|会議|早起き)アレルギー",
}

_IRONIES: Final = {
    "en": r"\b(?:we|they|he|she|i|everyone|everybody|my~\w+|\w+'s~\w+)~(?:always|keeps?|"
    r"likes?~to)~(?:say|says|saying|joke|jokes|"
    r"joking|tease|teases|claim|claims)\b|\b(?:just|exactly)~what~i~(?:needed|wanted)\b|"
    r"\b(?:simply|just|absolutely)~(?:love|adore)~"
    r"(?:it~)?when\b|\bmy~absolute~favou?rite\b|\b(?:oh|well)~(?:great|joy|lovely|brilliant|"
    r"marvellous|fantastic|wonderful)\b|"
    r"\bbecause~of~course\b|\b(?:rule|motto|policy)~(?:for|of)~(?:tonight|today|the~(?:day|night|"
    r"hour))\b|\bas~if\b",
    "de": r"\b(?:sage?n?|sagt|meint|behauptet)~(?:\w+~){0,2}immer\b|\b(?:na~)?(?:toll|super|"
    r"klasse|prima|großartig|herrlich),~(?:genau|"
    r"wieder|jetzt|und|das|noch)\b|\bgenau~mein~lieblings|\b(?:hat|"
    r"das~hat)~(?:mir~)?(?:gerade~)?noch~gefehlt\b|\b(?:ja~)?klar,~und\b",
    "es": r"\bsiempre~(?:lo~)?(?:digo|dice|decimos|dicen)\b|\b(?:justo|"
    r"exactamente)~lo~que~(?:me~)?(?:faltaba|necesitaba|hacía~falta)\b|"
    r"\b(?:qué|cómo)~(?:maravilla|alegría|ilusión)\b|\bclaro,~(?:claro|y)\b|\b(?:estupendo|genial|"
    r"fantástico),~(?:y|encima|ahora|otra)\b",
    "fr": r"\b(?:dit|dis|disons|disent|répète)~toujours\b|\b(?:exactement|juste|"
    r"tout)~ce~qu'il~(?:me~|nous~)?(?:fallait|manquait)\b|"
    r"\b(?:formidable|génial|super|magnifique|merveilleux),~(?:et|encore|maintenant|en~plus|il|"
    r"voilà)\b|\bbien~sûr,?~(?:il|et|elle|ça)\b|"
    r"\bmanquait~plus~que\b",
    "pt": r"\bsempre~(?:digo|diz|dizemos|dizem|falo|fala|falamos)\b|"
    r"\bera~(?:só~)?o~que~(?:me~)?faltava\b|\b(?:que~)?(?:maravilha|ótimo|"
    r"lindo|beleza),~(?:agora|e|mais|ainda|justo)\b|\bclaro,~(?:e|porque)\b",
    "zh": r"(?:老|总|总是|老是|常常|经常)(?:说|念叨|吹)|(?:可真|真)(?:行|会挑时候|"
    r"棒)[。！]?$|(?:正|就)缺这个|我谢谢",
    "ja": r"(?:いつも|よく|みんな).{0,24}(?:って言|と言|って話|って笑)|(?:最高|素敵|"
    r"ありがたい)(?:です)?(?:ね|こと)?(?:、|。)?(?:ほんとに|まったく|皮肉)|"
    r"ありがたくて涙",
}
_LAY_VERBS: Final = {
    "en": r"\b(?!(?:i|we|you)\b)[\w']+~(?:reckons?|claims?~(?:that|it|he|she|they|to)|swears?|"
    r"is~convinced|are~convinced|suspects?|gossips?)\b",
    "de": r"\b(?:meint|meinte|behauptet|schwört|munkelt|glaubt|vermutet|schwören|"
    r"behaupten)\b,?(?!~ich\b)",
    "es": r"\b(?:jura|juran|asegura|aseguran|afirma|afirman|cree|creen|sospecha|insiste)\b~que\b|"
    r"\bme~ha~(?:dicho|contado)~(?:la|el)\b",
    "fr": r"\b(?:prétend|prétendent|jure|jurent|croit|croient|soupçonne|affirme|affirment)\b~qu",
    "pt": r"\b(?:jura|juram|garante|garantem|acha|acham|afirma|afirmam|desconfia)~que\b|"
    r"\bdisse~que~talvez\b",
    "zh": r"(?:觉得|怀疑|猜|估计|声称|咬定|打赌).{0,2}(?:会|要|是|能)|谁知道",
    "ja": r"(?:が|に)?言うには|(?:と|って)(?:主張|思い込|信じて)|あてにならない|に違いないって",
}
AUTHORITIES: Final = {
    language: compiled(pattern)
    for language, pattern in {
        "en": r"\b(?:doctor|doc|gp|physio\w*|vet|dentist|surgeon|nurse|consultant|midwife|"
        r"therapist|optician|pharmacist|lawyer|"
        r"solicitor|accountant|notary|judge|boss|manager|landlord|landlady|teacher|supervisor|"
        r"headteacher|professor|coach|"
        r"mechanic|surveyor|editor|publisher|hr|council|bank|finance|legal|management|compliance|"
        r"letter|"
        r"agreement|contract|policy|manual|mri|scan|x-?ray|results?|report|law)~"
        r"(?:\w+~)?(?:says|said|told|texted|confirmed|wrote|called|rang|emailed|wants|insists|"
        r"found|diagnosed)\b|"
        r"\b(?:says?|said)~(?:my~|the~)?(?:doctor|doc|gp|physio|vet|dentist|surgeon|nurse|mri|"
        r"scan|law|contract|manual|letter)\b",
        "de": r"\b(?:ärztin|arzt|doktor(?:in)?|hausarzt|hausärztin|physio\w*|tierarzt|tierärztin|"
        r"zahn\w+|chef(?:in)?|anwalt|anwältin|"
        r"steuerberater(?:in)?|vermieter(?:in)?|lehrer(?:in)?|trainer(?:in)?|kund(?:e|in)|"
        r"prüfer(?:in)?|betreuer(?:in)?|amt|bank)\b",
        "es": r"\b(?:médic[oa]|doctora?|fisio\w*|veterinari[oa]|dentista|jef[ea]|abogad[oa]|"
        r"gestora?|caser[oa]|profesora?|"
        r"entrenadora?|client[ea]|perit[oa]|notari[oa]|directora?)\b",
        "fr": r"\b(?:médecin|docteur\w*|kiné\w*|véto|vétérinaire|dentiste|phoniatre|chef\w*|"
        r"patron\w*|avocat\w*|comptable|notaire|"
        r"proprio|propriétaire|prof\w*|entraîneu\w+|client\w*|contrôleu\w+|infirmi\w+)\b",
        "pt": r"\b(?:médic[oa]|doutora?|fisio\w*|veterinári[oa]|dentista|chefe|advogad[oa]|"
        r"contadora?|senhori[oa]|professora?|"
        r"orientadora?|treinadora?|client[ea]|diretora?|juíz[ao]?|juiz)\b",
        "zh": r"医生|大夫|兽医|牙医|老板|经理|律师|会计|房东|老师|教练|客户|导师|领导|护士",
        "ja": r"医者|先生|獣医|歯医者|上司|社長|部長|弁護士|税理士|大家|コーチ|"
        r"監督|顧客|お客|看護師|主治医",
    }.items()
}
"""Who knows what they say: their word is no rumour."""

SAYING: Final = {
    language: compiled(pattern)
    for language, pattern in {
        "en": r"\b(?:says?|said|told|texted|confirmed|wrote|wants|insists|found|diagnosed)\b",
        "de": r"\b(?:sagt|sagte|gesagt|meint|verschrieben|verordnet|bestätigt)\b",
        "es": r"\b(?:dice|dijo|dicho|recetó|recetado|confirmó|confirmado)\b",
        "fr": r"\b(?:dit|prescrit|confirmé)\b",
        "pt": r"\b(?:diz|disse|falou|receitou|confirmou)\b",
        "zh": r"说|叫我|让我|确认",
        "ja": r"と言|って言|によると|に言われ",
    }.items()
}
"""Words for telling; with an authority, what is told stands."""

_PRAISES: Final = (
    r"\b(?:highlight~of~my~\w+|my~(?:\w+~)?favou?rite~(?:human|person|people|hobby|sport|sound|music|"
    r"thing)|what~an?~(?:joy|treat|delight|dream|pleasure|bliss)|(?:absolute|pure|sheer)~(?:joy|bliss|"
    r"heaven|dream|delight|magic)|best~\w+~(?:ever|of~my~life)|living~the~dream|five~stars?|can't~get~"
    r"enough|love~that~for~me)\b",
    r"\b(?:absolute[rs]?~(?:fan|traum|highlight)|(?:mein|das)~(?:\w+~)?(?:highlight|lieblings\w+|liebstes~"
    r"\w+)|ein~traum|was~für~(?:ein|eine)~(?:freude|genuss|traum|wonne)|herrlich|hochgenuss|"
    r"fünf~sterne|könnte~nicht~schöner~sein)\b",
    r"\b(?:qué~(?:delicia|placer|gozada|gusto|lujo)|una~(?:delicia|gozada|maravilla|joya)|mi~(?:\w+~)?"
    r"favorit[oa]|lo~mejor~de~(?:mi|la|mis)~\w+|el~sueño~de~mi~vida|cinco~estrellas)\b",
    r"\b(?:quel~(?:délice|bonheur|plaisir|régal)|quelle~(?:joie|merveille)|j'en~redemande|cinq~étoiles|"
    r"un~(?:vrai~)?(?:bonheur|régal|délice)|le~(?:rêve|bonheur)~absolu|mon~(?:\w+~)?préféré)\b",
    r"\b(?:que~(?:delícia|prazer|luxo|alegria)|uma~(?:delícia|maravilha|beleza)|melhor~\w+~da~minha~vida|"
    r"meu~(?:\w+~)?favorit[oa]|sou~apaixonad[oa]|cinco~estrelas|um~sonho)\b",
    r"太幸福|真享受|简直(?:是)?(?:天堂|享受|完美)|我的最爱|人生巅峰|五星级|爱死",
    r"最高の|至福|天国|ご褒美|大好物|幸せすぎ|五つ星|夢のよう",
)
_NUISANCES: Final = (
    r"\b(?:queue\w*|delay\w*|hours~late|lost~(?:my|our|the)|broke~down|midnight|[1-5]~?am|drill\w*|"
    r"jackhammer\w*|leak\w*|flood\w*|parking~ticket|fined?|paperwork|crash\w*|outage|spam|stinks?|"
    r"smell(?:s|ed)~of|cancell?ed|traffic~jam|stuck|mou?ld|blisters?|root~canal|noise|vacuum\w*|"
    r"rude|(?:third|fourth|fifth)~time|overtime|puncture|bill)\b",
    r"\b(?:verloren|verspätung\w*|stau|warteschlange|schlange~stehen|formular\w*|zahnzieh\w*|zahnarzt|"
    r"bohr\w*|presslufthammer|lärm\w*|mitternacht|kaputt|ausgefallen|undicht|schimmel|überstunden|"
    r"mahnung\w*|strafzettel|abgestürzt|zum~(?:dritten|vierten|fünften)~mal)\b",
    r"\b(?:cola|retras\w*|atasco|averí\w+|medianoche|ruido\w*|taladr\w*|goter\w*|multa|papeleo|"
    r"formulari\w+|perdi(?:ó|eron)|se~cayó|apagón|moho|dentista|horas~extra|(?:tercera|cuarta)~vez)\b",
    r"\b(?:retards?|embouteillage\w*|file~d'attente|panne|minuit|bruit|perceuse|marteau-piqueur|aspirateur|"
    r"cornemuse|fuite|amende|paperasse|formulaires?|perdu|moisi\w*|dentiste|heures~sup\w*|"
    r"(?:troisième|quatrième)~fois|à~l'aube)\b",
    r"\b(?:fila|atras\w*|engarrafamento|trânsito|carimbo\w*|meia-noite|barulho|furadeira|britadeira|"
    r"vazamento|multa|papelada|formulári\w+|perde(?:u|ram)|caiu|apagão|mofo|dentista|(?:terceira|"
    r"quarta)~vez)\b",
    r"排队|堵车|晚点|加班|凌晨|半夜|噪音|电钻|漏水|罚单|表格|弄丢|第[三四五]次|停电|发霉",
    r"行列|渋滞|遅延|残業|深夜|夜中|騒音|工事|ドリル|水漏れ|罰金|書類|失くし|なくされ|[三四五]回目|停電|カビ",
)
_LASTING: Final = (
    r"\b(?:from~now~on|when|if|in~future|before~(?:each|\w+ing)|into~account|wenn|sobald|ab~(?:jetzt|sofort)|künftig|"
    r"a~partir~de~(?:ahora|agora)|cuando|quand|désormais|dorénavant|quando)\b|:\s*(?:i|we|my|our)\b|以后|今后|今後|これから"
)
_REMINDERS: Final = {
    "en": r"\b(?:remember|don'?t~forget|do~not~forget)~to~(?:(?:buy|get|pick|water|feed|send|pay|"
    r"book|take|bring|fetch|order|renew|return|cancel|wash|charge|walk|visit|e?mail|text|ring|submit|"
    r"post|drop|congratulate|collect|defrost|vacuum|call(?!~me\b))\b(?!~\w+~as\b)|\w+\b.*\b(?:today|"
    r"tonight|tomorrow|this~(?:afternoon|evening|weekend)|(?:on|by|before|next|this)~(?:mon|tues|"
    r"wednes|thurs|fri|satur|sun)day)\b)",
    "de": r"\b(?:denk\w*~(?:bitte~|noch~)?(?:dran|daran)|(?:vergiss|vergesst|vergessen~sie)~"
    r"(?:bitte~)?nicht)\b,?~(?:[\w-]+~){0,8}(?:zu~(?:kaufen|holen|gießen|füttern|bezahlen|zahlen|buchen|"
    r"schicken|senden|bestellen|besorgen|waschen|putzen)|\w{2,5}zu(?:holen|kaufen|rufen|bringen|"
    r"geben|schicken|nehmen))\b|\bnicht~vergessen\b\W+(?:\w+\W+){0,4}(?:kaufen|\w*holen|gießen|"
    r"füttern|bezahlen|anrufen)\W*$",
    "es": r"\b(?:acuérdate|recuerda|recordad?|no~(?:te~)?olvides)~(?:de~)?(?:(?:comprar|regar|"
    r"llamar|pagar|recoger|enviar|mandar|sacar|traer|llevar|pasear|reservar|devolver|pedir|cancelar|"
    r"limpiar|lavar)\b|\w+[aei]r(?:l[oae]s?)?\b.*\b(?:hoy|mañana|el~(?:lunes|martes|miércoles|jueves|"
    r"viernes|sábado|domingo))\b)",
    "fr": r"\b(?:n'oublie[sz]?~pas~|rappelle-toi~|souviens-toi~|pense[sz]?~(?=à))(?:d'|de~|à~)"
    r"(?:(?:acheter|arroser|appeler|payer|récupérer|envoyer|sortir|prendre|rendre|réserver|"
    r"rapporter|nourrir|promener|laver|nettoyer|poster|commander)\b|\w+(?:er|ir|re)\b.*\b(?:"
    r"aujourd'hui|demain|ce~soir|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)\b)",
    "pt": r"\b(?:não~(?:se~|te~)?esque(?:ça|ças|ce)|lembr[ae](?:-se|-te)?)~de~(?:(?:comprar|regar|"
    r"ligar|pagar|buscar|enviar|mandar|levar|trazer|reservar|devolver|pegar|tirar|passear|lavar|limpar|"
    r"pedir)\b|\w+[aei]r\b.*\b(?:hoje|amanhã|na~(?:segunda|terça|quarta|quinta|sexta)|no~(?:sábado|"
    r"domingo))\b)",
    "zh": r"(?:记得|别忘了?|不要忘了?|记住)[^。，我]{0,8}?(?:买|浇|寄|"
    r"交(?:电费|水费|房租|作业)|取(?:快递|钱|件)|喂|遛|缴|付(?:款|钱|账)|倒垃圾|打电话|还书|发邮件)(?!了)",
    "ja": r"(?:買[うい]|払[うい]|送[るり]|出[すし]|取り|受け取|水(?:を)?や|"
    r"予約|電話|返[すし]|捨て)[^。、]{0,8}忘れ(?:ない|ず|ん)|忘れ(?:ずに|ないで)[^。]{0,10}(?:買っ|払っ|送っ|出し|取っ|予約|電話|返し|捨て)",
}
NEVER: Final[dict[str, tuple[tuple[str, re.Pattern[str]], ...]]] = {
    language: (
        (WISH, compiled(_WISHES[language])),
        (IRONY, compiled(_IRONIES[language])),
        (RUMOUR, compiled(_RUMOURS[language])),
        (SECRET, compiled(_SECRETS)),
        (FICTION, compiled(_FICTIONS[language])),
        (PRIVATE, compiled(_PRIVATE[language])),
    )
    for language in _ERRANDS
}
"""Per language, (reason, pattern) of sentences that state nothing, whatever else they say."""
LAY_VERBS: Final = {
    language: compiled(f"{pattern}|{_WORD_OF_OTHERS[language]}")
    for language, pattern in _LAY_VERBS.items()
}
"""Words for what others only believe; hearsay unless it is an authority who says so."""
ERRANDS: Final = {
    language: compiled(f"{pattern}|{_CRAVINGS[language]}") for language, pattern in _ERRANDS.items()
}
"""What somebody is up to for some minutes, also where they "decided" or "prefer" it."""
DUTIES: Final = {language: compiled(pattern) for language, pattern in _DUTIES.items()}
"""What the speaker has to do: a chore, unless it has its day."""
HABITS: Final = {language: compiled(pattern) for language, pattern in _HABITS.items()}
"""Words that make a custom of it."""
JESTS: Final = {language: compiled(pattern) for language, pattern in _JESTS.items()}
"""Laughter behind a sentence, and jokes that call themselves so."""
REMINDERS: Final = {
    language: compiled(rf"(?!.*(?:{_LASTING}))(?:.*?)(?:{pattern})")
    for language, pattern in _REMINDERS.items()
}
"""Requests to remember what is to be done once, and not that something is so."""
PRAISE: Final = compiled("|".join(_PRAISES))
"""Praise at full strength: irony where it stands beside a nuisance."""
NUISANCE: Final = compiled("|".join(_NUISANCES))
"""What nobody likes, in all languages."""
AT_ONCE: Final = compiled(
    r"\b(?:right~now|this~(?:minute|second|instant)|immediately|asap|sofort|auf~der~stelle|jetzt~gleich|"
    r"ya~mismo|ahora~mismo|cuanto~antes|tout~de~suite|là~maintenant|immédiatement|agora~mesmo|já~já|"
    r"imediatamente)\b|马上|立刻|现在就|今すぐ|いますぐ"
)
"""The hurry of the moment, in all languages."""
