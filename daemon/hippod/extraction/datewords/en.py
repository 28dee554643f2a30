"""The date expressions of English."""

import re

from hippod.extraction.datewords.rules import (
    MONTH,
    YEAR,
    Grammar,
    any_of,
    count,
    day_of_month,
    day_of_named_month,
    in_a_row,
    last_of_month,
    last_verb_is_past,
    listed,
    month_day,
    month_only,
    offset,
    period,
    rule,
    week_from,
    weekday,
    weekday_of_month,
    weekend,
    words,
)

_DAYS = listed("monday tuesday wednesday thursday friday saturday sunday")
_DAY_SHORT = listed("mon tue|tues wed thu|thur|thurs fri sat sun")
_MONTHS = listed(
    "january|jan february|feb march|mar april|apr may june|jun july|jul august|aug"
    " september|sep|sept october|oct november|nov december|dec",
    1,
)
_OFFSETS = {
    "the day before yesterday": -2, "yesterday": -1, "last night": -1, "today": 0, "tonight": 0,
    "this morning": 0, "this afternoon": 0, "this evening": 0, "tomorrow": 1,
    "the day after tomorrow": 2,
}  # fmt: skip
_UNITS = {
    "day": 1, "days": 1, "week": 7, "weeks": 7, "fortnight": 14, "month": MONTH,
    "months": MONTH, "year": YEAR, "years": YEAR,
}  # fmt: skip
_NUMBERS = words(
    listed("a|an|one two three four five six seven eight nine ten eleven twelve", 1),
    {"a couple of": 2},
)
_NOT_BEHIND = "every each other any most first second third fourth per all"
_EVERY = r"(?<!\ba )" + "".join(f"(?<!{word} )" for word in _NOT_BEHIND.split())
_AFTER = (
    r"(?!\s+(?:after~next|(?:and|or)~\w+day(?:s\b|~(?:mornings|afternoons|evenings|nights))|"
    r"of~(?:the|each|every)|mornings|afternoons|evenings|nights|the~13th|fortnight"
    r"|week\b|in~two))".replace("~", r"\s+")
)  # fmt: skip

_STRONG = (
    r"was|were|had|did|went|came|(?<!'ve )(?<!have )(?<!has )got|saw|met|left|bought|sold|lost|"
    r"broke|died|born|gave|took|"
    r"spent|happened|ago|stood|lay|sat|ran|fell|rose|grew|held|hung|slept|drove|flew|began|brought|"
    r"built|caught|chose|drank|ate|felt|forgot|froze|heard|kept|knew|led|lent|made|paid|rode|rang|"
    r"said|sent|sang|sank|spoke|stole|stuck|swam|taught|told|thought|threw|understood|wore|won|"
    r"wrote|"
    r"became|blew|dug|found|fought|hid|hurt|laid|showed|shown|swept|tore|woke|wound"
)

GRAMMAR = Grammar(
    rules=(
        rule(rf"(?:a|one)~week~from~(?P<word>{any_of(_OFFSETS)})", week_from),
        rule(rf"(?P<word>{any_of(_OFFSETS)})", offset),
        rule(
            rf"(?P<week_later>a~week~(?:on|from|this|next)~)(?P<weekday>{any_of(_DAYS)})",
            weekday,
        ),
        rule(rf"(?P<weekday>{any_of(_DAYS)})~(?P<week_later>week)", weekday),
        rule(
            rf"(?:the~)?last~(?P<weekday>{any_of(_DAYS)}|weekend)~(?:in|"
            rf"of)~(?P<month>{any_of(_MONTHS)})"
            r"(?:~(?P<year>(?:19|20)\d\d))?",
            last_of_month,
        ),
        rule(
            rf"(?P<weekday>{any_of(_DAYS)}),?~the~(?P<day>\d{{1,2}})(?:st|nd|rd|th)"
            rf"(?!~(?:of~)?(?:{any_of(_MONTHS)}|next|last|this)\b)",
            weekday_of_month,
        ),
        rule(
            r"(?:the~)?(?P<after_next>weekend~after~next)|(?:(?P<last>last)|this)~weekend",
            weekend,
        ),
        rule(
            r"(?:the~)?(?P<day>\d{1,2})(?:st|nd|rd|th)?~of~(?:(?P<next>next)|(?P<last>last)|"
            r"this)~month",
            day_of_named_month,
        ),
        rule(
            rf"{_EVERY}(?:(?P<next_week>next~week~(?:on~)?)|(?P<last_week>last~week~(?:on~)?))"
            rf"(?P<weekday>{any_of(_DAYS)})",
            weekday,
        ),
        rule(
            rf"{_EVERY}(?:on~)?(?P<weekday>{any_of(_DAYS)})~(?:of~)?"
            r"(?:(?P<next_week>next~week)|(?P<last_week>last~week))",
            weekday,
        ),
        rule(
            rf"{_EVERY}(?:(?P<next>next|coming|upcoming)~|(?P<last>last|past)~|(?P<this>this)~|"
            rf"(?P<since>since)~)?(?P<weekday>{any_of(_DAYS)})(?:['’]s)?{_AFTER}",
            weekday,
        ),
        rule(
            rf"(?:on|(?P<next>next)|(?P<last>last)|(?P<this>this)|by|until|till)~"
            rf"(?P<weekday>(?-i:{'|'.join(word.title() for word in _DAY_SHORT)})){_AFTER}",
            weekday,
        ),
        rule(
            # "may" and "march" are verbs, "mar" a name: written small they need a preposition
            rf"(?P<month>(?!(?-i:may|march|mar)\b)(?:{any_of(_MONTHS)})|(?<=on )may|(?<=by )may|"
            r"(?<=until )may|(?<=before )may|(?<=from )may|(?<=on )march|(?<=by )march|"
            r"(?<=until )march|(?<=before )march|(?<=from )march)\.?~(?P<day>\d{1,2})(?:st|nd|"
            r"rd|th)?(?:\s*(?:[-–]|(?P<and>and|&))\s*(?P<day2>\d{1,2})(?:st|nd|rd|"
            r"th)?(?![\d:]|\s*(?:am|pm)\b))?(?:,?~(?P<year>(?:19|20)\d\d))?"
            r"(?!\s*(?:[:%]|am\b|pm\b))",
            month_day,
        ),
        rule(
            r"(?:the~)?(?P<day>\d{1,2})(?:st|nd|rd|th)?\s*(?:to|until|till|through|[-–]|"
            r"(?P<and>and|&))\s*(?:the~)?(?P<day2>\d{1,2})(?:st|nd|rd|th)?~(?:of~)?"
            rf"(?P<month>{any_of(_MONTHS)})(?:,?~(?P<year>(?:19|20)\d\d))?",
            month_day,
        ),
        rule(
            rf"(?:the~)?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?~(?:of~)?(?P<month>{any_of(_MONTHS)})"
            r"(?:,?~(?P<year>(?:19|20)\d\d))?",
            month_day,
        ),
        rule(
            rf"(?:in|by|until|till|from|during|starting|mid|early|late|end~of|(?P<since>since)|"
            rf"this|(?P<next>next)|"
            rf"(?P<last>last))~(?P<month>(?-i:{'|'.join(word.title() for word in _MONTHS)})"
            rf"|(?!mar\b|may\b){'|'.join(w for w in _MONTHS if len(w) > 3 and w != 'march')})"
            r"(?:~(?P<year>(?:19|20)\d\d))?(?!\.?~\d)",
            month_only,
        ),
        rule(
            r"(?:on|until|till|by|before|from|since|after|through|is|"
            r"to)~the~(?P<day>\d{1,2})(?:st|nd|rd|th)"
            r"(?!~(?:floor|of|century|time|place|birthday|grade|street|avenue|\w+~of)\b)",
            day_of_month,
        ),
        rule(rf"in~(?P<number>\d{{1,3}}|{any_of(_NUMBERS)})~(?P<unit>{any_of(_UNITS)})", count),
        rule(
            rf"(?P<number>\d{{1,3}}|{any_of(_NUMBERS)})~(?P<unit>{any_of(_UNITS)})~(?P<ago>ago)",
            count,
        ),
        rule(
            rf"{_EVERY}(?:(?P<next>next)|(?P<last>last))~(?P<unit>week|month|year){_AFTER}",
            period,
        ),
    ),
    joiner=re.compile(r"\s*(?:to|until|till|through|thru|-|–|—)\s*(?:the\s+)?", re.IGNORECASE),
    recurring=re.compile(
        r"\b(?:every|each)\s+(?:\w+\s+){0,2}(?:day|week|month|year|morning|evening|night|"
        r"quarter|hour|(?:mon|tues|wednes|thurs|fri|satur|sun)day)s?\b|\b(?:mon|tues|wednes|"
        r"thurs|fri|satur|sun)days\b"
        r"|\b(?:daily|weekly|biweekly|monthly|quarterly|yearly|annually|weekdays|weekends|"
        r"nightly)\b",
        re.IGNORECASE,
    ),
    weekdays=in_a_row(any_of(_DAYS), r",|,?\s*(?:and|or)(?:\s+on)?|&|/"),
    past=last_verb_is_past(
        past=_STRONG + r"|"
        # "is closed", "gets painted" are no past, nor are verbs of planning
        r"(?<!\bis )(?<!\bare )(?<!\bam )(?<!\bbe )(?<!\bget )(?<!\bgets )(?<!\bgetting )"
        r"(?<!\bbeing )(?!need|feed|speed|seed|indeed|embed|bed|red|shed|schedul|plann|"
        r"suppos|expect|book|propos|promis|(?:al|man)?fred\b|ahmed\b|jared\b|"
        r"moham\w*d\b)(?!(?<=\s)(?-i:[A-Z]))\w{2,}ed",
        future=r"will|won't|\w+'ll|is|are|am|\w+'[sm]|\w+'re|"
        # "moved to Linz", "went to the sea": a direction, no infinitive
        r"(?<!moved )(?<!went )(?<!came )(?<!drove )(?<!flew )(?<!switched )(?<!returned )"
        r"to(?!\s+(?:the|an?|my|our|his|her|their|this|that|(?-i:[A-Z]))\b)|starts?|leaves?|must|should|going|"
        r"scheduled|planned|supposed|expected|booked|by|before|until|due|ends?|begins?|opens?|"
        r"closes?|"
        r"expires?|arrives?|comes|goes|runs|flies|turns|moves|gets|has|takes|lasts|returns|rises|"
        r"visits|"
        r"launch(?:es)?|ships?|marries|let'?s|remind|"
        rf"(?:i|we|they|you|he|she|it)\s+(?!(?:{_STRONG})\b)(?!\w+ed\b)\w+",
    ),
    words=words(_DAYS, _DAY_SHORT, _MONTHS, _OFFSETS, _UNITS, _NUMBERS),
)
