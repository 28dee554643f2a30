"""Checks of the notes: copies of sync clients, pages that cannot be read, links, double names."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from hippod import documents, markdown
from hippod.context import MEMORIES
from hippod.doctor.finding import Found, count, ok, some, warn
from hippod.doctor.subject import Subject
from hippod.doctor.tree import Tree
from hippod.errors import InvalidInput
from hippod.reflection import front_matter

_SPELLINGS = re.compile(
    r"""(?ix)
      \.sync-conflict-\d{8}                                              # Syncthing
    | \([^()]*(?:conflict(?:ed|ing)?\scopy|sfconflict|\bconflict\s\d{4})[^()]*\)
    | \[conflicted[^\[\]]*\]                                              # pCloud
    | \([^()]*(?:konflikt|copie\sen\sconflit|en\sconflicto|copia\sin\sconflitto
        |cópia\sem\sconflito|競合|冲突|衝突)[^()]*\)                       # Dropbox elsewhere
    | [\ ._-]conflict(?:ed)?[\ ._-]?\d{6,}                               # ownCloud, Unison
    | \.conflict(?:ed)?(?:\.|$)                                         # Resilio
    | _[a-z]{3}-\d\d-\d{6}-\d{4}_conflict                               # Synology
    """
)
"""How sync clients call the copy that lost."""
_LEFT_BY_EDITORS = re.compile(r"(?i)^~\$.|^\.?\#.|~$|\.(?:tmp|swp|swo|orig|rej|bak)$|\.icloud$")
_NUMBERED = re.compile(
    r"^(?P<stem>.+?)(?: \d{1,2}| ?\(\d{1,2}\)| - Copy(?: \(\d+\))?|-[A-Z0-9-]{6,})$"
)
"""`note 2.md`, `note (1).md`, `note - Copy.md`, `note-LAPTOP-7Q2K.md`: copies if their text is."""
_IN_LINE = re.compile(r" in line \d+")
_SAME_SHARE = 0.5
_MOST_PAGES = 5_000
_EDITED = "bank/"
"""Where hippod edits front matter; elsewhere it is only read as text."""


def conflict_copies(subject: Subject) -> Iterator[Found]:
    """No copies lie about that a sync client or an editor made."""
    tree = subject.tree
    named = [each for each in _paths(tree.names) if _is_named_so(each)]
    numbered = [each for each in _numbered(tree.names) if _is_copy(tree, *each)]
    left = [each for each in _paths(tree.names) if _is_left(each) and each not in named]
    copies = sorted({*named, *(path for path, _ in numbered)})
    if copies:
        yield warn(
            f"{count(len(copies), 'conflict copy', 'conflict copies')} of sync clients: "
            f"{some(copies)}",
            "take over what only they say, then delete them; no facts are made from those that"
            " are named as such",
        )
    if left:
        yield warn(
            f"{count(len(left), 'file')} that editors or sync clients left: {some(left)}",
            "close the editor, or delete them; they are not indexed",
        )
    absent = [path for path, why in tree.skipped.items() if why == "not downloaded"]
    if absent:
        yield warn(f"not downloaded: {some(absent)}", "let the sync client keep them on the disk")
    yield ok(f"no copies among {count(sum(map(len, tree.names.values())), 'file')}")


def pages(subject: Subject) -> Iterator[Found]:
    """No page has git's conflict marks, none of the bank front matter that cannot be read."""
    tree = subject.tree
    newest = sorted(tree.files.values(), key=lambda each: -each.mtime_ns)[:_MOST_PAGES]
    conflicted: list[str] = []
    broken: dict[str, str] = {}
    for page in newest:
        text = tree.text(page.path) or ""
        if markdown.is_conflicted(text):
            conflicted.append(page.path)
        elif page.path.startswith(_EDITED) and (why := _fault_of_front_matter(text)):
            broken[page.path] = why
    if conflicted:
        yield warn(
            f"git's conflict marks stand in {some(sorted(conflicted))}",
            "settle them by hand: until then the last version stays indexed, nothing is written",
        )
    for path, why in sorted(broken.items()):
        yield warn(f"{path}: {why}", "mend it by hand: hippod leaves the page alone until then")
    if tree.unreadable:
        yield warn(f"cannot be read: {some(tree.unreadable)}", "check owner and mode")
    left = len(tree.files) - len(newest)
    more = f", the {left:,} oldest not looked at" if left else ""
    yield ok(f"{count(len(newest), 'page')} can be read{more}")


def links(subject: Subject) -> Iterator[Found]:
    """What is linked into the workspace is found, each folder once."""
    tree = subject.tree
    told: list[str] = []
    for link in tree.links:
        inside = sum(path.startswith(f"{link.path}/") for path in tree.files)
        if not link.followed:
            yield warn(f"{link.path} is not followed: {link.reason}", _LINKS)
        elif link.path in _WE_WRITE:
            yield warn(
                f"{link.path} leads to {link.target}: what hippod would write there is refused",
                "make it a real folder, or make the whole workspace the link's target",
            )
        elif not inside:
            yield warn(f"{link.path} leads to {link.target}, which has no documents", _LINKS)
        else:
            told.append(f"{link.path} ({count(inside, 'document')})")
    yield ok(f"followed: {some(told)}" if told else "there are no links")


def double_names(subject: Subject) -> Iterator[Found]:
    """No two files stand where one is meant."""
    found = [name for name in MEMORIES if name in subject.tree.files]
    if len(found) > 1:
        yield warn(
            f"{' and '.join(found)} are two files: the long-term memory is {found[0]}",
            "put what both say into one of them and delete the other",
        )
    yield ok("each file of the workspace is there once")


_LINKS = "only links directly under the workspace to folders outside of it are followed"
_WE_WRITE = frozenset({"memory", "daily", "bank", "archive"})


def _paths(names: Mapping[str, Sequence[str]]) -> Iterator[str]:
    for folder, files in names.items():
        if not folder.startswith(".memory/"):
            yield from (f"{folder}{name}" for name in files)


def _is_named_so(path: str) -> bool:
    name = path.rpartition("/")[2]
    return _SPELLINGS.search(name) is not None or (documents.is_copy(name) and name[:2] != "~$")


def _is_left(path: str) -> bool:
    name = path.rpartition("/")[2]
    return _LEFT_BY_EDITORS.search(name) is not None and not name.startswith(".hippod-")


def _numbered(names: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, str]]:
    """Yield Markdown that has the name of another file beside it with a number at the end."""
    for folder, files in names.items():
        beside = set(files)
        for name in filter(documents.is_markdown, files):
            pure = PurePosixPath(name)
            found = _NUMBERED.match(pure.stem)
            original = f"{found['stem']}{pure.suffix}" if found else ""
            if original in beside:
                yield f"{folder}{name}", f"{folder}{original}"


def _is_copy(tree: Tree, path: str, original: str) -> bool:
    """Say whether a file is empty, or most of its lines stand in the other one too."""
    lines, others = (_lines(tree.text(each)) for each in (path, original))
    return not lines or len(lines & others) >= _SAME_SHARE * min(len(lines), len(others) or 1)


def _lines(text: str | None) -> set[str]:
    return {line.strip() for line in (text or "").splitlines() if line.strip()}


def _fault_of_front_matter(text: str) -> str:
    if not text.startswith("---"):
        return ""
    try:
        front_matter.fields(text)
    except InvalidInput as error:
        where = _IN_LINE.search(error.message)  # the rest may quote what stands there
        return f"its front matter cannot be read{where[0] if where else ''}"
    return ""
