"""What families of embedding models want to stand before a question and before a document.

Each was trained with these words; without them it finds worse, and nothing says so.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

AUTO = "auto"
"""In a configuration: as the family wants it."""


@dataclass(frozen=True, slots=True)
class Prefixes:
    """Put before a text; empty where the model wants the text alone."""

    query: str = ""
    document: str = ""

    def overridden(self, query: str, document: str) -> "Prefixes":
        """Return these with what is not `auto` in their place."""
        return Prefixes(
            self.query if query == AUTO else query,
            self.document if document == AUTO else document,
        )


_RELEVANT = "Represent this sentence for searching relevant passages: "
_INSTRUCT = (
    "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"
)

# By architecture, name or file name, in lower case with hyphens; the first that fits counts.
_FAMILIES: Sequence[tuple[str, Prefixes]] = (
    (r"\bnomic-embed-code\b", Prefixes("Represent this query for searching relevant code: ")),
    (r"\bnomic-(?:bert|embed)", Prefixes("search_query: ", "search_document: ")),
    (
        r"\bgemma-embedding\b|\bembedding-?gemma\b",
        Prefixes("task: search result | query: ", "title: none | text: "),
    ),
    (r"\bbge-(?:small|base|large)-en\b", Prefixes(_RELEVANT)),
    (r"\bbge-(?:small|base|large)-zh\b", Prefixes("为这个句子生成表示以用于检索相关文章：")),
    (r"\bmxbai-embed-large\b", Prefixes(_RELEVANT)),
    (r"\bsnowflake-arctic-embed-?[lm]-v2|\bsnowflake-arctic-embed2", Prefixes("query: ")),
    (r"\bsnowflake-arctic-embed\b", Prefixes(_RELEVANT)),
    (r"\bqwen3-embedding\b", Prefixes(_INSTRUCT)),
    (r"\be5-mistral\b|\be5-(?:small|base|large)-instruct\b", Prefixes(_INSTRUCT + " ")),
    (r"\be5-(?:small|base|large)\b", Prefixes("query: ", "passage: ")),
)


def prefixes_of(*names: str) -> Prefixes:
    """Return the prefixes of the family that one of `names` tells, none where none does.

    Names are tried in their order: the most telling one should stand first.
    """
    for name in names:
        plain = re.sub(r"[\s_:/.]+", "-", name.lower())
        for pattern, prefixes in _FAMILIES:
            if re.search(pattern, plain):
                return prefixes
    return Prefixes()
