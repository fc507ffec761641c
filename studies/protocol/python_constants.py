"""String constants of a Python module, read as data: the module is parsed, never imported or run."""

import ast
import inspect
import textwrap
from collections.abc import Callable, Mapping

_TEXT_FUNCTIONS: Mapping[str, Callable[[str], str]] = {
    "dedent": textwrap.dedent,
    "cleandoc": inspect.cleandoc,
}
_TEXT_METHODS: Mapping[str, Callable[[str, str | None], str]] = {
    "strip": str.strip,
    "lstrip": str.lstrip,
    "rstrip": str.rstrip,
}


class NotAString(Exception):
    """An expression is more than a string literal can be; `line` is where in the module."""

    def __init__(self, line: int) -> None:
        self.line = line
        super().__init__(f"line {line} is not a plain string")


def string_constant(source: str, name: str) -> str | None:
    """The value of the module-level constant, or None when the module has none of that name.

    Understands literals, joined literals, `+`, `dedent(...)`, `cleandoc(...)` and `.strip()` and its kin.
    Raises SyntaxError for a file that is no Python and NotAString for any other expression.
    """
    value = None
    for statement in ast.parse(source).body:
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        if isinstance(statement, ast.AnnAssign):
            targets = [statement.target]
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            value = statement
    if not isinstance(value, ast.Assign | ast.AnnAssign) or value.value is None:
        return None
    return _text_of(value.value)


def _text_of(node: ast.expr) -> str:
    match node:
        case ast.Constant(value=str() as literal):
            return literal
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _text_of(left) + _text_of(right)
        case ast.Call(
            func=ast.Name(id=name) | ast.Attribute(value=ast.Name(), attr=name), args=[text], keywords=[]
        ) if name in _TEXT_FUNCTIONS:
            return _TEXT_FUNCTIONS[name](_text_of(text))
        case ast.Call(func=ast.Attribute(value=text, attr=name), args=[], keywords=[]) if (
            name in _TEXT_METHODS
        ):
            return _TEXT_METHODS[name](_text_of(text), None)
        case ast.Call(func=ast.Attribute(value=text, attr=name), args=[characters], keywords=[]) if (
            name in _TEXT_METHODS
        ):
            return _TEXT_METHODS[name](_text_of(text), _text_of(characters))
    raise NotAString(node.lineno)
