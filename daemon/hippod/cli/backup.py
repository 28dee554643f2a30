"""`hippod backup restore`: the whole workspace in one file, and back."""

import os

from hippod.cli import options, output
from hippod.errors import DaemonDown, HippodError, InvalidInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from pathlib import Path
    from typing import Any

    from hippod.client import Client

_MOST_SHOWN = 20


def backup_options(parser: "argparse.ArgumentParser") -> None:
    """Add the file, and what to do with it."""
    parser.add_argument("file", metavar="FILE", help="outside of the workspace")
    parser.add_argument("--force", action="store_true", help="write over a file that is there")
    parser.add_argument("--verify", action="store_true", help="only read FILE and check all of it")


def backup(args: "argparse.Namespace") -> int:
    """Write a backup, or verify one; not 0 if a file could not be read."""
    from pathlib import Path

    from hippod import archive

    if args.file == "-":
        raise InvalidInput(
            "a backup is read back before it counts, which stdout cannot", "name a file"
        )
    target = Path(args.file).absolute()
    if args.verify:
        answer = archive.summary(archive.verify(target), target)
        return output.show(args, answer, lambda told: _print_backup("is whole", told))
    try:
        answer = options.ask(args, lambda client: _told(args, client, target))
    except DaemonDown:
        answer = _without_daemon(args, target)
    output.show(args, answer, lambda told: _print_backup("written", told), _complain)
    return HippodError.exit_code if any(each["lost"] for each in answer["left_out"]) else 0


def _told(args: "argparse.Namespace", client: "Client", target: "Path") -> "dict[str, Any]":
    from hippod.cli import progress

    with progress.Told(quiet=args.json or args.quiet) as told:
        return client.backup(
            target, force=args.force, heard=lambda count: told.tell(f"{_size(count)} read")
        )


def _without_daemon(args: "argparse.Namespace", target: "Path") -> "dict[str, Any]":
    """Write a backup of a workspace that no daemon uses, under its lock."""
    from contextlib import closing

    from hippod import archive, lock, publishing
    from hippod.backup import Backups
    from hippod.state import snapshot

    if args.scope != "main":
        raise InvalidInput(f"backup is not for scope {args.scope!r}")
    root = _workspace(args)
    publishing.check_target(target, force=args.force)
    publishing.refuse_inside(target, root)
    with lock.hold(root, "backup") as folder:
        state = folder / archive.STATE
        copy = (lambda to: snapshot.copy_unused(state, to)) if state.exists() else None
        with closing(Backups(root, copy).begin()) as made:
            manifest = archive.save(iter(made), target, force=args.force)
    return archive.summary(manifest, target)


def _workspace(args: "argparse.Namespace") -> "Path":
    from pathlib import Path

    from hippod import paths

    file = paths.config_path(args.config, os.environ)
    configured = paths.configured(file, os.environ)[0]
    folder = os.path.dirname(file)  # noqa: PTH120 - as `hippod init` has it
    return Path(paths.workspace_path(args.workspace, configured, os.environ, config_dir=folder))


def _print_backup(what: str, answer: "dict[str, Any]") -> None:
    state = "with its state" if answer["state"] else "without a state"
    output.tell(f"{answer['file']} {what}: {_size(answer['bytes'])}")
    output.tell(
        f"{answer['files']} files of {answer['workspace']} {state},"
        f" {_size(answer['content_bytes'])}, made {answer['made']} by hippod"
        f" {answer['version']}"
    )
    _print_left_out([each for each in answer["left_out"] if not each["lost"]])
    _complain(answer)


def _complain(answer: "dict[str, Any]") -> None:
    """Say what is not in the backup though it should be, or not whole."""
    lost = [each for each in answer["left_out"] if each["lost"]]
    for each in lost[:_MOST_SHOWN]:
        output.complain(f"{each['path']}: not in the backup: {each['reason']}")
    if len(lost) > _MOST_SHOWN:
        output.complain(f"and {len(lost) - _MOST_SHOWN} more could not be read", "see --json")
    for path in answer["changing"][:_MOST_SHOWN]:
        output.complain(f"{path}: was written to all the while, it may be cut")


def _print_left_out(other: "list[dict[str, Any]]") -> None:
    for each in other[:_MOST_SHOWN]:
        output.tell(f"left out: {each['path']} ({each['reason']})")
    if len(other) > _MOST_SHOWN:
        output.say(f"and {len(other) - _MOST_SHOWN} more were left out, see --json")


def _size(count: int) -> str:
    return f"{count / 1e6:.1f} MB" if count >= 100_000 else f"{count} bytes"


# -- restore ---------------------------------------------------------------------------------


def restore_options(parser: "argparse.ArgumentParser") -> None:
    """Add the file and where it goes."""
    parser.add_argument("file", metavar="FILE", help="what hippod backup wrote")
    parser.add_argument("--into", metavar="PATH", help="else the workspace that is configured")
    parser.add_argument(
        "--replace", action="store_true", help="move what stands there aside; nothing is deleted"
    )
    parser.add_argument("--dry-run", action="store_true", help="check everything, write nothing")


def restore(args: "argparse.Namespace") -> int:
    """Check a backup and make it the workspace."""
    from pathlib import Path

    from hippod import restoring

    target = Path(args.into).absolute() if args.into else _workspace(args)
    done = restoring.restore(
        Path(args.file).absolute(), target, replace=args.replace, dry_run=args.dry_run
    )
    answer = {
        "dry_run": args.dry_run,
        "workspace": str(done.target),
        "aside": str(done.aside) if done.aside else None,
        "files": len(done.manifest.files),
        "content_bytes": done.manifest.total_bytes,
        "state": done.manifest.state is not None,
        "made": done.manifest.made,
        "version": done.manifest.version,
    }
    start = f"hippod --workspace {args.into} run" if args.into else "hippod run"
    return output.show(args, answer, lambda told: _print_restored(told, start))


def _print_restored(answer: "dict[str, Any]", start: str) -> None:
    would = "would restore" if answer["dry_run"] else "restored"
    state = "with the state" if answer["state"] else "without a state"
    output.tell(
        f"{would} {answer['files']} files, {_size(answer['content_bytes'])}, {state},"
        f" to {answer['workspace']} (backup of {answer['made']})"
    )
    if answer["aside"]:
        moved = "would be moved" if answer["dry_run"] else "is now"
        output.tell(f"what stood there {moved} at {answer['aside']}")
    if not answer["dry_run"]:
        output.tell(f"start the daemon with: {start}; it builds the index anew")
