from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hippod.extraction import dates
from hippod.extraction.dates import annotate
from hippod.language import LANGUAGES

FAST = settings(max_examples=100, deadline=None)
VIENNA = ZoneInfo("Europe/Vienna")
TUESDAY = datetime(2026, 3, 10, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the plumber comes tomorrow", "the plumber comes tomorrow (2026-03-11)"),
        ("it arrived yesterday", "it arrived yesterday (2026-03-09)"),
        ("the review is on Friday", "the review is on Friday (2026-03-13)"),
        ("the vet is next Tuesday at 8", "the vet is next Tuesday (2026-03-17) at 8"),
        ("we sail this Tuesday", "we sail this Tuesday (2026-03-10)"),
        ("we met on Friday", "we met on Friday (2026-03-06)"),
        ("Thursday's demo is at 3", "Thursday's (2026-03-12) demo is at 3"),
        ("Friday next week is a holiday", "Friday next week (2026-03-20) is a holiday"),
        ("we agreed to ship on Friday", "we agreed to ship on Friday (2026-03-13)"),
        (
            "the fair runs Thursday to Saturday",
            "the fair runs Thursday to Saturday (2026-03-12 to 2026-03-14)",
        ),
        ("in Oslo Oct 30 to Nov 4", "in Oslo Oct 30 to Nov 4 (2026-10-30 to 2026-11-04)"),
        ("away Dec 28 until Jan 3", "away Dec 28 until Jan 3 (2026-12-28 to 2027-01-03)"),
        ("open July 3-7", "open July 3-7 (2026-07-03 to 2026-07-07)"),
        ("back on the 15th", "back on the 15th (2026-03-15)"),
        ("out until the 5th", "out until the 5th (2026-04-05)"),
        ("on April 20 we fly", "on April 20 (2026-04-20) we fly"),
        ("on January 5 we fly", "on January 5 (2027-01-05) we fly"),
        ("the crash happened on December 3", "the crash happened on December 3 (2025-12-03)"),
        ("the meter stood at 4 on February 1", "the meter stood at 4 on February 1 (2026-02-01)"),
        ("the flood of February 1", "the flood of February 1 (2026-02-01)"),
        ("Alfred lands on Friday", "Alfred lands on Friday (2026-03-13)"),
        ("born on April 20, 1990", "born on April 20, 1990 (1990-04-20)"),
        ("shifted to Wednesday June 24", "shifted to Wednesday June 24 (2026-06-24)"),
        ("we freeze in 3 days", "we freeze in 3 days (2026-03-13)"),
        ("she left two weeks ago", "she left two weeks ago (2026-02-24)"),
        ("next month we move", "next month (2026-04) we move"),
        ("last year was hard", "last year (2025) was hard"),
        ("the lease starts in May 2027", "the lease starts in May 2027 (2027-05)"),
        ("the rent will rise in February", "the rent will rise in February (2027-02)"),
        ("I have worked there since March", "I have worked there since March (2026-03)"),
        ("next week is full", "next week (2026-03-16 to 2026-03-22) is full"),
        ("due on may 3", "due on may 3 (2026-05-03)"),
        ("the recital is a week on Friday", "the recital is a week on Friday (2026-03-20)"),
        ("the kiln comes Friday week", "the kiln comes Friday week (2026-03-20)"),
        ("we close a week from tomorrow", "we close a week from tomorrow (2026-03-18)"),
        ("sale on the last Sunday in May", "sale on the last Sunday in May (2026-05-31)"),
        (
            "the fair is the weekend after next",
            "the fair is the weekend after next (2026-03-21 to 2026-03-22)",
        ),
        ("next weekend is unclear", "next weekend is unclear"),
        ("due on the 5th of next month", "due on the 5th of next month (2026-04-05)"),
    ],
)
def test_english(text: str, expected: str) -> None:
    assert annotate(text, TUESDAY, VIENNA) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("der Wasserzähler stand am 1. Februar bei 4", "am 1. Februar (2026-02-01)"),
        ("wir werden am 5. Februar heiraten", "am 5. Februar (2027-02-05)"),
        ("el contador estaba en 4 el 1 de febrero", "1 de febrero (2026-02-01)"),
        ("le compteur était à 4 le 1er février", "1er février (2026-02-01)"),
        ("o contador marcava 4 no dia 1 de fevereiro", "1 de fevereiro (2026-02-01)"),
        ("我2月1日搬家了", "2月1日 (2026-02-01)"),
        ("2月1日に引っ越しました", "2月1日 (2026-02-01)"),
        ("2月1日に引っ越します", "2月1日 (2027-02-01)"),
        ("wir treffen uns am nächsten Dienstag", "am nächsten Dienstag (2026-03-17)"),
        ("am Freitag war der Server weg", "am Freitag (2026-03-06) war"),
        ("wir haben uns am Freitag getroffen", "am Freitag (2026-03-06) getroffen"),
        ("die Kollegin betreut ab Juli das Lager", "ab Juli (2026-07)"),
        ("sie heiratet am 15. Juni", "am 15. Juni (2026-06-15)"),
        ("die Messe geht vom 3. bis 7. Juni", "3. bis 7. Juni (2026-06-03 to 2026-06-07)"),
        ("guten Morgen, wir haben morgen frei", "guten Morgen, wir haben morgen (2026-03-11) frei"),
        ("der Vertrag endet am 01.09.2026", "01.09.2026 (2026-09-01)"),
        ("el próximo martes tengo cita", "el próximo martes (2026-03-17)"),
        ("se mudan el 21 de mayo a Burgos", "21 de mayo (2026-05-21)"),
        ("hace tres días llegó el paquete", "hace tres días (2026-03-07)"),
        ("mañana por la mañana voy al banco", "mañana (2026-03-11) por la mañana voy"),
        ("mardi prochain je vois le médecin", "mardi prochain (2026-03-17)"),
        ("nous partons le 3 mai pour Lyon", "le 3 mai (2026-05-03)"),
        ("dans deux semaines c'est fini", "dans deux semaines (2026-03-24)"),
        ("na próxima terça tenho consulta", "na próxima terça (2026-03-17)"),
        ("em abril vamos para Braga", "em abril (2026-04)"),
        ("a segunda vez foi melhor para mim", "a segunda vez foi melhor para mim"),
        ("我们下周二开会", "下周二 (2026-03-17)"),
        ("他5月3日出发", "5月3日 (2026-05-03)"),
        ("合同明年三月到期", "明年三月 (2027-03)"),
        ("上周五我去了医院", "上周五 (2026-03-06)"),
        ("来週の水曜日に出張します", "来週の水曜日 (2026-03-18)"),
        ("来月引っ越します", "来月 (2026-04)"),
        ("3日後に出発します", "3日後 (2026-03-13)"),
    ],
)
def test_other_languages(text: str, expected: str) -> None:
    assert expected in annotate(text, TUESDAY, VIENNA)


@pytest.mark.parametrize(
    "text",
    [
        "every Friday we cook",
        "on Mondays I swim",
        "every second Wednesday",
        "a Friday in spring",
        "Tuesday and Thursday mornings",
        "Friday after next",
        "it may 3 or 4 times fail",
        "march 3 km",
        "monday.com is slow",
        "see notes/friday.md",
        "today.md is empty",
        "10:30 or 11:00",
        "3/4 cup",
        "Friday (2026-03-13) is off",
        "on 2026-04-01 we stop",
        "jeden Freitag ist Markt",
        "los lunes no trabajo",
        "chaque lundi je nage",
        "toda sexta-feira tem feira",
        "每周五聚餐",
        "毎週金曜日に泳ぎます",
        "February 30 is no day",
        "the second time",
        "I am 34",
        "the rent is due on the 5th",
        "on the 5th of every month",
        "die Miete wird am 5. abgebucht",
        "每月5号发工资",
    ],
)
def test_what_is_no_single_date_stays(text: str) -> None:
    assert annotate(text, TUESDAY, VIENNA) == text


@pytest.mark.parametrize(
    ("said", "zone", "tomorrow"),
    [
        (datetime(2026, 4, 11, 19, 53, tzinfo=UTC), "Asia/Tokyo", "2026-04-13"),
        (datetime(2026, 3, 15, 1, 17, tzinfo=UTC), "America/Denver", "2026-03-15"),
        (datetime(2026, 1, 1, 7, 30, tzinfo=UTC), "America/Los_Angeles", "2026-01-01"),
        (datetime(2026, 3, 28, 22, 59, tzinfo=UTC), "Europe/Vienna", "2026-03-29"),
        (datetime(2026, 10, 24, 22, 30, tzinfo=UTC), "Europe/Vienna", "2026-10-26"),
    ],
)
def test_the_day_is_the_messages_in_the_users_zone(
    said: datetime, zone: str, tomorrow: str
) -> None:
    assert annotate("see you tomorrow", said, ZoneInfo(zone)) == f"see you tomorrow ({tomorrow})"


def test_a_monday_says_next_friday_and_means_the_coming_one() -> None:
    monday = datetime(2025, 3, 10, 12, tzinfo=UTC)
    assert annotate("the demo is next Friday", monday, VIENNA).endswith("(2025-03-14)")
    assert annotate("Rowan signed it yesterday", monday, VIENNA).endswith("(2025-03-09)")


def test_without_a_time_nothing_is_added() -> None:
    assert annotate("tomorrow", None, VIENNA) == "tomorrow"


def test_the_end_of_the_calendar_is_no_error() -> None:
    assert annotate("tomorrow", datetime.max.replace(tzinfo=UTC), UTC) == "tomorrow"
    assert annotate("yesterday", datetime.min.replace(tzinfo=UTC), UTC) == "yesterday"


def test_a_leap_day_waits_for_its_year() -> None:
    assert annotate("the party is on Feb 29", TUESDAY, VIENNA).endswith("(2028-02-29)")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("every other week", "en"),
        ("jeden Montag", "de"),
        ("cada martes", "es"),
        ("tous les jours", "fr"),
        ("toda terça", "pt"),
        ("每天", "zh"),
        ("毎朝", "ja"),
        ("until 2031", "en"),
    ],
)
def test_recurring_times_are_mentions(text: str, language: str) -> None:
    assert dates.mentions(text, (language,))


def test_today_is_no_mention() -> None:
    assert not dates.mentions("what a day today", ("en",))


WORDS = """tomorrow next Tuesday on Friday May 3 to the 15th in 3 days since March 2027 last
    week gestern am 5. Juni mañana el 3 de mayo demain lundi prochain amanhã dia 4 下周二 5月3日
    来月 3日後 hello was will ( ) , . - 99 (2026-03-01)"""


@given(
    st.lists(st.one_of(st.sampled_from(WORDS.split()), st.text(max_size=8)), max_size=14).map(
        " ".join
    ),
    st.datetimes(min_value=datetime(1970, 1, 1), max_value=datetime(2100, 1, 1)),
    st.permutations(LANGUAGES),
)
@FAST
def test_annotating_only_adds_dates_and_only_once(
    text: str, moment: datetime, languages: list[str]
) -> None:
    said = moment.replace(tzinfo=UTC)
    once = annotate(text, said, VIENNA, languages)
    assert annotate(once, said, VIENNA, languages) == once
    rest = iter(once)
    assert all(char in rest for char in text)
    for found in dates.find(text, said.date(), languages):
        assert date.min <= found.first <= found.last


@pytest.mark.parametrize(
    ("text", "language", "day"),
    [
        ("die Abnahme ist am Dienstag nächster Woche", "de", "2026-03-17"),
        ("der Prüfer kommt am 19.11. um neun", "de", "2026-11-19"),
        ("Umzug am 3. nächsten Monats", "de", "2026-04-03"),
        ("la mudanza es el 9 del mes que viene", "es", "2026-04-09"),
        ("on livre le 9 du mois prochain", "fr", "2026-04-09"),
        ("a entrega é na quinta da semana que vem", "pt", "2026-03-19"),
        ("o leilão é dia 9 do mês que vem", "pt", "2026-04-09"),
        ("五月二十三日有展览", "zh", "2026-05-23"),
        ("下个月十二号搬家", "zh", "2026-04-12"),
        ("七月二十一日は運動会", "ja", "2026-07-21"),
        ("来月の十五日に引っ越す", "ja", "2026-04-15"),
    ],
)
def test_days_of_other_weeks_and_months(text: str, language: str, day: str) -> None:
    assert f"({day})" in annotate(text, TUESDAY, VIENNA, (language,))


@pytest.mark.parametrize(
    ("text", "language", "month"),
    [
        ("we moved to Bergen in September", "en", "2025-09"),
        ("i went to the new dentist in november", "en", "2025-11"),
        ("we hope to open the bakery in January", "en", "2027-01"),
        ("Im Oktober zogen wir nach Bergen", "de", "2025-10"),
        ("compré la furgoneta en octubre", "es", "2025-10"),
        ("hemos vendido la furgoneta en noviembre", "es", "2025-11"),
        ("compraré la furgoneta en enero", "es", "2027-01"),
        ("j'ai vendu la camionnette en octobre", "fr", "2025-10"),
        ("me mudei para Braga em setembro", "pt", "2025-09"),
        ("comprei a carrinha em novembro", "pt", "2025-11"),
        ("我们十月搬的家，十一月结的婚", "zh", "2025-11"),
        ("十月に引っ越しました", "ja", "2025-10"),
    ],
)
def test_a_month_in_the_past_tense_looks_back(text: str, language: str, month: str) -> None:
    assert f"({month})" in annotate(text, TUESDAY, VIENNA, (language,))


@pytest.mark.parametrize(
    ("text", "said", "language", "note"),
    [
        # a plan told with a past verb
        ("they shifted the regatta to 9 July", "2026-05-12", "en", "9 July (2026-07-09)"),
        ("no lifting until August, I broke a rib", "2026-05-12", "en", "August (2026-08)"),
        ("der Chor hat das Konzert auf den 9. Juli verschoben", "2026-05-12", "de", "(2026-07-09)"),
        ("movieron la regata para el 9 de julio", "2026-05-12", "es", "(2026-07-09)"),
        ("han pasado el examen al 9 de enero", "2026-09-12", "es", "(2027-01-09)"),
        ("ils ont repoussé la régate au 9 juillet", "2026-05-12", "fr", "(2026-07-09)"),
        ("a regata mudou para 9 de julho", "2026-05-12", "pt", "(2026-07-09)"),
        ("比赛改到7月9日了", "2026-05-12", "zh", "(2026-07-09)"),
        ("大会は七月九日に延期になった", "2026-05-12", "ja", "(2026-07-09)"),
        ("八月から横浜に住むことにしました", "2026-05-12", "ja", "(2026-08)"),
        ("我八月要搬过去", "2026-05-12", "zh", "(2026-08)"),
        # something over, told with a verb that looks like none of the past
        ("me operé del hombro en febrero", "2026-06-12", "es", "(2026-02)"),
        ("me quebré el codo el 2 de mayo", "2026-05-12", "es", "(2026-05-02)"),
        ("descobri em fevereiro que sou celíaca", "2026-06-12", "pt", "(2026-02)"),
        ("今年の四月に合格です", "2026-06-12", "ja", "四月 (2026-04)"),
        # since
        ("the lift is broken since the 4th of November", "2026-06-12", "en", "(2025-11-04)"),
        ("she runs the depot since this April", "2026-06-12", "en", "(2026-04)"),
        ("der Lift ist seit dem 4. November kaputt", "2026-06-12", "de", "(2025-11-04)"),
        ("el ascensor no va desde el 4 de noviembre", "2026-06-12", "es", "(2025-11-04)"),
        ("l'ascenseur est en panne depuis le 4 novembre", "2026-06-12", "fr", "(2025-11-04)"),
        ("o elevador não funciona desde o dia 4 de novembro", "2026-06-12", "pt", "(2025-11-04)"),
        # the year stands beside the month
        ("the stall opens in March next year", "2026-05-12", "en", "next year (2027-03)"),
        ("der Stand öffnet im März nächsten Jahres", "2026-05-12", "de", "Jahres (2027-03)"),
        ("abrimos en marzo del año que viene", "2026-05-12", "es", "viene (2027-03)"),
        ("on ouvre en mars de l'année prochaine", "2026-05-12", "fr", "prochaine (2027-03)"),
        ("abrimos em março do próximo ano", "2026-05-12", "pt", "ano (2027-03)"),
        ("来年の三月に開店", "2026-05-12", "ja", "来年の三月 (2027-03)"),
        ("去年的三月开店", "2026-05-12", "zh", "去年的三月 (2025-03)"),
        # the last weekday of a month
        ("die Messe ist am letzten Freitag im Oktober", "2026-05-12", "de", "(2026-10-30)"),
        ("la feria es el último viernes de octubre", "2026-05-12", "es", "(2026-10-30)"),
        ("la foire est le dernier vendredi d'octobre", "2026-05-12", "fr", "(2026-10-30)"),
        ("a feira é na última sexta-feira de outubro", "2026-05-12", "pt", "(2026-10-30)"),
        ("十月的最后一个周五有集市", "2026-05-12", "zh", "(2026-10-30)"),
        ("十月の最後の金曜日に市が立つ", "2026-05-12", "ja", "(2026-10-30)"),
        # both ends of a range within a month
        ("camp is 5 to 9 August", "2026-05-12", "en", "(2026-08-05 to 2026-08-09)"),
        ("camp is 5-9 august", "2026-05-12", "en", "(2026-08-05 to 2026-08-09)"),
        ("camp is the 5th and 6th of August", "2026-05-12", "en", "(2026-08-05 to 2026-08-06)"),
        ("das Lager ist am 5. und 6. August", "2026-05-12", "de", "(2026-08-05 to 2026-08-06)"),
        ("el curso es el 5 y 6 de agosto", "2026-05-12", "es", "(2026-08-05 to 2026-08-06)"),
        ("le stage a lieu le 5 et 6 août", "2026-05-12", "fr", "(2026-08-05 to 2026-08-06)"),
        ("férias do dia 5 ao dia 9 de agosto", "2026-05-12", "pt", "(2026-08-05 to 2026-08-09)"),
        ("8月5日到9日我去露营", "2026-05-12", "zh", "9日 (2026-08-05 to 2026-08-09)"),
        ("8月5日から9日までキャンプ", "2026-05-12", "ja", "9日 (2026-08-05 to 2026-08-09)"),
        # the number wins over the nearest such weekday
        ("they moved us to Saturday the 27th", "2026-06-12", "en", "the 27th (2026-06-27)"),
        ("the fair is June 27, Saturday", "2026-06-12", "en", "Saturday (2026-06-27)"),
        ("am Montag bis Freitag sind wir weg", "2026-06-12", "de", "(2026-06-15 to 2026-06-19)"),
        ("preparé la sala en marzo", "2026-05-12", "es", "(2026-03)"),
        ("elle est née le 9 mars", "2026-05-12", "fr", "(2026-03-09)"),
        ("六月二十七号星期六聚会", "2026-06-12", "zh", "(2026-06-27)"),
        ("6月27日土曜に集まる", "2026-06-12", "ja", "(2026-06-27)"),
        ("会は金曜に決まった", "2026-05-12", "ja", "(2026-05-15)"),
        ("they shifted the show to Friday", "2026-05-12", "en", "(2026-05-15)"),
        ("decidi que a partir de agosto não aceito gatos", "2026-05-12", "pt", "(2026-08)"),
        ("das Fest ist am Samstag, den 27.", "2026-06-12", "de", "27. (2026-06-27)"),
        ("la fiesta es el sábado 27", "2026-06-12", "es", "sábado 27 (2026-06-27)"),
        ("lo hacemos el 27, sábado, de mañana", "2026-06-12", "es", "(2026-06-27), de mañana"),
        ("la fête est samedi 27", "2026-06-12", "fr", "samedi 27 (2026-06-27)"),
        ("a festa é no sábado, dia 27", "2026-06-12", "pt", "dia 27 (2026-06-27)"),
        ("聚会在27号（周六）", "2026-06-12", "zh", "27号（周六） (2026-06-27)"),
        ("集まりは27日(土)です", "2026-06-12", "ja", "27日(土) (2026-06-27)"),
        # the note stands behind the part of the month
        ("阳台六月底完工", "2026-05-12", "zh", "六月底 (2026-06)完工"),
        ("下个月底完工", "2026-05-12", "zh", "下个月底 (2026-06)完工"),
        ("来月末に植える", "2026-05-12", "ja", "来月末 (2026-06)に"),
        ("六月中旬に植える", "2026-05-12", "ja", "六月中旬 (2026-06)に"),
        ("十月の頭に植える", "2026-05-12", "ja", "十月の頭 (2026-10)に"),
        ("11月の祭りに行く", "2026-09-30", "ja", "11月 (2026-11)の祭り"),
    ],
)
def test_the_likelier_year_and_day(text: str, said: str, language: str, note: str) -> None:
    moment = datetime.fromisoformat(said).replace(hour=9, tzinfo=UTC)
    assert note in annotate(text, moment, VIENNA, (language,))


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("band practice is Monday and Thursday", "en"),
        ("they close from Sunday to Tuesday", "en"),
        ("she never works on Friday", "en"),
        ("the first Friday we plant", "en"),
        ("in this list 'Friday' is a label", "en"),
        ("'freitag' means Friday", "en"),
        ("the lease starts at the end of May of the same year", "en"),
        ("we paint on 5, 7 and 19 August", "en"),
        ("we paint on August 5 and 19", "en"),
        ("die Probe ist Montag und Donnerstag", "de"),
        ("die Probe ist am Montag und am Donnerstag", "de"),
        ("am 5., 6. und 7. August ist Markt", "de"),
        ("el curso es martes 9 al 12", "es"),
        ("ouvert du lundi au vendredi", "fr"),
        ("周一到周五上班", "zh"),
        ("毎月最後の金曜に集まる", "ja"),
        ("bitte nie vor Freitag liefern", "de"),
        ("die Pacht endet Ende Mai desselben Jahres", "de"),
        ("el ensayo es lunes y jueves", "es"),
        ("viene los martes y jueves", "es"),
        ("nunca trabajo el viernes", "es"),
        ("a finales de mayo del mismo año", "es"),
        ("répétition lundi et jeudi", "fr"),
        ("jamais vendredi", "fr"),
        ("fin mai de la même année", "fr"),
        ("ensaio segunda-feira e quinta-feira", "pt"),
        ("nunca na sexta", "pt"),
        ("até maio do mesmo ano", "pt"),
        ("孩子周三周六上课", "zh"),
        ("周一、周四排练", "zh"),
        ("我们不上周末的课", "zh"),
        ("同年五月开张", "zh"),
        ("木曜が定休日", "ja"),
        ("来週末に泳ぐ", "ja"),
        ("火曜だけ遅い", "ja"),
        ("月・木曜日に練習", "ja"),
        ("翌年の三月に開店", "ja"),
    ],
)
def test_what_recurs_or_is_half_said_stays(text: str, language: str) -> None:
    assert annotate(text, TUESDAY, VIENNA, (language,)) == text


def test_a_far_past_without_an_aim_is_no_date() -> None:
    may = datetime(2026, 5, 12, tzinfo=UTC)
    assert annotate("the pump broke on 9 July", may, VIENNA, ("en",)) == "the pump broke on 9 July"
    assert "(2026-02-09)" in annotate("the pump broke on 9 February", may, VIENNA, ("en",))


@pytest.mark.parametrize(
    ("said", "note"),
    [
        ("I've got a rehearsal with the choir on Friday at 8", "2026-11-27"),
        ("she has got the keys until Friday", "2026-11-27"),
        ("our neighbour is getting married on May 9", "2027-05-09"),
        ("I got the letter on Friday", "2026-11-20"),
    ],
)
def test_what_one_has_got_is_no_past(said: str, note: str) -> None:
    anchor = datetime(2026, 11, 26, 10, tzinfo=UTC)
    assert f"({note})" in dates.annotate(said, anchor, UTC, ("en",))
