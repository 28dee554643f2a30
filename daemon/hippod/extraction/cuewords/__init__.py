"""The cue tables: per language, the patterns of each class of statement."""

from hippod.extraction.cuewords import de, en, es, fr, ja, pt, zh
from hippod.extraction.cuewords.table import DATED, MOMENTARY, Pattern, Table

__all__ = ["DATED", "MOMENTARY", "TABLES", "Pattern", "Table"]

TABLES = {
    "en": en.TABLE,
    "de": de.TABLE,
    "es": es.TABLE,
    "fr": fr.TABLE,
    "pt": pt.TABLE,
    "zh": zh.TABLE,
    "ja": ja.TABLE,
}
