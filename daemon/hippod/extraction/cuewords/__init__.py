"""The cue tables: per language, the patterns of each class of statement."""

from hippod.extraction.cuewords import de, en, es, fr, ja, pt, zh
from hippod.extraction.cuewords.passing import (
    AUTHORITIES,
    DUTIES,
    ERRANDS,
    HABITS,
    JESTS,
    LAY_VERBS,
    NEVER,
    RUMOUR,
    SAYING,
)
from hippod.extraction.cuewords.substance import GROUNDS, MOMENTS
from hippod.extraction.cuewords.table import CUSTOM, DATED, JEST, MOMENTARY, VOUCHED, Pattern, Table

__all__ = [
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
    "MOMENTARY",
    "MOMENTS",
    "NEVER",
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
