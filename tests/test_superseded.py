from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from hippod.extraction.selection import Extraction, extract
from hippod.transcripts.turns import Turn

MONDAY = datetime(2026, 3, 9, 9, tzinfo=UTC)


def run(*said: str) -> Extraction:
    """Extract a conversation; what begins with `> ` is said by the agent."""
    turns = [
        Turn(
            f"t{n}",
            f"k{n}",
            "assistant" if text.startswith("> ") else "user",
            None,
            text.removeprefix("> "),
            MONDAY + timedelta(minutes=n),
            n,
        )
        for n, text in enumerate(said, 1)
    ]
    return extract(turns, user="Vera", agent="Bot", zone=ZoneInfo("Europe/Vienna"))


def reasons(found: Extraction) -> set[str]:
    return {rejection.reason for rejection in found.rejected}


def text(found: Extraction) -> str:
    return "\n".join(fact.content for fact in found.facts)


@pytest.mark.parametrize(
    ("before", "after", "old", "new"),
    [
        (
            "we decided the pergola gets 22 oak posts",
            "recounted the plan, the pergola needs 26 posts",
            "22",
            "26",
        ),
        (
            "Wir haben beschlossen, für den Zaun kommen 40 Latten in den Garten",
            "nachgezählt, für den Zaun sind es 46 Latten",
            "40",
            "46",
        ),
        (
            "hemos decidido que el curso de cerámica cuesta 85 euros",
            "volví a contar, el curso de cerámica cuesta 95 euros",
            "85",
            "95",
        ),
        (
            "on a décidé que le potager fait 14 mètres de long",
            "j'ai remesuré, le potager fait 17 mètres",
            "14",
            "17",
        ),
        (
            "decidimos que a horta leva 30 mudas de alface",
            "recontei, a horta leva 36 mudas",
            "30",
            "36",
        ),
    ],
)
def test_a_figure_gives_way_to_the_one_that_was_measured_again(
    before: str, after: str, old: str, new: str
) -> None:
    found = run(before, "> Noted.", after)
    assert old not in text(found)
    assert new in text(found)
    assert "replaced later" in reasons(found) or "corrected later" in reasons(found)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "we decided the kitchen shelf is 60 cm deep",
            "we decided the hallway shelf is 40 cm deep",
        ),
        (
            "Last year we decided on 12 stalls for the spring market",
            "We decided on 15 stalls for the spring market",
        ),
        (
            "remember that hive 4 belongs to Agathe",
            "remember that hive 7 belongs to Benno",
        ),
        (
            "Ich habe beschlossen, dass der Kurs am Montag 8 Plätze hat",
            "Ich habe auch beschlossen, dass der Kurs am Freitag 6 Plätze hat",
        ),
    ],
)
def test_two_figures_of_two_things_both_stand(one: str, other: str) -> None:
    found = run(one, "> Noted.", other)
    assert {fact.turn.id for fact in found.facts} == {"t1", "t3"}


@pytest.mark.parametrize(
    ("plan", "setback", "substitute", "old"),
    [
        (
            "We decided the reading group meets in the Marlow tearoom",
            "bad news, the tearoom is closed all spring",
            "then we'll take the museum foyer, Greta has the keys",
            "Marlow",
        ),
        (
            "Wir haben beschlossen, das Sommerfest findet im Bootshaus statt",
            "schlechte Nachricht, das Bootshaus ist ausgebucht",
            "dann nehmen wir die Turnhalle der Waldschule",
            "findet im Bootshaus",
        ),
        (
            "hemos decidido hacer la cena en el asador Larrea",
            "malas noticias, el asador está cerrado en mayo",
            "entonces vamos a la sidrería de Maite",
            "asador Larrea",
        ),
        (
            "我们决定在湖边茶馆办读书会",
            "坏消息，茶馆那天订满了",
            "那就改到图书馆二楼办读书会",
            "湖边茶馆",
        ),
    ],
)
def test_a_plan_that_fell_through_gives_way(
    plan: str, setback: str, substitute: str, old: str
) -> None:
    found = run(plan, "> Fine.", setback, "> Oh.", substitute)
    assert old not in text(found)
    assert "replaced later" in reasons(found)


def test_a_plan_for_another_case_leaves_the_first_one_standing() -> None:
    found = run(
        "We decided the reading group meets in the Marlow tearoom",
        "> And if it is closed?",
        "then we'll take the museum foyer if the tearoom is closed",
    )
    assert "Marlow" in text(found)


@pytest.mark.parametrize(
    ("done", "objection", "undone", "old"),
    [
        (
            "I moved the invoices to the cold archive and removed the local copies.",
            "no, the accountant needs them here",
            "Restored: the invoices are back from the cold archive.",
            "cold archive and removed",
        ),
        (
            "Erledigt: Ich habe die Mailingliste nach Vornamen sortiert.",
            "das findet keiner, nach Ort bitte",
            "Umgestellt: Die Mailingliste ist jetzt nach Orten sortiert.",
            "Vornamen",
        ),
        (
            "J'ai passé l'agenda du club en vue mensuelle et prévenu les membres.",
            "on ne voit plus rien",
            "Rétabli : l'agenda du club est revenu en vue hebdomadaire.",
            "mensuelle",
        ),
    ],
)
def test_a_report_of_work_that_was_undone_is_no_fact(
    done: str, objection: str, undone: str, old: str
) -> None:
    found = run("please sort this out", f"> {done}", objection, f"> {undone}")
    assert old not in text(found)
    assert "undone later" in reasons(found)


def test_what_is_added_to_work_undoes_nothing() -> None:
    found = run(
        "publish the tool list",
        "> I published the tool list on the village site for all members.",
        "nice, prices too",
        "> Added: the tool list on the village site shows prices now.",
    )
    assert "I published" in text(found) or "Published" in text(found)


@pytest.mark.parametrize(
    ("fault", "repair"),
    [
        (
            "the Osprey dashboard doesn't load and shows error 502",
            "Fixed: I corrected the proxy rule of the Osprey dashboard and restarted it.",
        ),
        (
            "Die Türklingel der Werkstatt geht nicht, die Lampe blinkt rot",
            "Behoben: Ich habe das Netzteil der Türklingel ersetzt und getestet.",
        ),
        (
            "a impressora da escola não imprime, fica tudo travado",
            "Consertado: troquei o cabo da impressora da escola e testei a impressão.",
        ),
    ],
)
def test_a_fault_that_was_repaired_is_no_fact(fault: str, repair: str) -> None:
    found = run(fault, "> Looking.", f"> {repair}")
    assert "t1" not in {fact.turn.id for fact in found.facts}
    assert "repaired later" in reasons(found)


def test_a_lasting_flaw_outlives_a_repair() -> None:
    found = run(
        "our boiler never likes the cold water from the north pipe, so we always mix it",
        "> Fixed: I replaced the valve of the boiler and tested it twice.",
    )
    assert "t1" in {fact.turn.id for fact in found.facts}


def test_what_somebody_does_not_want_is_no_fault() -> None:
    found = run(
        "we decided not to deploy the blog before the fair",
        "> Fixed: I corrected the feed of the blog and checked it twice.",
    )
    assert "t1" in {fact.turn.id for fact in found.facts}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("We moved the tasting from Monday to Friday.", "We moved the lunch from 12:30 to 1."),
        ("We decided to cancel the gym contract.", "We decided to drop the paper contract."),
        (
            "Wir haben die Verkostung von Montag auf Freitag verschoben.",
            "Wir haben das Essen von 12:30 auf 13 Uhr verschoben.",
        ),
        (
            "turns out the scanner only works on the 2.4 GHz wifi",
            "the tv only works on the 5 GHz wifi",
        ),
    ],
)
def test_a_like_change_of_another_thing_takes_nothing_back(one: str, other: str) -> None:
    assert not reasons(run(one, "> OK.", other)) & {"taken back later", "replaced later"}


def test_the_thing_that_moved_again_is_where_it_moved_last() -> None:
    found = run("The garden party is on Tuesday.", "> OK.", "The garden party moved to Thursday.")
    assert "taken back later" in reasons(found)
    assert "Thursday" in text(found)
