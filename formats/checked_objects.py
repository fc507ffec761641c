"""Objects of JSON read field by field, without a schema: what is wrong is kept as a sentence with its place.

The sentences are those of `formats.sentences`. A field that is wrong is read as NaN, "" or {}, so that the
fields after it are checked, too; whoever reads looks at `problems` before using anything.
"""

import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from formats.sentences import sentence_of

Result = TypeVar("Result")
Place = tuple[str, ...]
Fault = tuple[Place, str]  # where, and the sentence that reads on after it
_ABSENT = object()
_BOUNDS: Mapping[str, tuple[str, Callable[[float, float], bool]]] = {
    "le": ("less_than_equal", operator.le),
    "ge": ("greater_than_equal", operator.ge),
    "gt": ("greater_than", operator.gt),
}


@dataclass
class CheckedObject:
    """One object, `place` in the file; the objects within share its list of `problems`."""

    content: Mapping[str, Any]
    place: Place = ()
    problems: list[Fault] = field(default_factory=list)

    def number(self, name: str, **bounds: float) -> float:
        """A finite number within bounds (gt, ge, le), as float; NaN where it is none."""
        value = self._value(name)
        if value is _ABSENT:
            return math.nan
        if isinstance(value, bool) or not isinstance(value, int | float):
            return self._refuse("float_type", name, value, math.nan)
        try:
            number = float(value)
        except OverflowError:
            return self._refuse("finite_number", name, value, math.nan)
        if not math.isfinite(number):
            return self._refuse("finite_number", name, value, math.nan)
        return number if self._is_within(name, value, number, bounds) else math.nan

    def number_or_none(self, name: str, **bounds: float) -> float | None:
        """The same; None where the field is null or left out."""
        return None if self.content.get(name) is None else self.number(name, **bounds)

    def whole_number_or_none(self, name: str, **bounds: float) -> int | None:
        value = self.content.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int):
            return self._refuse("int_type", name, value, None)
        return value if self._is_within(name, value, value, bounds) else None

    def text(self, name: str, fault_of: Callable[[str], str | None]) -> str:
        """A text in which `fault_of` finds nothing wrong; "" where it is left out."""
        value = self.content.get(name, "")
        if not isinstance(value, str):
            return self._refuse("string_type", name, value, "")
        if fault := fault_of(value):
            self.refuse(fault, name)
        return value

    def choice(self, name: str, *choices: Result) -> Result:
        """One of these values, the first where the field is left out or holds another."""
        value = self.content.get(name, choices[0])
        if value in choices:
            return choices[choices.index(value)]
        expected = " or ".join(map(repr, choices))
        return self._refuse("literal_error", name, value, choices[0], expected=expected)

    def part(self, name: str, *, fewest: int = 0) -> "CheckedObject":
        """The object of a field; one without content, of which nothing is told, where it is none."""
        value = self._value(name)
        if isinstance(value, dict):
            if len(value) < fewest:
                self._refuse("too_short", name, value, None, min_length=fewest)
            return CheckedObject(value, (*self.place, name), self.problems)
        if value is not _ABSENT:
            self._refuse("dict_type", name, value, None)
        return CheckedObject({})

    def refuse(self, sentence: str, *names: str) -> None:
        """Keep what is wrong with the object, or with a field in it."""
        self.problems.append(((*self.place, *names), sentence))

    def _value(self, name: str) -> Any:
        if name not in self.content:
            return self._refuse("missing", name, None, _ABSENT)
        return self.content[name]

    def _is_within(self, name: str, value: object, number: float, bounds: Mapping[str, float]) -> bool:
        for bound, (error_type, holds) in _BOUNDS.items():
            if bound in bounds and not holds(number, bounds[bound]):
                self._refuse(error_type, name, value, None, **{bound: bounds[bound]})
                return False
        return True

    def _refuse(self, error_type: str, name: str, value: object, instead: Result, **facts: object) -> Result:
        self.refuse(sentence_of(error_type, value, facts) or error_type, name)
        return instead
