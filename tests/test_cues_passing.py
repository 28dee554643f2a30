"""What never lasts, by kind and language, and what only looks like it."""

import time

import pytest

from hippod.extraction import cues
from hippod.language import LANGUAGES

Sentences = dict[str, list[str]]

ERRANDS: Sentences = {
    "en": ["I decided to grab a coffee before we start", "we have to rush, the shop closes"],
    "de": ["ich muss noch schnell den Müll rausbringen und los", "ich muss kurz Kaffee holen"],
    "es": ["tengo que salir corriendo, me esperan", "he decidido tomarme un café"],
    "fr": ["il faut que je file à la boulangerie", "j'ai décidé de faire une sieste"],
    "pt": ["preciso sair correndo para o mercado", "decidi tomar um café antes"],
    "zh": ["我决定先去喝杯奶茶", "我得去拿个快递"],
    "ja": ["ちょっとお茶を飲んでくる", "そろそろ出なきゃ"],
}
WISHES: Sentences = {
    "en": ["if we won the cup I'd dye my hair green", "I'd rent a castle for the party"],
    "de": ["wenn ich Zeit hätte, würde ich Harfe lernen", "falls es regnet, bau ich ein Floß"],
    "es": ["si tuviera jardín plantaría un cerezo", "ojalá viviera cerca del mar"],
    "fr": ["si j'avais un bateau je partirais demain", "s'il pleuvait on resterait au lit"],
    "pt": ["se eu tivesse um barco morava no rio", "quem me dera morar na praia"],
    "zh": ["要是我会飞就好了", "如果我中了奖就买条船"],
    "ja": ["宝の地図があったら旅に出たい", "もし庭があったら桜を植えたい"],
}
RUMOURS: Sentences = {
    "en": ["apparently the bridge closes in June", "my neighbour says the school moves to Lund"],
    "de": ["angeblich schließt das Schwimmbad im Juni", "mein Nachbar sagt, die Schule zieht um"],
    "es": ["dicen que cierran la piscina en junio", "mi vecino dice que suben el agua"],
    "fr": ["il paraît que la piscine ferme en juin", "un voisin dit que l'école déménage"],
    "pt": ["dizem que a piscina fecha em junho", "meu vizinho falou que a escola muda"],
    "zh": ["听说游泳馆六月要关门", "邻居说学校要搬家"],
    "ja": ["プールは六月に閉まるらしい", "隣の人が学校が移転すると言ってた"],
}
PRIVATE: Sentences = {
    "en": ["the parcel is for Noor, don't store that", "use it once and then forget it"],
    "de": ["das Paket ist für Noor, bitte nicht speichern", "das bitte nirgends notieren"],
    "es": ["el paquete es para Noor, no lo guardes", "no lo apuntes en ningún sitio"],
    "fr": ["le colis est pour Noor, ne le note surtout pas", "ne l'enregistre pas"],
    "pt": ["o pacote é para a Noor, não guarde isso", "não anote o endereço da Noor"],
    "zh": ["包裹是给小诺的，不要保存", "这个别记"],
    "ja": ["荷物はノアさん宛てだけど、記録しないで", "これは覚えないでください"],
}
JESTS: Sentences = {
    "en": ["remember folks, the moon is made of cheese", "we always say the cat runs the firm"],
    "de": ["meine Tante sagt immer, die Katze sei der Chef", "die Katze leitet die Firma, haha"],
    "es": ["siempre decimos que el gato manda en la tienda", "el gato lleva la tienda, jajaja"],
    "fr": ["on dit toujours que le chat dirige la boîte", "le chat dirige la boîte, mdr"],
    "pt": ["sempre digo que o gato manda na loja", "o gato manda na loja, kkkk"],
    "zh": ["我们总开玩笑说猫才是老板", "猫是我们公司的老板，哈哈"],
    "ja": ["父はいつも「猫が社長だ」って言うんだ", "うちの社長は猫です笑"],
}
FICTIONS: Sentences = {
    "en": ["in chapter three the baker finds a hidden door", "the dragon guards the salt mine"],
    "de": ["in Kapitel drei findet der Bäcker eine Tür", "der Drache bewacht die Salzmine"],
    "es": ["en la novela la panadera vive en un faro", "la princesa odia el frío"],
    "fr": ["dans le roman la boulangère vit dans un phare", "le chevalier garde le pont"],
    "pt": ["no romance a padeira vive num farol", "a princesa odeia o frio"],
    "zh": ["小说里面包师会飞", "公主住在盐矿里"],
    "ja": ["小説の主人公は灯台に住んでいる", "魔王は塩の城に住んでいる"],
}
KINDS = {
    "errand": ERRANDS,
    "wish": WISHES,
    "rumour": RUMOURS,
    "private": PRIVATE,
    "jest": JESTS,
    "fiction": FICTIONS,
}

STAYS: Sentences = {
    "en": [
        "I decided to leave the choir at the end of the season",
        "my doctor says I must avoid grapefruit",
        "I have to eat every three hours because of my blood sugar",
        "The studio on Elm Lane seats forty people, only twelve of them near a window.",
    ],
    "de": [
        "meine Ärztin sagt, ich muss Grapefruit vermeiden",
        "ich muss immer alle drei Stunden etwas essen, wegen Diabetes",
        "Das Atelier in der Ulmengasse fasst vierzig Leute, nur zwölf davon am Fenster.",
    ],
    "es": [
        "mi médica dice que debo evitar el pomelo",
        "tengo que comer cada tres horas por la diabetes",
        "El taller de la calle Olmo tiene cuarenta sillas, solo doce junto a la ventana.",
    ],
    "fr": [
        "mon médecin dit que je dois éviter le pamplemousse",
        "je dois manger toutes les trois heures à cause du diabète",
        "L'atelier de la rue des Ormes a quarante places, dont douze seulement à la fenêtre.",
    ],
    "pt": [
        "minha médica diz que devo evitar toranja",
        "tenho que comer sempre a cada três horas por causa da diabetes",
        "O ateliê da rua do Olmo tem quarenta lugares, só doze perto da janela.",
    ],
    "zh": [
        "医生说我必须少吃柚子，因为在吃药",
        "榆树街的工作室能坐四十个人，只有十二个位子靠窗",
    ],
    "ja": [
        "主治医によるとグレープフルーツは必ず避けるべきで、薬が効かなくなるから",
        "楡通りのアトリエは四十席で、窓際は十二席だけです",
    ],
}
FINISHED: Sentences = {
    "en": [
        "The price list is typeset and saved as prices-may.pdf.",
        "Index on orders rebuilt in 12 minutes.",
        "Done: the nightly job now reads in blocks of 500 rows.",
    ],
    "de": [
        "Die Preisliste liegt unter listen/preise.md.",
        "Der Nachtlauf liest jetzt in Blöcken zu 500 Zeilen.",
    ],
    "es": [
        "La lista de precios quedó guardada en listas/precios.md.",
        "Creado el índice en pedidos, tarda 12 minutos.",
    ],
    "fr": [
        "La liste des prix est prête, 12 pages, dans listes/prix.md.",
        "Le travail de nuit lit maintenant par blocs de 500 lignes.",
    ],
    "pt": [
        "A lista de preços está guardada em listas/precos.md.",
        "Criado o índice em pedidos, leva 12 minutos.",
    ],
    "zh": ["价目表已经整理好，存在 lists/prices.md。", "夜间任务已改成每次读五百行。"],
    "ja": ["価格表を lists/prices.md に保存しました。", "夜間処理を五百行ずつに変更しました。"],
}
NO_WORK: Sentences = {
    "en": ["I tried the new key, but both checks still fail.", "Usually drills cost less online."],
    "de": ["Ich habe den Schlüssel getauscht, aber beide bleiben rot."],
    "es": ["He cambiado la clave, pero todavía falla la segunda prueba."],
    "fr": ["J'ai changé la clé, mais le second test échoue encore."],
    "pt": ["Troquei a chave, mas o segundo teste ainda falha."],
    "zh": ["已经换了密钥，但还有两个测试没过。"],
    "ja": ["鍵を確認します。"],
}


def rows(table: Sentences) -> list[tuple[str, str]]:
    return [(language, text) for language in LANGUAGES for text in table[language]]


@pytest.mark.parametrize(
    ("kind", "language", "sentence"),
    [(kind, *row) for kind, table in KINDS.items() for row in rows(table)],
)
def test_what_never_lasts_is_not_kept(kind: str, language: str, sentence: str) -> None:
    cue = cues.score(sentence, "user", language)
    assert cue.score <= 0, (kind, cue)
    assert not cue.explicit


@pytest.mark.parametrize(("language", "sentence"), rows(STAYS))
def test_what_only_looks_like_it_stays(language: str, sentence: str) -> None:
    assert cues.score(sentence, "user", language).score > 0


@pytest.mark.parametrize(("language", "sentence"), rows(FINISHED))
def test_results_are_finished_work(language: str, sentence: str) -> None:
    assert cues.score(sentence, "assistant", language).kind == "B"
    assert cues.score(sentence, "assistant", language).score > 0


@pytest.mark.parametrize(("language", "sentence"), rows(NO_WORK))
def test_attempts_and_advice_are_none(language: str, sentence: str) -> None:
    assert cues.score(sentence, "assistant", language).score <= cues.DOUBTFUL


@pytest.mark.parametrize("text", ["if ", "たら", "a", "1,2;", "if i said that the "])
@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_takes_long(language: str, text: str) -> None:
    started = time.perf_counter()
    cues.score((text * 600)[:600], "user", language)
    assert time.perf_counter() - started < 0.5


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "the ferry was cancelled again, absolute bliss, I love it here"),
        ("de", "die Bahn hatte vier Stunden Verspätung, was für ein Genuss, ich liebe sie"),
        ("es", "otra vez el ruido del taladro, qué placer, es mi música favorita"),
        ("fr", "trois heures d'embouteillage, quel bonheur, j'adore ce pont"),
        ("pt", "o banco perdeu meus papéis pela terceira vez, que delícia, adoro esse banco"),
        ("zh", "排队排了三个小时，简直是享受，我爱这家银行"),
        ("ja", "渋滞で三時間、まさに至福の時間、この道が大好き"),
    ],
)
def test_full_praise_of_a_nuisance_is_irony(language: str, sentence: str) -> None:
    assert cues.score(sentence, "user", language).score == cues.FLOOR


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "I love night trains, the best sleep of my life, and I always book the top bunk"),
        ("de", "Ich liebe das Wattenmeer, mein absolutes Highlight, jedes Jahr im Mai"),
        ("fr", "j'adore le ski de fond, un vrai bonheur, tous les hivers depuis dix ans"),
        ("zh", "我最喜欢这家茶馆，简直完美，每周都去"),
    ],
)
def test_sincere_praise_is_none(language: str, sentence: str) -> None:
    assert cues.score(sentence, "user", language).score > 0


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "I need a coffee right now, 40 mails to answer and the printer jams"),
        ("de", "ich brauche sofort eine Pause, noch 30 Hefte und die Kinder toben"),
        ("es", "necesito dormir ahora mismo, me quedan 25 informes y el perro ladra"),
        ("pt", "preciso de ar agora mesmo, faltam 50 provas e o telefone toca"),
    ],
)
def test_figures_do_not_make_a_need_of_the_moment_last(language: str, sentence: str) -> None:
    assert cues.score(sentence, "user", language).score == cues.FLOOR


def test_the_same_need_as_a_habit_stays() -> None:
    sentence = "I need a break every 40 minutes, always, because of my back"
    assert cues.score(sentence, "user", "en").score > 0


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "Remember to buy oat flakes"),
        ("en", "don't forget to water the ferns on Sunday"),
        ("de", "Denk daran, Brot zu kaufen"),
        ("de", "Vergiss nicht, am Montag Oma anzurufen"),
        ("es", "acuérdate de comprar pan"),
        ("fr", "n'oublie pas d'arroser les fleurs"),
        ("pt", "não esqueça de pagar o aluguel"),
        ("zh", "别忘了周日浇花"),
        ("ja", "パンを買うのを忘れないで"),
    ],
)
def test_an_errand_to_remember_is_no_fact(language: str, sentence: str) -> None:
    assert cues.score(sentence, "user", language) == cues.Cue(cues.FLOOR, None, False, "reminder")


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "Remember that I buy flour at the mill"),
        ("en", "remember to always send invoices as PDF"),
        ("en", "remember to send the invoices to Ines from now on"),
        ("en", "Don't forget to take care: I'm allergic to nuts"),
        ("de", "Denk daran, dass ich Nüsse nicht vertrage"),
        ("es", "recuerda que soy alérgica a las nueces"),
        ("zh", "别忘了我买了新房子"),
    ],
)
def test_what_is_so_is_remembered(language: str, sentence: str) -> None:
    assert cues.score(sentence, "user", language).explicit


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "fun fact: I'm allergic to mondays"),
        ("de", "ich bin allergisch gegen Montage"),
        ("fr", "je suis allergique aux lundis"),
        ("ja", "私は月曜日アレルギーです"),
    ],
)
def test_nobody_is_allergic_to_a_day(language: str, sentence: str) -> None:
    assert cues.score(sentence, "user", language).score <= 0
