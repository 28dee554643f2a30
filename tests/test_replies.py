"""What models answer, in every shape that was seen in the field."""

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hippod.extraction import replies
from hippod.extraction.replies import Reply

ONE = {"turns": [1], "kind": "W", "text": "The mooring costs 40 a night."}
TWO = {"turns": [2, 3], "kind": "O", "text": "Odd prefers oak."}
BOTH = json.dumps({"facts": [ONE, TWO]})


def texts(reply: Reply) -> list[str]:
    return [item.text for item in reply.items]


class TestWhereTheJsonStands:
    @pytest.mark.parametrize(
        "body",
        [
            BOTH,
            f"```json\n{BOTH}\n```",
            f"```\n{BOTH}\n```",
            f"Here you go:\n{BOTH}\nHope this helps!",
            f"Sure! ```json\n{BOTH}``` Let me know {{if}} you need more [or less].",
            f'```json\n{{"facts": []}}\n```\nThat was the form. Now yours:\n```json\n{BOTH}\n```',
            json.dumps([ONE, TWO]),
            f"- {json.dumps([ONE, TWO])}",
            json.dumps({"result": {"facts": [ONE, TWO]}}),
            "\ufeff" + BOTH,
            json.dumps({"facts": [ONE, TWO]}, indent=2).replace("\n", "\r\n"),
        ],
        ids=["bare", "fence", "plain fence", "chat", "unspaced", "two fences", "list",
             "list in text", "nested", "bom", "crlf"],
    )  # fmt: skip
    def test_facts_are_found(self, body: str) -> None:
        reply = replies.parse(body)
        assert reply.flaw is None
        assert [(item.lines, item.kind, item.text) for item in reply.items] == [
            ((1,), "W", "The mooring costs 40 a night."),
            ((2, 3), "O", "Odd prefers oak."),
        ]

    def test_the_last_valid_object_wins(self) -> None:
        draft = json.dumps({"facts": [{**ONE, "text": "A draft."}]})
        broken = json.dumps({"facts": [{"turns": [], "text": ""}]})
        assert texts(replies.parse(f"{draft}\n{BOTH}\n{broken}")) == [ONE["text"], TWO["text"]]

    def test_an_empty_list_is_an_answer(self) -> None:
        for body in ('{"facts": []}', "[]", 'Nothing lasting here.\n{"facts": []}'):
            assert replies.parse(body) == Reply(), body

    def test_fences_and_brackets_inside_strings_are_text(self) -> None:
        wanted = "Run ```make lint``` before {push} and [pull]."
        body = json.dumps({"facts": [{**ONE, "text": f"{wanted}\u0000"}]})
        assert texts(replies.parse(body)) == [wanted]
        assert texts(replies.parse(f"```json\n{body}\n```")) == [wanted]

    def test_raw_line_breaks_in_strings_become_spaces(self) -> None:
        body = '{"facts": [{"turns": [1], "kind": "W", "text": "two\nlines\tlong"}]}'
        assert texts(replies.parse(body)) == ["two lines long"]


class TestCut:
    def test_whole_items_of_a_cut_reply_are_saved(self) -> None:
        body = f'```json\n{{"facts": [{json.dumps(ONE)}, {json.dumps(TWO)[:-12]}'
        reply = replies.parse(body, finished=False)
        assert texts(reply) == [ONE["text"]]
        assert reply.flaw == "cut off"

    @pytest.mark.parametrize("body", ['{"facts": [', '{"facts": [{"turns": [1], "te', "[{"])
    def test_nothing_whole_is_still_cut(self, body: str) -> None:
        assert replies.parse(body, finished=False) == Reply(flaw="cut off")
        assert replies.parse(body).flaw == "cut off"

    def test_a_whole_answer_before_the_cut_counts(self) -> None:
        assert replies.parse(f"{BOTH}\nI hope that", finished=False).flaw is None


class TestThoughts:
    @pytest.mark.parametrize(
        "body",
        [
            f'<think>maybe {{"facts":[1]}} or [</think>{BOTH}',
            f"draft {json.dumps({'facts': [ONE]})} hm</think>{BOTH}",
            f"<think>one</think><think>two {{</think>\n{BOTH}",
            f"<thinking>\nlet me see\n</thinking>\n```json\n{BOTH}\n```",
            f"<think>a <think>b</think> c</think>{BOTH}",
            f"[THINK]hm[/THINK]{BOTH}",
            f"<|channel|>analysis<|message|>so<|channel|>final<|message|>{BOTH}",
            f"<Think>\nhm\n</Think>{BOTH}",
            f"{BOTH}<think>was that right?</think>",
        ],
    )
    def test_only_what_is_said_aloud_counts(self, body: str) -> None:
        assert texts(replies.parse(body)) == [ONE["text"], TWO["text"]]

    @pytest.mark.parametrize(
        "body",
        [f"<think>I would say {BOTH}", "<think>", "</think><think>again", "<|channel|>analysis x"],
    )
    def test_a_thought_without_an_end_is_a_failure(self, body: str) -> None:
        assert replies.parse(body) == Reply(flaw="an unfinished thought")


class TestItems:
    def test_each_item_is_judged_for_itself(self) -> None:
        bad: list[object] = [
            {"turns": [1], "kind": "W"},
            {"turns": [1], "kind": "W", "text": None},
            {"turns": [1], "kind": "Zeta", "text": "Unknown kind."},
            {"kind": "W", "text": "Cites nothing."},
            {"turns": ["x"], "kind": "W", "text": "Cites no number."},
            {"turns": [0], "kind": "W", "text": "Cites line 0."},
            {"turns": [1], "kind": "W", "text": "  "},
            {"turns": [1], "kind": "W", "text": 7},
            {"turns": [True], "kind": "W", "text": "Cites a truth."},
            "just a string",
            None,
        ]
        reply = replies.parse(json.dumps({"facts": [ONE, *bad, TWO]}))
        assert texts(reply) == [ONE["text"], TWO["text"]]
        assert len(reply.invalid) == len(bad)
        assert all(each.reason for each in reply.invalid)
        assert reply.flaw is None

    def test_only_invalid_items_are_a_failure_and_not_zero_facts(self) -> None:
        reply = replies.parse(json.dumps({"facts": [{"kind": "W"}, {"text": ""}]}))
        assert (reply.items, reply.flaw, len(reply.invalid)) == ((), "only invalid items", 2)

    @pytest.mark.parametrize(
        ("turns", "lines"),
        [(3, (3,)), ("3", (3,)), (["1", 2], (1, 2)), (["L4"], (4,)), ("[5]", (5,))],
    )
    def test_line_numbers_come_in_many_forms(self, turns: object, lines: tuple[int, ...]) -> None:
        body = json.dumps({"facts": [{**ONE, "turns": turns}]})
        assert replies.parse(body).items[0].lines == lines

    @pytest.mark.parametrize(
        ("kind", "read"), [("w", "w"), ("opinion", "O"), ("Fact", "W"), ("O", "O")]
    )
    def test_kinds_by_name(self, kind: str, read: str) -> None:
        reply = replies.parse(json.dumps({"facts": [{**ONE, "kind": kind}]}))
        if read == "w":
            assert not reply.items
        else:
            assert reply.items[0].kind == read


class TestLoops:
    def test_the_same_fact_400_times_is_one(self) -> None:
        reply = replies.parse(json.dumps({"facts": [ONE] * 400}))
        assert texts(reply) == [ONE["text"]]
        assert reply.flaw == "loops"

    def test_a_list_that_never_closes_gives_one_fact_at_most(self) -> None:
        body = '{"facts": [' + f"{json.dumps(ONE)}, " * 300
        reply = replies.parse(body, finished=False)
        assert texts(reply) == [ONE["text"]]
        assert reply.flaw == "loops"

    @pytest.mark.parametrize("junk", ["ny" * 10_000, "{" * 20_000, "[" * 30_000, '{"a":' * 9_000,
                                      "<think>" * 5_000, "```" * 9_000, "\\" * 30_000])  # fmt: skip
    def test_junk_is_a_loop_and_soon_read(self, junk: str) -> None:
        started = time.perf_counter()
        assert replies.parse(junk, finished=False) == Reply(flaw="loops")
        assert replies.line(junk, finished=False).flaw == "loops"
        assert time.perf_counter() - started < 2

    def test_a_long_honest_answer_is_none(self) -> None:
        trees = ["alder", "birch", "cedar", "dogwood", "elm", "fir", "gorse", "hazel", "ivy", "yew"]
        items = [
            {**ONE, "text": f"The {one} stands {number * 37} m from the {other} at the gate."}
            for number, (one, other) in enumerate(zip(trees * 2, trees[3:] * 3, strict=False))
        ]
        reply = replies.parse(json.dumps({"facts": items}))
        assert len(reply.items) == 20
        assert reply.flaw is None


class TestRefusals:
    @pytest.mark.parametrize(
        "body",
        [
            "Usage limit reached, resets 5pm",
            "You've hit your weekly limit. Upgrade to continue.",
            "Error 429: too many requests",
            "HTTP 503 Service Unavailable",
            '{"error": {"message": "Rate limit reached for requests", "type": "requests"}}',
            '{"type": "error", "message": "overloaded_error"}',
            '{"detail": "Invalid API key"}',
            "Your session has expired. Please log in again.",
            "insufficient_quota",
            "<!DOCTYPE html><html><body>Bad Gateway</body></html>",
            "I'm sorry, but I can't help with that.",
            "I cannot assist with this request.",
            "As an AI language model, I have no memory.",
            "Es tut mir leid, das kann ich nicht tun.",
            "Lo siento, no puedo ayudar con eso.",
            "Je suis désolé, je ne peux pas faire cela.",
            "抱歉，我无法提供帮助。",
            "申し訳ありませんが、お手伝いできません。",
            "<think>must I?</think>I'm unable to do that.",
        ],
    )
    def test_refusals_and_limits_are_failures(self, body: str) -> None:
        assert replies.parse(body) == Reply(flaw="a refusal")

    @pytest.mark.parametrize("body", ["", "  \n", "\ufeff", "<think>x</think>"])
    def test_nothing_is_no_answer(self, body: str) -> None:
        assert replies.parse(body).flaw == "empty"
        assert not replies.parse(body).items

    def test_talk_without_facts_is_a_failure(self) -> None:
        assert replies.parse("The ferry leaves at nine.").flaw == "not in the agreed form"
        assert replies.parse('{"answer": 42}').flaw == "not in the agreed form"
        assert replies.parse('"just a string"').flaw == "not in the agreed form"


class TestLine:
    @pytest.mark.parametrize(
        "body",
        [
            "Odd prefers oak.",
            " Odd prefers oak.\n",
            "Fact: Odd prefers oak.",
            '"Odd prefers oak."',
            "```\nOdd prefers oak.\n```",
            "- Odd prefers oak.\nThis is what the message says.",
            "<think>who?</think>\nOdd prefers oak.",
            "„Odd prefers oak.“",
            "`Odd prefers oak.`",
        ],
    )
    def test_one_line_without_its_wrapping(self, body: str) -> None:
        assert replies.line(body) == replies.Line("Odd prefers oak.")

    @pytest.mark.parametrize(
        ("body", "finished", "flaw"),
        [
            ("", True, "empty"),
            ("```\n```", True, "empty"),
            ("<think>hm", True, "an unfinished thought"),
            ("Odd prefers oa", False, "cut off"),
            ("Odd. " * 200, True, "loops"),
        ],
    )
    def test_no_line(self, body: str, finished: bool, flaw: str) -> None:
        assert replies.line(body, finished=finished) == replies.Line("", flaw)  # type: ignore[arg-type]


anything = st.text(max_size=300) | st.lists(
    st.sampled_from(
        ["{", "}", "[", "]", '"', ",", ":", "facts", "text", "turns", "<think>", "</think>", "```",
         "\n", "1", BOTH, json.dumps(ONE), "\\", "\u0000", "I'm sorry"]
    ),
    max_size=25,
).map("".join)  # fmt: skip


@given(anything, st.booleans())
@settings(max_examples=300, deadline=None)
def test_any_reply_is_read(body: str, finished: bool) -> None:
    reply = replies.parse(body, finished=finished)
    for item in reply.items:
        assert item.text == item.text.strip() != ""
        assert "\n" not in item.text
        assert min(item.lines) >= 1
    assert reply.items or reply.flaw or not reply.invalid
    line = replies.line(body, finished=finished)
    assert "\n" not in line.text
    assert bool(line.text) or line.flaw is not None or not body.strip() or not line.text


words = st.text(st.characters(codec="utf-8"), min_size=1, max_size=80).filter(
    lambda text: bool(text.strip()) and text == replies._one_line(text)
)


@given(
    st.lists(words, max_size=8, unique_by=str.casefold), st.sampled_from(["", "Here:\n```json\n"])
)
@settings(max_examples=100, deadline=None)
def test_what_is_well_formed_comes_back_as_it_is(facts: list[str], before: str) -> None:
    items = [{"turns": [n], "kind": "W", "text": text} for n, text in enumerate(facts, 1)]
    body = before + json.dumps({"facts": items}) + ("\n```" if before else "")
    assert texts(replies.parse(body)) == facts
