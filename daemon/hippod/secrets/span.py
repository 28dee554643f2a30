"""A secret in a text."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """The characters `start` to `end` are a secret; `name` says of which kind."""

    start: int
    end: int
    name: str
