"""Proposals for MEMORY.md for people: which wait, and what becomes of one that is decided."""

from collections.abc import Callable
from datetime import date
from typing import Any

from hippod import daylog, diffs, facts, markdown, wire_bank
from hippod.errors import Conflict, InvalidInput, NotFound
from hippod.reflection import proposals
from hippod.reflection.proposals import MOST_LOST, PROPOSALS, Proposal
from hippod.wire_bank import PageChange, ProposalDecided
from hippod.workspace import Document, Workspace

MEMORIES = ("MEMORY.md", "memory.md")
_TRIES = 3


class Proposals:
    """Reads `bank/proposals.md` as it stands at each call; `today` is the user's.

    `changed` hears of each document that was written.
    """

    def __init__(self, workspace: Workspace, today: Callable[[], date]) -> None:
        self.changed: Callable[[str], None] = lambda path: None
        self._workspace = workspace
        self._today = today

    def all(self) -> wire_bank.ProposalList:
        """List the proposals, decided ones too."""
        page = self._read(PROPOSALS)
        text = page.text if page else ""
        problems = (f"{PROPOSALS}: has git conflict marks",) if markdown.is_conflicted(text) else ()
        rows = tuple(wire_bank.ProposalRow(**_row(each)) for each in proposals.parse(text))
        return wire_bank.ProposalList(proposals=rows, problems=problems)

    def one(self, name: str) -> wire_bank.ProposalDetail:
        """Return a proposal with its lines; raises as `accept`."""
        found = self._find(name)
        return wire_bank.ProposalDetail(
            **_row(found),
            evidence=found.evidence,
            section=found.section,
            to=found.to,
            diff=found.diff,
        )

    def accept(self, name: str, *, force: bool, actor: str) -> ProposalDecided:
        """Make the change that a proposal's diff says, and note that on the page.

        Raises `NotFound`; `InvalidInput` if several ids begin so; `Conflict` if it is decided
        already, stands on the page twice, its lines stand there no more or would not be read where
        they go, or more than a quarter of the lines would be lost without `force`.
        """
        found = self._open(name)
        memory = self._memory(found)
        before = memory.text if memory else ""
        after = proposals.applied(memory.text if memory else None, found)
        kept = found.added if found.action == "move" else ()
        lost = proposals.lost_share(before, after, kept)
        if lost > MOST_LOST and not force:
            raise Conflict(
                f"{found.file}: ^{found.id} would lose {lost:.0%} of its lines",
                f"look at it with: hippod proposals show {found.id}; accept it with --force",
            )
        path = memory.path if memory else found.file
        changes = [self._move(found, actor)] if found.action == "move" else []
        changes.append(self._write(path, memory, after, found.reason, actor))
        changes.append(self._decide(found, "accepted", actor))
        made = tuple(each for each in changes if each.diff)
        return ProposalDecided(**{**_row(found), "status": "accepted"}, changes=made)

    def reject(self, name: str, *, actor: str) -> ProposalDecided:
        """Note on the page that this is not wanted: it does not come back. Raises as `accept`."""
        found = self._open(name)
        change = self._decide(found, "rejected", actor)
        return ProposalDecided(**{**_row(found), "status": "rejected"}, changes=(change,))

    # -- finding -----------------------------------------------------------------------------

    def _open(self, name: str) -> Proposal:
        found = self._find(name)
        if found.status != "open":
            raise Conflict(f"^{found.id} was {found.status} already", f"see {PROPOSALS}")
        return found

    def _find(self, name: str) -> Proposal:
        """Return the one proposal whose id begins so."""
        wanted = name.strip().removeprefix("^").lower()
        if len(wanted) < facts.SHORTEST_ID:
            raise InvalidInput(
                f"{name!r} is too short", f"give {facts.SHORTEST_ID} or more characters of the id"
            )
        page = self._read(PROPOSALS)
        if page is not None and markdown.is_conflicted(page.text):
            raise Conflict(f"{PROPOSALS}: has git conflict marks", "resolve them first")
        every = proposals.parse(page.text) if page else ()
        begun = [each for each in every if each.id.startswith(wanted)]
        found = [each for each in begun if each.id == wanted] or begun
        if not found:
            raise NotFound(f"no proposal ^{wanted}", "list them with: hippod proposals")
        ids = dict.fromkeys(f"^{each.id}" for each in found)
        if len(ids) > 1:
            raise InvalidInput(
                f"^{wanted} begins several proposals: {', '.join(ids)}", "give more of the id"
            )
        if len(set(found)) > 1:  # as a merge of two versions of the page leaves it
            raise Conflict(
                f"{PROPOSALS}: ^{found[0].id} stands there twice, and not the same",
                "take one of the two sections away by hand",
            )
        return found[0]

    def _memory(self, proposal: Proposal) -> Document | None:
        """Return the document that a proposal is for, however its name is spelled."""
        if proposal.file not in MEMORIES:
            raise InvalidInput(
                f"^{proposal.id}: {proposal.file} is no {MEMORIES[0]}", f"see {PROPOSALS}"
            )
        documents = map(self._read, (proposal.file, *MEMORIES))
        found = next((document for document in documents if document), None)
        if found and markdown.is_conflicted(found.text):
            raise Conflict(f"{found.path}: has git conflict marks", "resolve them first")
        return found

    def _read(self, path: str) -> Document | None:
        try:
            return self._workspace.read(path)
        except NotFound:
            return None

    # -- writing -----------------------------------------------------------------------------

    def _move(self, proposal: Proposal, actor: str) -> PageChange:
        """Put the lines where they go before they are taken out: nothing is ever nowhere."""
        if "/" not in proposal.to or daylog.day_of(proposal.to):
            raise InvalidInput(
                f"^{proposal.id}: {proposal.to!r} is no page for what is moved out",
                "name one in a folder, such as bank/memory-archive.md",
            )
        page = self._read(proposal.to)
        after = proposals.moved(page.text if page else None, proposal)
        return self._write(proposal.to, page, after, proposal.reason, actor)

    def _write(
        self, path: str, page: Document | None, after: str, reason: str, actor: str
    ) -> PageChange:
        before = page.text if page else None
        if after != before:
            self._workspace.write(path, after, page.etag if page else "", actor=actor)
            self.changed(path)
        old = None if before is None else before.encode()
        return PageChange(path=path, reason=reason, diff=diffs.unified(path, old, after.encode()))

    def _decide(self, proposal: Proposal, status: proposals.Status, actor: str) -> PageChange:
        """Set the status on the page as it stands now; what others write meanwhile stays."""
        for attempt in range(_TRIES):
            page = self._read(PROPOSALS)
            if page is None:
                break
            after = proposals.with_status(page.text, proposal.id, status, self._today())
            try:
                return self._write(PROPOSALS, page, after, status, actor)
            except Conflict:
                if attempt + 1 == _TRIES:
                    raise
        raise NotFound(f"no proposal ^{proposal.id} any more", f"see {PROPOSALS}")


def _row(proposal: Proposal) -> dict[str, Any]:
    return {
        "id": proposal.id,
        "action": proposal.action,
        "status": proposal.status,
        "title": proposal.title,
        "day": proposal.day.isoformat() if proposal.day else None,
        "reason": proposal.reason,
        "file": proposal.file,
    }
