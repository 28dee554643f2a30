"""What the workspace's lasting documents state, sentence by sentence: nobody needs it again."""

from collections.abc import Iterator
from itertools import islice

from hippod import facts, markdown, pages, redact
from hippod.errors import HippodError
from hippod.extraction import sentences
from hippod.workspace import Document, Workspace

LASTING = ("MEMORY.md", "memory.md", "USER.md", "AGENTS.md", "SOUL.md", "IDENTITY.md")
_BANK = "bank"
MOST_STATEMENTS, MOST_OF_ONE = 4_000, 1_000
"""Statements that are kept in all, and of one document; the documents read first go first."""
_FEWEST_LETTERS = 4


class LastingText:
    """The statements of `LASTING` and of the bank's pages. A document is parsed when it changed."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._parsed: dict[str, tuple[str, tuple[str, ...]]] = {}

    def statements(self) -> list[str]:
        """Return what they state now; a document that cannot be read states nothing."""
        found: list[str] = []
        parsed: dict[str, tuple[str, tuple[str, ...]]] = {}
        for path in self._paths():
            document = self._read(path)
            if document is None or len(found) >= MOST_STATEMENTS:
                continue
            known = self._parsed.get(path)
            if known is None or known[0] != document.etag:
                known = document.etag, tuple(islice(stated(document.text), MOST_OF_ONE))
            parsed[path] = known
            found += known[1][: MOST_STATEMENTS - len(found)]
        self._parsed = parsed
        return found

    def _paths(self) -> Iterator[str]:
        yield from LASTING
        try:
            items = self._workspace.tree(_BANK, recursive=True)
        except HippodError:
            return
        yield from (
            item.path
            for item in items
            if not item.is_directory and item.path not in pages.UNDECIDED
        )

    def _read(self, path: str) -> Document | None:
        try:
            return self._workspace.read(path)
        except HippodError:
            return None


def stated(text: str) -> Iterator[str]:
    """Yield the statements of a document: facts, sentences, headings of more than one word.

    Private spans and memory blocks state nothing. Nor does what hippod made of facts: who says
    it again gives evidence for it.
    """
    document = markdown.parse(redact.blank(text))
    passed_over = _made_of_facts(document)
    for section in document.sections:
        heading = section.path[-1] if section.path else None
        if heading and " " in heading.text and heading.start not in passed_over:
            yield heading.text
    # What was superseded holds no more: saying it again is news.
    passed_over |= {mark.line for mark in pages.supersessions(document)}
    for paragraph in document.paragraphs:
        lines = range(paragraph.start, paragraph.start + len(paragraph.lines))
        if not passed_over.isdisjoint(lines):
            continue
        line = " ".join(line.strip() for line in paragraph.lines)
        fact = facts.parse_bullet(f"- {line}")
        for sentence in [fact.content] if fact else sentences.split(line):
            if sum(map(str.isalpha, sentence)) >= _FEWEST_LETTERS or not sentence.isascii():
                yield sentence


def _made_of_facts(document: markdown.Markdown) -> set[int]:
    """Return the lines of regions that nobody edited, and of the ledger of opinions."""
    regions = (each for each in pages.regions(document) if not each.edited)
    lines = {line for region in regions for line in range(region.start, region.end + 1)}
    ledger = (each for each in pages.opinions(document) if each.id)
    return lines | {line for opinion in ledger for line in opinion.lines}
