"""Plans: what reflection, hygiene and people's commands are about to change, and the one place
that changes it, each edit by compare-and-swap."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from hippod import daylog, diffs
from hippod.errors import HippodError
from hippod.workspace import Plan, Workspace


@dataclass(frozen=True, slots=True)
class PageEdit:
    """A document as it was read and as it is to be; `etag` "" and `before` "": a new one."""

    path: str
    etag: str
    before: str
    after: str
    reason: str


@dataclass(frozen=True, slots=True)
class DailyFacts:
    """Rendered bullets for the daily log of a day."""

    day: date
    bullets: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Move:
    """A document gets another path."""

    path: str
    etag: str
    to: str
    reason: str


@dataclass(frozen=True, slots=True)
class Delete:
    """A document goes; its bytes stay in the journal."""

    path: str
    etag: str
    before: str
    reason: str


Edit = PageEdit | DailyFacts | Move | Delete


@dataclass(frozen=True, slots=True)
class Done:
    """What became of an edit: the paths that changed, or why nothing did and what to do."""

    edit: Edit
    changed: tuple[str, ...] = ()
    problem: str = ""
    hint: str = ""


def apply(
    edits: Iterable[Edit], workspace: Workspace, actor: str, plan: Plan | None = None
) -> list[Done]:
    """Make the edits one by one. One that somebody came before is left out, with the reason.

    `plan` hears of the bytes of `DailyFacts` before they are written, as in
    `Workspace.append_facts`.
    """
    return [_apply(edit, workspace, actor, plan) for edit in edits]


def _apply(edit: Edit, workspace: Workspace, actor: str, plan: Plan | None) -> Done:
    try:
        return Done(edit, tuple(_change(edit, workspace, actor, plan)))
    except HippodError as error:
        return Done(edit, problem=error.message, hint=error.hint)


def _change(edit: Edit, workspace: Workspace, actor: str, plan: Plan | None) -> Sequence[str]:
    match edit:
        case PageEdit():
            written = workspace.write(edit.path, edit.after, edit.etag, actor=actor)
            return [edit.path] if written.changed else []
        case DailyFacts():
            appended = workspace.append_facts(edit.day, edit.bullets, plan, actor=actor)
            return [appended.path] if appended.data else []
        case Move():
            workspace.move(edit.path, edit.to, edit.etag, actor=actor)
            return [edit.path, edit.to]
        case Delete():
            workspace.delete(edit.path, edit.etag, actor=actor)
            return [edit.path]


def shown(edit: Edit, log: str = "") -> str:
    """Return an edit as a unified diff, or as lines like one.

    `log` is the path of the daily log that facts go to, if it is not where logs usually are.
    """
    match edit:
        case PageEdit():
            before = edit.before.encode() if edit.etag else None
            return diffs.unified(edit.path, before, edit.after.encode())
        case DailyFacts():
            path = log or daylog.log_path(edit.day)
            return diffs.appended(path, edit.bullets)
        case Move():
            return diffs.renamed(edit.path, edit.to)
        case Delete():
            return diffs.unified(edit.path, edit.before.encode(), None)
