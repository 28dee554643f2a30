"""The fixed grammars of `complete`: the only ones that ever reach llama.cpp.

A faulty grammar ends the process with a segmentation fault, so none is built from input and
each is tried in a child process by the tests. Nested bounded repetitions crash as well.
"""

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

_LINE = r"""
root ::= " "? [^ \t\r\n] [^\r\n]* "\n"
"""

GRAMMARS: dict[Grammar, str] = {"facts": _FACTS, "json": _JSON, "line": _LINE}
"""GBNF by name. `facts`: Retain bullets; `json`: one object; `line`: one line of text.

A reply that reaches `max_tokens` stops in the middle; readers check what they get.
"""
