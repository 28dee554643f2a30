"""The cue tables: per language, the patterns of each class of statement."""

from hippod.extraction.cuewords import de, en, es, fr, ja, pt, zh
from hippod.extraction.cuewords.passing import (
    AT_ONCE,
    AUTHORITIES,
    DUTIES,
    ERRANDS,
    HABITS,
    JESTS,
    LAY_VERBS,
    NEVER,
    NUISANCE,
    PRAISE,
    REMINDERS,
    RUMOUR,
    SAYING,
)
from hippod.extraction.cuewords.substance import GROUNDS, MOMENTS
from hippod.extraction.cuewords.table import CUSTOM, DATED, JEST, MOMENTARY, VOUCHED, Pattern, Table
from hippod.extraction.cuewords.wishes import (
    ADDRESSES,
    LIKINGS_OF_OTHERS,
    PROCEDURES,
    REFUSALS,
)

__all__ = [
    "ADDRESSES",
    "AT_ONCE",
    "AUTHORITIES",
    "CUSTOM",
    "DATED",
    "DUTIES",
    "ERRANDS",
    "GROUNDS",
    "HABITS",
    "JEST",
    "JESTS",
    "LAY_VERBS",
    "LIKINGS_OF_OTHERS",
    "MOMENTARY",
    "MOMENTS",
    "NEVER",
    "NUISANCE",
    "PRAISE",
    "PROCEDURES",
    "REFUSALS",
    "REMINDERS",
    "RUMOUR",
    "SAYING",
    "TABLES",
    "VOUCHED",
    "Pattern",
    "Table",
]

TABLES = {
    "en": en.TABLE,
    "de": de.TABLE,
    "es": es.TABLE,
    "fr": fr.TABLE,
    "pt": pt.TABLE,
    "zh": zh.TABLE,
    "ja": ja.TABLE,
}
