"""Edits of other programs' settings: one entry comes and goes, and no other byte changes."""

import json
import tomllib
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hippod.connect import json_source, json_text, toml_text
from hippod.errors import Conflict, InvalidInput

ENTRY = {"command": "/opt/hippod", "args": ["mcp", "--start"]}
AT = ("mcpServers", "hippod")
QUICK = settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)  # what is slow is the machine that the tests share

# -- made-up files ---------------------------------------------------------------------------

WORDS = st.text(
    st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\u2028\u2029"), max_size=6
)
KEYS = st.one_of(st.sampled_from(["mcpServers", "hippod", "a", "hooks", "//", "é"]), WORDS)
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-1000, 1000), WORDS)


GAPS = ("", "", " ", "\n", "\n  ", "\t", "// c, }\n", '/* { " */', "/* a\n b */")


def gap(dice: Random) -> str:
    """Space, line ends and comments, as they may stand between any two parts."""
    return "".join(dice.choices(GAPS, k=dice.randrange(4)))


def written(value: Any, dice: Random) -> str:
    """Write a value as JSONC may have it; by dice, since to draw each gap would be slow."""
    if not isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=dice.random() < 0.5)
    parts = []
    for held in value:
        text = f"{gap(dice)}{json.dumps(held) if isinstance(value, dict) else written(held, dice)}"
        if isinstance(value, dict):
            text += f"{gap(dice)}:{gap(dice)}{written(value[held], dice)}"
        parts.append(text + gap(dice))
    comma = "," if parts and dice.random() < 0.5 else ""
    left, right = "{}" if isinstance(value, dict) else "[]"
    return f"{left}{','.join(parts)}{comma}{gap(dice)}{right}"


VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3)),
    max_leaves=8,
)


@st.composite
def files(draw: st.DrawFn) -> tuple[bytes, dict[str, Any]]:
    """A file of settings, and what it says."""
    says = draw(st.dictionaries(KEYS, VALUES, max_size=3))
    if draw(st.booleans()):
        says["mcpServers"] = draw(st.dictionaries(KEYS, VALUES, max_size=3))
    dice = Random(draw(st.integers(0, 2**32)))
    text = gap(dice) + written(says, dice) + gap(dice)
    if draw(st.booleans()):
        text = text.replace("\n", "\r\n")
    bom = draw(st.sampled_from(["", "\ufeff"]))
    return (bom + text).encode(), says


@QUICK
@given(files())
def test_what_is_read_is_what_was_written(file: tuple[bytes, dict[str, Any]]) -> None:
    data, says = file
    assert json_text.value(data, (), "f") == says


@QUICK
@given(files())
def test_an_entry_comes_and_goes_and_no_other_byte_changes(
    file: tuple[bytes, dict[str, Any]],
) -> None:
    data, says = file
    servers = says.get("mcpServers", {})
    if not isinstance(servers, dict):
        with pytest.raises(InvalidInput, match=r"f:\d+:\d+: mcpServers is not an object"):
            json_text.put(data, AT, ENTRY, "f")
        return
    done = json_text.put(data, AT, ENTRY, "f")
    meant = {**says, "mcpServers": {**servers, "hippod": ENTRY}}
    assert json_text.value(done.data, (), "f") == meant
    if "hippod" not in servers:
        assert json_text.drop(done.data, AT, done.made, "f") == data


@QUICK
@given(files())
def test_nothing_of_a_file_is_lost_by_an_entry(file: tuple[bytes, dict[str, Any]]) -> None:
    data, says = file
    if not isinstance(says.get("mcpServers", {}), dict) or "hippod" in says.get("mcpServers", {}):
        return
    after = iter(json_text.put(data, AT, ENTRY, "f").data)
    lost = sum(byte not in after for byte in data if byte not in b" \t\r\n")
    assert lost == 0, "what stood there stands there still, in its order"


@QUICK
@given(files(), st.integers(1, 3))
def test_items_of_a_list_come_and_go(file: tuple[bytes, dict[str, Any]], count: int) -> None:
    data, says = file
    at = ("hooks", "Stop")
    if "hooks" in says and not isinstance(says["hooks"], dict):
        return
    held = says.get("hooks", {}).get("Stop", [])
    if not isinstance(held, list):
        return
    steps = [(data, None)]
    for number in range(count):
        done = json_text.add(steps[-1][0], at, {"command": number}, "f")
        steps.append((done.data, done.made))
    found = json_text.value(steps[-1][0], at, "f")
    assert found == [*held, *({"command": number} for number in range(count))]
    for number in reversed(range(count)):
        after, made = steps[number + 1]
        assert json_text.drop_item(after, at, len(held) + number, made, "f") == steps[number][0]


@QUICK
@given(files(), files())
def test_an_entry_goes_alone_however_the_file_changed(
    one: tuple[bytes, dict[str, Any]], other: tuple[bytes, dict[str, Any]]
) -> None:
    """The file was written anew by its program: the trace of the insertion fits no longer."""
    data, says = one
    if not isinstance(says.get("mcpServers", {}), dict):
        return
    made = json_text.put(data, AT, ENTRY, "f").made
    rewritten, now = other
    if not isinstance(now.get("mcpServers", {}), dict) or "hippod" in now.get("mcpServers", {}):
        return
    done = json_text.put(rewritten, AT, ENTRY, "f")
    after = json_text.value(json_text.drop(done.data, AT, made, "f"), (), "f")
    servers = now.get("mcpServers", {})
    if servers:
        assert after == now
    else:
        rest = {key: held for key, held in now.items() if key != "mcpServers"}
        assert after in (None, rest, {**rest, "mcpServers": {}})


@QUICK
@given(st.text("{}[],:/*\n \"'\\a1-.e\u2028", max_size=30))
def test_any_text_is_read_as_it_is_or_refused_with_its_place(text: str) -> None:
    refused = None
    try:
        found = json_source.parse(text, "f")
    except InvalidInput as error:
        refused = error
    if refused:
        assert refused.message.startswith("f:1:") or "\n" in text or "\u2028" in text
    else:
        assert json_source.is_blank(text[: found.start] + text[found.end :])


@QUICK
@given(VALUES)
def test_plain_json_means_what_it_means_to_python(value: Any) -> None:
    for text in (json.dumps(value), json.dumps(value, indent=2, ensure_ascii=False)):
        assert json_source.parse(text, "f").value == value


# -- how it looks ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '{\n  "m": {\n    "h": 1\n  }\n}\n'),
        ("{}", '{\n  "m": {\n    "h": 1\n  }\n}'),
        ("{}\n", '{\n  "m": {\n    "h": 1\n  }\n}\n'),
        ('{"a":1}', '{"a":1,"m":{"h":1}}'),
        ('{"a": 1}\n', '{"a": 1, "m": {"h": 1}}\n'),
        ('{\n\t"a": 1\n}', '{\n\t"a": 1,\n\t"m": {\n\t\t"h": 1\n\t}\n}'),
        ('{\n    "m": {}\n}\n', '{\n    "m": {\n        "h": 1\n    }\n}\n'),
        ('{\n  "m": {\n    "a": 1, // why\n  },\n}',
         '{\n  "m": {\n    "a": 1, // why\n    "h": 1,\n  },\n}'),
        ('{\n  "m": {\n    "a": 1 // why\n  }\n}',
         '{\n  "m": {\n    "a": 1, // why\n    "h": 1\n  }\n}'),
        ("{ // c\n}", '{ // c\n  "m": {\n    "h": 1\n  }\n}'),
        ('{\n  "m": { "a": 1 } // x\n}', '{\n  "m": { "a": 1, "h": 1 } // x\n}'),
        ('{\r\n  "a": 1\r\n}', '{\r\n  "a": 1,\r\n  "m": {\r\n    "h": 1\r\n  }\r\n}'),
        ("{m: {'a': 1,},}", "{m: {'a': 1, \"h\": 1,},}"),
        ('{\n  "m": {\n    // "h": 2\n  }\n}', '{\n  "m": {\n    // "h": 2\n    "h": 1\n  }\n}'),
    ],
)  # fmt: skip
def test_an_entry_is_written_as_the_rest_of_the_file(before: str, after: str) -> None:
    done = json_text.put(before.encode(), ("m", "h"), 1, "f")
    assert done.data.decode() == after
    assert json_text.drop(done.data, ("m", "h"), done.made, "f").decode() == before


def test_a_value_that_is_there_is_changed_in_its_place() -> None:
    before = b'{\n  "m": {\n    "h": {"command": "old"}, // mine\n    "z": 1\n  }\n}\n'
    done = json_text.put(before, ("m", "h"), {"command": "new"}, "f")
    assert done.data == before.replace(b"old", b"new")
    assert done.made is None
    assert json_text.put(done.data, ("m", "h"), {"command": "new"}, "f").data == done.data


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{ // c\n"h": 1}', "{ // c\n}"),
        ('{ // c\n"h": 1 /* x */}', "{ // c\n /* x */}"),
        ('{"a": 1, // c\n"h": 1}', '{"a": 1 // c\n}'),
        ('{\n  "h": 1, // of h\n  "b": 2\n}', '{\n  // of h\n  "b": 2\n}'),
        ('{"a": 1, "h": 2, "b": 3}', '{"a": 1, "b": 3}'),
        ('{"h": 2, "b": 3,}', '{"b": 3,}'),
    ],
)
def test_an_entry_made_by_hand_goes_without_breaking_what_is_around(
    before: str, after: str
) -> None:
    assert json_text.drop(before.encode(), ("h",), json_text.Made(0), "f").decode() == after


def test_of_a_key_given_twice_the_last_counts() -> None:
    data = b'{"m": {"a": 1}, "m": {"b": 2}}'
    with pytest.raises(Conflict, match="without touching other parts"):
        json_text.drop(b'{"m": {"h": 1, "h": 2}}', ("m", "h"), None, "f")
    assert json_text.value(json_text.put(data, ("m", "h"), 3, "f").data, ("m",), "f") == {
        "b": 2,
        "h": 3,
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{\n  "a": 1\n  "b": 2\n}', "f:3:3: expected , or }, found '\"'"),
        ('{"a": 1,, }', "f:1:9: expected a key or }, found ','"),
        ('{"a": [1 2]}', "f:1:10: expected , or ], found '2'"),
        ('{"a": {', "f:1:8: expected a key or }, but the file ends"),
        ('{"a": "x\n}', "f:1:7: a string that is not closed"),
        ('{"a": 1 /* x }', "f:1:9: a comment that is not closed"),
        ('{"a" 1}', "f:1:6: expected : after the key, found '1'"),
        ('{"a": tru}', "f:1:7: expected a value, found 'tru'"),
        ('{"a": 0123x}', "f:1:7: expected a value, found '0123x'"),
        ('{"a": 1}}', "f:1:9: more follows after the end of the value"),
        ("[1]", "f:1:1: the file is not an object, in braces"),
        ('{"mcpServers": []}', "f:1:16: mcpServers is not an object, in braces"),
        ('{"mcpServers": null}', "f:1:16: mcpServers is not an object, in braces"),
        ("[" * 100_000, "f: nested too deep"),
    ],
)
def test_a_broken_file_is_refused_with_its_place(text: str, said: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        json_text.put(text.encode(), AT, ENTRY, "f")
    assert caught.value.message == said


@pytest.mark.parametrize("data", [b'{"a": "\xff"}', '{"a": 1}'.encode("utf-16")])
def test_a_file_that_is_not_utf_8_is_refused(data: bytes) -> None:
    with pytest.raises(InvalidInput, match=r"f:1:\d+: not UTF-8"):
        json_text.put(data, AT, ENTRY, "f")


def test_json5_means_what_it_should() -> None:
    text = r"""{a: 0x1F, b: .5, c: +1, d: -Infinity, 'e': 'it\'s \
two', f_$: "\u00e9\x41\ud83d\ude00", g: [1,], h: 1e3}"""
    assert json_source.parse(text, "f").value == {
        "a": 31, "b": 0.5, "c": 1, "d": float("-inf"), "e": "it's two", "f_$": "éA😀", "g": [1],
        "h": 1000.0,
    }  # fmt: skip


def test_a_megabyte_is_read_in_reasonable_time() -> None:
    projects = {f"/p/{n}": {"history": ["x" * 40] * 10, "n": n} for n in range(2000)}
    data = json.dumps({"projects": projects}, indent=2).encode()
    assert len(data) > 900_000
    done = json_text.put(data, AT, ENTRY, "f")
    assert json_text.drop(done.data, AT, done.made, "f") == data


# -- TOML ------------------------------------------------------------------------------------

TOML_PIECES = st.sampled_from(
    [
        "model = 'o3' # why\n", "\n", "# a comment\n", "[a]\nx = 1\n", "[mcp_servers.other]\n",
        "[b.c]\ny = [\n  1, # one\n  2,\n]\n", "[[sources]]\nname = 'one'\npath = 'p'\n",
        "[tools]\tweb = true\n".replace("\t", "\n"), "s = '''\n[mcp_servers.hippod]\n'''\n",
    ]
)  # fmt: skip


@st.composite
def toml_files(draw: st.DrawFn) -> bytes:
    text = "".join(draw(st.lists(TOML_PIECES, max_size=5, unique=True)))
    if draw(st.booleans()):
        text = text.removesuffix("\n")
    if draw(st.booleans()):
        text = text.replace("\n", "\r\n")
    return (draw(st.sampled_from(["", "\ufeff"])) + text).encode()


@QUICK
@given(toml_files())
def test_a_table_comes_and_goes_and_no_other_byte_changes(data: bytes) -> None:
    before = tomllib.loads(data.decode("utf-8-sig"))
    after, made = toml_text.put(data, ("mcp_servers", "hippod"), ENTRY, "f")
    assert after.startswith(data)
    servers = {**before.get("mcp_servers", {}), "hippod": ENTRY}
    assert tomllib.loads(after.decode("utf-8-sig")) == {**before, "mcp_servers": servers}
    assert toml_text.put(after, ("mcp_servers", "hippod"), ENTRY, "f") == (after, "")
    assert toml_text.drop(after, ("mcp_servers", "hippod"), made, "f") == data


@QUICK
@given(toml_files())
def test_a_table_of_an_array_comes_and_goes(data: bytes) -> None:
    held = tomllib.loads(data.decode("utf-8-sig")).get("sources", [])
    table = {"name": "codex", "path": "~/.codex/**"}
    after, made = toml_text.add(data, ("sources",), table, "f")
    assert after.startswith(data)
    assert tomllib.loads(after.decode("utf-8-sig"))["sources"] == [*held, table]
    assert toml_text.drop_item(after, ("sources",), len(held), made, "f") == data


def test_a_table_that_is_there_is_changed_and_the_rest_stays() -> None:
    before = b"""# mine
model = "x"
[mcp_servers.hippod] # ours
command = "/old" # where it was
args = ["mcp"]

[mcp_servers.other]
command = "y"
"""
    after, made = toml_text.put(before, ("mcp_servers", "hippod"), ENTRY, "f")
    assert made == ""
    assert tomllib.loads(after.decode())["mcp_servers"]["hippod"] == ENTRY
    for line in (b"# mine", b'model = "x"', b"# ours", b'[mcp_servers.other]\ncommand = "y"\n'):
        assert line in after


def test_an_inline_table_takes_an_entry_too() -> None:
    before = b'mcp_servers = { other = { command = "y" } } # mine\n[a]\nx = 1\n'
    after, _ = toml_text.put(before, ("mcp_servers", "hippod"), ENTRY, "f")
    assert tomllib.loads(after.decode())["mcp_servers"]["hippod"] == ENTRY
    back = toml_text.drop(after, ("mcp_servers", "hippod"), "", "f")
    assert tomllib.loads(back.decode()) == tomllib.loads(before.decode())
    assert b"# mine\n[a]\nx = 1\n" in back


def test_an_entry_with_keys_of_a_person_goes_as_a_whole() -> None:
    after, made = toml_text.put(b"a = 1\n", ("mcp_servers", "hippod"), ENTRY, "f")
    changed = after + b"startup_timeout_sec = 9\n[z]\nb = 2\n"
    left = toml_text.drop(changed, ("mcp_servers", "hippod"), made, "f")
    assert tomllib.loads(left.decode()) == {"a": 1, "z": {"b": 2}}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a = 1\nb = \n", r"f:2:5: not valid TOML: Invalid value"),
        ("mcp_servers = 3\n", "f: mcp_servers is not a table"),
        ("mcp_servers = [{}]\n", "f: mcp_servers is not a table"),
    ],
)
def test_broken_toml_is_refused_with_its_place(text: str, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        toml_text.put(text.encode(), ("mcp_servers", "hippod"), ENTRY, "f")


def test_an_array_in_one_line_is_left_to_its_owner() -> None:
    with pytest.raises(Conflict, match="sources is written in one line"):
        toml_text.add(b"sources = [{ name = 'a' }]\n", ("sources",), {"name": "b"}, "f")
