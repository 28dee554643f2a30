"""What a later statement is to an earlier one, by rules alone."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hippod.reflection.verdicts import judge

SUPPORTS = [
    ("Nadia swears by cold showers", "Nadia loves cold showers"),
    ("Nadia prefers trains over planes", "Nadia likes trains better than planes"),
    ("Viktor prefers short answers", "Viktor dislikes long answers"),
    ("The boiler is reliable", "The boiler has been rock-solid"),
    ("Viktor dislikes surprises", "Viktor doesn't like surprises"),
    ("Viktor isn't a fan of open offices", "Viktor can't stand open offices"),
    ("Uses Helix", "Switched from Vim to Helix"),
    ("Believes code reviews improve quality", "Code reviews clearly improve quality"),
    ("Loves the new studio", "The new studio is great"),
    ("Favourite season is autumn", "Favourite season is still autumn"),
    ("Prefers calls at 10", "Prefers calls at 10:00"),
    ("Mira mag lange Spaziergänge", "Mira liebt lange Spaziergänge"),
    ("Findet den Chef nett", "Der Chef ist freundlich"),
    ("Cree que el tren es rápido", "El tren es muy rápido"),
    ("Léa adore le fromage", "Léa aime beaucoup le fromage"),
    ("Gli piacciono le riunioni brevi", "Ama le riunioni brevi"),
    ("Joris houdt van kaas", "Joris is dol op kaas"),
    ("Prefers oat milk to cow's milk", "Would rather have oat milk than cow's milk"),
    ("Thinks Rust is faster than Python", "Python is slower than Rust, she says"),
    ("Trinkt lieber Kaffee als Tee", "Zieht Kaffee dem Tee vor"),
    ("Prefiere el té al café", "Le gusta más el té que el café"),
    ("Préfère la mer à la montagne", "Aime mieux la mer que la montagne"),
    ("Enjoys the choir", "Never fails to enjoy the choir"),
    ("Finds the sauna relaxing", "Doesn't find the sauna anything but relaxing"),
    ("Doesn't trust the landlord", "Has no trust left in the landlord"),
    ("Wants the fountain removed", "Wants to get rid of the fountain"),
    ("Prefers long mails, voice messages annoy her", "Prefers long mails to voice messages"),
    ("Supports the tax", "The tax is fair"),
    ("Dislikes no vegetables", "Likes vegetables"),
    ("Likes no surprises", "Dislikes surprises"),
    ("Likes figs", "Likes nothing but figs"),
    ("Trusts Ben", "Trusts nobody but Ben"),
    ("Likes wine", "Gave up beer and prefers wine"),
    ("Prefers wine over beer", "I don't drink beer any more in the evenings, I prefer wine now"),
]

CONTRADICTS = [
    ("Nadia prefers trains over planes", "Nadia now prefers planes over trains"),
    ("Nadia prefers trains over planes", "Nadia hates trains"),
    ("Nadia likes dark roast coffee", "Nadia no longer likes dark roast"),
    ("Nadia drinks coffee every day", "Nadia gave up coffee"),
    ("Nadia drinks coffee every day", "Nadia doesn't drink coffee any more"),
    ("Nadia loves hiking in the mountains", "Nadia has lost interest in hiking"),
    ("The boiler is reliable", "The boiler is flaky"),
    ("The boiler is reliable", "The boiler keeps crashing"),
    ("Redis is fast", "Redis is slow"),
    ("Prefers meetings at 9", "Prefers meetings at 14"),
    ("Viktor prefers short answers", "Viktor prefers detailed answers"),
    ("Uses Vim for everything", "Switched from Vim to Helix"),
    ("Prefers dark mode", "Switched from dark mode to light mode"),
    ("Prefers Vim for editing letters", "Prefers Nano for editing letters"),
    ("Ines's favourite colour is green", "Ines's favourite colour is blue now"),
    ("Thinks the deadline is realistic", "Thinks the deadline is unrealistic"),
    ("Loves the new studio", "The new studio is awful"),
    ("Is in favour of the merger", "Is against the merger"),
    ("Considers Lisbon affordable", "Finds Lisbon too expensive"),
    ("Never eats meat", "Eats meat again"),
    ("Mira mag Kaffee", "Mira mag keinen Kaffee mehr"),
    ("Mira trinkt lieber Tee als Kaffee", "Mira trinkt lieber Kaffee als Tee"),
    ("Mag Wandern", "Hat das Wandern aufgegeben"),
    ("A Lucía le gusta el queso", "A Lucía ya no le gusta el queso"),
    ("Lucía prefiere el té al café", "Lucía prefiere el café al té"),
    ("Léa aime le fromage", "Léa n'aime plus le fromage"),
    ("Trouve le train lent", "Le train est rapide"),
    ("Nuno prefere chá a café", "Nuno prefere café a chá"),
    ("Confia no fornecedor", "Já não confia no fornecedor"),
    ("A Giulia piace il pesce", "A Giulia non piace più il pesce"),
    ("Joris houdt van kaas", "Joris houdt niet meer van kaas"),
    ("小李喜欢咖啡", "小李讨厌咖啡"),
    ("健太はコーヒーが好き", "健太はコーヒーが嫌い"),
    ("Prefers oat milk to cow's milk", "Would rather have cow's milk than oat milk"),
    ("Values honesty above politeness", "Puts politeness before honesty"),
    ("Considers tests more important than docs", "Finds docs more important than tests"),
    ("Picked Vue over React", "Now prefers React to Vue"),
    ("Dislikes calls more than mails", "Dislikes mails more than calls"),
    ("Prefers jazz to blues", "Used to prefer jazz to blues"),
    ("Zieht das Theater dem Kino vor", "Zieht das Kino dem Theater vor"),
    ("Findet Ordnung wichtiger als Tempo", "Findet Tempo wichtiger als Ordnung"),
    ("Le gusta más el mar que la montaña", "Le gusta más la montaña que el mar"),
    ("Trouve le vélo plus pratique que la voiture", "Trouve la voiture plus pratique que le vélo"),
    ("Preferisce il treno all'aereo", "Preferisce l'aereo al treno"),
    ("Gosta mais de chá do que de café", "Gosta mais de café do que de chá"),
    ("Verkiest de trein boven de auto", "Verkiest de auto boven de trein"),
    ("Trusts the new vet", "Has lost all confidence in the new vet"),
    ("Thinks the mailing list is useful", "Finds the mailing list anything but useful"),
    ("Wants to keep the garden", "Wants to get rid of the garden"),
    ("Supports the merger of the clubs", "Regrets having supported the merger of the clubs"),
    ("Likes the new logo", "Wants no new logo"),
    ("Backs the strike", "Has stopped backing the strike"),
    ("Loves the band", "Has had enough of the band"),
    ("Is against the speed limit", "Voted for the speed limit"),
    ("Gave up eating meat", "Has gone back to eating meat"),
    ("Vertraut dem neuen Arzt", "Hat das Vertrauen in den neuen Arzt verloren"),
    ("Confía en el nuevo médico", "Ha perdido la confianza en el nuevo médico"),
    ("Si fida del nuovo medico", "Ha perso la fiducia nel nuovo medico"),
    ("Prefers long mails, voice messages annoy her", "Prefers short voice messages to long mails"),
    ("Loves the mountains but hates the sea", "Prefers the sea to the mountains"),
    ("Likes the film", "The film was boring"),
    ("Eva loves mushrooms", "She hates mushrooms"),
    ("The team likes pairing", "The team dislikes pairing"),
    ("Likes dancing a lot", "Likes no dancing a lot"),
    ("Enjoys no picnics", "Enjoys picnics"),
    ("Street lamps make life easier", "Street lamps make life harder"),
    ("Can't get enough of figs", "Has gone off figs"),
    ("Has gone off figs", "Can't get enough of figs"),
    ("No se cansa de los higos", "Odia los higos"),
    ("Krijgt geen genoeg van vijgen", "Is vijgen zat"),
    # what is over, and what is preferred now
    ("Prefers beer over wine", "Eva doesn't drink beer any more in the evenings, she prefers wine"),
    ("Prefers beer over wine", "Gave up beer and prefers wine"),
    ("Prefers beer over wine", "Stopped drinking beer and now likes wine"),
    ("Mag Bier lieber als Wein", "Trinkt kein Bier mehr und mag lieber Wein"),
    ("Prefiere la cerveza al vino", "Ya no bebe cerveza, prefiere el vino"),
]

UNDECIDED = [
    ("Dislikes flying", "Likes watching birds flying"),
    ("Considers the car reliable", "The car wash is unreliable"),
    ("Finds the course easy", "Found the exam of the course hard"),
    ("The app is fast", "The app is fast on new phones but slow on old ones"),
    ("Le gusta el vino", "No le gusta el vino caliente"),
    ("Trusts her doctor", "Distrusts her doctor's assistant"),
    ("Redis is slow for big jobs", "Redis is fast for small jobs"),
    ("The hotel was clean and quiet", "The hotel was clean and noisy"),
    ("Prefers SQLite over Postgres for small apps", "Prefers Postgres over SQLite for big apps"),
    ("Nadia hates spicy food", "Her brother loves spicy food"),
    ("Nadia prefers trains over planes", "Is Nadia still taking trains over planes?"),
    ("Nadia likes dark roast coffee", "Jonas says Nadia dislikes dark roast coffee"),
    ("Nadia likes dark roast coffee", "Nadia might give up dark roast coffee"),
    ("Nadia likes coffee", "Nadia hates cleaning the coffee machine"),
    ("Likes swimming", "Dislikes swimming pools"),
    ("The boiler is reliable", "The boiler is expensive"),
    ("Redis is reliable in staging", "Redis is unreliable in production"),
    ("Likes the beach in summer", "Dislikes the beach in winter"),
    ("Considers Lisbon affordable", "Lisbon is too hot in August"),
    ("Loves Firefox", "Firefox released a new version"),
    ("Prefers window seats", "Prefers aisle seats"),
    ("Likes cooking without salt", "Likes cooking with salt"),
    ("Mag Wandern", "Überlegt, ob Wandern den Knien schadet"),
    ("Prefers trams to buses", "The tram is as good as the bus for her"),
    ("Thinks Python is easier than Rust", "Thinks Rust is faster than Python"),
    ("Prefers jazz to blues", "Does not prefer blues to jazz"),
    ("Prefers long walks, short ones bore her", "Prefers short films to long walks"),
    ("Is against the bypass", "The mayor is against the bypass"),
    ("Supports the bypass", "The farmers' union opposes the bypass"),
    ("Supports the bypass", "Wrote an article on the bypass"),
    ("Likes the canteen", "Students dislike the canteen"),
    ("Trusts the plumber", "Nobody trusts the plumber"),
    ("Eva loves mushrooms", "Tom can't stand mushrooms"),
    ("Likes the choir director", "Liked the choir director before this one"),
    ("Ist für die Umgehungsstraße", "Der Gemeinderat ist gegen die Umgehungsstraße"),
    ("Mag den Bäcker", "Mochte den früheren Bäcker"),
    ("Aime les champignons", "Les jumeaux détestent les champignons"),
    ("Hates vegetables", "Vegetables are useful for her health"),
    ("Likes the app", "The app has lost all her notes"),
    # the same words but for those that turn them
    ("Nadia lives in the old school by the lake", "Nadia lived in the old school by the lake"),
    ("Nadia meets the nurse on Fridays", "Nadia should meet the nurse on Fridays"),
    ("Nadia drives to Udine with her dog", "Nadia drives from Udine with her dog"),
    ("Nadia and Ben bake the bread", "Nadia or Ben bake the bread"),
    ("Nadia buys bread at the market on Saturdays", "Nadia sells bread at the market on Saturdays"),
    ("Wohnt in der alten Schule am See", "Wohnte in der alten Schule am See"),
    ("Vive en la vieja escuela del lago", "Vivió en la vieja escuela del lago"),
    ("Habite la vieille école du lac", "Habitait la vieille école du lac"),
    ("Mora na velha escola do lago", "Morava na velha escola do lago"),
    ("Abita nella vecchia scuola del lago", "Abitava nella vecchia scuola del lago"),
    ("Woont in de oude school bij het meer", "Woonde in de oude school bij het meer"),
    ("Fährt mit dem Hund nach Udine", "Fährt mit dem Hund aus Udine"),
    ("Baila tango y salsa en casa", "Baila tango o salsa en casa"),
    ("The app is fast", "The app should be fast"),
    ("Likes ferries to Kos", "Likes ferries from Kos"),
    # who makes something so is what it is about
    ("Street lamps make life easier", "Phone calls make life easier"),
    ("Night trains make towns safer", "Phone calls make towns safer"),
    ("Straßenlampen machen das Leben leichter", "Telefonate machen das Leben leichter"),
    ("Dislikes figs", "Has gone off figs"),
    # another time, a part of the time, hearsay
    ("Nadia lives in Udine", "Nadia will live in Trieste next year"),
    ("Nadia lives in Udine", "Nadia used to live in Trieste"),
    ("Nadia lives in Udine", "Nadia lives in Trieste half of the year"),
    ("Nadia lives in Udine", "Nadia lives in Trieste, says Ben"),
    ("Nadia lives in Udine", "Nadia lives in Italy"),
    ("Drinks coffee at 8", "Drinks coffee at 15"),
    ("Never teaches on Mondays", "Teaches every Monday now"),
    # what is over is not what is liked beside it
    ("Likes beer", "I don't drink beer any more in the evenings, I prefer wine now"),
    ("Likes beer", "Gave up beer and prefers wine"),
]

UNRELATED = [
    ("Nadia prefers trains over planes", "Nadia lives in Oslo"),
    ("Likes working with Eva", "Has a dentist appointment on Monday"),
    ("Mira mag Kaffee", "Mira wohnt in Bern"),
    ("Loves the new studio", ""),
]


@pytest.mark.parametrize(("statement", "text"), SUPPORTS)
def test_supports(statement: str, text: str) -> None:
    assert judge(statement, text).stance == "supports"


@pytest.mark.parametrize(("statement", "text"), CONTRADICTS)
def test_contradicts(statement: str, text: str) -> None:
    assert judge(statement, text).stance == "contradicts"


@pytest.mark.parametrize(("statement", "text"), UNDECIDED)
def test_undecided(statement: str, text: str) -> None:
    verdict = judge(statement, text)
    assert verdict.stance in ("related", "unrelated")
    assert verdict.reason


@pytest.mark.parametrize(("statement", "text"), UNRELATED)
def test_unrelated(statement: str, text: str) -> None:
    verdict = judge(statement, text)
    assert verdict.stance == "unrelated"
    assert verdict.score < 0.25


def test_a_statement_with_its_entity_in_front_is_the_statement() -> None:
    assert judge("Viktor: Prefers short answers", "Prefers short answers").stance == "supports"
    assert judge("Viktor: Prefers short answers", "Prefers long answers").stance == "contradicts"
    assert judge("Viktor: Prefers calls at 10", "Prefers calls at 16").stance == "contradicts"
    old, new = "Viktor: Favourite colour is green", "Viktor's favourite colour is blue"
    assert judge(old, new).stance == "contradicts"
    assert judge("Favourite colour: green", "Favourite colour: blue").stance == "contradicts"


WORDS = st.sampled_from(
    (
        *("Nadia", "likes", "hates", "never", "not", "no longer", "prefers", "tea", "over", "than"),
        *("to", "9", "14:00", "because,", "but;", "mag", "nicht", "ya no", "gusta", "ne", "plus"),
        *("喜欢", "不", "好き?", "from", "switched", "#", "[[x]]", "'", "’", "\x00", "\u2028"),
    )
)
TEXTS = st.text(max_size=80) | st.lists(WORDS, max_size=12).map(" ".join)


@settings(max_examples=150, deadline=None)
@given(TEXTS, TEXTS)
def test_any_text_is_judged(statement: str, text: str) -> None:
    verdict = judge(statement, text)
    assert verdict.stance in ("supports", "contradicts", "related", "unrelated")
    assert 0 <= verdict.score <= 1
    assert verdict == judge(statement, text)


@settings(max_examples=100, deadline=None)
@given(TEXTS)
def test_the_same_statement_supports_itself(text: str) -> None:
    assert judge(text, text).stance == "supports"
    assert judge(text, f"  {text.upper().lower()} ").stance != "contradicts"


def test_thousands_of_pairs_are_judged_in_a_second() -> None:
    said = [text for pair in (*SUPPORTS, *CONTRADICTS, *UNDECIDED) for text in pair]
    for text in said:
        judge(said[0], text)
    start = time.process_time()
    for statement in said[:40]:
        for text in said:
            judge(statement, text)
    assert time.process_time() - start < 40 * len(said) * 0.001


def test_a_long_text_is_read_in_time() -> None:
    start = time.process_time()
    judge("Nadia likes tea", "Nadia likes tea and not " * 2000)
    judge("a" * 50_000, "from " * 10_000)
    assert time.process_time() - start < 5
