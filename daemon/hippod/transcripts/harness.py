"""Tell a message from what the program around an agent wrote beside it, between tags of its own."""

import re
from collections.abc import Iterable

from hippod import redact

_SEAM = "\0"


def public_texts(texts: Iterable[str]) -> list[str]:
    """Cut private spans and our own memory blocks out of the texts of one message.

    To be done before anything else is taken off: a program's own tag may hold the beginning of a
    span whose end a person wrote. A span may begin in one text and end in a later one, then these
    become one text.
    """
    joined = _SEAM.join(text.replace(_SEAM, "") for text in texts)
    return redact.strip_private(redact.strip_memory(joined)).split(_SEAM)


def public_text(text: str) -> str:
    """Cut private spans and our own memory blocks."""
    return redact.strip_private(redact.strip_memory(text))


def inside_tag(text: str, name: str) -> list[str]:
    """Return what stands in each closed tag of that name, in time linear in the text's length."""
    found, opener, closer = [], f"<{name}>", f"</{name}>"
    start = text.find(opener)
    while start >= 0 and (end := text.find(closer, start)) >= 0:
        found.append(text[start + len(opener) : end])
        start = text.find(opener, end)
    return found


def without_tags(text: str, tag: re.Pattern[str]) -> str:
    """Cut every closed tag with its content, in time linear in the text's length.

    `tag` matches an opening tag and has its name as first group. What is such a tag from end to
    end goes as a whole: its content may quote a closing tag.
    """
    around = tag.match(text.lstrip())
    if around and text.rstrip().endswith(f"</{around[1]}>"):
        return ""
    kept, position, unclosed = [], 0, set()
    for opening in tag.finditer(text):
        if opening.start() < position or opening[1] in unclosed:
            continue
        closer = f"</{opening[1]}>"
        end = text.find(closer, opening.end())
        if end < 0:
            unclosed.add(opening[1])
            continue
        kept.append(text[position : opening.start()])
        position = end + len(closer)
    return "".join(kept) + text[position:]
