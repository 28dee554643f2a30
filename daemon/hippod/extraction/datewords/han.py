"""What Chinese and Japanese date expressions share."""

import re

from hippod.extraction.datewords.rules import MONTH, YEAR, Context, Days, listed, period, words

HAN_NUMBERS = words(
    listed(
        "一 二|两|兩 三 四 五 六 七 八 九 十 十一 十二 十三 十四 十五 十六 十七 十八 十九 二十", 1
    ),
    listed("二十一 二十二 二十三 二十四 二十五 二十六 二十七 二十八 二十九 三十 三十一", 21),
)


def han_period(match: re.Match[str], context: Context) -> Days | None:
    """Resolve next and last week, month and year."""
    unit = {"周": 7, "星期": 7, "週": 7, "月": MONTH, "年": YEAR}[match["unit"]]
    return period(match, Context(context.today, context.past, {match["unit"]: unit}))


HAN_YEAR = (
    r"(?:(?:(?P<year>(?:19|20)\d\d)年|(?P<next_year>[明来])年|(?P<last_year>[去昨])年|"
    r"(?P<this_year>[今本])年)[的の]?)?(?<![\d.])"
)
HAN_MONTH = r"(?P<month>1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])月"
HAN_DAY = (
    r"(?P<day>[0-3]?\d|三十一?|二十[一二三四五六七八九]?|十[一二三四五六七八九]?|"
    r"[一二三四五六七八九])"
)
HAN_MONTH_DAY = HAN_YEAR + HAN_MONTH + HAN_DAY + "[日号號]"
HAN_MONTH_DAYS = (
    f"{HAN_YEAR}{HAN_MONTH}{HAN_DAY}[日号號]?(?:到|至|から|[-–~～〜]|(?P<and>和|と|、))"
    f"{HAN_DAY.replace('<day>', '<day2>')}[日号號](?!\\s*[（(]?[周星礼月火水木金土日])"
)
HAN_PART = r"(?:[的の]?(?:底|末|初め?|头|頭|上旬|中旬|下旬|半ば))?"
"""The part of a month that stands behind it; the note comes after it."""
