"""The date expressions of Chinese."""

import re

from hippod.extraction.datewords.han import (
    HAN_DAY,
    HAN_MONTH,
    HAN_MONTH_DAY,
    HAN_NUMBERS,
    HAN_YEAR,
    han_period,
)
from hippod.extraction.datewords.rules import (
    MONTH,
    YEAR,
    Context,
    Days,
    Grammar,
    any_of,
    contains_past,
    count,
    day_of_month,
    day_of_named_month,
    glued,
    listed,
    month_day,
    month_only,
    offset,
    weekday,
    words,
)

_DAYS = listed("一 二 三 四 五 六 日|天")
_OFFSETS = {
    "大前天": -3, "前天": -2, "昨天": -1, "昨晚": -1, "今天": 0, "今晚": 0, "明天": 1, "明晚": 1,
    "后天": 2, "後天": 2, "大后天": 3,
}  # fmt: skip
_UNITS = {"天": 1, "周": 7, "个星期": 7, "星期": 7, "个月": MONTH, "個月": MONTH, "年": YEAR}


def _han_weekday(match: re.Match[str], context: Context) -> Days | None:
    day = match["weekday"]
    return weekday(match, Context(context.today, context.past, {day: _DAYS[day]}))


_COUNTED = rf"(?P<number>\d{{1,3}}|{any_of(HAN_NUMBERS)})(?P<unit>{any_of(_UNITS)})"

GRAMMAR = Grammar(
    rules=(
        glued(rf"(?P<word>{any_of(_OFFSETS)})", offset),
        glued(
            r"(?<!每)(?<!每个)(?:(?P<next_week>下个?)|(?P<last_week>上个?)|(?P<this_week>这个?|"
            r"本)|)"
            r"(?:周|星期|礼拜)(?P<weekday>[一二三四五六日天])",
            _han_weekday,
        ),
        glued(HAN_MONTH_DAY, month_day),
        glued(rf"(?:(?P<next>下)|(?P<last>上)|这|本)个?月{HAN_DAY}[日号號]", day_of_named_month),
        glued(HAN_YEAR + HAN_MONTH + r"(?![\d一二三])份?", month_only),
        glued(
            r"(?<![\d.月])(?P<day>[1-3]?\d)[号號](?!楼|线|线|门|店|机|房|码|院|公|柜)",
            day_of_month,
        ),
        glued(
            _COUNTED + r"(?:之?(?:后|後)|以后)", count
        ),
        glued(
            _COUNTED + r"之?(?P<ago>前)", count
        ),
        glued(
            r"(?:(?P<next>下)|(?P<last>上))个?(?P<unit>周|星期|月)(?![一二三四五六日天])",
            han_period,
        ),
        glued(r"(?:(?P<next>明)|(?P<last>去))(?P<unit>年)", han_period),
    ),
    joiner=re.compile(r"\s*(?:到|至|-|–|—|~|～)\s*"),
    recurring=re.compile(r"每(?:个)?(?:天|日|周|星期|月|年|晚|早)|每隔"),
    past=contains_past(r"了|过|已经", r"要|会|将|提醒|吧|打算|计划|准备|得"),
    words=words(_OFFSETS, _UNITS, HAN_NUMBERS),
)  # fmt: skip
