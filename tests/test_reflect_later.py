"""Reflection as time goes by: what changes without a new fact, models that hang, lost regions."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hippod.compose import assemble
from hippod.config import load
from hippod.errors import ModelTimeout
from hippod.factbook import Factbook
from hippod.models import Completion, Grammar, Spent
from hippod.models.factory import generator_from
from hippod.reflect import NOT_PASSED
from hippod.reflection.proposals import PROPOSALS
from hippod.workspace import Workspace
from tests.fakes import FakeGenerator
from tests.reflecting import BRIEF, BUDGET, CELLO, LOFT, PORTO, Home, of_two_days


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    home = of_two_days(tmp_path / "w")
    yield home
    home.state.close()


def test_what_was_done_lately_goes_to_the_history_in_time(home: Home) -> None:
    home.log("2026-03-06", BUDGET)
    home.log("2026-03-06", BUDGET)
    home.reflect()
    summary, _, history = home.entity("Loft").partition("## History")
    assert "oak planks" in summary
    home.now = datetime(2026, 4, 1, 12, tzinfo=UTC)
    assert home.changed() == []
    home.later(1)  # 31 days after it was done
    assert home.changed() == ["bank/entities/Loft.md"]
    summary, _, history = home.entity("Loft").partition("## History")
    assert "oak planks" not in summary
    assert "oak planks" in history
    for days in (0, 1, 400):
        home.later(days)
        assert home.changed() == []


def test_what_is_over_leaves_the_summary_the_day_after(home: Home) -> None:
    home.log("2026-03-06", "W @Ines: Rents a studio until 2026-03-25. ^hhhh888888")
    home.reflect()
    for day, tells in ((25, True), (26, False), (27, False)):
        home.now = datetime(2026, 3, day, 12, tzinfo=UTC)
        home.reflect()
        assert ("studio" in home.entity("Ines").partition("## History")[0]) is tells
    assert home.changed() == []


def test_time_asks_no_model_where_it_changes_nothing(tmp_path: Path) -> None:
    model = Listing()
    home = Home(tmp_path / "w", model, GENERATOR__TASKS="summary")
    home.log("2026-03-02", PORTO, CELLO, "B @Ines: Sold 2 bicycles. (15:00 main/s1#m4) ^iiii999999")
    home.reflect()
    asked = len(model.prompts)
    assert asked == 1
    home.later(60)
    assert "bank/entities/Ines.md" in home.changed()
    assert "Ines lives in Porto since 2024 and plays the cello" in home.entity("Ines")
    assert "Sold 2 bicycles" in home.entity("Ines").partition("## History")[2]
    assert len(model.prompts) == asked


class Listing(FakeGenerator):
    """Joins the first two facts behind the name of whom they are about, as models do."""

    def complete(
        self, prompt: str, grammar: Grammar, max_tokens: int, *, system: str = ""
    ) -> Completion:
        super().complete(prompt, grammar, max_tokens, system=system)
        text = "Ines lives in Porto since 2024 and plays the cello in a quartet."
        said = {"turns": [1, 2], "kind": "W", "text": text}
        return Completion(json.dumps({"facts": [said]}), True, 1, 1, 0.0)


def test_a_model_that_hangs_is_waited_for_once(tmp_path: Path) -> None:
    model = Hanging()
    home = Home(tmp_path / "w", model, GENERATOR__TASKS="summary,opinion")
    home.log("2026-03-02", PORTO, CELLO, BUDGET, "W @Loft: Has 3 windows. ^jjjj000000")
    home.log("2026-03-05", BRIEF)
    home.log("2026-03-06", "O @Ines: Short voice messages are what she asked about. ^kkkk000000")
    done = home.reflect()
    assert model.asked == 1
    assert done.quality == "partly extractive: no answer"
    assert home.entity("Ines")
    assert home.entity("Loft")
    home.log("2026-03-07", "W @Ines: Keeps a canary. ^llll000000")
    home.reflect()
    assert model.asked == 2  # the next run tries again


class Hanging(FakeGenerator):
    asked = 0

    def complete(self, *args: object, **kwargs: object) -> Completion:
        self.asked += 1
        raise ModelTimeout("no answer")

    def choose(self, *args: object, **kwargs: object) -> list[list[float]]:
        self.asked += 1
        raise ModelTimeout("no answer")


# -- regions that a person took out --------------------------------------------------------------


def without_markers(text: str) -> str:
    return "".join(line for line in text.splitlines(True) if "hippod:" not in line)


def test_regions_that_were_taken_out_stay_out(home: Home) -> None:
    home.reflect()
    for touched in (
        lambda page: page.replace("Lives in Porto", "Lives by the sea"),  # reported: a note of it
        without_markers,
    ):
        home.page("bank/entities/Ines.md", touched(home.entity("Ines")))
        home.log("2026-03-06", f"W @Ines: Has {len(home.heard)} dogs. ^ffff666666")
        home.reflect()
    plain = home.entity("Ines")
    assert "hippod:" not in plain
    for day in (7, 8):
        home.log(f"2026-03-0{day}", f"W @Ines: Has {day} boats. ^mmmm00000{day}")
        home.reflect()
    home.lose_state()
    for day in (9, 10):
        assert "bank/entities/Ines.md" not in home.changed()
        home.log(f"2026-03-{day:02}", f"W @Ines: Has {day} boats. ^mmmm0000{day:02}")
    assert home.entity("Ines") == plain
    home.reflector.look_again(["bank/entities/Ines.md"])
    assert "bank/entities/Ines.md" in home.changed()


def test_a_persons_dated_page_gets_regions_although_nothing_is_known_of_it(home: Home) -> None:
    home.page("bank/entities/Ines.md", "---\nentity: Ines\nupdated: 2026-01-01\n---\nA friend.\n")
    home.reflect()
    assert "A friend." in home.entity("Ines")
    assert "Lives in Porto" in home.entity("Ines")


# -- proposals that a person deleted -------------------------------------------------------------


def test_a_proposal_that_was_deleted_is_not_made_again(home: Home) -> None:
    for day in (7, 8, 9):
        home.log(f"2026-03-0{day}", f"W @Ines: Keeps bees on the roof. ^nnnn00000{day}")
    home.reflect()
    assert "Keeps bees on the roof" in home.read(PROPOSALS)
    home.page(PROPOSALS, "# Proposals\n")
    home.log("2026-03-10", "W @Ines: Keeps bees on the roof. ^nnnn000010", BUDGET)
    home.reflect()
    assert home.read(PROPOSALS) == "# Proposals\n"
    home.lose_state()
    home.reflect()
    assert "Keeps bees on the roof" in home.read(PROPOSALS)  # nothing is known of it any more


def test_notes_of_proposals_hold_no_text(home: Home) -> None:
    for day in (7, 8, 9):
        home.log(f"2026-03-0{day}", f"W @Ines: Keeps bees on the roof. ^nnnn00000{day}")
    home.reflect()
    (cited,) = home.state.reflected("proposal").values()
    assert cited.split() == ["nnnn000007", "nnnn000008", "nnnn000009"]


# -- the default configuration -------------------------------------------------------------------


def test_nobody_waits_for_the_embedded_model(tmp_path: Path) -> None:
    generator, why = generator_from(load(None, {}).generator)
    assert generator is not None, why
    home = Home(tmp_path / "w", generator)
    home.log("2026-03-02", PORTO, CELLO, LOFT, BUDGET)
    home.log("2026-03-05", BRIEF)
    home.log("2026-03-06", "O @Ines: Hates short voice messages in cafes. ^oooo000000")
    assert home.reflect().quality == NOT_PASSED
    assert generator.spent == Spent()
    assert {*home.state.verdicts(generator.model_id)} == {"summary", "opinion"}
    generator.close()
    home.state.close()


def test_all_parts_share_one_reading_of_the_facts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Factbook] = []
    real = Factbook.__init__

    def counted(self: Factbook, workspace: Workspace, user: Callable[[], str]) -> None:
        made.append(self)
        real(self, workspace, user)

    monkeypatch.setattr(Factbook, "__init__", counted)
    config = load(None, {"HIPPOD_WORKSPACE__PATH": str(tmp_path / "w")})
    with assemble(config, None):
        assert len(made) == 1
