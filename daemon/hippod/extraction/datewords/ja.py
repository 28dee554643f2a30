"""The date expressions of Japanese."""

import re
from dataclasses import replace

from hippod.extraction.datewords.han import (
    HAN_DAY,
    HAN_MONTH,
    HAN_MONTH_DAY,
    HAN_MONTH_DAYS,
    HAN_NUMBERS,
    HAN_PART,
    HAN_YEAR,
    han_period,
)
from hippod.extraction.datewords.rules import (
    MONTH,
    YEAR,
    Context,
    Days,
    Grammar,
    Resolver,
    any_of,
    contains_past,
    count,
    day_of_month,
    day_of_named_month,
    glued,
    last_of_month,
    listed,
    month_day,
    month_only,
    offset,
    weekday,
    weekday_of_month,
    words,
)

_DAYS = listed("月 火 水 木 金 土 日")
_OFFSETS = {
    "一昨日": -2, "おととい": -2, "昨日": -1, "きのう": -1, "昨夜": -1, "今日": 0, "今夜": 0,
    "今晩": 0, "明日": 1, "あした": 1, "明後日": 2, "あさって": 2,
}  # fmt: skip
_UNITS = {"日": 1, "週間": 7, "か月": MONTH, "ヶ月": MONTH, "カ月": MONTH, "年": YEAR}


def _with_days(resolve: Resolver) -> Resolver:
    """Let `resolve` read 日 as Sunday; elsewhere it is the unit of a day."""

    def resolve_with_days(match: re.Match[str], context: Context) -> Days | None:
        return resolve(match, replace(context, words={**context.words, **_DAYS}))

    return resolve_with_days


_COUNTED = rf"(?P<number>\d{{1,3}}|{any_of(HAN_NUMBERS)})(?P<unit>{any_of(_UNITS)})"

GRAMMAR = Grammar(
    rules=(
        glued(rf"(?P<word>{any_of(_OFFSETS)})", offset),
        glued(
            rf"{HAN_YEAR}{HAN_MONTH}の?(?:最後の|最終)(?P<weekday>[月火水木金土日])曜日?",
            _with_days(last_of_month),
        ),
        glued(
            rf"(?<!月)(?<![\d.一二三十]){HAN_DAY}日(?=の?[月火水木金土日]曜|[（(][月火水木金土日])"
            r"[の（(]?(?P<weekday>[月火水木金土日])(?:曜日?)?[）)]?",
            _with_days(weekday_of_month),
        ),
        glued(
            r"(?<!毎週)(?<!毎週の)(?:(?P<next_week>来週)|(?P<last_week>先週)|"
            r"(?P<this_week>今週)|(?P<next>次)|)の?"
            r"(?P<weekday>[月火水木金土日])曜日?",
            _with_days(weekday),
        ),
        glued(HAN_MONTH_DAYS, month_day),
        glued(HAN_MONTH_DAY, month_day),
        glued(rf"(?:(?P<next>来)|(?P<last>先)|今)月の?{HAN_DAY}日", day_of_named_month),
        glued(HAN_YEAR + HAN_MONTH + r"(?!\d)" + HAN_PART, month_only),
        glued(r"(?<![\d.月])(?P<day>[1-3]?\d)日(?![間後前目以])", day_of_month),
        glued(_COUNTED + r"後", count),
        glued(
            _COUNTED + r"(?P<ago>前)", count
        ),
        glued(
            r"(?:(?P<next>来)|(?P<last>先))(?P<unit>週(?!末)|月)"
            r"(?!の?[月火水木金土日]曜)" + HAN_PART,
            han_period,
        ),
        glued(r"(?:(?P<next>来)|(?P<last>去|昨))(?P<unit>年)", han_period),
    ),
    joiner=re.compile(r"\s*(?:から|-|–|—|~|～|〜)\s*"),
    recurring=re.compile(r"毎(?:日|週|月|年|朝|晩)|隔週"),
    weekdays=re.compile(
        r"(?<![\d一二三四五六七八九十今来先毎明昨])[月火水木金土日](?:曜日?)?[・、と]?"
        r"(?:[月火水木金土日](?:曜日?)?[・、と]?)*[月火水木金土日]曜"
    ),
    past=contains_past(
        r"(?:まし)?た(?:[。！」』]|$|の|ん|よ|が|けど|から)",
        r"予定|つもり|ます|でしょう|ましょう|よう",
    ),
    words=words(_OFFSETS, _UNITS, HAN_NUMBERS),
)  # fmt: skip
