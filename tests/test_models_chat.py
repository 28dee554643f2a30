"""Chat templates taken apart: control tokens outside, the two texts inside, whatever is broken."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippod.models.chat import PLAIN, frame

CHATML = (
    "{% for m in messages %}{{ '<|im_start|>' + m['role'] + '\n' + m['content'] + '<|im_end|>\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
NO_SYSTEM = (
    "{{ bos_token }}{% if messages[0]['role'] == 'system' %}{{ raise_exception('no system') }}"
    "{% endif %}{% for m in messages %}{{ '<turn>' + m['role'] + '\n' }}{{ m['content'] | trim }}"
    "<end>{% endfor %}{{ '<turn>model\n' }}"
)
THINKING = CHATML + "{% if not enable_thinking %}{{ '<think>\n\n</think>\n\n' }}{% endif %}"


def test_instructions_and_message_stand_in_their_places() -> None:
    found = frame(CHATML, "<|im_end|>", instructed=True)
    assert found.head == "<|im_start|>system\n"
    assert found.between == "<|im_end|>\n<|im_start|>user\n"
    assert found.tail == "<|im_end|>\n<|im_start|>assistant\n"


def test_without_instructions_the_message_follows_at_once() -> None:
    found = frame(CHATML, "", instructed=False)
    assert (found.head, found.between) == ("<|im_start|>user\n", "")


def test_a_template_that_refuses_instructions_gets_them_in_the_message() -> None:
    found = frame(NO_SYSTEM, "", instructed=True)
    assert (found.head, found.between) == ("<turn>user\n", "\n\n")
    assert found.tail == "<end><turn>model\n"


def test_models_that_can_think_are_told_not_to() -> None:
    assert frame(THINKING, "", instructed=True).tail.endswith("<think>\n\n</think>\n\n")


@pytest.mark.parametrize(
    "template",
    [
        None,
        "",
        "{{ unclosed",
        "{% for m in messages %}",
        "no content at all",
        "{{ messages[0]['content'] * 2 }}",
        "{{ raise_exception('never') }}",
        "{{ nothing.of.that }}",
        "{{ messages.clear() }}",
        "{{ ''.__class__.__mro__[1].__subclasses__() }}",
        "{{ range(10 ** 12) | list }}",
        "{{ 1 / 0 }}",
    ],
)
def test_without_a_usable_template_the_texts_stand_alone(template: str | None) -> None:
    assert frame(template, "</s>", instructed=True) == PLAIN


@given(st.text(max_size=200), st.booleans())
def test_any_template_gives_a_frame(template: str, instructed: bool) -> None:
    assert frame(template, "</s>", instructed=instructed) is not None
