"""Agreement and audits of a study with private prompts leave the site, in exports and in reports, in the
public scope only.
"""

import json
import re
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction

from batches.models import Answer
from batches.services.ending import session_withdraw
from judging.models import AuditSample
from operations.services.erasure import withdrawn_erase
from presentation.agreement import LEVEL_TEXTS, STATISTICS, statistic_name
from presentation.catalogue import label_of
from presentation.measures import group_name
from presentation.numbers import decimals
from presentation.tables import Table
from reporting.report.parts import Figure, Paragraph, Part
from reporting.views.audits.tables import STATISTICS as AUDITED
from screening.models import AnswerFlag
from studies.models import Study
from tests.support.computed_again import computed_again
from tests.support.judged_study import (
    PRIVATE,
    assert_agrees,
    change_private_scores,
    compute,
    exported,
    judges_section,
    parts_of,
    rows_of,
    run_script,
    without_private_prompts,
)

pytestmark = pytest.mark.django_db
THRESHOLDS = {"0.80", "0.03", "0.75", "1", "15", "95"}  # of warnings and intervals
JUDGE = re.compile(r"judge-\w-\d")
NUMBER = re.compile(r"−?\d+(?:\.\d+)?")
PAIR, RUN_OF = [1, 2], {"judge-a-3": 1, "judge-b-3": 2}
Rows = list[dict[str, Any]]


def test_only_the_public_scope_leaves_and_the_script_computes_all_of_it(folder: Path) -> None:
    assert_only_the_public_scope_leaves(folder, run_script)


def test_of_one_private_prompt_as_well_only_the_public_scope_leaves(
    make_judged: Callable[..., Study], tmp_path: Path, now: datetime
) -> None:
    assert_only_the_public_scope_leaves(exported(make_judged(PRIVATE[:1]), tmp_path / "out", now))


def assert_only_the_public_scope_leaves(
    folder: Path, computing: Callable[[Path], tuple[int, str]] = computed_again
) -> None:
    for table in ("agreement", "audit_results"):
        assert {row["scope"] for row in rows_of(folder, table)} == {"public"}, table
    code, said = computing(folder)
    assert code == 0, said
    assert_agrees(said)


def test_without_private_prompts_the_only_scope_is_that_of_all_answers(
    make_judged: Callable[..., Study], tmp_path: Path, now: datetime
) -> None:
    folder = exported(make_judged([]), tmp_path / "out", now)
    for table in ("agreement", "audit_results"):
        assert {row["scope"] for row in rows_of(folder, table)} == {"all"}, table
    [entry] = json.loads((folder / "manifest.json").read_text())["audits"]
    assert sum(one["drawn"] for one in entry["strata"]) == 70
    code, said = computed_again(folder)
    assert code == 0, said
    assert_agrees(said)


def test_of_the_strata_only_the_public_counts_leave(folder: Path, sample: AuditSample) -> None:
    [entry] = json.loads((folder / "manifest.json").read_text())["audits"]
    assert "private" not in entry
    stored = {one["name"]: one for one in sample.strata["strata"] if one["public_verdicts"]}
    assert any(one["public_verdicts"] < one["verdicts"] for one in stored.values())
    assert entry["strata"] == [
        {"name": name, "verdicts": one["public_verdicts"], "drawn": one["public_drawn"]}
        for name, one in stored.items()
    ]
    for row in rows_of(folder, "audit"):
        one = stored[row["stratum"]]
        assert row["inclusion_probability"] == pytest.approx(one["public_drawn"] / one["public_verdicts"])


def test_who_leaves_after_the_draw_is_left_out_and_still_counted_as_drawn(
    study: Study, sample: AuditSample, tmp_path: Path, now: datetime
) -> None:
    of_private = sample.items.filter(row__answer__prompt__split="private")
    public = 70 - of_private.count()
    person = of_private.earliest("number").row.answer.session.participant
    session_withdraw(participant=person, now=now + timedelta(hours=2))
    withdrawn_erase(now=now + timedelta(days=400))
    compute(study, now)
    folder = exported(study, tmp_path / "out", now)
    rows = rows_of(folder, "audit_results")
    assert {row["value"] for row in rows if row["statistic"] == "drawn"} == {public}
    code, said = computed_again(folder)
    assert code == 0, said
    assert_agrees(said)


def test_every_number_on_judges_in_the_report_is_that_of_its_row_in_the_export(
    study: Study, folder: Path
) -> None:
    agreement, audit = rows_of(folder, "agreement"), rows_of(folder, "audit_results")
    cells = [cell for table in tables_of(study) for cell in cells_of(table, agreement, audit)]
    assert len(cells) > 100
    assert not [(where, shown, meant) for where, shown, meant in cells if shown != meant]
    assert sum(bool(NUMBER.search(shown)) for _, shown, _ in cells) > 80


def test_the_numbers_in_sentences_on_judges_are_in_the_export(study: Study, folder: Path) -> None:
    rows = [*rows_of(folder, "agreement"), *rows_of(folder, "audit_results")]
    allowed = {text for row in rows for text in texts_of(row)} | THRESHOLDS
    sentences = [part.text for part in judges_section(study) if isinstance(part, Paragraph)]
    numbers = [one for text in sentences for one in NUMBER.findall(JUDGE.sub("", text))]
    assert len(numbers) > 3
    assert not [one for one in numbers if one not in allowed]


def tables_of(study: Study) -> list[Table]:
    return [part for part in judges_section(study) if isinstance(part, Table)]


def cells_of(table: Table, agreement: Rows, audit: Rows) -> Iterator[tuple[str, str, str]]:
    """Where each number stands, what is shown there, and what the export has of it."""
    if "beside people" in table.caption:
        yield from audited_cells(table, audit)
    elif table.caption.startswith("Ability"):
        yield from theta_cells(table, agreement)
    else:
        yield from statistics_cells(table, agreement)


def audited_cells(table: Table, audit: Rows) -> Iterator[tuple[str, str, str]]:
    judge, _, pairs = table.caption.partition(" beside people: ")
    names = {label_of(f"audit.{name}"): name for name in AUDITED}
    assert len(table.rows) == len(names)
    for text, weighted, interval, in_sample in table.rows:
        row, own = (
            one_of(audit, run=RUN_OF[judge], of=of, statistic=names[text]) for of in ("all", "sample")
        )
        where = f"{judge}: {text}"
        yield f"{where}, pairs", pairs, f"{row['n']} scored answers"
        yield f"{where}, weighted", weighted, decimals(row["value"], 3)
        yield f"{where}, interval", without_reason(interval), ends(row, 3)
        yield f"{where}, in the sample", in_sample, decimals(own["value"], 3)


def theta_cells(table: Table, agreement: Rows) -> Iterator[tuple[str, str, str]]:
    """Change is that from the first judge; `ql` are the tables of theta_QL."""
    quasi = table.caption.endswith("ability on the QL scale")
    assert len(table.rows) == 4
    for line in table.rows:
        group, _, judge = line[0].partition(", ")
        level = {group_name(name): name for name in ("average", "top")}[group]
        own = {
            row["statistic"]: row
            for row in agreement
            if (row["runs"], row["level"]) == ([RUN_OF[judge]], level)
        }
        main = own["theta.ql" if quasi else "theta.pool"]
        name = "theta_change.ql" if quasi else "theta_change"
        change = (
            one_of(agreement, runs=PAIR, level=level, statistic=name)["value"] if judge[6] == "b" else None
        )
        first = [] if quasi else [f"{own['people']['value']:.0f}", decimals(own["theta.prompt"]["value"], 2)]
        meant = [*first, decimals(main["value"], 2), decimals(main["se"], 2), ends(main, 2)]
        shown = [*line[1:-2], without_reason(line[-2]), line[-1]]
        for column, one, other in zip(table.head[1:], shown, [*meant, decimals(change, 2)], strict=True):
            yield f"{line[0]}: {column}", one, other


def statistics_cells(table: Table, agreement: Rows) -> Iterator[tuple[str, str, str]]:
    together = table.caption.startswith("All judges at once: ")
    level, _, counts = table.caption.removeprefix("All judges at once: ").partition(": ")
    names = {statistic_name(name): name for name in (*STATISTICS, "theta_order")}
    own = [
        row for row in agreement
        if row["level"] == {str(text): name for name, text in LEVEL_TEXTS.items()}[level]
        and row["runs"] == PAIR and (row["x_run"] is None) == together
    ]  # fmt: skip
    for text, value, interval, *_ in table.rows:
        row = one_of(own, statistic=names[text])
        if not together and names[text] != "theta_order":
            yield (
                f"{level}: {text}, pairs",
                counts,
                f"{row['n']} scored answers in {row['clusters']} clusters",
            )
        yield f"{level}: {text}", value, decimals(row["value"], 3)
        yield f"{level}: {text}, interval", without_reason(interval), ends(row, 3)


def one_of(rows: Rows, **wanted: Any) -> dict[str, Any]:
    [row] = [row for row in rows if all(row[name] == value for name, value in wanted.items())]
    return row


def ends(row: dict[str, Any], places: int) -> str:
    if row["low"] is None:
        return ""
    return f"{decimals(row['low'], places)} to {decimals(row['high'], places)}"


def without_reason(cell: str) -> str:
    """The interval; nothing where the cell says why there is none."""
    return cell if " to " in cell and NUMBER.match(cell) else ""


def texts_of(row: dict[str, Any]) -> Iterator[str]:
    """A row's numbers as a sentence may hold them."""
    for name in ("value", "se", "low", "high", "n", "clusters"):
        yield from (decimals(row[name], places) for places in (0, 2, 3) if row[name] is not None)


def test_nothing_in_the_report_moves_with_what_is_of_a_private_prompt(study: Study, now: datetime) -> None:
    """Where the public ones stand first: neither estimates nor measures, agreement, audit, figures or the
    checklist.
    """
    study.settings["headline_scope"] = "public"
    study.save(update_fields=["settings"])
    flag_one(study, "public", now)
    compute(study, now)
    before = parts_of(study)
    assert len(before) > 100
    for change in (change_private_scores, without_private_prompts):
        with transaction.atomic():
            change()
            flag_one(study, "private", now)
            compute(study, now)
            for old, new in zip(before, parts_of(study), strict=True):
                assert looked_at(old) == looked_at(new), change
            transaction.set_rollback(True)


def looked_at(part: Part) -> object:
    """A part as it is seen: of a figure the picture."""
    return (part.svg, part.alt, part.caption) if isinstance(part, Figure) else part


def flag_one(study: Study, split: str, now: datetime) -> None:
    answer = Answer.objects.filter(session__participant__study=study, prompt__split=split).earliest("pk")
    AnswerFlag.objects.create(
        answer=answer, rules_version="1", reason="minimal", evidence="…", flagged_at=now
    )
