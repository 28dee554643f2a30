"""What people do to files at the worst moment: editors, odd names, git, links, odd bytes."""

import os
import subprocess
import time
import unicodedata
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from bench.faults.harness import FIRST_DAY, Fault, House, Save

_LOG = f"memory/{FIRST_DAY}.md"
_STYLES: tuple[Save, ...] = ("vim", "replace", "truncate", "append")
_SAVES = 40
_PAUSE_SECONDS = 0.02
"""Between saves, so that some fall before, into and after what the daemon does."""
_SETTLING = {"HIPPOD_RETAIN__SETTLE": "2s"}
_FROM_AGENT = "From an agent.\n"


def editor_beside_retain(how: Save) -> Callable[[House], str]:
    """Return a fault: a person saves over a daily log what they read before facts were added."""

    def inject(house: House) -> str:
        house.save(_LOG, "\n[07:00:00] Slept well\n", "append")
        log = house.root / _LOG
        for number in range(house.scale.rounds):
            opened = log.read_bytes()
            house.say(10)
            time.sleep(house.rng.uniform(0, 0.6))
            line = f"[08:00:00] By hand, save {number}\n".encode()
            theirs = house.ledger.files[_LOG] + line
            house.save(_LOG, line if how == "append" else opened + line, how)
            house.ledger.files[_LOG] = theirs
            house.wait(house.retained, "the facts")
            house.wait(house.rests, "the facts to be read back")
        house.lift()
        return f"{house.scale.rounds} saves over {10 * house.scale.rounds} facts"

    return inject


def editor_beside_writes(house: House) -> str:
    """Let a person save pages in every style while an agent writes lines into the same ones."""
    for number, how in enumerate(_STYLES):
        path = f"projects/shared-{number}.md"
        house.save(path, "# Shared\n\nBegun by hand.\n")
        with ThreadPoolExecutor(1) as person:
            saving = person.submit(_keep_saving, house, path, how)
            while not saving.done():
                house.attempt(partial(house.client.append, path, _FROM_AGENT))
            saving.result()
        house.ledger.strangers.add(path)
        # What an agent added may stand there beside: only what people wrote is compared.
        theirs = house.ledger.files.pop(path)
        found = (house.root / path).read_bytes()
        kept = b"".join(
            line for line in found.splitlines(keepends=True) if line != _FROM_AGENT.encode()
        )
        assert kept == theirs, f"{how}: {len(theirs)} bytes were saved, {len(kept)} are there"
    house.lift()
    return f"{_SAVES} saves in each of {len(_STYLES)} styles"


def etag_conflict(house: House) -> str:
    """Let an agent write on what it read before a person saved: refused, the person's stays."""
    house.save("projects/mine.md", "# Mine\n\nFirst.\n")
    read = house.client.read("projects/mine.md")
    house.save("projects/mine.md", "# Mine\n\nSecond, by hand.\n", "replace")
    written = house.attempt(
        lambda: house.client.write("projects/mine.md", "# Agent's\n", etag=read["etag"])
    )
    assert not written, "an agent's stale write was taken"
    house.lift()
    return "refused"


def odd_names(house: House) -> str:
    """Save files whose names have all that names can have."""
    names: list[bytes] = [
        b"a name with  blanks.md", "\N{BROWN HEART} \N{DROMEDARY CAMEL}.md".encode(),
        b"#1 [x] (y) ^z.md", b"line\nbreak.md", b"not \xff\xfe utf-8.md", b"-rf.md",
        b"tab\there.md",
        b"quote'\"`$(x).md",
        b"percent%2e%2e.md", b"colon: semi;.md", b"x" * 240 + b".md", b"back\\slash.md",
        unicodedata.normalize("NFD", "Zo\u00eb.md").encode(), b"..md", b"CON.md",
        "\u202egnp.md".encode(), b" leading.md", b"\xed\xa0\x80.md",
    ]  # fmt: skip
    words = {}
    for name in names:
        path = "projects/" + os.fsdecode(name)
        words[path] = house.word()
        house.save(path, f"# Odd\n\nThe {words[path]} has an odd name.\n")
    deep = "/".join(["projects", *["folder"] * 30, "deep.md"])
    words[deep] = house.word()
    house.save(deep, f"# Deep\n\nThe {words[deep]} is deep down.\n")
    house.lift()
    house.wait(lambda: house.finds(words["projects/a name with  blanks.md"]), "a name with blanks")
    house.wait(lambda: house.finds(words[deep]), "a file deep down")
    house.settle()
    found = sum(house.finds(word) for word in words.values())
    return f"{found} of {len(words)} are found, all are left as they are"


def checkout_storm(house: House) -> str:
    """Check branches of a repository out again and again, thousands of files at a time."""
    count = house.scale.files
    house.ledger.strangers.add("context/wiki/")
    git = _git(house.root / "context" / "wiki")
    for branch in ("one", "two"):
        git("checkout", "-q", "-B", branch)
        for number in range(count):
            page = git.root / f"part-{number % 97}" / f"page-{number}.md"
            page.parent.mkdir(exist_ok=True)
            page.write_text(f"# Page {number}\n\nOn branch {branch} it says {number * 7}.\n")
        git("add", "-A")
        git("commit", "-q", "-m", branch)
    for _ in range(3):
        for branch in ("one", "two"):
            git("checkout", "-q", branch)
    word = house.word()
    house.save("context/wiki/last.md", f"# Last\n\nThe {word} came last.\n")
    house.lift()
    house.wait(lambda: house.finds(word), "the last file", 600)
    house.wait(house.rests, "the whole index", 1800)
    return f"{count:,} files, 6 checkouts"


def links_out(house: House) -> str:
    """Plant links that lead out of the workspace; nothing is written or read through them."""
    outside = house.folder / "outside"
    outside.mkdir()
    secret = house.word()
    (outside / "diary.md").write_text(f"# Diary\n\nThe {secret} is private.\n")
    (outside / "log.md").write_text("# Theirs\n")
    (house.root / "projects" / "diary.md").symlink_to(outside / "diary.md")
    house.ledger.strangers.add("projects/diary.md")
    log = house.root / "memory" / "2026-03-20.md"
    log.symlink_to(outside / "log.md")
    day = {"date": "2026-03-20"}
    refused = not house.attempt(lambda: house.client.append_daily_log("Through a link", **day))
    house.attempt(lambda: house.client.run_job("reconcile"))
    assert refused, "wrote through a link"
    assert (outside / "log.md").read_text() == "# Theirs\n", "a file outside was changed"
    assert not house.finds(secret), "a file outside was indexed"
    log.unlink()
    house.lift()
    return "nothing read, nothing written"


def odd_bytes(house: House) -> str:
    """Save documents that are no text, endless lines, deep nesting, a pipe, a folder as a file."""
    house.save("projects/binary.md", bytes(range(256)) * 400)
    house.save("projects/utf16.md", "# Sixteen\n\nTwo bytes each.\n".encode("utf-16"))
    house.save("projects/latin.md", "# Caf\xe9\n\nNot UTF-8.\n".encode("latin-1"))
    house.save("projects/one-line.md", b"word " * 400_000)
    house.save("projects/deep.md", b"> " * 20_000 + b"deep\n")
    house.save("projects/nested.md", b"[" * 50_000 + b"](" * 1_000)
    house.save("projects/empty.md", b"")
    house.save("projects/nul.md", b"# Nul\n\n\x00\x00\n")
    house.save(
        "projects/front.md", b"---\na: &a [*a, *a]\nb: !!python/object:os.system x\n---\n# F\n"
    )
    os.mkfifo(house.root / "projects" / "pipe.md")
    (house.root / "projects" / "folder.md").mkdir()
    house.lift()
    return "nine files, a pipe, a folder"


def _keep_saving(house: House, path: str, how: Save) -> None:
    """Save what an editor holds, again and again, a line more each time.

    An editor that writes the whole file takes in what it finds, as people do when asked to reload.
    """
    for number in range(_SAVES):
        time.sleep(_PAUSE_SECONDS)
        line = f"By hand, save {number}.\n"
        if how == "append":
            house.save(path, line, how)
            continue
        theirs = house.ledger.files[path].rstrip(b"\n") + b"\n"
        house.save(path, theirs + line.encode(), how)


class _git:  # noqa: N801 - used like the command
    """A new repository, and git in it without anybody's configuration."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir(parents=True)
        self("init", "-q")

    def __call__(self, *words: str) -> None:
        environ = {
            "PATH": os.environ["PATH"], "HOME": str(self.root), "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.org",
            "GIT_COMMITTER_NAME": "Ada", "GIT_COMMITTER_EMAIL": "ada@example.org",
        }  # fmt: skip
        subprocess.run(["git", *words], cwd=self.root, env=environ, check=True, capture_output=True)


FAULTS = (
    *(
        Fault(f"a log edited while facts are added ({how})", editor_beside_retain(how), _SETTLING)
        for how in _STYLES
    ),
    Fault("pages edited while agents append to them", editor_beside_writes),
    Fault("a write on what was read before an edit", etag_conflict),
    Fault("odd file names", odd_names),
    Fault("odd bytes in documents", odd_bytes),
    Fault("links that lead out", links_out),
    Fault("git checkout storm", checkout_storm),
)
