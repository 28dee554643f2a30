"""The bank's pages as they stand now, those of them that hippod keeps."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from hippod import pages
from hippod.errors import HippodError, NotFound
from hippod.reflection.proposals import PROPOSALS
from hippod.workspace import Document, Workspace

_KEPT = (*pages.FACT_PAGES, pages.OPINIONS, PROPOSALS, "MEMORY.md", "memory.md")
_FOLDERS = ("bank", pages.ENTITIES.removesuffix("/"))


@dataclass(frozen=True, slots=True)
class Pagebook:
    """Documents by path, and those that cannot be read whole, with the reason."""

    pages: Mapping[str, Document]
    unread: Mapping[str, str] = field(default_factory=dict)

    @property
    def texts(self) -> dict[str, str]:
        """Return what stands on each page."""
        return {path: page.text for path, page in self.pages.items()}

    def etag(self, path: str) -> str:
        """Return the version of a page that was read, empty if there was none."""
        return self.pages[path].etag if path in self.pages else ""

    def text(self, path: str) -> str:
        """Return what stands on a page, empty if there is none."""
        return self.pages[path].text if path in self.pages else ""


def read(workspace: Workspace) -> Pagebook:
    """Return the pages of the bank, and MEMORY.md; raises `StorageError` without a workspace."""
    scan = workspace.scan()
    found: dict[str, Document] = {}
    unread = {path: "cannot be read" for path in scan.unreadable if _is_kept(path)}
    for path in filter(_is_kept, scan.files):
        try:
            page = workspace.read(path)
        except NotFound:
            continue
        except HippodError as error:
            unread[path] = error.message
            continue
        if page.note:
            unread[path] = page.note
        else:
            found[path] = page
    return Pagebook(found, unread)


def _is_kept(path: str) -> bool:
    return path in _KEPT or path in _FOLDERS or pages.is_entity_page(path)
