"""A bank calibrated from right-or-wrong responses, from the matrix to the report."""

import csv
import json
import math
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime, timedelta
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from django.core.management import call_command
from django.test import Client

from presentation.catalogue import plain_reason
from psychometrics.inference.measure import Block
from psychometrics.measures.catalogue import CATALOGUE, OnLogistic
from psychometrics.measures.logistic_scale import LOGISTIC_BANK, ONLY_LOGITS
from scoring.coordinator import Scoring
from scoring.models import Measurement
from scoring.services.agreements import agreements_compute
from scoring.services.exports import study_export
from scoring.services.measurement import measurement_compute
from studies.bank.records import PromptRecord
from studies.models import ItemBank, Study
from studies.selectors.item_arrays import item_arrays
from tests.support.headlines import estimates
from tests.support.read_pages import read

pytestmark = pytest.mark.django_db

ITEMS = [f"p{j:02d}" for j in range(12)]
SENTENCE = "fitted with the logistic 2PL"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder: right-or-wrong responses of 30 configurations, the bank calibrated from them, some models."""
    folder = tmp_path_factory.mktemp("logistic")
    rng = np.random.default_rng(3)
    theta, b = rng.standard_normal((30, 1)), np.linspace(-2, 2, len(ITEMS))
    right = (rng.random((30, len(ITEMS))) < 1 / (1 + np.exp(b - theta))).astype(int).tolist()
    with (folder / "matrix.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerows([["configuration", *ITEMS], *([f"m{i}", *own] for i, own in enumerate(right))])
    arguments = (str(folder / "matrix.csv"), "--out", str(folder / "bank.json"))
    call_command("calibrate", *arguments, stdout=StringIO())
    lines = [
        json.dumps({"model": f"m{i}", "prompt_id": name, "epoch": 1, "score": right[i][j]})
        for i in (0, 1)
        for j, name in enumerate(ITEMS)
    ]
    (folder / "models.jsonl").write_text("\n".join(lines))
    (folder / "published.jsonl").write_text(json.dumps({"model": "told", "theta": 0.5, "epochs": 5}))
    return folder


@pytest.fixture(scope="module")
def item_bank(files: Path, kept: None) -> ItemBank:
    """Imported by the commands, with its leaderboard."""
    out = StringIO()
    call_command("import_item_bank", str(files / "bank.json"), "--slug", "binary", stdout=out)
    assert "Fitted with the logistic 2PL: ability on this bank is theta_QL." in out.getvalue()
    for name in ("models.jsonl", "published.jsonl"):
        call_command("import_models", "binary", str(files / name), source="A test", stdout=StringIO())
    return ItemBank.objects.get(slug="binary")


@pytest.fixture(scope="module")
def measured(
    item_bank: ItemBank,
    make_study: Callable[..., Study],
    make_person: Callable[..., object],
    work: Callable[..., object],
    score_at: Callable[..., Scoring],
    now: datetime,
) -> tuple[Study, Measurement]:
    """Eight people in two batches, scored by matching: single right-or-wrong answers."""
    prompts = [
        PromptRecord(prompt_id=name, text="?", gold_answer="no", category=("QR", "LR")[n % 2])
        for n, name in enumerate(ITEMS)
    ]
    study = make_study(
        item_bank=item_bank, prompts=prompts, batch_size=6, top_size=3, judge_kind="match",
        match_rules="bbeh", replicates_per_profile=20,
    )  # fmt: skip
    for person in range(8):
        answers = {
            name: "no" if (n * 7 + person * 3) % 10 > person else "yes" for n, name in enumerate(ITEMS)
        }
        if person == 2:
            answers[ITEMS[4]] = ""
        work(make_person(study), answers)
    results = score_at(study, clock=lambda: now, measures=False).judges[0].results
    return study, measurement_compute(results=results, now=now + timedelta(hours=9), resamples=50)


def test_the_file_names_its_model_and_the_imported_bank_keeps_it(item_bank: ItemBank, files: Path) -> None:
    assert json.loads((files / "bank.json").read_text())["model"] == "2PL_logistic"
    assert item_bank.response_model == "2PL_logistic"
    assert item_arrays(item_bank).is_logistic
    assert item_arrays(item_bank).subset(ITEMS[:2]).is_logistic


def test_only_theta_ql_has_values_and_every_other_theta_says_why(
    measured: tuple[Study, Measurement],
) -> None:
    _, measurement = measured
    states = {name: block["state"] for name, block in measurement.blocks.items()}
    assert "failed" not in states.values()
    refused = {name for name, state in states.items() if state == "refused"}
    assert refused == set(ONLY_LOGITS) | {Block.BENCHMARK}
    assert all(measurement.blocks[name]["sentence"] == LOGISTIC_BANK for name in ONLY_LOGITS)
    for row in measurement.result_set.measures.filter(value__isnull=False):
        if "theta" in row.name or row.name.startswith(("difference", "top.", "tau", "multiverse")):
            assert "ql" in row.name.split(".") or row.name == "theta.published", row.name
    empty = measurement.result_set.measures.filter(
        name__in=[one.name for one in CATALOGUE.values() if one.on_logistic == OnLogistic.EMPTY]
    )
    assert set(empty.values_list("reason", flat=True)) == {"logistic_bank"}
    assert not any(set(row.details) & {"p_holm", "verdict", "place_best"} for row in empty)
    for one in estimates(measurement.result_set):
        assert (one.theta, one.theta_pool, one.reason_pool) == (None, None, "logistic_bank")
        assert one.raw_mean is not None


def test_average_and_top_are_the_maximum_likelihood_of_the_2pl(measured: tuple[Study, Measurement]) -> None:
    """Both solve sum a (p - pi) = 0; Top is who the published rule selects, by mean score."""
    study, measurement = measured
    items = {item.prompt_id: item for item in study.item_bank.items.all()} if study.item_bank else {}
    scores: dict[str, list[tuple[str, float]]] = {}
    for one in study.scoring_runs.get().scores.filter(score__isnull=False):
        session = one.answer.session
        scores.setdefault(session.participant.code, []).append((one.answer.prompt.prompt_id, one.score or 0))
    best = sorted(scores, key=lambda code: (-np.mean([p for _, p in scores[code]]), code))[:3]
    for group, codes in (("average", list(scores)), ("top", best)):
        row = measurement.result_set.measures.get(name="theta.ql", group=group, subset="")
        assert row.value is not None
        pairs = [(items[name], p) for code in codes for name, p in scores[code]]
        assert row.n == len(pairs)
        left = sum(item.a * (p - 1 / (1 + math.exp(-item.a * (row.value - item.b)))) for item, p in pairs)
        assert left == pytest.approx(0, abs=1e-8)


def test_people_who_got_all_right_or_nothing_have_no_theta_and_a_reason(
    item_bank: ItemBank,
    make_study: Callable[..., Study],
    make_person: Callable[..., object],
    work: Callable[..., object],
    score: Callable[..., Scoring],
    staff: Client,
    now: datetime,
) -> None:
    """No finite maximum exists where all are right; nobody's answer counts where none was given."""
    prompts = [PromptRecord(prompt_id=name, text="?", gold_answer="no") for name in ITEMS[:4]]
    for text, average, top in (
        ("no", "no_finite_solution", "too_few_people"),
        ("", "nothing_scored", "too_few_people"),
    ):
        study = make_study(
            item_bank=item_bank, prompts=prompts, top_size=2, judge_kind="match", match_rules="bbeh",
            replicates_per_profile=20,
        )  # fmt: skip
        for _ in range(2):
            work(make_person(study), dict.fromkeys(ITEMS[:4], text))
        results = score(study, measures=False).judges[0].results
        measurement = measurement_compute(results=results, now=now + timedelta(hours=9), resamples=20)
        assert "failed" not in {block["state"] for block in measurement.blocks.values()}
        found = measurement.result_set.measures.filter(name="theta.ql", subset="")
        assert {row.group: row.reason for row in found} == {"average": average, "top": top}
        thetas = measurement.result_set.measures.filter(block=Block.UNCERTAINTY, name__startswith="theta.")
        assert not thetas.filter(value__isnull=False).exists()
        page = staff.get(f"/staff/studies/{study.slug}/results/").content.decode()
        assert ("all scores are 0, or all are 1" in page) == bool(text)


def test_every_page_the_report_and_the_results_say_it_once(
    measured: tuple[Study, Measurement], staff: Client, now: datetime
) -> None:
    study, measurement = measured
    root = f"/staff/studies/{study.slug}/"
    results = staff.get(f"{root}results/").content.decode()
    assert results.count(SENTENCE) == 1
    assert "theta_QL" in results
    for block in measurement.blocks:
        response = staff.get(f"{root}results/{block}/")
        assert response.status_code == 200
        if block != Block.BENCHMARK:
            assert response.content.decode().count(SENTENCE) == 1, block
        assert "The page Top has" not in response.content.decode(), block
        assert "own scale" not in read(response.content.decode()).replace(
            plain_reason({"template": LOGISTIC_BANK, "facts": {}}), ""
        ), block
    report = staff.get(f"{root}report/report.html").content.decode()
    assert "ability = sum a" not in report
    assert SENTENCE in report
    agreements_compute(study=study, now=now)
    assert staff.get(f"{root}agreement/").status_code == 200


def test_its_export_names_the_model_and_its_numbers_are_computed_again_and_agree(
    measured: tuple[Study, Measurement], tmp_path: Path
) -> None:
    study, measurement = measured
    folder = tmp_path / "export"
    later = measurement.computed_at + timedelta(days=1)
    manifest = study_export(study=study, target=folder, replace=False, software="chiron test", now=later)
    assert manifest.item_bank is not None
    assert manifest.item_bank.response_model == "2PL_logistic"
    assert manifest.runs[0].notes == (LOGISTIC_BANK,)
    command = [sys.executable, "-I", str(folder / "recompute.py")]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "differs" not in done.stdout
    lines = {line[29:].removeprefix("measures: "): line.split()[:3] for line in done.stdout.splitlines()}
    for name in (
        "results theta.ql",
        "uncertainty uncertainty.theta.ql",
        "slices slices.theta.ql",
        "models difference.ql",
    ):
        agree, differ, _ = map(int, lines[name])
        assert agree, name
        assert not differ, name
