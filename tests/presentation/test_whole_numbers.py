"""Whole numbers in translated sentences go through one function, which sets their thousands apart."""

import ast
import re
import runpy
from collections.abc import Iterator
from decimal import Decimal
from importlib import import_module
from pathlib import Path

import pytest
from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import MaxLengthValidator, MaxValueValidator, MinValueValidator
from django.utils import translation
from django.utils.translation import gettext_lazy

from presentation.numbers import numbered, quantity
from tests.access.number_format import faults

ROOT = Path(__file__).resolve().parents[2]
CATALOGUES = runpy.run_path(str(ROOT / "locale" / "catalogues.py"))
ROOMS = CATALOGUES["ROOMS"]
PLACE = re.compile(r"%\(\w+\)[ds]")
# What is there is a limit of the program, has decimals, is a name or was found to be more than one.
NEVER_ONE = (
    "Give between", "The file has more than", "The zip holds more than", "%(judge)s, %(number)d criteria",
    "Top is %(size)s of",
    "Top is %(size)s people", "Top would be ", "The harmonic mean is hidden", "Average is ",
    "A set is to hold", "You get one set of up to", "Single people cannot", "These are the ",
    "%(group)s and models", "%(labels)d label", "Cells with fewer",
    "Every question occurs in one question set",
    "%(number)s scored responses per question on average", "%(judge)s beside people",
    "The item bank %(bank)s",
    "The judge was asked about up to", "The list is too long", "You have handed in", "You have sent",
    "%(judge)s and people", "%(minutes)s minutes, for your account", "%(days)s days",
    "%(share)s of the questions", "Mean %(mean)s; exactly 1", "The parts with a rating",
)  # fmt: skip
TRANSLATED = {"_", "gettext", "gettext_lazy", "ngettext", "ngettext_lazy"}
WHOLE = re.compile(r"%\((?!seed\))\w+\)0?d")


def counts(value: ast.AST | None) -> bool:
    """Whether it is a number of things as the program has it."""
    called = value.func if isinstance(value, ast.Call) else None
    return getattr(called, "id", getattr(called, "attr", "")) in {"len", "sum", "count", "total"}


def written_raw(path: Path) -> Iterator[int]:
    """Lines on which a sentence, or a line of a command, takes a number of things as the program has it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) and isinstance(node.right, ast.Dict):
            yield from (one.lineno for one in node.right.values if counts(one))
        if isinstance(node, ast.FormattedValue) and "management" in path.parts and counts(node.value):
            yield node.lineno


def filled_in_by_hand(path: Path) -> Iterator[int]:
    """Lines on which % fills a translated sentence that has a whole number."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
            calls = [one for one in ast.walk(node.left) if isinstance(one, ast.Call)]
            if any(isinstance(one.func, ast.Name) and one.func.id in TRANSLATED for one in calls):
                words = [one.value for one in ast.walk(node.left) if isinstance(one, ast.Constant)]
                if any(isinstance(one, str) and WHOLE.search(one) for one in words):
                    yield node.lineno


def test_no_sentence_has_its_whole_numbers_filled_in_by_hand() -> None:
    files = [path for room in ROOMS for path in (ROOT / room).rglob("*.py") if "migrations" not in path.parts]
    assert len(files) > 300
    assert [f"{path}: {line}" for path in files for line in filled_in_by_hand(path)] == []
    assert [f"{path}: {line}" for path in files for line in written_raw(path)] == []


@pytest.mark.parametrize(
    ("language", "written"), [("en", "1,234 of 7.0, −1, 1"), ("de", "1.234 of 7.0, −1, 1")]
)
def test_whole_numbers_are_written_as_the_language_writes_them(language: str, written: str) -> None:
    facts = {"n": 1234.0, "m": 7.0, "left": -1, "one": True}
    with translation.override(language):
        assert numbered(gettext_lazy("%(n)d of %(m)s, %(left)d, %(one)d"), facts) == written


@pytest.mark.parametrize("domain", ["django", "djangojs"])
def test_no_sentence_counts_one_of_many(domain: str) -> None:
    texts, found = CATALOGUES["texts_in"], []
    for message in [*texts(CATALOGUES["extracted"](domain)), *texts(CATALOGUES["stored"]("de", domain))]:
        plural = isinstance(message.id, tuple | list)
        written = message.id[0] if plural else message.id
        if not written.startswith(NEVER_ONE):
            said = CATALOGUES["strings_of"](message)[0] or written
            found += [said] if "one of many" in faults(PLACE.sub("1", said)) else []
    assert found == []


def fields_of_forms(base: type[forms.BaseForm] = forms.BaseForm) -> Iterator[forms.Field]:
    """The fields of every form, those of the administrator's pages and of signing in, too."""
    for form in base.__subclasses__():
        yield from getattr(form, "base_fields", {}).values()
        yield from fields_of_forms(form)


def refusals(field: forms.Field) -> Iterator[str]:
    """What the field says of what is far beyond its bounds."""
    for check in field.validators:
        if isinstance(check, MinValueValidator | MaxValueValidator | MaxLengthValidator):
            by = -12345 if isinstance(check, MinValueValidator) else 12345
            wrong = Decimal(int(check.limit_value)) + by
            with pytest.raises(ValidationError) as refused:
                field.run_validators("x" * int(wrong) if isinstance(check, MaxLengthValidator) else wrong)
            yield from refused.value.messages


@pytest.mark.parametrize("language", ["en", "de"])
def test_bounds_of_every_form_are_written_as_the_language_writes_them(language: str) -> None:
    for path in sorted(ROOT.glob("*/forms/**/*.py")):
        import_module(".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"))
    with translation.override(language):
        said = [text for field in fields_of_forms() for text in refusals(field)]
        assert len(said) > 30
        assert [text for text in said if faults(text) or "Ensure this" in text or "Dieser Wert" in text] == []


def test_one_is_not_many() -> None:
    assert [quantity(number, "row", "rows") for number in (0, 1, 1234)] == ["0 rows", "1 row", "1,234 rows"]
