"""The catalogue of measures: every name has one entry, and every entry is seen in a frozen study."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.utils import translation

from presentation import catalogue
from psychometrics.inference.measure import Block
from psychometrics.measures.catalogue import CATALOGUE, OnLogistic, entries_of, entry_of
from psychometrics.measures.catalogue.reference import reference
from psychometrics.measures.methods import METHODS, presently_named
from psychometrics.recompute.export import Export
from psychometrics.recompute.measures import MeasuredRun
from tests.upgrades.keeping import unpacked

ROOT = Path(__file__).resolve().parents[3]
Row = dict[str, Any]


def of_judges(row: Row) -> Row:
    """A statistic of judges or of an audit as a measure: group or level, and what it is of."""
    if "of" in row:
        return {**row, "block": "audit", "name": f"audit.{row['statistic']}", "subset": row["of"]}
    level, statistic = row["level"], row["statistic"]
    of_group = level in ("average", "top")
    level = "ability" if of_group or statistic == "theta_order" else level
    of_one = ";judge:x" if of_group and len(row["runs"]) == 1 else ""
    of_all = ";panel" if row["x_run"] is None else ""
    return {
        **row,
        "block": "agreement",
        "name": f"agreement.{row['statistic']}",
        "group": row["level"] if of_group else None,
        "subset": f"level:{level}{of_one}{of_all}",
    }


def frozen_rows() -> Iterator[tuple[str, Row]]:
    for packed in sorted((ROOT / "tests" / "frozen").glob("*/export.json.gz")):
        for name, export in unpacked(packed).items():
            tables = export["tables"]
            yield from ((name, presently_named(row)) for row in tables["measures"])
            yield from ((name, of_judges(row)) for row in (*tables["agreement"], *tables["audit_results"]))


@pytest.fixture(scope="module")
def rows() -> list[tuple[str, Row]]:
    return list(frozen_rows())


def test_every_number_has_an_entry_of_its_block_that_covers_what_it_is_about(
    rows: list[tuple[str, Row]],
) -> None:
    problems = set()
    for study, row in rows:
        entry = CATALOGUE.get(row["name"])
        if entry is None or entry.block != row["block"]:
            problems.add((study, row["block"], row["name"], "has no entry of this block"))
            continue
        group, subset = row.get("group") or "", row["subset"] or ""
        about = [name for name in ("participant", "prompt_id") if row.get(name)]
        if not entry.covers(group, subset):
            problems.add((study, row["name"], group, subset))
        if len(about) != len(entry.about.split(" and ") if entry.about else []):
            problems.add((study, row["name"], *about))
    assert not problems


def test_every_entry_is_seen_in_a_frozen_study(rows: list[tuple[str, Row]], tmp_path: Path) -> None:
    """In what one of them holds; what came since, in what its block gives now."""
    # Of judges more is stored than exports show: see test_frozen_studies.
    of_judges_alone = {one.name for one in entries_of(Block.AGREEMENT)}
    # The second readers of the frozen studies had seen what the first ones said.
    of_independent_readers = {"screening.ac1"}
    unseen = CATALOGUE.keys() - {row["name"] for _, row in rows} - of_judges_alone - of_independent_readers
    for found in names_given_now(tmp_path) if unseen else ():
        unseen -= found
        if not unseen:
            break
    assert not unseen


def names_given_now(folder: Path) -> Iterator[set[str]]:
    """Of each run of each frozen study the names that it holds no row of."""
    for packed in sorted((ROOT / "tests" / "frozen").glob("*/export.json.gz")):
        for name, export in unpacked(packed).items():
            (folder / name).mkdir()
            for table, rows in export["tables"].items():
                lines = "".join(json.dumps(row) + "\n" for row in rows)
                (folder / name / f"{table}.jsonl").write_text(lines, encoding="utf-8")
            for run in filter(lambda one: one["measurement"], export["manifest"]["runs"]):
                run["measurement"] |= {"methods": METHODS, "names": list(CATALOGUE)}
                found = MeasuredRun(Export(folder / name, export["manifest"]), run)
                yield {key[1] for key in found.not_stored()}


def test_on_a_logistic_bank_only_what_stands_has_a_value(rows: list[tuple[str, Row]]) -> None:
    for study, row in rows:
        if study in ("logistic", "judges") and row["block"] != "audit":
            entry = CATALOGUE[row["name"]]
            assert entry.on_logistic != OnLogistic.LEFT_OUT, entry.name
            assert row["value"] is None or entry.on_logistic == OnLogistic.STANDS, entry.name


def test_the_documented_reference_is_that_of_the_catalogue() -> None:
    said = "make it again: make reference"
    assert (ROOT / "docs" / "measurement" / "reference.md").read_text(encoding="utf-8") == reference(), said


def test_a_page_asks_for_the_words_of_its_measures() -> None:
    assert (entry_of("theta.ql").label, str(entry_of("judge.certain").unit)) == (
        "theta_QL",
        "share in [0, 1]",
    )
    shown = [one.name for one in entries_of(Block.FIT) if one.page]
    assert "fit.outfit" in shown
    assert "fit.theta_sd" not in shown
    with translation.override("de"):
        assert catalogue.label_of("flow.recruited") == "Gewonnen"
        assert (
            catalogue.meaning_of("dif.items_flagged")
            == "5 % wären es ohne Unterschied zwischen Menschen und Modellen."
        )
    with pytest.raises(LookupError):
        entry_of("theta.invented")
