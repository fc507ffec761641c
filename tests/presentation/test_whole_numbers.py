"""Whole numbers in translated sentences go through one function, which sets their thousands apart."""

import ast
import re
import runpy
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.utils import translation
from django.utils.translation import gettext_lazy

from presentation.numbers import numbered, quantity

ROOT = Path(__file__).resolve().parents[2]
ROOMS = runpy.run_path(str(ROOT / "locale" / "catalogues.py"))["ROOMS"]
TRANSLATED = {"_", "gettext", "gettext_lazy", "ngettext", "ngettext_lazy"}
WHOLE = re.compile(r"%\((?!seed\))\w+\)0?d")


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


@pytest.mark.parametrize(
    ("language", "written"), [("en", "1,234 of 7.0, −1, 1"), ("de", "1.234 of 7.0, −1, 1")]
)
def test_whole_numbers_are_written_as_the_language_writes_them(language: str, written: str) -> None:
    facts = {"n": 1234.0, "m": 7.0, "left": -1, "one": True}
    with translation.override(language):
        assert numbered(gettext_lazy("%(n)d of %(m)s, %(left)d, %(one)d"), facts) == written


def test_one_is_not_many() -> None:
    assert [quantity(number, "row", "rows") for number in (0, 1, 1234)] == ["0 rows", "1 row", "1,234 rows"]
