import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hippod.extraction import cues
from hippod.language import LANGUAGES, guess

LASTING = {
    "en": [
        ("we picked Terraform over Pulumi for the infra repo", "W"),
        ("turns out the pump only starts with the lid closed", "W"),
        ("my sister Ilse runs a nursery in Ghent", "W"),
        ("I can't stand phone calls before breakfast", "O"),
        ("whenever you touch the schema, bump the version first", "O"),
        ("the parcel arrives next Thursday", "W"),
        ("I'm allergic to latex", "W"),
        ("the staging cluster sits behind the VPN", "W"),
        ("stop summarising every answer", "O"),
        ("Grandma turns 90 in August", "W"),
    ],
    "de": [
        ("wir haben uns auf Rust geeinigt", "W"),
        ("meine Schwester wohnt in Graz", "W"),
        ("ich hasse lange Besprechungen", "O"),
        ("E-Mails an Kunden immer siezen", "O"),
        ("am Donnerstag kommt der Glaser", "W"),
    ],
    "es": [
        ("hemos decidido cerrar la tienda los martes", "W"),
        ("mi hermano vive en Oviedo", "W"),
        ("prefiero reuniones cortas", "O"),
        ("la caldera se revisa cada octubre", "W"),
    ],
    "fr": [
        ("nous avons choisi le fournisseur de Nantes", "W"),
        ("ma fille est allergique aux arachides", "W"),
        ("je déteste les appels le matin", "O"),
        ("l'audit commence le 2 mars", "W"),
    ],
    "pt": [
        ("decidimos ficar com a gráfica do bairro", "W"),
        ("minha irmã mora em Évora", "W"),
        ("prefiro mensagens curtas", "O"),
        ("o contrato vence em junho", "W"),
    ],
    "zh": [
        ("我们决定改用新的打包工具", "W"),
        ("我女儿在成都上大学", "W"),
        ("我喜欢安静的座位", "O"),
        ("以后周报一律用中文写", "O"),
    ],
    "ja": [
        ("来月から新しい倉庫を使うことに決めました", "W"),
        ("娘は卵アレルギーです", "W"),
        ("長い会議は苦手です", "O"),
        ("今後は敬語で書いてください", "O"),
    ],
}

PASSING = {
    "en": [
        "could you rename the branch",
        "why is it so slow",
        "maybe we should use Go one day",
        "if I won the lottery, I'd buy a boat",
        "show me the diff",
        "thanks, that's great!",
        "I've got nine windows open",
        "I'm so tired",
        "my train is late",
        "be back in ten minutes",
        "they say it never rains there",
        "I need to find my charger",
        "the lights are broken again",
        "ok let's see",
        "do you remember the old office?",
        "in a call, one sec",
    ],
    "de": [
        "kannst du mal schauen",
        "vielleicht nehmen wir Go",
        "danke, super!",
        "bin gerade müde",
        "wie geht das",
        "zeig mir das Log",
    ],
    "es": [
        "¿puedes mirarlo?",
        "quizás usemos Go",
        "gracias, genial",
        "estoy cansado",
        "busca el fichero",
    ],
    "fr": [
        "tu peux regarder ?",
        "peut-être un jour",
        "merci, super",
        "je suis fatigué là",
        "montre-moi le log",
    ],
    "pt": [
        "você pode ver isso?",
        "talvez um dia",
        "obrigado, ótimo",
        "estou cansado",
        "mostra o log",
    ],
    "zh": ["你能看一下吗？", "也许以后再说", "谢谢，太好了", "好累啊", "帮我查一下"],
    "ja": [
        "見てくれる？",
        "いつか行くかもしれない",
        "ありがとう、最高",
        "今ちょっと眠い",
        "ログを見せてください",
    ],
}

ASKED = {
    "en": "remember that the shed key hangs behind the clock",
    "de": "merk dir bitte, dass der Schlüssel beim Nachbarn liegt",
    "es": "recuerda que la llave está en la caja azul",
    "fr": "n'oublie pas que le portail ferme à vingt heures",
    "pt": "lembre que a chave fica com a vizinha",
    "zh": "请记住钥匙在抽屉里",
    "ja": "鍵は引き出しにあると覚えておいて",
}

DONE = {
    "en": "I replaced the CSV reader with a streaming one",
    "de": "Ich habe den Cronjob auf drei Uhr verschoben",
    "es": "He corregido el informe de ventas del trimestre",
    "fr": "J'ai ajouté l'audit au calendrier partagé",
    "pt": "Corrigi o relatório de vendas do trimestre",
    "zh": "我已经修复了登录页面的错误",
    "ja": "ログイン画面の不具合を修正しました",
}


def rows(table: dict[str, list[str]]) -> list[tuple[str, str]]:
    return [(language, text) for language, texts in table.items() for text in texts]


@pytest.mark.parametrize(
    ("language", "sentence", "kind"),
    [(language, *row) for language, found in LASTING.items() for row in found],
)
def test_lasting_statements_score_above_zero(language: str, sentence: str, kind: str) -> None:
    cue = cues.score(sentence, "user", language)
    assert cue.score > 0, cue
    assert cue.kind == kind, cue
    assert guess(sentence) == language


@pytest.mark.parametrize(("language", "sentence"), rows(PASSING))
def test_passing_talk_scores_below(language: str, sentence: str) -> None:
    assert cues.score(sentence, "user", language).score <= 0


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_to_be_remembered_is_explicit(language: str) -> None:
    cue = cues.score(ASKED[language], "user", language)
    assert (cue.explicit, cue.score) == (True, cues.CEILING)


@pytest.mark.parametrize(
    "sentence", ["do you remember when we met?", "I can't remember the name", "don't remember this"]
)
def test_talk_about_remembering_is_not_explicit(sentence: str) -> None:
    assert not cues.score(sentence, "user", "en").explicit


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_agent_is_heard_only_on_finished_work(language: str) -> None:
    assert cues.score(DONE[language], "assistant", language).kind == "B"
    for sentence in (ASKED[language], LASTING[language][0][0]):
        assert cues.score(sentence, "assistant", language).score <= cues.DOUBTFUL


@pytest.mark.parametrize(
    "sentence",
    [
        "I'll replace the reader tomorrow.",
        "Let me fix that.",
        "I looked at the log.",
        "Done.",
        "I think I fixed it, shall I push?",
        "You've hit your usage limit.",
        "I read three files.",
        "I'm sorry, I can't help with that.",
        "Reading the configuration now.",
    ],
)
def test_agents_chatter_is_no_work(sentence: str) -> None:
    assert cues.score(sentence, "assistant", "en").score == cues.FLOOR


@pytest.mark.parametrize("role", ["tool", "system"])
def test_tools_state_nothing(role: cues.Role) -> None:
    assert cues.score(ASKED["en"], role, "en").score == cues.FLOOR


@given(st.text(max_size=200), st.sampled_from(LANGUAGES))
@settings(max_examples=100, deadline=None)
def test_any_text_scores_within_bounds(text: str, language: str) -> None:
    cue = cues.score(text, "user", language)
    assert cues.FLOOR <= cue.score <= cues.CEILING
    assert cue.reason
