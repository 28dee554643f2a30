"""What a question of time is about, and which kind of dated thing a text speaks of."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from hippod.checklist import days
from hippod.language import content_stems, guess

Kind = Literal["due", "deadline", "appointment", "birthday", "expiry", "event", "anything"]
"""What is asked for: whatever is to be done in time; deadlines and payments alone; what one goes
to; birthdays and other yearly days; what ends; a thing that has a date, by its name; all of it."""

_LANGUAGES = ("en", "de", "es", "fr", "pt")


@dataclass(frozen=True, slots=True)
class Topic:
    """What is asked for; `names` are the words of the one thing that is meant, as stems."""

    kind: Kind
    names: frozenset[str]
    language: str
    overdue: bool = False
    is_choice: bool = False
    """Whether one of the names is enough: "the visa or the permit"."""

    def matches(self, text: str) -> bool | None:
        """Say whether a text is about that thing; None if some of its words stand there only."""
        if not self.names:
            return True
        stems = _stems(text, self.language)
        found = sum(any(_is_alike(name, stem) for stem in stems) for name in self.names)
        needed = len(self.names) if len(self.names) < 3 else -(-len(self.names) * 2 // 3)
        needed = 1 if self.is_choice else needed
        if found >= needed:
            return True
        return None if found or (self.names <= _MONEY and _PAID.search(text)) else False


def topic(question: str) -> Topic | None:
    """Return what a question of time is about, or None if time alone cannot answer it."""
    overdue = _OVERDUE.search(question) is not None
    kind = _kind_asked(question, overdue=overdue)
    if kind is None or _MORE_THAN_TIME.search(question):
        return None
    if kind in ("anything", "due", "event") and not overdue and _QUALIFIED.search(question):
        return None
    if _asks_what_happened(question) or (kind == "event" and not _asks_when(question)):
        return None
    if kind == "expiry" and not (_IS_EXPIRY.search(question) or names_a_time(question)):
        return None  # whether it can be cancelled at all
    names = frozenset(_names(question, kind))
    return Topic(kind, names, _language(question), overdue, _OR.search(question) is not None)


def _asks_what_happened(question: str) -> bool:
    """Tell "Has the dentist sent the bill?" from "Have I got a dentist appointment?"."""
    match = _HAPPENED.match(question)
    return match is not None and not _STANDS.search(question)


def _asks_when(question: str) -> bool:
    """Say whether a time is asked for, or a thing that has one and nothing else about it."""
    if names_a_time(question) or _IS_GENERALLY.search(question):
        return True
    return all(_IS_EVENT.fullmatch(word) for word in terms(question))


def terms(question: str) -> tuple[str, ...]:
    """Return the words of what the question is about, without those of time and of asking."""
    question = question[: days.LOOKED_AT]
    words = _WORDS.findall(_TIME.sub(" ", question))
    language = _language(question)
    kept = (word for word in words if content_stems(word, language))
    return tuple(dict.fromkeys(word for word in kept if not _is_of_asking(word)))


def _is_of_asking(word: str) -> bool:
    word = word.casefold().replace("’", "'")
    return word in _ASKING or word.removesuffix("'s") in (
        "anybody",
        "anyone",
        "somebody",
        "someone",
        "everyone",
    )


@lru_cache(maxsize=32_768)
def _stems(text: str, language: str) -> frozenset[str]:
    return frozenset(content_stems(text, language))


@lru_cache(maxsize=32_768)
def kinds_of(text: str) -> frozenset[Kind]:
    """Return what kinds of dated things a text of memory speaks of; empty if none shows."""
    return frozenset(kind for kind, pattern in _SPOKEN.items() if pattern.search(text))


def is_of_many(question: str) -> bool:
    """Say whether it speaks of things of a sort, not of one: "bills due on Friday"."""
    general = _GENERAL["anything"]
    return all(_PLURAL.fullmatch(word) or general.fullmatch(word) for word in terms(question))


def asks_for_more_than_time(question: str) -> bool:
    """Say whether a question is of what no date in memory tells: mail, weather, the state."""
    return _MORE_THAN_TIME.search(question) is not None


def names_elsewhere(question: str) -> bool:
    """Say whether it is asked to look into something outside of memory, such as a calendar."""
    return _ELSEWHERE.search(question) is not None


def names_a_time(question: str) -> bool:
    """Say whether a question asks for days to come or gone, or for what is due."""
    return any(pattern.search(question) for pattern in (_TIME, _OVERDUE, _IS_DUE))


def _language(text: str) -> str:
    return guess(text, _LANGUAGES)


def _kind_asked(question: str, *, overdue: bool) -> Kind | None:
    found = next((kind for kind, pattern in _ASKED if pattern.search(question)), None)
    return found or ("due" if overdue else None)


def _names(question: str, kind: Kind) -> Collection[str]:
    """Return the stems of the words that name the one thing."""
    general = _GENERAL[kind]
    words = [word for word in terms(question) if not general.fullmatch(word)]
    language = _language(question)
    return {stem for word in words for stem in content_stems(word, language)}


def _is_alike(name: str, stem: str) -> bool:
    """Say whether two stems are of one word, or one is a part of a compound of the other."""
    if stem in _SORTS_OF.get(name, ()):
        return True
    return any(_is_part(each, stem) for each in _SYNONYMS.get(name, (name,)))


def _is_part(one: str, other: str) -> bool:
    # the German stemmer leaves it in "rechnung" and not in "stromrechnung"
    one, other = one.removesuffix("ung"), other.removesuffix("ung")
    short, long = sorted((one, other), key=len)
    return one == other or (len(short) >= _COMPOUND and short.isalpha() and short in long)


_MONEY = frozenset(
    "bill invoic payment rechnung zahlung factur pag paiement fatur pagament".split()  # noqa: SIM905
)
_PAID = re.compile(
    r"[€$£]|\b(?:eur|usd|gbp|chf|euros?|pay|payable|payment|bill|invoice|rent|fees?|tax(?:es)?|instal+ments?|premium|"
    r"subscription|zahl\w*|bezahl\w*|überweis\w*|rechnung\w*|miete|rate|gebühr\w*|beitrag|steuer\w*|abo\w*|pagar|pago|"
    r"alquiler|cuota|payer|loyer|impôts?|pagamento|aluguel)\b",
    re.IGNORECASE,
)
"""Words for whatever is to be paid, as stems, and what tells that a text speaks of such a thing."""
_OR = re.compile(r"\b(?:or|oder)\b", re.IGNORECASE)
_COMPOUND = 5
"""Letters of a word that may be a part of another: `rechnung` in `stromrechnung`."""


def _words(*groups: str) -> re.Pattern[str]:
    """Compile words: `~` is white space, a star leaves the ending open."""
    every = " ".join(groups).split()
    shapes = (word.replace("~", r"\s+").replace("*", r"\w*") for word in every)
    return re.compile(rf"(?<!\w)(?:{'|'.join(shapes)})(?!\w)", re.IGNORECASE)


_PLURAL = re.compile(
    r"\w{3,}[^su\W]s|rechnungen|termine|fristen|geburtstage|zahlungen|\w+ungen|taxes|birthdays",
    re.IGNORECASE,
)
_WORDS = re.compile(r"[^\W_]+(?:['’.:/@+-][^\W_]+)*")

_DUE = "due payable owed owing fällig* vence* vencimient* échéance* à~payer pendiente* by~when"
_CAN_CANCEL = """can~(?:\\w+~){0,9}cancel+(?:ed)? cancel+able kündbar*
    (?:kann|können)~(?:\\w+~){0,9}(?:kündigen|gekündigt)"""
_DEADLINE = """deadlines? due~dates? cut-?offs? submissions? frist* abgabe* abgabetermin*
    \\w+frist(?:en)? stichtag* plazos? fechas?~límites? dates?~limites? délais? prazos?"""
_PAYMENTS = "payments? zahlung* pagos? paiements? pagamentos?"
_BIRTHDAYS = """\\w+geburtstag(?:e|s)? birthdays? b-?days?
    anniversar(?:y|ies) geburtstag* jahrestag* hochzeitstag*
    jubilä* cumpleaños aniversários? aniversarios? anniversaires? namenstag*"""
_EXPIRY = """end~(?:in|within|soon|this|next) expir(?:e|es|ed|ing|y|ation|ations) lapse[sd]?
    lapsing renew renewed renews renewals? run(?:s|ning)?~out ends ending abgelaufen
    (?:ab|aus)(?:läuft|laufen|laufend*) (?:läuft|laufen)(?:~\\S+){0,9}~(?:ab|aus) endet enden
    verlänger* caduca* caducidad expira* expirer* venc(?:e|en|er|ida) renouvel* validade"""
_APPOINTMENTS = """appointments? meetings? calls? interviews? events? calendar agenda schedule
    dates? termin* \\w+termin(?:e|s|en)?
    verabredung* besprechung* treffen meeting* kalender* veranstaltung*
    citas? reunión reuniones eventos? calendario rendez-vous réunions? événements? compromissos?
    reunião reuniões consultas?"""
_GENERALLY = """upcoming coming~up comes~up planned scheduled ahead happening on~the~plate
    reminders? to-?dos? coming soon ansteh* steht(?:~\\w+){0,4}~an bevorsteh* geplant* vorgesehen
    erinnerungen demnächst próxim[oa]s? previst[oa]s? programad[oa]s? prévue?s? à~venir
    programmée?s? prochainement"""
_EVENTS = """flights? trips? travels? journeys? exams? holidays? vacations? part(?:y|ies)
    concerts? deliver(?:y|ies) collections? pickups? visits? guests? dentist doctor* bills?
    invoices? rent taxes tax~returns? installments? subscriptions? inspections? check-?ups?
    releases? launch(?:es)? conferences? flug flüge reisen? prüfung* klausur* urlaub* feiern?
    konzerte? lieferung* abholung* besuche? gäste zahnarzt* arzt* rechnung* miete steuer* rate
    raten abo abos tüv wartung* konferenz* müll* vuelos? viajes? exámenes examen facturas?
    alquiler vols? voyages? examens factures? loyer voos? viagens? exames faturas?"""
_LATE = """overdue past~due past~their~due~dates? past~its~due~date expired late missed lapsed
    überfällig* abgelaufen* verpasst* versäumt* vencid[oa]s? atrasad[oa]s? en~retard échue?s?
    expirée?s?"""

_OVERDUE = _words(_LATE)
_IS_DUE = _words(_DUE, _DEADLINE)
_IS_EXPIRY = _words(_EXPIRY)
_IS_EVENT, _IS_GENERALLY = _words(_EVENTS), _words(_GENERALLY)
_HAPPENED = re.compile(
    r"\W*(?:(?:has|have|had|did|was|were)\b.*\b(?:[a-z]{3,}ed|sent|come|came|gone|went|got|gotten|written|wrote|paid|bought|"
    r"brought|made|done|said|told|given|taken|found|left|met|put|held|chosen|heard|did\s+.+)\b"
    r"|did\b"
    r"|(?:hat|haben|habe|ist|sind|wurden?)\b.*\b(?:\w*ge\w{2,}(?:t|en)|\w+iert|(?:be|ver|er|über)\w{3,}(?:t|en))\W*$"
    r"|(?:ha|han|he|hemos)\s+\S.*|.*\b(?:a|ont)-t-(?:il|elle|ils|elles)\b.*\w+é)",
    re.IGNORECASE | re.DOTALL,
)
_STANDS = _words(
    _LATE,
    """planned scheduled booked arranged marked noted listed reserved expected got~(?:an?|any|some)
    geplant vorgesehen eingetragen vorgemerkt gebucht vereinbart fällig überfällig""",
)
_ASKED: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("birthday", _words(_BIRTHDAYS)),
    ("deadline", _words(_DEADLINE, _PAYMENTS)),
    ("due", _words(_DUE)),
    ("expiry", _words(_EXPIRY, _CAN_CANCEL)),
    ("appointment", _words(_APPOINTMENTS)),
    ("event", _words(_EVENTS)),
    ("anything", _words(_GENERALLY)),
)
_VAGUE = """open approach* near* close imminent pending active outstanding remaining important
    relevant urgent key major tasks? items? work notes? lists? files? memory projects? addressed
    handled hasn't haven't isn't aren't about that need* attention action actions someone anyone
    anybody been out run ends? pay* zahl* bezahl* jemand gerade what's that's prepare* prepared
    people person family friends? wichtige[nrs]? offene[nrs]? aufgaben? punkte"""
_ALL_GENERAL = (_DUE, _EXPIRY, _GENERALLY, _LATE, _VAGUE)
_GENERAL: dict[Kind, re.Pattern[str]] = {
    "birthday": _words(_BIRTHDAYS, *_ALL_GENERAL),
    "deadline": _words(_DEADLINE, _PAYMENTS, *_ALL_GENERAL),
    "due": _words("dates? items? tasks?", *_ALL_GENERAL),
    "expiry": _words(
        "dates? valid can cancel+(?:ed|able)? kann können kündbar* kündigen gekündigt",
        *_ALL_GENERAL,
    ),
    "appointment": _words(_APPOINTMENTS, *_ALL_GENERAL),
    "event": _words(*_ALL_GENERAL),
    "anything": _words(*_ALL_GENERAL),
}
# What memory cannot know by its dates: the state of things, of mail, of the world.
_MORE_THAN_TIME = _words(
    """messages? e-?mails? mails? inbox unread unanswered repl(?:y|ies) replied respond(?:ed)?
    responses? mentions? notifications? chats? slack weather forecast rain(?:y|ing)? snow storms?
    temperature prices? stocks? news builds? ci prs? pull~requests? tests? tickets? issues? bugs?
    servers? services? errors? logs? disks? backups? uptime health\\w* running blocked stalled
    stale progress status state follow-?ups? changes? changed happened conflicts? overlap\\w*
    (?<!be\\s)cancel+ed waiting why how conflicting free busy nachrichten ungelesen* postfach
    wetter* regen neuigkeiten preise? kurse? fehler server sicherung* stand konflikt*
    überschneid* frei warum wie mensajes? correos? clima noticias errores mensagens courriels?
    météo nouvelles""",
)
_QUALIFIED = _words(
    """urgent important critical high-?priority serious relevant interesting noteworthy unusual
    strange dringend* wichtig* kritisch* relevant* urgentes? importantes? critiques?"""
)
_ELSEWHERE = _words(
    "calendars? kalender* calendario calendrier agenda google outlook ical todoist trello jira "
    "notion"
)

_SPOKEN: dict[Kind, re.Pattern[str]] = {
    "birthday": _words(_BIRTHDAYS, "born geboren nacid[oa] née?"),
    "expiry": _words(
        _EXPIRY, "valid~until gültig~bis good~until ends endet enden notice~period kündig*",
        "kündbar* cancel+able (?:can|could|may|must)~be~cancel+ed",
        "cancel~(?:\\w+~){0,3}(?:until|by|before)",
    ),
    "deadline": _words(
        _DUE, _DEADLINE, _PAYMENTS,
        """pay submit submitted send~in hand~in hand~over return renew file cancel~by must
        needs?~to have~to has~to bills? invoices? rent tax* fee fees instal+ments?
        by~(?:\\w+~){0,2}\\d+ until before no~later~than zahl* bezahl* überweis* einreich* abgeb*
        abzugeben kündig* muss müssen rechnung* \\w+rechnung(?:en)?
        miete steuer* bis spätestens pagar entregar
        factura* alquiler antes~del? hasta payer rendre facture* loyer avant entregar fatura*
        até""",
    ),
    "appointment": _words(
        _APPOINTMENTS,
        """dentist doctor gp vet haircut hairdresser lunch dinner breakfast coffee visit visits
        meet meets standup stand-up demo workshop webinar class lesson rehearsal session check-?up
        viewing concert party wedding zahnarzt* arzt* friseur* mittagessen abendessen frühstück
        besuch* trifft treffen probe kurs feier hochzeit dentista médico cena almuerzo boda
        dentiste médecin dîner déjeuner mariage jantar almoço casamento flight flies train
        departure flug fliegt zug abfahrt vuelo vol voo"""
    ),
}  # fmt: skip

_SYNONYMS = {
    stem: group.split()
    for group in (
        "invoic bill rechnung factur fatur",
        "flight fli fly flug flieg flieger",
        "trip travel journey reis viaj voyag viag",
        "exam test prufung klausur",
        "car vehicl auto automobil",
        "insur versicher",
        "contract vertrag",
    )
    for stem in group.split()
}
_PAPERS = frozenset(
    """passport id identity licenc licens visa permit certif certificat card ausweis personalausweis
    reisepass pass fuhrerschein visum bescheinig aufenthaltstitel pasaport dni permis
    licenci""".split()  # noqa: SIM905
)
_SORTS_OF = dict.fromkeys(("document", "dokument", "papi", "paper"), _PAPERS)
"""What is asked for by the name of its sort, which memory calls by its own."""
_ASKING = frozenset(
    """anything something nothing everything what which who whose whom who's when
    where any some all check checks
    review look see find scan flag verify make sure whether tell show list remind notify warn
    alert me us please are is there do does have has get got need needs needed about time days day
    today's things thing item items stuff i'm i my our your user human within next coming
    following last latest fall falls falling come comes going up want wants still yet already soon
    again now currently really new and or of for in on at to the a an be gibt es etwas
    was wer wem wen wessen stehen welche
    welcher welches prüfe prüf prüfen schau ist sind steht stehen an alles irgendetwas irgendwas
    bitte ob mir mich uns hat haben habe wird werden muss müssen kommt kommen nächsten nächste
    nächster kommenden nächstes den die das der ein eine einen bald noch schon und oder von für am
    im zu ab läuft laufen hay algo qué que cuál es está para tengo alguna algún revisa comprueba
    si y o quoi quel quelle quelque chose a-t-il y il vérifie est-ce qu'il des un une les le la et
    ou há tem alguma algum verifique o os as""".split()  # noqa: SIM905
)
_COUNT = (
    r"(?:\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|fourteen|thirty|few|couple(?:~of)?|zwei|drei|"
    r"vier|fünf|sechs|sieben|acht|neun|zehn|vierzehn|dreißig|paar|dos|tres|cuatro|cinco|seis|siete|ocho|diez|"
    r"quince|deux|trois|quatre|cinq|sept|huit|dix|quinze|dois|duas|três)"
    r"(?:~(?:next|coming|prochaine?s|próxim[oa]s|nächsten|kommenden))?"
)
_UNITS = (
    r"(?:hours?|hrs?|h|days?|d|weeks?|months?|years?|stunden?|std|tage?n?|wochen?|monate?n?|jahre?n?|horas?|días?|dias?|"
    r"semanas?|mes(?:es)?|años?|heures?|jours?|semaines?|mois|ans?|anos?|weekend|wochenende|week-end)"
)
_TIME = re.compile(
    (
        rf"\b\d{{1,3}}\s*[-–]\s*\d{{1,3}}~?{_UNITS}\b|\b{_COUNT}~?{_UNITS}\b|\b(?:this|next|coming|these|diese[rsnm]?|nächste[rsnm]?|"
        rf"kommende[rsnm]?|est[ea]|próxim[oa]s?|cette|ce|prochaine?s?)~{_UNITS}\b|\b(?:semana|mes|semaine|mois)~(?:próxim[oa]|que~viene|prochaine?)\b|"
        r"\b(?:today|tonight|tomorrow|yesterday|heute|morgen|übermorgen|gestern|hoy|mañana|aujourd['’]hui|demain|hoje|amanhã)\b|"
        r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch)\b|"
        r"\b(?:weekend|wochenende|week-end)\b|"
        r"\b(?:january|february|march|april|june|july|august|september|october|november|december|januar|februar|"
        r"märz|mai|juni|juli|oktober|dezember)\b|\b(?:in|by|during|im|bis)~may\b|"
        r"\b\d{4}-\d\d(?:-\d\d)?\b|\b\d{1,2}\.\d{1,2}\.(?:\d{4})?|"
        r"\b(?:end|start|beginning|ende|anfang)~(?:of|des|der)~(?:the~)?(?:\w+)\b"
    ).replace("~", r"\s+"),
    re.IGNORECASE,
)  # fmt: skip
