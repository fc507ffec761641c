"""The script that ships in an export computes its numbers again, and says so when one was changed."""

import json
import math
import re
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from batches.models import Answer
from psychometrics.recompute.export import PRIVATE
from reporting.report.html import document_html
from reporting.selectors.report_records import StudyRecords, study_records
from reporting.views.report.parts import study_document
from studies.models import Study
from tests.scoring.recompute.recomputing import assert_agree, assert_complete, exported, prompt, run_script
from tests.support.computed_again import computed_again

pytestmark = pytest.mark.django_db


def test_every_number_that_an_export_allows_agrees_and_a_changed_score_is_noticed(
    make_measured: Callable[..., Study], tmp_path: Path, now: datetime
) -> None:
    arms = [{"slug": slug, "instructions": "Do it."} for slug in ("alone", "with-ai")]
    study = make_measured([prompt(n) for n in range(1, 13)], judge_kind="checks", batch_size=6, arms=arms)
    folder = exported(study, tmp_path / "export", now)
    code, said = run_script(folder)
    assert "Everything that could be computed agrees." in said, said
    assert code == 0
    assert_complete(said)
    assert_agree(
        said,
        "estimates",
        "uncertainty uncertainty.theta.prompt",
        "slices slices.theta.ql",
        "slices arms.theta.prompt",
        "top top.eb",
    )
    assert_agree(said, "top top.crossfit5", "top top.null", "top top.over_null", "top top.null_share")
    assert_agree(
        said, "uncertainty uncertainty.theta.pool", "exclusions screening.kappa", "exclusions screening.ac1"
    )
    assert_agree(said, "missing missing.odds_ratio", "exclusions multiverse")
    assert_agree(said, "dif dif.sd", "dif dif.item", "dif dif.group", "dif dif.slope.excess")
    assert_agree(said, "fit fit.flagged", "fit fit.theta_sd", "fit fit.grid")
    assert_agree(said, "missing missing.theta.ql", "exclusions multiverse.ql", "exclusions itt.theta.ql")
    assert_agree(said, "judge influence.answer.ql", "judge theta.flips.ql", "judge theta.change.ql")
    assert_agree(said, "top top.paper.ql", "dif dif.items_flagged.holm", "dif dif.theta.ql")
    assert_counts(said, study_records(study))
    change_scores(folder / "scores.jsonl", "p01")
    code, said = computed_again(folder)
    assert code == 1
    assert "scores.jsonl is not the file that the manifest names" in said
    assert "differs: theta_pool is" in said


def assert_counts(said: str, records: StudyRecords) -> None:
    """What the sentences of a report count."""
    lines = (line.strip().partition(": ") for line in said.splitlines())
    found = {name: value for name, colon, value in lines if colon}

    def shown(counts: Mapping[str, int]) -> str:
        return ", ".join(f"{name} {number}" for name, number in sorted(counts.items()))

    assert found["retained people by profile"] == shown(records.profiles)
    assert found["prompts by modality"] == shown(records.asked.modalities)
    assert found["people flagged by rule"] == shown(records.screening.flagged_people)
    assert found["answers flagged by rule"] == shown(records.screening.flagged_answers)
    states = {name: number for name, number in records.flow.answers_retained.items() if number}
    assert found["answers of retained people by state"] == shown(states)
    asked = f"{records.asked.asked}, {records.asked.private}"
    assert found["prompts of the batches, and how many are private"] == asked
    assert int(found["people decided about"]) == records.screening.decided
    undecided = found["retained people flagged and not decided about"]
    assert int(undecided) == records.screening.undecided
    assert int(found["prompts with scores of models"]) == records.models.prompts
    assert int(found["most responses of a model to one of them"]) == records.models.epochs
    assert records.minutes
    minutes = (records.minutes.shortest, records.minutes.middle, records.minutes.longest)
    assert found["minutes, shortest, median and longest"] == ", ".join(f"{one:.1f}" for one in minutes)


def change_scores(table: Path, prompt_id: str) -> None:
    """Change what everybody has on a prompt; one person alone might be left out of a result."""
    rows = [json.loads(line) for line in table.read_text().splitlines()]
    for row in rows:
        if row["prompt_id"] == prompt_id and row["score"] is not None:
            row["score"] = 0.5 if row["score"] != 0.5 else 0.75
    table.write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_with_private_prompts_all_of_the_public_scope_agrees_and_nothing_private_leaves(
    make_measured: Callable[..., Study], tmp_path: Path, now: datetime
) -> None:
    private = {2, 4, 6}
    prompts = [prompt(n, split="private" if n in private else "public") for n in range(1, 13)]
    study = make_measured(prompts, judge_kind="checks", batch_size=12)
    Answer.objects.filter(prompt__split="private", has_text=True).update(text="hidden words")
    folder = exported(study, tmp_path / "export", now)
    code, said = computed_again(folder)
    assert code == 0, said
    of_public, of_all = (lines_of(said, with_private=one) for one in (False, True))
    assert not [(what, found) for what, found in of_public.items() if found[1]]
    reasons = reasons_of(said)
    assert sum(number for number, _ in reasons.values()) == sum(
        found[2] for found in (*of_public.values(), *of_all.values())
    )
    assert not [(what, found) for what, found in of_public.items() if found[2]]
    left_out = [what for what, found in of_all.items() if found[2]]
    assert reasons[PRIVATE][1] == [*left_out[:3], f"and {len(left_out) - 3} more"]
    assert said.count(PRIVATE) == 1
    for name in ("inputs_sha256", "estimates", *(f"measures: {name}" for name in OF_EVERY_BLOCK)):
        assert of_public[name][0], name
    assert of_all["estimates with private prompts"][0]  # the category without a private prompt
    assert of_all["measures with private prompts: slices slices.theta.pool"][0]
    assert of_all["measures with private prompts: exclusions flow.recruited"][0]
    assert of_all["measures with private prompts: results theta.pool"][0]  # of that category as well
    assert of_all["measures with private prompts: cohort theta.prompt"][2]
    assert_theta_by_hand(folder)
    report = document_html(study_document(study))
    for text in (
        *(path.read_text() for path in folder.iterdir() if path.suffix in (".csv", ".json", ".jsonl", ".md")),
        report,
    ):
        assert not [name for name in ("p02", "p04", "p06", "hidden words") if name in text]
    alone = [row for row in rows_of(folder, "measures") if row["participant"] or row["prompt_id"]]
    assert {row["scope"] for row in alone} == {"public"}
    assert "Those of the public questions alone, Top chosen anew, can be computed again" in report
    assert_counts(said, study_records(study))


OF_EVERY_BLOCK = (
    "results theta.ql", "top top.crossfit5", "top top.null", "uncertainty uncertainty.theta.pool",
    "models difference.ql", "missing missing.theta.prompt", "exclusions multiverse",
    "exclusions itt.theta.prompt", "exclusions rule.removed", "exclusions flow.with_scores",
    "judge judge.confidence", "judge influence.answer", "fit fit.theta_sd", "dif dif.sd",
    "slices slices.theta.ql",
)  # fmt: skip


def rows_of(folder: Path, table: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / f"{table}.jsonl").read_text().splitlines()]


def lines_of(said: str, *, with_private: bool) -> dict[str, tuple[int, int, int]]:
    """What the script says of each name: how many numbers agree, differ, and are not computed."""
    heads = (re.fullmatch(r" *(\d+) +(\d+) +(\d+)  (.+)", line) for line in said.splitlines())
    found = {head[4]: (int(head[1]), int(head[2]), int(head[3])) for head in heads if head}
    return {
        what: numbers for what, numbers in found.items() if ("with private prompts" in what) == with_private
    }


def reasons_of(said: str) -> dict[str, tuple[int, list[str]]]:
    """Why numbers are not computed: how many, and the names that stand below the reason."""
    found = re.findall(r"^ *(\d+) x (.+):\n +(.+)$", said, re.MULTILINE)
    return {reason: (int(number), names.split("; ")) for number, reason, names in found}


def assert_theta_by_hand(folder: Path) -> None:
    """Theta.pool of Average in the public scope from the exported scores, by the formula of the GIM paper."""
    retained = {one["participant"] for one in rows_of(folder, "participants") if one["retained"]}
    items = {one["prompt_id"]: (one["a"], one["b"]) for one in rows_of(folder, "prompts") if one["a"]}
    above = below = 0.0
    for one in rows_of(folder, "scores"):
        if one["participant"] in retained and one["prompt_id"] in items and one["score"] is not None:
            a, b = items[one["prompt_id"]]
            q = 0.998 * one["score"] + 0.001
            above += a * (math.log(q / (1 - q)) + a * b)
            below += a * a
    key = {"scope": "public", "block": "results", "name": "theta.pool", "group": "average", "subset": None}
    stored = next(one for one in rows_of(folder, "measures") if key.items() <= one.items())
    assert stored["value"] == pytest.approx(above / below, abs=1e-12)


def test_numbers_on_one_or_two_private_prompts_do_not_leave(
    make_measured: Callable[..., Study], tmp_path: Path, now: datetime
) -> None:
    prompts = [prompt(n, split="private" if n in (2, 4) else "public") for n in range(1, 13)]
    study = make_measured(prompts, judge_kind="checks")
    folder = exported(study, tmp_path / "export", now)
    for table in ("estimates", "measures"):
        assert {row["scope"] for row in rows_of(folder, table)} == {"public"}
