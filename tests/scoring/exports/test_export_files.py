"""Cells, tables, the folder and the dictionary of an export."""

import csv
import hashlib
import io
import json
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from pydantic import JsonValue

from formats.cells import csv_cell, defused
from scoring.export.dictionary import data_dictionary
from scoring.export.folder import TargetRefused, new_folder
from scoring.export.manifest import FileEntry, Manifest, Omitted, StudyEntry
from scoring.export.rows import ROW_TYPES
from scoring.export.rows.people import VerdictRow
from scoring.export.rows.results import MetricRow
from scoring.export.scripts import library_archive
from scoring.export.tables import write_table, write_text

ROOT = Path(__file__).resolve().parents[3]
MOMENT = datetime(2030, 5, 1, 9, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    ["=1+1", "+1", "-1", "@SUM(A1)", "  =1+1", "\t=1", "\r=1", "\n=1", "＝1+1", "'quoted", "-", "\u00a0=1"],
)
def test_text_a_spreadsheet_could_run_is_defused(text: str) -> None:
    assert defused(text) == "'" + text


@pytest.mark.parametrize("text", ["", "42", "a = b", "x-1", " plain", "(A)", "\\(x\\)"])
def test_other_text_stays_as_it_is(text: str) -> None:
    assert defused(text) == text


@given(st.text())
def test_taking_off_one_leading_apostrophe_gives_the_exact_text(text: str) -> None:
    cell = defused(text)
    assert (cell[1:] if cell.startswith("'") else cell) == text


def test_values_that_are_no_text_are_written_plainly() -> None:
    values: list[JsonValue] = [None, True, False, 3, -0.5, ["a", "b"], {"k": 1}]
    cells = [csv_cell(value) for value in values]
    assert cells == ["", "true", "false", "3", "-0.5", '["a","b"]', '{"k":1}']


def metric(value: float | None, name: str = "macro") -> MetricRow:
    return MetricRow(run=1, scope="all", group="average", name=name, value=value)


def test_both_files_of_a_table_hold_the_same_rows(tmp_path: Path) -> None:
    entries = write_table(tmp_path, MetricRow, [metric(12.5), metric(None, name="=micro")])
    with (tmp_path / "metrics.csv").open(newline="") as file:
        table = list(csv.reader(file))
    lines = [json.loads(line) for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    assert table == [
        ["run", "scope", "group", "name", "value"],
        ["1", "all", "average", "macro", "12.5"],
        ["1", "all", "average", "'=micro", ""],
    ]
    assert lines == [
        {"run": 1, "scope": "all", "group": "average", "name": "macro", "value": 12.5},
        {"run": 1, "scope": "all", "group": "average", "name": "=micro", "value": None},
    ]
    assert [entry.rows for entry in entries] == [2, 2]
    for entry in entries:
        assert entry.sha256 == hashlib.sha256((tmp_path / entry.name).read_bytes()).hexdigest()


def test_a_table_without_rows_still_has_its_columns(tmp_path: Path) -> None:
    entries = write_table(tmp_path, MetricRow, [])
    assert (tmp_path / "metrics.csv").read_text() == "run,scope,group,name,value\n"
    assert (tmp_path / "metrics.jsonl").read_text() == ""
    assert entries[0].rows == 0


def test_line_breaks_quotes_and_unusual_characters_survive(tmp_path: Path) -> None:
    reason = 'one\r\ntwo "three", \u2028 \U0001f600 \x85 end'
    row = VerdictRow(
        participant="P1",
        rules_version="1",
        decision="confirm",
        reason_code=None,
        reason=reason,
        reviewer=1,
        independent=True,
        decided_at=MOMENT,
    )
    write_table(tmp_path, VerdictRow, [row])
    with (tmp_path / "verdicts.csv").open(newline="", encoding="utf-8") as file:
        assert next(iter(csv.DictReader(file)))["reason"] == reason
    (line,) = (tmp_path / "verdicts.jsonl").read_text(encoding="utf-8").strip("\n").split("\n")
    assert json.loads(line)["reason"] == reason


def test_every_column_has_a_description_and_tables_have_their_own_names() -> None:
    assert len({row_type.table for row_type in ROW_TYPES}) == len(ROW_TYPES)
    for row_type in ROW_TYPES:
        assert all(field.description for field in row_type.model_fields.values()), row_type


def test_the_library_of_an_export_is_the_same_file_each_time_and_holds_no_tests_or_caches() -> None:
    archive = library_archive()
    library_archive.cache_clear()
    assert library_archive() == archive
    names = zipfile.ZipFile(io.BytesIO(archive)).namelist()
    assert {"psychometrics/recompute/__main__.py", "psychometrics/__init__.py"} <= set(names)
    assert all(name.startswith(("formats/", "psychometrics/")) and name.endswith(".py") for name in names)


def test_the_documented_data_dictionary_is_the_one_that_is_exported() -> None:
    assert (ROOT / "docs" / "data-dictionary.md").read_text(encoding="utf-8") == data_dictionary()


def manifest(files: tuple[FileEntry, ...] = ()) -> Manifest:
    study = StudyEntry(
        slug="s", name="S", status="closed", simulated=True, opens_at=None, closes_at=None, frozen_at=MOMENT,
        protocol_hash="0" * 64, protocol={}, bank="b", bank_version=1, bank_digest="1" * 64,
        item_bank_digest=None, judge_protocol_sha256=None, amendments=(),
    )  # fmt: skip
    omitted = Omitted(test_participants=0, private_prompts=0, answers_to_private_prompts=0)
    return Manifest(
        software="chiron 0",
        exported_at=MOMENT,
        study=study,
        runs=(),
        omitted=omitted,
        canaries=(),
        files=files,
    )


def write_export(target: Path, text: str, *, replace: bool = False) -> None:
    with new_folder(target, replace=replace) as folder:
        entry = write_text(folder, "a.txt", text)
        (folder / "manifest.json").write_text(manifest((entry,)).as_json())


def test_a_folder_appears_only_when_it_is_complete(tmp_path: Path) -> None:
    target = tmp_path / "new" / "export"
    with pytest.raises(UnicodeEncodeError), new_folder(target, replace=False) as folder:
        write_text(folder, "a.txt", "half a pair: \ud800")
    assert list(target.parent.iterdir()) == []


def test_an_earlier_export_is_replaced_only_on_request(tmp_path: Path) -> None:
    target = tmp_path / "out" / "export"
    write_export(target, "first")
    with pytest.raises(TargetRefused, match="holds an earlier export; name another folder or add --replace"):
        write_export(target, "second")
    assert (target / "a.txt").read_text() == "first"
    write_export(target, "second", replace=True)
    assert (target / "a.txt").read_text() == "second"
    assert [path.name for path in target.parent.iterdir()] == ["export"]


def test_a_failed_replacement_keeps_the_earlier_export(tmp_path: Path) -> None:
    target = tmp_path / "export"
    write_export(target, "first")
    with pytest.raises(OSError, match="disk"), new_folder(target, replace=True):
        raise OSError("disk")
    assert (target / "a.txt").read_text() == "first"


def test_anything_that_is_no_export_is_left_alone(tmp_path: Path) -> None:
    target = tmp_path / "papers"
    target.mkdir()
    (target / "manifest.json").write_text("{}")
    with pytest.raises(TargetRefused, match="exists and is not an earlier export"):
        write_export(target, "x", replace=True)
    file = tmp_path / "file"
    file.write_text("mine")
    with pytest.raises(TargetRefused, match="exists and is not an earlier export"):
        write_export(file, "x", replace=True)
    assert file.read_text() == "mine"


def test_a_file_somebody_added_to_an_export_is_not_deleted(tmp_path: Path) -> None:
    target = tmp_path / "export"
    write_export(target, "first")
    (target / "notes.md").write_text("mine")
    with pytest.raises(TargetRefused, match=r"also holds notes\.md"):
        write_export(target, "second", replace=True)
    assert (target / "notes.md").read_text() == "mine"


def test_an_empty_folder_may_be_used(tmp_path: Path) -> None:
    write_export(tmp_path / "export", "x")
    (tmp_path / "empty").mkdir()
    write_export(tmp_path / "empty", "y")
    assert (tmp_path / "empty" / "a.txt").read_text() == "y"
