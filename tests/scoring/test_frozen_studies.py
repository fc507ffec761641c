"""Every number of the frozen studies, computed anew by the present code, is what it was."""

import copy
import json
import os
import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db.models import Q

from psychometrics.inference.measure import Block
from psychometrics.measures.catalogue import CATALOGUE, entries_of
from scoring.coordinator import results_bring_up
from scoring.models import MeasureRow
from scoring.services.exports import study_export
from studies.models import Study
from tests.frozen.comparing import (
    ABSENT,
    KEYS,
    MAX_LINES,
    Difference,
    export_differences,
    is_new,
    named_rows,
    present_line,
    report_of,
)
from tests.frozen.computing import study_compute
from tests.frozen.places import places_compared
from tests.frozen.recomputed import Recomputed, export_recomputed
from tests.upgrades.databases import Databases
from tests.upgrades.keeping import exported, unpacked
from tests.upgrades.states import rendered_when_read

FROZEN = Path(__file__).resolve().parents[1] / "frozen"
NAMES = ("split", "tasks", "logistic", "bankless", "unjudged", "judges")
# Set on one machine before and after a change that is to change nothing: then every digit counts.
EXACT = os.environ.get("CHIRON_FROZEN_EXACT") == "1"
MAX_BYTES = 600_000
Export = dict[str, Any]
# Where the items of the bank are tasks, a scored answer is a pair, as it always was on the page Cohort.
MEANT = {
    ("tasks", "estimates", column)
    for column in ("pairs", "prompts", "unknown_items", "responses_per_prompt", "raw_mean", "coverage")
}
# What manifests did not say yet, and files that exports did not have.
NEW_IN_MANIFEST = re.compile(
    r".*\.(headline_scope|headline_reason|published_table|after_results)"
    r"|files\.(README\.md|LICENSE|datapackage\.json|tables\.R)"
    r"|files\.(verdicts|task_accuracies)\.(csv|jsonl)\.columns"
)
# Columns that exports did not have.
NEW_COLUMNS = {
    ("verdicts", "reason_code"), ("task_accuracies", "best_published"),
    ("task_accuracies", "best_published_accuracy"),
}  # fmt: skip
# Sentences in the kept exports that say the same in other words now: what they said, and what they say.
REWORDED = (
    (r"The participant never opened this prompt\.", "The participant never opened this question."),
    (
        r"The participant saw this prompt and never wrote an answer\.",
        "The participant saw this question and never wrote an answer.",
    ),
    (
        r"No results of models are imported for the item bank (\S+); import_models does it\.",
        r"There are no results of models for the item bank \1 yet; they are uploaded under Models.",
    ),
)
# What of the agreement of judges has no row in a study on this kind of bank.
OF_OTHER_BANKS = {
    "split": {"agreement.theta_moved.ql"},
    "judges": {"agreement.theta_moved.prompt", "agreement.theta_moved.pool", "agreement.warning"},
}
# Where a stored number is looked up again: it is the same everywhere (tests/frozen/places.py).
PLACES = {
    "page, results", "page, tables", "page, measures", "report, tables", "terminal, results",
    "export, measures", "export, estimates",
}  # fmt: skip
ESTIMATES = "estimates with private prompts"
# Each was a column of the estimates; what of these cannot be computed here cannot as a row.
NUMBERS_OF_ESTIMATES = [
    f"measures with private prompts: results {name}"
    for name in (
        "participants", "people", "prompts", "pairs", "batches", "answers.expected", "answers.missing",
        "answers.unscored", "answers.unknown_items", "private.prompts", "private.scored", "k_bar", "coverage",
        "raw_mean", "theta.pool", "theta.pool.twoway", "theta.ql", "theta.prompt.analytic",
    )
]  # fmt: skip


@pytest.fixture
def study(name: str, databases: Databases) -> Iterator[Study]:
    """A frozen study with its rows brought to the present, in a database of its own."""
    with databases.copy_of(databases.upgraded(FROZEN / name)):
        yield Study.objects.get(slug=name)


def is_reworded(found: Difference) -> bool:
    """Whether what was said is said in other words, and nothing else."""
    if not isinstance(found.old, str):
        return False
    return any(
        re.fullmatch(before, found.old) and re.sub(before, now, found.old) == found.new
        for before, now in REWORDED
    )


def is_in_catalogue(row: dict[str, str]) -> bool:
    """Whether the block of this measure owns its name and its entry allows for what it is about."""
    entry = CATALOGUE.get(row["name"])
    return entry is not None and entry.block == row["block"] and entry.covers(row["group"], row["subset"])


def day_after(name: str) -> datetime:
    """When everything is computed again: a day after the study was kept."""
    return datetime.fromisoformat(kept_export(name)["manifest"]["exported_at"]) + timedelta(days=1)


def stored_rows(study: Study) -> list[dict[str, str]]:
    """What every stored measure of the study is about."""
    of_results, of_judges = Q(results__run__study=study), Q(comparison__first__study=study)
    names = ("block", "name", "group", "subset", "participant", "prompt_id")
    return list(MeasureRow.objects.filter(of_results | of_judges).values(*names).distinct())


def kept_export(name: str) -> Export:
    export: Export = unpacked(FROZEN / name / "export.json.gz")[name]
    return export


def export_checked(study: Study, folder: Path, now: datetime) -> Recomputed:
    """Export the study, compare that with what was kept and with every place that shows a number.

    What the export's own script says of it is returned.
    """
    study_export(study=study, target=folder, replace=False, software="", now=now)
    found = export_differences(study.slug, kept_export(study.slug), exported(folder), exact=EXACT)
    found = [one for one in found if (study.slug, one.table, one.place) not in MEANT and not is_reworded(one)]
    found = [one for one in found if not NEW_IN_MANIFEST.fullmatch(one.place)]
    found = [one for one in found if (one.table, one.place) not in NEW_COLUMNS]
    assert not found, "\n" + report_of(found)
    # Where the public prompts lead, everything that a page shows of them is in the report.
    Study.objects.filter(pk=study.pk).update(settings=study.settings | {"headline_scope": "public"})
    places = places_compared(Study.objects.get(pk=study.pk), folder)
    assert not places.differences, places.differences[:MAX_LINES]
    assert places.times.keys() >= PLACES
    said = export_recomputed(folder)
    assert (said["exit_code"], said["differ"]) == (0, 0), said
    return said


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", NAMES)
def test_everything_computed_anew_is_what_it_was_and_the_exports_own_script_agrees_as_far(
    name: str, study: Study, tmp_path: Path
) -> None:
    study_compute(study, now := day_after(name))
    said = export_checked(study, tmp_path / "export", now)
    stored = stored_rows(study)
    assert not [row for row in stored if not is_in_catalogue(row)]
    # Of every other block an entry is in what the exports hold: see test_catalogue.
    of_judges = {one.name for one in entries_of(Block.AGREEMENT)} - OF_OTHER_BANKS.get(name, set())
    assert name not in OF_OTHER_BANKS or of_judges <= {row["name"] for row in stored}
    before = json.loads((FROZEN / name / "recomputed.json").read_text())
    assert said["agree"] >= before["agree"]
    left_out = Counter(dict.fromkeys(NUMBERS_OF_ESTIMATES, before["left_out"].get(ESTIMATES, 0)))
    left_out |= Counter({present_line(what): n for what, n in before["left_out"].items()})
    was_there = {what: n for what, n in said["left_out"].items() if not is_new(what)}
    more = {what: n for what, n in was_there.items() if n > left_out[what]}
    assert not more, f"not computed by the script any more: {more}"


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", ["split", "tasks"])
def test_an_upgraded_study_keeps_its_seeds_and_its_own_script_agrees(
    name: str, study: Study, tmp_path: Path
) -> None:
    """What is due after the migrations is computed, as before an export."""
    results_bring_up(study=study, clock=lambda: day_after(name))
    export_checked(study, tmp_path / "export", day_after(name))


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.usefixtures("study")
@pytest.mark.parametrize("name", ["split"])
def test_going_back_and_forward_opens_nothing(name: str) -> None:
    """Without its headlines nobody knows on how many private prompts a number rests."""
    with rendered_when_read():
        call_command("migrate", "scoring", "0007", verbosity=0)
        call_command("migrate", verbosity=0)
    leaving = MeasureRow.objects.filter(may_leave=True)
    assert set(leaving.values_list("scope", flat=True)) == {"public"}


def measure_of(export: Export, **facts: object) -> dict[str, Any]:
    rows = (row for row in export["tables"]["measures"] if facts.items() <= row.items())
    return next(rows)


def test_one_number_that_is_another_one_is_named_with_its_row() -> None:
    kept = kept_export("split")
    other = copy.deepcopy(kept)
    row = measure_of(other, run=2, scope="public", name="top.eb", group="top")
    row["value"] = (value := row["value"]) * (1 + 1e-8)
    [found] = export_differences("split", kept, other)
    assert str(found) == (
        f"split measures [run=2 scope=public block=top name=top.eb group=top] value: {value!r} became "
        f"{row['value']!r}"
    )


def test_the_last_digit_counts_only_where_it_is_asked_for() -> None:
    kept = kept_export("split")
    other = copy.deepcopy(kept)
    measure_of(other, name="top.eb")["value"] *= 1 + 1e-15
    assert not export_differences("split", kept, other)
    assert len(export_differences("split", kept, other, exact=True)) == 1


def test_a_row_a_column_or_a_table_that_goes_or_comes_is_a_difference() -> None:
    kept = kept_export("tasks")
    other = copy.deepcopy(kept)
    gone = other["tables"]["metrics"].pop()
    other["tables"]["task_accuracies"][0]["new"] = None
    del other["tables"]["items"]
    other["manifest"]["runs"][0]["flow"]["with_scores"] += 1
    found = export_differences("tasks", kept, other)
    assert [(one.table, one.place, one.new) for one in found] == [
        ("manifest", "runs.0.flow.with_scores", found[0].old + 1),
        ("items", "", ABSENT),
        ("metrics", "", ABSENT),
        ("task_accuracies", "new", None),
    ]
    assert found[2].old == gone
    assert export_differences("tasks", other, kept)


def test_counts_and_words_are_never_about_the_same() -> None:
    kept = kept_export("bankless")
    other = copy.deepcopy(kept)
    row = measure_of(other, name="raw_mean")
    row["n"], row["reason"] = row["n"] + 1, "another"
    assert {one.place for one in export_differences("bankless", kept, other)} == {"n", "reason"}


def test_of_many_differences_the_first_are_printed() -> None:
    kept = kept_export("split")
    other = copy.deepcopy(kept)
    for row in other["tables"]["measures"]:
        row["block"] = "another"
    found = export_differences("split", kept, other)
    lines = report_of(found).splitlines()
    assert len(lines) == MAX_LINES
    assert lines[-1] == f"… and {len(found) - MAX_LINES + 1} more"


@pytest.mark.parametrize("name", NAMES)
def test_a_frozen_study_is_small_and_its_rows_have_names_of_their_own(name: str) -> None:
    files = [path for path in (FROZEN / name).rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < MAX_BYTES
    tables = kept_export(name)["tables"]
    assert tables.keys() == KEYS.keys()
    for table, rows in tables.items():
        if table not in ("events", "judge_calls"):  # the same may happen twice, and be asked again
            assert not [key for key in named_rows(table, rows) if key.endswith(")")], table


def test_nearly_every_number_of_the_largest_one_is_computed() -> None:
    measures = kept_export("split")["tables"]["measures"]
    assert sum(row["value"] is not None for row in measures) > 0.95 * len(measures)
