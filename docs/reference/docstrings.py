"""What the source of a module says of the fields of its classes, which Python itself forgets."""

import ast
import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType


@dataclass(frozen=True, slots=True)
class Written:
    """A field as it is written: its annotation, and the text below it (empty if there is none)."""

    annotation: str
    text: str


def fields_of(*modules: ModuleType) -> dict[tuple[str, str], Written]:
    """Return the fields of all classes in some modules, by class and name."""
    trees = (ast.parse(inspect.getsource(module)) for module in modules)
    return {
        (node.name, name): written
        for tree in trees
        for node in tree.body
        if isinstance(node, ast.ClassDef)
        for name, written in _fields(node)
    }


def _fields(node: ast.ClassDef) -> Iterator[tuple[str, Written]]:
    for statement, below in zip(node.body, [*node.body[1:], None], strict=True):
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            yield statement.target.id, Written(ast.unparse(statement.annotation), _text(below))


def _text(statement: ast.stmt | None) -> str:
    value = statement.value if isinstance(statement, ast.Expr) else None
    is_text = isinstance(value, ast.Constant) and isinstance(value.value, str)
    return " ".join(value.value.split()) if is_text else ""  # type: ignore[union-attr]
