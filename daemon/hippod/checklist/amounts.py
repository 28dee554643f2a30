"""Numbers with their units as texts state them: "1,250.50 EUR", "93 %", "5 open invoices"."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from hippod.checklist import days
from hippod.language import guess


@dataclass(frozen=True, slots=True)
class Amount:
    """A number and its unit in one spelling; a counted thing has none."""

    number: Decimal
    unit: str
    start: int
    end: int

    def __str__(self) -> str:
        return f"{self.number:,f} {self.unit}".strip()


def read(text: str) -> Iterator[Amount]:
    """Yield the amounts of a text in order, without dates, times and numbers in names.

    A number that reads as one thing here and as another there (`1.500` in English) is left out.
    """
    text = text[: days.LOOKED_AT]
    comma = guess(text, ("en", "de", "es", "fr", "pt")) != "en"
    taken = [(each.start, each.end) for each in days.named(text, None)]
    for match in _AMOUNT.finditer(text):
        if any(start < match.end("number") and match.start("number") < end for start, end in taken):
            continue
        number = _number(match["number"], comma=comma)
        if number is None:
            continue
        number *= _MULTIPLES.get((match["multiple"] or "").casefold().rstrip("."), 1)
        sign = -1 if match["minus"] else 1
        unit = unit_of(match["sign"] or match["unit"] or "")
        yield Amount(sign * number, unit, match.start(), match.end())


def in_words(text: str) -> Iterator[Amount]:
    """Yield the small numbers that are written as words, `no` among them."""
    for match in _WORD.finditer(text[: days.LOOKED_AT]):
        yield Amount(Decimal(_WORDS[match[0].casefold()]), "", match.start(), match.end())


def unit_of(word: str) -> str:
    """Return the one spelling of a unit, or nothing for a word that is none."""
    return _UNITS.get(word.casefold(), "")


def _number(text: str, *, comma: bool) -> Decimal | None:
    """Read separators by their places, and by the language where those leave it open."""
    text = re.sub(r"[\s\u00a0\u202f'’]", "", text)
    if re.fullmatch(r"\d+", text):
        return Decimal(text)
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+\.\d+|\d{1,3}(?:,\d{3}){2,}", text):
        return Decimal(text.replace(",", ""))
    if re.fullmatch(r"\d{1,3}(?:\.\d{3})+,\d+|\d{1,3}(?:\.\d{3}){2,}", text):
        return Decimal(text.replace(".", "").replace(",", "."))
    if re.fullmatch(r"[1-9]\d{0,2}[.,]\d{3}", text):
        return Decimal(re.sub(r"[.,]", "", text)) if ("." in text) == comma else None
    if re.fullmatch(r"\d+[.,]\d+", text):
        return Decimal(text.replace(",", "."))
    return None


_NAMES_OF_UNITS = {
    "EUR": "€ eur euro euros",
    "USD": "$ usd dollar dollars",
    "GBP": "£ gbp pound pounds pfund",
    "CHF": "chf franken francs",
    "JPY": "¥ jpy yen",
    "%": "% percent pct prozent percentage",
    "°C": "°c celsius",
    "°F": "°f fahrenheit",
    **{unit: unit.casefold() for unit in ("KB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "TiB")},
    "kg": "kg kilo kilos",
    "g": "g gramm grams",
    "km": "km kilometer kilometers kilometres",
    "l": "l liter litre liters litres",
    "kWh": "kwh",
    "W": "w watt watts",
    "V": "v volt volts",
    "s": "s sec secs second seconds sekunden",
    "ms": "ms",
    "min": "min mins minute minutes minuten",
    "h": "h hr hrs hour hours stunde stunden std",
    "d": "d day days tag tage tagen días dias jours",
    "wk": "week weeks woche wochen semanas semaines",
    "mo": "month months monat monate monaten meses mois",
    "y": "year years jahr jahre jahren años anos ans",
}
_UNITS = {word: unit for unit, words in _NAMES_OF_UNITS.items() for word in words.split()}
OF_TIME = frozenset(("min", "h", "s", "ms", "d", "wk", "mo", "y"))
_MULTIPLES = {
    **dict.fromkeys(("k", "tsd", "thousand", "tausend"), 1_000),
    **dict.fromkeys(("million", "millionen", "mio"), 1_000_000),
}
_SIGNS = r"[€$£¥]"
_LONG_UNITS = "|".join(sorted(map(re.escape, _UNITS), key=len, reverse=True))
_AMOUNT = re.compile(
    r"(?<![\w.,:/#@^–])(?:(?P<minus>[-−](?=[\d€$£])|minus\s+))?"
    rf"(?:(?P<sign>{_SIGNS}|\b(?:eur|usd|gbp|chf)\b)\s?)?"
    r"(?P<number>\d{1,3}(?:[ \u00a0\u202f'’]\d{3})+(?:[.,]\d+)?(?!\d)|"
    r"\d{1,15}(?:[.,]\d{1,9})*)(?![\d:/]|[.,-]\d|(?:st|nd|rd|th)\b)"
    r"(?:\s?(?P<multiple>k|tsd\.?|thousand|tausend|million(?:en)?|mio\.?)(?!\w))?"
    rf"(?:\s?(?P<unit>{_LONG_UNITS})(?!\w))?(?!\w)",
    re.IGNORECASE,
)
_WORDS = {
    word: number
    for number, words in enumerate(
        (
            "no zero keine keinen keiner null ningún ninguna aucun aucune nenhum nenhuma",
            "one",
            "two zwei dos deux dois",
            "three drei tres trois três",
            "four vier cuatro quatre quatro",
            "five fünf cinco cinq",
            "six sechs seis",
            "seven sieben siete sept sete",
            "eight acht ocho huit oito",
            "nine neun nueve neuf nove",
            "ten zehn diez dix dez",
            "eleven elf",
            "twelve zwölf doce douze doze",
        )
    )
    for word in words.split()
}
_WORD = re.compile(rf"(?<![\w-])(?:{'|'.join(_WORDS)})(?![\w-])", re.IGNORECASE)
