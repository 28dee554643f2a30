"""What a clause puts before what: "would rather have tea than coffee", by wordings alone."""

from dataclasses import dataclass

from hippod.reflection.comparison_words import IMPORTANT, WEIGHT, comparison_words


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two sides of a comparison, as texts; both are empty if it cannot be read."""

    more: str = ""
    less: str = ""
    quality: str = ""
    """By what they are compared: an adjective, `WEIGHT`, or empty for what is preferred."""


UNREAD = Comparison()
"""Something is compared, but not in a known order."""


def find(clause: str, language: str) -> Comparison | None:
    """Return what a clause compares, None if it compares nothing."""
    table = comparison_words(language)
    if table is None or table.hollow.search(clause):
        return None
    for name, pattern in table.orders:
        if match := pattern.search(clause):
            groups = match.groupdict()
            more, less = groups["m"], groups["l"]
            quality = groups.get("a") or groups.get("b") or ""
            kind = name.removesuffix("-")
            return Comparison(
                *((less, more) if name.endswith("-") else (more, less)),
                WEIGHT if kind == "weight" or IMPORTANT.match(quality) else quality,
            )
    return UNREAD if table.compares.search(clause) else None
