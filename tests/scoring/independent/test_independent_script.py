"""The short script by itself: what it refuses, what it needs, its formulas by hand."""

import ast
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.special import stdtrit

from scoring.export.independent import person_abilities, t_975, theta_ql
from scoring.export.scripts import independent_script
from tests.scoring.independent.independent_exports import run_script

pytestmark = pytest.mark.django_db


def test_a_folder_that_is_no_export_is_refused(tmp_path: Path) -> None:
    (tmp_path / "independent.py").write_text(independent_script())
    assert run_script(tmp_path) == (2, f"{tmp_path} is not a whole export: manifest.json cannot be read.\n")


def test_it_needs_nothing_but_numpy_and_the_standard_library() -> None:
    nodes = list(ast.walk(ast.parse(independent_script())))
    found = {one.name for node in nodes if isinstance(node, ast.Import) for one in node.names}
    found |= {str(node.module) for node in nodes if isinstance(node, ast.ImportFrom)}
    assert {name.partition(".")[0] for name in found} <= {"numpy", *sys.stdlib_module_names}


def test_quantiles_of_t_are_those_of_scipy() -> None:
    for df in (1, 2, 3, 7, 40, 245, 1000):
        assert t_975(df) == pytest.approx(float(stdtrit(df, 0.975)), rel=1e-11)


def test_abilities_of_single_people_by_hand() -> None:
    fields = [("person", "U9"), ("a", "f8"), ("b", "f8")]
    pairs = np.array([("x", 1, 0.5), ("x", 2, -1), ("y", 1, 1)], dtype=fields)
    people, theta, se, residual = person_abilities(pairs, np.array([1.0, 2.0, -1.0]))
    assert people == ["x", "y"]
    assert theta == pytest.approx([(1.5 + 2 * 0.0) / 5, 0.0])
    e = np.array([1 - (0.3 - 0.5), 2 - 2 * 1.3])
    s2 = float(e[0] ** 2 + 4 * e[1] ** 2) / (1 - 1 / 5 + 4 * (1 - 4 / 5))
    assert se == pytest.approx(np.sqrt([s2 / 5, s2]))
    assert residual == pytest.approx(float(np.sqrt(e @ e)))
    assert theta_ql(np.ones(2), np.array([0.0, 1.0]), np.array([1.0, 1.0])) is None
    assert theta_ql(np.ones(2), np.array([0.0, 1.0]), np.array([1.0, 0.0])) == pytest.approx(0.5)
