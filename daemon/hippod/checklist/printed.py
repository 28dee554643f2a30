"""What a command printed, read as a number or a moment. Pure; what is not sure is not read."""

import re
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from decimal import Decimal


class Ambiguous(ValueError):
    """A number that can be read in two ways."""


_TOKEN = re.compile(
    r"(?<!\d[.,:])(?<!\w[-/])(?<![\w.])"  # no part of a version, time, date, path or name
    r"(?P<sign>[-+−]?)(?P<digits>\.\d{1,40}|\d(?:[\d.,]{0,40}\d)?)(?P<exponent>[eE][-+]?\d{1,3})?"
    r"(?![.,:/-]?\d)(?!\w{0,40}\d)",
    re.ASCII,
)
_PLAIN = re.compile(r"[0-9]*\.?[0-9]+")
_COMMAS = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+\.[0-9]+|[0-9]{1,3}(?:,[0-9]{3}){2,}")
_POINTS = re.compile(r"[0-9]{1,3}(?:\.[0-9]{3})+,[0-9]+")
_EITHER = re.compile(r"[1-9][0-9]{0,2},[0-9]{3}")
_COMMA = re.compile(r"[0-9]+,[0-9]+")


def number(text: str) -> Decimal | None:
    """Return the first number in `text`, whatever unit stands behind it; None without one.

    Dates, times, versions, addresses, paths and names with digits are none. Raises `Ambiguous`
    for one such as `1,234`.
    """
    for match in _TOKEN.finditer(text):
        digits = _plain(match["digits"])
        if digits is not None:
            return Decimal(match["sign"].replace("−", "-") + digits + (match["exponent"] or ""))
    return None


def _plain(digits: str) -> str | None:
    """Return digits with a decimal point, if any, and nothing else."""
    if _PLAIN.fullmatch(digits):
        return digits
    if _COMMAS.fullmatch(digits):
        return digits.replace(",", "")
    if _POINTS.fullmatch(digits):
        return digits.replace(".", "").replace(",", ".")
    if _EITHER.fullmatch(digits):
        raise Ambiguous(digits)
    return digits.replace(",", ".") if _COMMA.fullmatch(digits) else None


_TIME = r"(?P<hour>\d{2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,]\d{1,9})?)?"
_ZONE = r"(?P<zone>Z|[+-]\d{2}:?\d{2}|[A-Z]{2,5})(?![A-Za-z])"
_WRITTEN = (
    # 2026-11-30, 2026/11/30, 2026-11-30T12:00:00+01:00, 2026-11-30 12:00:00.5 +0100
    rf"(?P<year>\d{{4}})(?P<dash>[-/])(?P<month>\d{{2}})(?P=dash)(?P<day>\d{{2}})"
    rf"(?:[T ]{_TIME}(?: ?{_ZONE})?)?",
    r"(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>\d{4})",
    # Nov 30 12:00:00 2026 GMT, Mon Nov 30 12:00:00 UTC 2026, November 30, 2026
    rf"(?P<name>[A-Z][a-z]{{2,8}}) {{1,2}}(?P<day>\d{{1,2}}),?(?: {_TIME}(?: {_ZONE})?)?"
    r" (?P<year>\d{4})(?: (?P<last>[A-Z]{1,5})(?![A-Za-z]))?",
    # Mon, 30 Nov 2026 12:00:00 +0000, 30-Nov-2026
    rf"(?P<day>\d{{1,2}})[ -](?P<name>[A-Z][a-z]{{2,8}})[ -](?P<year>\d{{4}})"
    rf"(?: {_TIME}(?: {_ZONE})?)?",
)
_PATTERNS = tuple(re.compile(rf"(?<![\w./-]){each}(?![\w/]|[.-]\d)", re.ASCII) for each in _WRITTEN)
_SECONDS = re.compile(r"[0-9]{9,10}(?:\.[0-9]{1,9})?")
_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
_UNIVERSAL = ("Z", "UTC", "GMT")


def moment(text: str, zone: tzinfo) -> date | datetime | None:
    """Return the first date in `text`, with its time (in `zone` unless it names one) or without.

    Read are what standards and tools write with a year, months in English, and, alone, seconds
    since 1970. `03/04/2026` is no date: nobody knows which. In a zone known by letters only, a
    date has no time.
    """
    if _SECONDS.fullmatch(text.strip()):
        return datetime.fromtimestamp(float(text), zone)
    first = min(_moments(text, zone), key=lambda found: found[0], default=None)
    return first[1] if first else None


def _moments(text: str, zone: tzinfo) -> Iterator[tuple[int, date | datetime]]:
    """Yield the first date of each way of writing, with its place."""
    for pattern in _PATTERNS:
        for match in pattern.finditer(text):
            found = _moment(match.groupdict().get, zone)
            if found is not None:
                yield match.start(), found
                break


def _moment(part: Callable[[str], str | None], zone: tzinfo) -> date | datetime | None:
    """Return what the parts of a date make, None where there is no such day or time."""
    try:
        day = date(int(part("year") or 0), _month(part), int(part("day") or 0))
        if part("hour") is None:
            return day
        at = time(int(part("hour") or 0), int(part("minute") or 0), int(part("second") or 0))
        found = _zone(part("zone") or part("last"), zone)
        return day if found is None else datetime.combine(day, at, found).astimezone(zone)
    except (ValueError, OverflowError):
        return None


def _month(part: Callable[[str], str | None]) -> int:
    name = (part("name") or "").lower()
    if not name:
        return int(part("month") or 0)
    named = [n for n, month in enumerate(_MONTHS, 1) if name in (month, month[:3])]
    return named[0] if named else 0


def _zone(name: str | None, zone: tzinfo) -> tzinfo | None:
    if not name:
        return zone
    if name in _UNIVERSAL:
        return UTC
    if name[0] not in "+-":
        return None
    offset = timedelta(hours=int(name[1:3]), minutes=int(name[-2:]))
    return timezone(-offset if name[0] == "-" else offset)
