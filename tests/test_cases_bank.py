"""Replays of field cases on the bank: reflection, entities, forget, hand edits, merges, loops."""

import json
import re
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any, Self

import pytest

from hippod import daylog, facts, markdown, pages, wire
from hippod.config import Config
from hippod.errors import Conflict
from hippod.index import Index
from hippod.models import Completion, Grammar
from hippod.pages import Opinion
from hippod.reflect import Reflector
from hippod.retain import Retainer
from hippod.service import Memory
from hippod.state import State
from hippod.wire_bank import ForgetRequest, MergeAction, Reflected, ReflectRequest
from hippod.workspace import Workspace
from tests.fakes import FakeEmbedder, FakeGenerator
from tests.reflecting import problems

EMBEDDER = FakeEmbedder(256)
TASKS = ("select", "rewrite", "transcript", "opinion", "summary")


class House:
    """A workspace with all that is over it, on a clock of its own; `start` is a restart."""

    def __init__(
        self, root: Path, generator: FakeGenerator | None = None, zone: str = "UTC"
    ) -> None:
        self.root = root
        self.now = datetime(2026, 4, 20, 12, tzinfo=UTC)
        self.generator = generator
        self.able: tuple[str, ...] = ("summary",)
        self.settings: dict[str, Any] = {
            "workspace": {"path": str(root), "user": "Maren", "timezone": zone},
            "retain": {"settle": 0},
        }
        (root / ".memory").mkdir(parents=True)
        (root / "sessions").mkdir()

    def start(self) -> Self:
        self.config = Config.model_validate(self.settings)
        self.state = State(self.root / ".memory" / "state.sqlite", clock=self._clock)
        layout = self.config.workspace.layout
        self.workspace = Workspace(self.root, self.state, layout=layout)
        folder, zone = self.root / ".memory", self.config.zone
        self.index = Index(
            folder, self.workspace, EMBEDDER, chunking=self.config.chunking, zone=zone
        )
        self.retainer = Retainer(
            self.config, self.workspace, self.state, self.generator, self.index.entities,
            self._clock,
        )  # fmt: skip
        self.retainer.changed = lambda path: self.index.update([path])
        self.reflector = Reflector(
            self.config, self.workspace, self.state, self._clock, self.generator
        )
        self.memory = Memory(
            config=self.config, config_path=None, workspace=self.workspace, state=self.state,
            index=self.index, retainer=self.retainer, clock=self._clock, reflector=self.reflector,
        )  # fmt: skip
        if self.generator:
            for task in TASKS:
                self.state.set_verdict(self.generator.model_id, task, task in self.able)
        return self

    def _clock(self) -> datetime:
        return self.now

    def stop(self) -> None:
        self.index.close()
        self.state.close()

    def restart(self, generator: FakeGenerator | None = None) -> None:
        self.stop()
        self.generator = generator or self.generator
        self.start()

    # -- what others write -------------------------------------------------------------------

    def put(self, path: str, text: str) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
        return file

    def log(self, day: str, *bullets: str) -> Path:
        body = "".join(f"- {bullet}\n" for bullet in bullets)
        return self.put(f"memory/{day}.md", f"# Daily Log - {day}\n\n## Retain\n{body}")

    def say(self, *texts: str, at: str, session: str = "talk") -> None:
        with (self.root / "sessions" / f"{session}.jsonl").open("a") as file:
            for text in texts:
                file.write(json.dumps({"role": "user", "content": text, "timestamp": at}) + "\n")

    # -- what hippod does --------------------------------------------------------------------

    def retain(self) -> None:
        for file in self.retainer.unread():
            self.retainer.process(file)
        self.retainer.confirm()

    def look(self) -> dict[str, str]:
        return self.index.reconcile().failed

    def reflect(self) -> Reflected:
        self.look()
        return self.memory.reflect(ReflectRequest())

    def found(self, query: str, **fields: Any) -> list[str]:
        request = wire.RecallRequest.model_validate({"query": query, **fields})
        return [hit.content for hit in self.memory.recall(request).hits]

    # -- what is there then ------------------------------------------------------------------

    def read(self, path: str) -> str:
        file = self.root / path
        return file.read_bytes().decode() if file.exists() else ""

    def entity(self, slug: str) -> str:
        return self.read(f"bank/entities/{slug}.md")

    def facts(self, day: str) -> list[facts.Fact]:
        return [placed.fact for placed in daylog.parse(self.read(f"memory/{day}.md")).facts]

    def markdown(self) -> dict[str, bytes]:
        files = [*self.root.glob("bank/**/*.md"), *self.root.glob("memory/*.md")]
        return {str(file.relative_to(self.root)): file.read_bytes() for file in files}

    def opinions(self) -> list[Opinion]:
        return list(pages.opinions(markdown.parse(self.read(pages.OPINIONS))))


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    house = House(tmp_path / "w").start()
    yield house
    house.stop()


class Rewording(FakeGenerator):
    """Says the same in other words each time: as many full stops as it was asked before."""

    def complete(
        self, prompt: str, grammar: Grammar, max_tokens: int, *, system: str = ""
    ) -> Completion:
        super().complete(prompt, grammar, max_tokens, system=system)
        cited = re.findall(r"^(\d+)\. (?:Keeps 14|Lives in)", prompt, re.MULTILINE)
        more = "." * len(self.prompts)
        text = f"Tove keeps 14 hives on the roof and lives in Bodø since 2020{more}"
        said = {"turns": [int(number) for number in cited], "kind": "W", "text": text}
        return Completion(json.dumps({"facts": [said]}), True, 1, 1, 0.0)


HIVES = "W @Tove: Keeps 14 hives on the roof. ^tttt000001"
HOME = "W @Tove: Lives in Bodø since 2020. ^tttt000005"
HONEY = "B @Tove: Sold 60 jars of honey on 11 April. ^tttt000002"
FAIR = "O(c=0.7) @Tove: Dislikes the autumn fair. ^tttt000003"


# -- reflection ------------------------------------------------------------------------------------

EXACT = (
    "Takes 17 minutes a night instead of 47 since April.",
    "Runs on 3 machines in Lund.",
)
JOINED = (
    "Buildbox takes 17 minutes a night instead of 47 since April and runs on 3 machines in Lund."
)
VAGUE = (
    "The build got faster in some setups.",
    JOINED.replace("17 minutes", "considerably less time"),
    JOINED.replace("47", "48"),
    JOINED.replace("47", "47, at half the cost,"),
    JOINED.replace("runs", "may run"),
    JOINED.replace(" since April", ""),
    JOINED.replace(" in Lund", ""),
)


@pytest.mark.parametrize("vague", VAGUE, ids=range(len(VAGUE)))
def test_c111_a_vaguer_wording_is_refused_and_the_facts_stand(tmp_path: Path, vague: str) -> None:
    model = FakeGenerator()
    house = House(tmp_path / "w", model).start()
    log = house.log(
        "2026-04-18", *(f"W @buildbox: {said} ^bbbb00000{n}" for n, said in enumerate(EXACT))
    )
    before = log.read_bytes()
    model.enqueue(json.dumps({"facts": [{"turns": [1, 2], "kind": "W", "text": vague}]}))
    house.reflect()
    assert len(model.prompts) == 1
    for number, said in enumerate(EXACT):
        assert f"{said} [[2026-04-18#^bbbb00000{number}]]" in house.entity("buildbox")
        assert said in house.read("bank/world.md")
    assert not [path for path, text in house.markdown().items() if vague.encode() in text]
    assert log.read_bytes() == before
    house.stop()


def test_c111_an_exact_wording_of_both_is_taken(tmp_path: Path) -> None:
    model = FakeGenerator()
    house = House(tmp_path / "w", model).start()
    house.log("2026-04-18", *(f"W @buildbox: {said} ^bbbb00000{n}" for n, said in enumerate(EXACT)))
    model.enqueue(json.dumps({"facts": [{"turns": [1, 2], "kind": "W", "text": JOINED}]}))
    house.reflect()
    assert JOINED in house.entity("buildbox")
    house.stop()


def test_c112_what_weak_opinions_make_is_an_opinion_with_links_to_both(house: House) -> None:
    house.log("2026-04-11", "O(c=0.6) @Tove: Loves lime honey. ^hhhh000001")
    house.log("2026-04-12", "O(c=0.7) @Tove: Loves lime honey. ^hhhh000002")
    house.reflect()
    (opinion,) = house.opinions()
    assert {each.block for each in opinion.evidence} == {"hhhh000001", "hhhh000002"}
    assert 0.6 <= (opinion.confidence or 0) <= 0.7
    request = wire.RecallRequest(query="Does Tove love lime honey?")
    hits = house.memory.recall(request).hits
    assert {hit.kind for hit in hits if "lime honey" in hit.content} <= {"opinion", "document"}
    assert all((hit.confidence or 0) <= 0.7 for hit in hits)


def test_c114_c129_ten_rounds_over_unchanged_facts_change_nothing_after_the_first(
    tmp_path: Path,
) -> None:
    model = Rewording()
    house = House(tmp_path / "w", model)
    house.able = ("summary", "opinion", "select")
    house.start()
    house.log("2026-04-18", HIVES, HOME, HONEY, FAIR)
    house.log("2026-04-19", "W @Tove: Is away until 2 May. ^tttt000004")
    house.retain()
    house.reflect()
    before, asked = house.markdown(), len(model.prompts)
    assert "and lives in Bodø since 2020" in house.entity("Tove")
    shown = house.found("Tove", limit=50)
    for _ in range(10):
        house.now += timedelta(hours=1)
        house.restart()
        house.retain()
        assert not house.reflect().changes
        house.memory.reindex(full=True)
    assert (house.markdown(), len(model.prompts)) == (before, asked)
    assert sorted(house.found("Tove", limit=50)) == sorted(shown)
    assert sum(len(house.facts(day)) for day in ("2026-04-18", "2026-04-19")) == len(
        [line for text in before.values() for line in text.splitlines() if line[:4] in BULLETS]
    )
    house.stop()


BULLETS = (b"- W ", b"- B ", b"- O(", b"- S ")


@pytest.mark.parametrize("restarting", [False, True])
def test_c115_yes_and_no_by_turns_is_one_contested_opinion_in_small_steps(
    house: House, restarting: bool
) -> None:
    trail, ids = [], []
    for day in range(6):
        says = "Likes night ferries" if day % 2 == 0 else "No longer likes night ferries"
        ids.append(f"ffff00000{day}")
        house.log(f"2026-04-{10 + day}", f"O(c=0.8) @Emil: {says}. ^{ids[-1]}")
        house.now = datetime(2026, 4, 10 + day, 20, tzinfo=UTC)
        if restarting:
            house.restart()
        house.reflect()
        (opinion,) = house.opinions()
        trail.append(opinion.confidence or 0)
    assert opinion.contested
    assert {each.block for each in (*opinion.evidence, *opinion.pending)} == set(ids)
    assert all(abs(one - two) <= 0.15 for one, two in pairwise(trail))
    assert house.memory.opinions("Emil").opinions[0].contested
    hits = house.memory.recall(wire.RecallRequest(query="Does Emil like night ferries?")).hits
    assert len([hit for hit in hits if hit.path == pages.OPINIONS]) <= 1


def test_c116_a_fact_is_found_as_soon_as_it_is_stored(house: House) -> None:
    began = time.monotonic()
    (stored,) = house.memory.retain(
        wire.RetainRequest(facts=("W @Emil: The cellar code is on the back of the map.",))
    ).stored
    assert house.found("cellar code map") == ["The cellar code is on the back of the map."]
    assert time.monotonic() - began < 2
    assert house.state.last_run("reflect") is None
    assert not (house.root / "bank").exists()
    house.reflect()
    hits = house.memory.recall(wire.RecallRequest(query="cellar code map")).hits
    assert stored.source in [hit.source for hit in hits]


# -- entities --------------------------------------------------------------------------------------


def test_c117_spellings_of_one_name_are_one_entity_before_and_after_a_merge(house: House) -> None:
    house.log(
        "2026-04-18", "W @Solveig: Has a loom.", "W @solveig: Has a kiln.",
        "W @SOLVEIG : Has a van.",
    )  # fmt: skip
    for _ in range(2):
        house.reflect()
        (row,) = house.memory.entities().entities
        assert (row.name.casefold(), row.facts) == ("solveig", 3)
        for name in ("Solveig", "solveig", "SOLVEIG"):
            assert len(house.found("what has she", entity=[name], path="memory/**")) == 3
        before = house.markdown()
        done = house.memory.change_entity("@Solveig", MergeAction(action="merge", into="@solveig"))
        assert not done.applied
        assert house.markdown() == before
    assert len(list((house.root / "bank/entities").iterdir())) == 1


def test_c119_an_alias_of_two_is_nobodys_and_is_reported(house: House) -> None:
    person = "---\nentity: Karin-Moe\naliases: [KM]\n---\n# Karin Moe\n"
    thing = "---\nentity: Kiln-Monitor\naliases: [KM]\n---\n# Kiln Monitor\n"
    house.put("bank/entities/Karin-Moe.md", person)
    house.put("bank/entities/Kiln-Monitor.md", thing)
    house.log("2026-04-18", "W @KM: Flagged the third firing.")
    house.reflect()
    assert house.entity("Karin-Moe") == person
    assert house.entity("Kiln-Monitor") == thing
    listed = house.memory.entities()
    (unclear,) = listed.ambiguous
    assert set(unclear.entities) == {"Karin-Moe", "Kiln-Monitor"}
    assert {row.name: row.facts for row in listed.entities}.get("Karin-Moe", 0) == 0
    assert house.memory.status().bank["pages"]["ambiguous alias"] == ["KM"]
    assert house.found("third firing")


def test_c119_a_merge_holds_when_the_other_name_is_retained_again(house: House) -> None:
    house.log("2026-04-17", "W @bertil: Repairs clocks.", "W @Bert: Moved to Falun.")
    house.reflect()
    house.memory.change_entity("Bert", MergeAction(action="merge", into="bertil"))
    house.reflect()
    house.memory.retain(wire.RetainRequest(facts=("W @Bert: Has a stall at the market.",)))
    house.stop()
    for file in (house.root / ".memory").iterdir():  # a decision is in the Markdown
        file.unlink()
    house.start()
    house.reflect()
    (row,) = house.memory.entities().entities
    assert row.facts == 3
    (page,) = (house.root / "bank/entities").iterdir()
    assert "stall at the market" in page.read_text()
    assert "Falun" in page.read_text()


def test_c120_spellings_that_may_be_one_are_suggested_with_a_reason_and_not_merged(
    house: House,
) -> None:
    house.log(
        "2026-04-18", "W @Vue.js: Draws the form.", "W @vuejs: Has a plugin.",
        "W @vue-js: Needs an update.", "W @mattis: Rows.", "W @mattis-berg: Sings.",
    )  # fmt: skip
    house.reflect()
    listed = house.memory.entities()
    assert {row.name for row in listed.entities} == {
        "mattis", "mattis-berg", "Vue.js", "vue-js", "vuejs",
    }  # fmt: skip
    vues = ("Vue.js", "vue-js", "vuejs")
    suggested = {frozenset(each.names): each.reason for each in listed.candidates}
    for pair in combinations(vues, 2):
        assert suggested[frozenset(pair)]
    assert sum(row.facts for row in listed.entities) == 5


# -- forget ----------------------------------------------------------------------------------------


def test_c126_what_is_forgotten_is_in_no_leg_page_or_summary_after_each_step(house: House) -> None:
    secret = "The harbour gate opens with 5518."
    house.say(f"Remember: {secret}", at="2026-04-18T10:00:00Z")
    house.say("We decided to paint the boat green.", at="2026-04-18T10:01:00Z")
    house.retain()
    note = "Remember that the spare anchor lies under the stairs."
    house.put("memory/2026-04-17.md", f"# Daily Log - 2026-04-17\n\n[09:00:00] {note}\n")
    house.retain()
    house.reflect()
    assert house.found("harbour gate")
    assert [text for path, text in house.markdown().items() if b"5518" in text and "bank" in path]

    def gone() -> None:
        assert not [path for path, text in house.markdown().items() if b"5518" in text]
        for mode in ("lexical", "vector", "hybrid"):
            assert not [hit for hit in house.found("harbour gate 5518", mode=mode) if "5518" in hit]

    house.memory.forget(ForgetRequest(text=secret, dry_run=False))
    gone()
    for step in (
        house.reflect, house.restart, house.reflect, house.retain,
        lambda: house.memory.reindex(full=True), house.reflect,
    ):  # fmt: skip
        step()
        gone()
    (house.root / "sessions/talk.jsonl").touch()
    house.stop()
    for file in (house.root / ".memory").glob("state.sqlite*"):
        file.unlink()
    house.start()
    house.retain()
    house.reflect()
    gone()
    assert house.found("spare anchor")
    assert house.found("boat green")


# -- hand edits and front matter -------------------------------------------------------------------


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_c121_a_summary_of_the_day_leaves_what_stands_there_as_its_beginning(
    house: House, end: str
) -> None:
    own = (
        "# My Sunday\n\n## Morning\nLong walk,  two herons.\n\n## Noon\n* soup\n* bread\n\n"
        f"## Retain\n- {HIVES}\n- {HONEY}\n\n## Night\nWritten by hand, no line end"
    )
    log = house.put("memory/2026-04-19.md", own.replace("\n", end))
    before = log.read_bytes()
    house.reflect()
    assert log.read_bytes().startswith(before)
    assert b"- S @Tove: " in log.read_bytes()[len(before) :]
    assert log.read_bytes().count(b"Long walk") == 1


ODD_BUT_SOUND = [
    "entity:   Tove   # as on her door\naliases: [ 'Tovis' ,\"T. H.\" ]\n\n# bees\nhives: {a: 1}",
    "entity: Tove\ndate: 2026-02-30\ntime: 12:30\non: yes\nversion: 1_000\ncountry: no\nid: 0777",
    "entity: Tove\naliases: [Yes, NO, null, 007]\nname: 2026\ntags: 5",
    "entity: Tove\ntype:\nkind: null\n",
]
BROKEN = [
    'entity: Tove\ndescription: "the "blue" shed"\ntags: [bees]',
    "entity: Tove\ndrive: `D:\\\\bees`",
    "entity: Tove\ntitle: *Big plan*",
    "entity: Tove\ntitle: [a",
    "entity: Tove\nentity: Tove\n",
    "- [[Tove]]s",
    "entity: Tove\n? odd\n: pair",
    "entity: Tove\nbig: " + "x" * 1_000_000,
    "entity: Tove\na0: &a0 [x, x]\n"
    + "\n".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}, *a{n - 1}]" for n in range(1, 11)),
    "entity: Tove\n" + "".join(f"n{n}: {'x' * 80}\n" for n in range(12_000)),
]


def block_of(text: str) -> str:
    return text[: text.index("\n---\n", 4) + 5]


@pytest.mark.parametrize("block", ODD_BUT_SOUND, ids=range(len(ODD_BUT_SOUND)))
def test_c084_c122_a_sound_block_keeps_its_lines_and_stays_the_only_one(
    house: House, block: str
) -> None:
    own = f"---\n{block}\n---\n# Tove\n\nMet her at the  fair.\n"
    house.put("bank/entities/Tove.md", own)
    house.log("2026-04-18", HIVES, HONEY)
    assert house.look() == {}
    house.reflect()
    page = house.entity("Tove")
    assert block_of(page) == block_of(own)
    assert page.startswith(own)
    assert "14 hives on the roof. [[2026-04-18#^tttt000001]]" in page
    assert "\n---\n" not in page[len(block_of(own)) :]
    assert house.found("met her at the fair")
    assert len(list((house.root / "bank/entities").iterdir())) == 1


def test_c084_aliases_that_look_like_something_else_are_names(house: House) -> None:
    own = "---\nentity: Tove\naliases: [NO, null, 0777, 1_000, 2026]\n---\n# Tove\n"
    house.put("bank/entities/Tove.md", own)
    house.log("2026-04-18", "W @NO: Rows.", "W @null: Sings.", "W @0777: Skis.", "W @2026: Sews.")
    house.reflect()
    (row,) = house.memory.entities().entities
    assert (row.name, row.facts) == ("Tove", 4)
    assert row.aliases == ("NO", "null", "0777", "1_000", "2026")
    assert house.entity("Tove").startswith(own)


def test_c122_a_merge_and_a_reflection_change_the_lines_of_their_keys_alone(house: House) -> None:
    own = (
        "---\n# my own\nentity: 'Tove'   # her\naliases:   [ T ]\nupdated: 2026-01-01 # when?\n"
        "age: 0x1F\n---\n# Tove\n\nMet her at the  fair.\n"
    )
    house.put("bank/entities/Tove.md", own)
    house.log("2026-04-18", HIVES, "W @Tovelin: Owns a scythe. ^tttt000006")
    house.memory.change_entity("Tovelin", MergeAction(action="merge", into="Tove"))
    house.reflect()
    changed = own.replace("[ T ]", "[ T, Tovelin ]").replace("2026-01-01", "2026-04-20")
    assert house.entity("Tove").startswith(changed)
    assert "Owns a scythe" in house.entity("Tove")
    assert not house.reflect().changes


@pytest.mark.parametrize("block", BROKEN, ids=range(len(BROKEN)))
def test_c082_c083_c123_a_block_that_cannot_be_read_costs_no_byte_and_no_time(
    house: House, block: str
) -> None:
    own = f"---\n{block}\n---\n# Tove\n\nMet her at the  fair.\n"
    house.put("bank/entities/Tove.md", own)
    house.log("2026-04-18", HIVES, "W @Gard: Has the ladder. ^gggg000001")
    began = time.process_time()
    assert house.look() == {}
    looked = time.process_time()
    done = house.reflect()
    reflected = time.process_time()
    page = house.entity("Tove")
    assert block_of(page) == block_of(own)
    assert page.startswith(own)
    assert page == own or "bank/entities/Tove.md" in {each.path for each in done.changes}
    assert page != own or "bank/entities/Tove.md" in problems(done)
    assert "Has the ladder" in house.entity("Gard")
    assert house.found("met her at the fair")
    assert not house.reflect().changes
    assert looked - began < 1
    assert reflected - looked < 1


def test_c082_one_odd_file_does_not_hold_up_a_good_one_that_came_later(house: House) -> None:
    for number, head in enumerate(
        (
            "---\nkey: `E:\\\\y`\n---\n",
            "---\nA rule on top, never closed\n\n",
            "---\ntitle: *Grand plan*\n---\n",
            "---\n- [[kettle]]s\n---\n",
            "--- \n---\n",
            "---\ndate: 2026-02-30\n---\n",
        )
    ):
        house.put(f"notes/odd{number}.md", f"{head}The kettle number {number} is copper.\n")
    house.look()
    house.put("notes/good.md", "The trivet is brass.\n")
    assert house.look() == {}
    assert house.found("trivet brass")
    assert len({hit for hit in house.found("kettle copper", limit=20) if "copper" in hit}) == 6


# -- merges by git ---------------------------------------------------------------------------------

TWO_SIDES = "<<<<<<< HEAD\n- W @ferry: Sails on Monday.\n=======\n- W @ferry: Sails on Tuesday.\n"
THREE_SIDES = TWO_SIDES.replace(
    "=======\n", "||||||| base\n- W @ferry: Sails on Sunday.\n=======\n"
)


@pytest.mark.parametrize("sides", [TWO_SIDES, THREE_SIDES], ids=["two", "three"])
def test_c076_a_log_in_a_merge_is_neither_read_nor_written_until_it_is_resolved(
    house: House, sides: str
) -> None:
    path = "memory/2026-04-18.md"
    top = "# Daily Log - 2026-04-18\n\n[09:00:00] Remember that the boiler key is with Gard.\n"
    kept = "\n## Retain\n- W @ferry: Takes 40 cars. ^cccc000001\n"
    house.put(path, kept)
    house.look()
    house.put(path, f"{top}{kept}{sides}>>>>>>> branch\n")
    before = house.markdown()
    assert "conflict" in house.look()[path]
    house.retain()
    house.memory.reflect(ReflectRequest())
    with pytest.raises(Conflict):
        house.memory.append_daily_log("late", date="2026-04-18")
    with pytest.raises(Conflict):
        house.workspace.append_log(datetime(2026, 4, 18).date(), "[10:00:00] x", actor="api")
    assert house.markdown()[path] == before[path]
    assert not [
        text for name, text in house.markdown().items() if b"Sails" in text and name != path
    ]
    assert house.found("how many cars does the ferry take") == ["Takes 40 cars."]
    assert not [hit for hit in house.found("ferry sails") if "Sails" in hit]
    house.put(path, f"{top}{kept}- W @ferry: Sails on Tuesday.\n")
    house.look()
    house.retain()
    house.reflect()
    assert "boiler key" in house.read(path).partition("## Retain")[2]
    page = house.entity("ferry")
    assert "Sails on Tuesday" in page
    assert "Monday" not in page + "".join(house.found("ferry sails"))


def test_c076_marks_that_are_quoted_and_a_long_underline_are_no_merge(house: House) -> None:
    quoted = f"Seen today:\n\n```\n{TWO_SIDES}>>>>>>> branch\n```\n"
    underlined = "The plan\n=======\n\nRow to the island.\n"
    for day, text in (("2026-04-17", quoted), ("2026-04-18", underlined)):
        house.put(f"memory/{day}.md", f"{text}\n## Retain\n- W @ferry: Is {day[-2:]} m wide.\n")
    assert house.look() == {}
    done = house.reflect()
    assert not done.problems
    assert "Is 17 m wide" in house.entity("ferry") + house.read("bank/world.md")
    assert "Is 18 m wide" in house.entity("ferry") + house.read("bank/world.md")
    assert "Monday" not in house.entity("ferry")


# -- feedback --------------------------------------------------------------------------------------


def test_c129_what_hippod_wrote_is_never_extracted(house: House) -> None:
    house.log(
        "2026-04-19",
        "W @Tove: We decided to sell the blue van in May. ^dddd000001",
        "O @Tove: Prefers tea over coffee in the morning. ^dddd000002",
        "B @Tove: Fixed the gate by turning the hinge. ^dddd000003",
    )
    house.reflect()
    assert b"- S " in b"".join(house.markdown().values())
    before = house.markdown()
    for _ in range(3):
        house.now += timedelta(hours=1)
        house.retain()
        house.memory.retain(wire.RetainRequest(flush=True, wait=True))
        house.reflect()
    assert house.markdown() == before
    assert not house.read("memory/2026-04-20.md")


def test_c129_a_summary_is_evidence_for_nothing(house: House) -> None:
    for day in range(10, 17):
        house.log(
            f"2026-04-{day}",
            f"W @Tove: Keeps 14 hives on the roof. ^tttt0000{day}",
            f"O(c=0.7) @Tove: Dislikes the autumn fair. ^vvvv0000{day}",
        )
        house.now = datetime(2026, 4, day, 20, tzinfo=UTC)
        house.reflect()
    days = [f"2026-04-{day}" for day in range(10, 16)]
    summaries = {fact.id for day in days for fact in house.facts(day) if fact.kind == "S"}
    assert len(summaries) == len(days)
    bank = "".join(text.decode() for path, text in house.markdown().items() if "bank/" in path)
    assert "- evidence: [[" in bank  # it is proposed for MEMORY.md, too
    assert not [id_ for id_ in summaries if id_ and id_ in bank]
    assert bank.count("## Add: ") == len({*re.findall("## Add: .*", bank)})
    (opinion,) = house.opinions()
    assert len(opinion.evidence) == 7
