"""The fixed grammars of `complete`: the only ones that ever reach llama.cpp.

A faulty grammar ends the process with a segmentation fault, so none is built from input and
each is tried in a child process by the tests. Nested bounded repetitions crash as well.
"""

from collections.abc import Mapping
from typing import Any

from hippod.models import Grammar

_FACTS = r"""
root ::= fact+
fact ::= "- " kind (" @" name)* ": " text "\n"
kind ::= "W" | "B" | "S" | "O" ("(c=0." [0-9] [0-9] ")")?
name ::= [^ \t\r\n@:;,()<>"'`|/\\[\]{}]+
text ::= [^ \t\r\n] [^\r\n]*
"""

# Depth is bounded: a model that only opens brackets must not exhaust a reader's stack.
_JSON = r"""
root ::= "{" ws (pair ("," ws pair)*)? "}"
pair ::= string ":" ws (leaf | item | array) ws
array ::= "[" ws (element ("," ws element)*)? "]"
element ::= (leaf | item) ws
item ::= "{" ws (field ("," ws field)*)? "}"
field ::= string ":" ws (leaf | list) ws
list ::= "[" ws (leaf ws ("," ws leaf ws)*)? "]"
leaf ::= string | number | "true" | "false" | "null"
string ::= "\"" char* "\""
char ::= [^"\\\x7F\x01-\x1F] | "\\" (["\\/bfnrt] | "u" hex hex hex hex)
hex ::= [0-9a-fA-F]
number ::= "-"? ("0" | [1-9] [0-9]*) ("." [0-9]+)? ([eE] [-+]? [0-9]+)?
ws ::= [ \n]?
"""

# The same as SCHEMAS["items"], in the order in which a small model writes it best.
_ITEMS = r"""
root ::= "{\"facts\":" ws "[" ws (item ("," ws item)*)? ws "]" ws "}"
item ::= "{\"turns\":" ws "[" number ("," ws number)* "]," ws "\"kind\":" ws kind "," ws text ws "}"
kind ::= "\"" ("W" | "B" | "O") "\""
text ::= "\"text\":" ws "\"" char+ "\""
char ::= [^"\\\x7F\x01-\x1F] | "\\" (["\\/bfnrt] | "u" hex hex hex hex)
hex ::= [0-9a-fA-F]
number ::= [1-9] [0-9]? [0-9]?
ws ::= [ \n]?
"""

_LINE = r"""
root ::= " "? [^ \t\r\n] [^\r\n]* "\n"?
"""

GRAMMARS: dict[Grammar, str] = {
    "facts": _FACTS,
    "items": _ITEMS,
    "json": _JSON,
    "line": _LINE,
}
"""GBNF by name. `facts`: Retain bullets; `items`: facts with the turns they cite, as JSON;
`json`: one object; `line`: one line of text.

A reply that reaches `max_tokens` stops in the middle; readers check what they get.
"""

SCHEMAS: Mapping[Grammar, dict[str, Any]] = {
    "items": {
        "type": "object",
        "properties": {
            "facts": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "turns": {"type": "array", "items": {"type": "integer"}},
                        "kind": {"type": "string", "enum": ["W", "B", "O"]},
                        "text": {"type": "string"},
                    },
                    "required": ["turns", "kind", "text"],
                    "additionalProperties": False,
                },
            }
        },
        "required": ["facts"],
        "additionalProperties": False,
    }
}
"""JSON schemas by name, for endpoints that take those; `json` has none, the others are text."""
