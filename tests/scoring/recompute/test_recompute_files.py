"""The script on folders it must refuse, on exports of before, and on tables that were changed."""

import copy
import gzip
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from psychometrics.measures.methods import METHODS, presently_named
from scoring.export.scripts import SCRIPT, library_archive
from tests.scoring.recompute.recomputing import run_script
from tests.support.computed_again import computed_again

pytestmark = pytest.mark.django_db


def test_a_folder_that_is_no_export_is_refused(tmp_path: Path) -> None:
    (tmp_path / "recompute.py").write_text(SCRIPT)
    (tmp_path / "psychometrics.zip").write_bytes(library_archive())
    code, said = run_script(tmp_path)
    assert code == 2
    assert "is not an export" in said


def test_an_export_of_before_is_still_read_and_what_changed_since_is_said(tmp_path: Path) -> None:
    release = Path(__file__).parents[2] / "upgrades" / "releases" / "0.1.0" / "export.json.gz"
    export = json.loads(gzip.decompress(release.read_bytes()))["kept-tasks"]
    code, said = module_run(written(export, tmp_path))
    assert code == 0
    assert "Measured by methods of before: errors and details are not compared." in said
    assert said.count(" x its method changed since this export was written:\n") == 1
    assert said.endswith("Everything that could be computed agrees.\n")


def module_run(folder: Path) -> tuple[int, str]:
    """What the library says in a process of its own."""
    command = [sys.executable, "-m", "psychometrics.recompute", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert not done.stderr
    return done.returncode, done.stdout


@pytest.fixture(scope="module")
def tampered_from(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """An export that is right: the frozen study without an item bank, measured by the present methods."""
    packed = Path(__file__).parents[2] / "frozen" / "bankless" / "export.json.gz"
    export: dict[str, Any] = json.loads(gzip.decompress(packed.read_bytes()))["bankless"]
    for run in export["manifest"]["runs"]:
        if run["measurement"]:
            rows = map(presently_named, export["tables"]["measures"])
            names = {row["name"] for row in rows if row["block"] != "results"}  # whose parts were fewer
            run["measurement"] |= {"methods": METHODS, "names": sorted(names)}
    return export


def written(export: dict[str, Any], folder: Path) -> Path:
    """A folder whose files are all as its manifest has them."""
    (folder / "manifest.json").write_text(json.dumps(export["manifest"] | {"files": []}))
    for table, rows in export["tables"].items():
        (folder / f"{table}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def another_subset(rows: list[dict[str, Any]]) -> str:
    next(row for row in rows if row["value"] is not None)["subset"] = "category:None"
    return "is no row that these tables give"


def a_row_less(rows: list[dict[str, Any]]) -> str:
    rows.pop()
    return "is not in the table"


def a_number_that_became_a_reason(rows: list[dict[str, Any]]) -> str:
    row = next(row for row in rows if row["value"] is not None and row["se"] is None)
    row["value"], row["reason"] = None, "no_pairs"
    return "value is None, computed"


def a_fact_more(rows: list[dict[str, Any]]) -> str:
    rows[0]["details"]["invented"] = 1
    return "invented is 1, computed None"


def an_unknown_block(rows: list[dict[str, Any]]) -> str:
    rows[0]["block"] = "unheard"
    return "cannot be read: ValueError"


def test_tables_that_nobody_changed_give_every_measure(tampered_from: dict[str, Any], tmp_path: Path) -> None:
    code, found = computed_again(written(tampered_from, tmp_path))
    assert code == 0, found


@pytest.mark.parametrize(
    "change", [another_subset, a_row_less, a_number_that_became_a_reason, a_fact_more, an_unknown_block]
)
def test_a_table_of_measures_that_the_others_do_not_give_is_noticed(
    change: Callable[[list[dict[str, Any]]], str], tampered_from: dict[str, Any], tmp_path: Path
) -> None:
    export = copy.deepcopy(tampered_from)
    said = change(export["tables"]["measures"])
    code, found = computed_again(written(export, tmp_path))
    assert code == 1
    assert said in found


def test_a_process_of_its_own_says_it_by_its_exit_code(tampered_from: dict[str, Any], tmp_path: Path) -> None:
    export = copy.deepcopy(tampered_from)
    said = a_row_less(export["tables"]["measures"])
    code, found = module_run(written(export, tmp_path))
    assert code == 1
    assert said in found
