"""What Chinese and Japanese date expressions share."""

import re

from hippod.extraction.datewords.rules import MONTH, YEAR, Context, Days, listed, period, words

HAN_NUMBERS = words(
    listed("一 二|两|兩 三 四 五 六 七 八 九 十 十一 十二", 1),
)


def han_period(match: re.Match[str], context: Context) -> Days | None:
    """Resolve next and last week, month and year."""
    unit = {"周": 7, "星期": 7, "週": 7, "月": MONTH, "年": YEAR}[match["unit"]]
    return period(match, Context(context.today, context.past, {match["unit"]: unit}))


HAN_YEAR = (
    r"(?:(?P<year>(?:19|20)\d\d)年|(?P<next_year>[明来])年|(?P<last_year>[去昨])年)?(?<![\d.])"
)
HAN_MONTH = r"(?P<month>1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])月"
HAN_MONTH_DAY = HAN_YEAR + HAN_MONTH + r"(?P<day>[0-3]?\d)[日号號]"
