"""Whether one telling may stand for another: the same words are not enough where "should", "from"
or a past tense tells them apart."""

import re
from collections import Counter
from functools import lru_cache

from hippod.extraction import repetition, support
from hippod.language import content_stems, guess, is_spaceless

_TURNING = re.compile(
    r"or|nor|if|unless|whether|was|were|had|did|will|would|shall|should|can|could|may|might|must"
    r"|ought|used|without|only|almost|nearly|hardly|barely|rarely|seldom|sometimes|once|formerly"
    r"|refus\w+|plan(?:s|ned)?|plann\w+|want\w*|hop(?:es?|ed|ing)|intend\w*|stop\w*|quits?"
    r"|tr(?:y|ies|ied|ying)|avoid\w*|forg[eo]t\w*|den(?:y|ies|ied)|promis\w+|pretend\w*|consider\w*"
    r"|expect\w*|fail\w*|need\w*"
    r"|oder|falls|wenn|ob|waren?|wurden?|hatten?|wird|werden|würden?|soll\w*|muss\w*|müssen|kann"
    r"|können|konnten?|könnten?|darf|dürf\w+|möchten?|wollt?en?|wollte|ohne|nur|fast|beinahe|kaum"
    r"|selten|manchmal|früher|einst|weiger\w+|plant\w*|hoff\w+|versuch\w+|vermeid\w+|verspr\w+"
    r"|o|u|si|era|eran|fue|fueron|estaba\w*|había\w*|será\w*|debe\w*|debería\w*|puede\w*|podría\w*"
    r"|sin|solo|sólo|casi|apenas|antes|quier\w+|intenta\w*|planea\w*|espera\w*|evita\w*"
    r"|ou|était|étaient|fut|furent|avait|avaient|sera|seront|doit|devrait|peut|pourrait|sans"
    r"|seulement|presque|rarement|autrefois|veut|refuse|essaie|espère|évite"
    r"|foram|foi|estava\w*|tinha\w*|deve|deveria|pode|poderia|sem|só|apenas|quase|raramente|quer"
    r"|tenta\w*|planeia|planeja",
    re.IGNORECASE,
)
"""Words that make another statement of one: what may be, was, will be or is only wanted."""
_PLACING = re.compile(
    r"to|from|in|on|at|by|for|with|into|onto|over|under|above|below|before|after|until|since"
    r"|during|through|between|against|behind|off|out|up|down|via|about"
    r"|zu|zum|zur|nach|von|vom|aus|bei|beim|mit|für|gegen|im|am|auf|unter|über|vor|hinter|neben"
    r"|zwischen|bis|seit|ab"
    r"|a|al|de|del|desde|hasta|en|con|por|para|sobre|bajo|tras|contra"
    r"|à|au|aux|du|des|dans|sur|sous|avec|pour|par|chez|vers|avant|après|depuis|contre"
    r"|ao|à|aos|do|da|dos|das|até|em|no|na|nos|nas|com|pelo|pela",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
_PLURAL = re.compile(r"'s$|e?s?$")


def says_again(content: str, newer: str) -> bool:
    """Say whether `newer` tells all of `content`, and tells it no other way.

    It has its words (see `repetition.is_repeated`), the same modals, auxiliaries, "or" and
    negations, all its prepositions, and each word in the same form but for a plural.
    """
    language = guess(content)
    return repetition.is_repeated(content, newer, language) and _is_told_alike(
        _look(content, language), _look(newer, language)
    )


class _Look:
    """What tells two texts of the same words apart."""

    __slots__ = ("forms", "placing", "turning")

    def __init__(self, text: str, language: str) -> None:
        words = [_whole(word) for word in _WORD.findall(_plain(text))]
        self.turning = {word for word in words if _TURNING.fullmatch(word)}
        self.placing = Counter(word for word in words if _PLACING.fullmatch(word))
        self.forms: dict[str, set[str]] = {}
        for word in () if is_spaceless(language) else words:
            for stem in content_stems(word, language):
                self.forms.setdefault(stem, set()).add(_form(word, language))


@lru_cache(maxsize=8192)
def _look(text: str, language: str) -> _Look:
    return _Look(text, language)


def _is_told_alike(one: _Look, newer: _Look) -> bool:
    return (
        one.turning == newer.turning
        and one.placing <= newer.placing
        and all(forms <= newer.forms.get(stem, forms) for stem, forms in one.forms.items())
    )


def _form(word: str, language: str) -> str:
    """Return a word without the ending of a plural; a German "-e" may be a past tense."""
    return word if language == "de" else _PLURAL.sub("", word, count=1)


def _plain(text: str) -> str:
    return support.without_dates(text).casefold().replace("’", "'")


def _whole(word: str) -> str:
    """Return "could" for "couldn't": whether it is denied is looked at elsewhere."""
    if not word.endswith("n't"):
        return word
    return {"won't": "will", "can't": "can", "shan't": "shall"}.get(word, word[:-3])
