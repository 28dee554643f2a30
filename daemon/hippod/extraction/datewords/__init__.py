"""The date expressions of each language: patterns, and how a match resolves to days."""

from hippod.extraction.datewords import de, en, es, fr, ja, pt, zh
from hippod.extraction.datewords.rules import Context, Days, Grammar, Resolver

__all__ = ["GRAMMARS", "Context", "Days", "Grammar", "Resolver"]

GRAMMARS = {
    "en": en.GRAMMAR,
    "de": de.GRAMMAR,
    "es": es.GRAMMAR,
    "fr": fr.GRAMMAR,
    "pt": pt.GRAMMAR,
    "zh": zh.GRAMMAR,
    "ja": ja.GRAMMAR,
}
