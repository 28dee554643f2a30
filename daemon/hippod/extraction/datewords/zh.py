"""The date expressions of Chinese."""

import re

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
    Grammar,
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

_DAYS = {
    week + day: number
    for week in ("周", "星期", "礼拜")
    for day, number in listed("一 二 三 四 五 六 日|天").items()
}
_OFFSETS = {
    "大前天": -3, "前天": -2, "昨天": -1, "昨晚": -1, "今天": 0, "今晚": 0, "明天": 1, "明晚": 1,
    "后天": 2, "後天": 2, "大后天": 3,
}  # fmt: skip
_UNITS = {"天": 1, "周": 7, "个星期": 7, "星期": 7, "个月": MONTH, "個月": MONTH, "年": YEAR}

_COUNTED = rf"(?P<number>\d{{1,3}}|{any_of(HAN_NUMBERS)})(?P<unit>{any_of(_UNITS)})"

GRAMMAR = Grammar(
    rules=(
        glued(rf"(?P<word>{any_of(_OFFSETS)})", offset),
        glued(
            rf"{HAN_YEAR}{HAN_MONTH}(?:份?的?)最(?:后|後)一?[个個](?P<weekday>{any_of(_DAYS)}|周末)",
            last_of_month,
        ),
        glued(
            rf"(?<!月)(?<![\d.一二三十]){HAN_DAY}[日号號]\s*[（(]?(?P<weekday>{any_of(_DAYS)})[）)]?",
            weekday_of_month,
        ),
        glued(
            r"(?<!每)(?<!每个)(?:(?P<next_week>下个?)|(?P<last_week>(?<![不没早晚马])上个?)|(?P<this_week>这个?|"
            r"本)|)"
            rf"(?P<weekday>{any_of(_DAYS)})",
            weekday,
        ),
        glued(HAN_MONTH_DAYS, month_day),
        glued(HAN_MONTH_DAY, month_day),
        glued(rf"(?:(?P<next>下)|(?P<last>上)|这|本)个?月{HAN_DAY}[日号號]", day_of_named_month),
        glued(HAN_YEAR + HAN_MONTH + r"(?![\d一二三])份?" + HAN_PART, month_only),
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
            r"(?<![不没早晚马])(?:(?P<next>下)|(?P<last>上))个?(?P<unit>周(?!末)|星期|月)"
            r"(?![一二三四五六日天])" + HAN_PART,
            han_period,
        ),
        glued(r"(?:(?P<next>明)|(?P<last>去))(?P<unit>年)", han_period),
    ),
    joiner=re.compile(r"\s*(?:到|至|-|–|—|~|～)\s*"),
    recurring=re.compile(r"每(?:个)?(?:天|日|周|星期|月|年|晚|早)|每隔"),
    weekdays=re.compile(
        r"(?:周|星期|礼拜)[一二三四五六日天](?:[、和与跟及]|还有)?(?:(?:周|星期|礼拜)[一二三四五六日天]"
        r"|[一二三四五六日](?=[^\w]|$|[一二三四五六日上下晚早都要有去]))+"
    ),
    past=contains_past(
        r"了|过(?![去来])|已经|(?:搬|来|买|生|结|开|认识|毕业)的",
        r"要|会|将|提醒|吧|打算|计划|准备|得",
    ),
    words=words(_DAYS, _OFFSETS, _UNITS, HAN_NUMBERS),
)  # fmt: skip
