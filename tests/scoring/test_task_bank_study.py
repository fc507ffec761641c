"""A study of a benchmark with tasks on the published table of models: what every part says about it."""

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client

from psychometrics.inference.measure import Block
from psychometrics.measures.computing import THETA_ONLY
from reporting.management.result_lines import result_lines
from reporting.selectors.reports import report_of
from scoring.coordinator import Scoring
from scoring.models import Measurement
from scoring.selectors.runs import changes_since
from scoring.services.exports import study_export
from scoring.services.freshness import results_are_current
from scoring.services.measurement import measurement_compute
from studies.bank.records import PromptRecord
from studies.models import ItemBank, Study
from tests.support.computed_again import computed_again
from tests.support.headlines import estimates
from tests.support.read_pages import read

pytestmark = pytest.mark.django_db

SENTENCE = "The items of the study's item bank are tasks, not questions"


@pytest.fixture(scope="module")
def measured(
    kept: None,
    make_study: Callable[..., Study],
    make_person: Callable[..., object],
    work: Callable[..., object],
    score_at: Callable[..., Scoring],
    now: datetime,
    shared_data: Path,
) -> tuple[Study, Measurement]:
    """Four people on two questions of each task of the BBEH paper's Table 2."""
    path = shared_data / "bbeh" / "paper_table2.json"
    call_command("import_task_table", str(path), slug="table-2", stdout=StringIO())
    tasks = json.loads(path.read_text())["tasks"]
    prompts = [
        PromptRecord(prompt_id=f"q{n}-{place}", text="?", gold_answer="no", task=task)
        for place, task in enumerate(tasks)
        for n in range(2)
    ]
    study = make_study(
        item_bank=ItemBank.objects.get(slug="table-2"), prompts=prompts, batch_size=46, top_size=2,
        judge_kind="match", match_rules="bbeh", replicates_per_profile=20,
    )  # fmt: skip
    for right in (40, 30, 20, 10):
        work(
            make_person(study), {one.prompt_id: "no" if n < right else "yes" for n, one in enumerate(prompts)}
        )
    results = score_at(study, clock=lambda: now, measures=False).judges[0].results
    return study, measurement_compute(results=results, now=now, resamples=50)


def test_no_block_fails_and_none_has_a_theta_of_single_answers(measured: tuple[Study, Measurement]) -> None:
    _, measurement = measured
    states = {name: block["state"] for name, block in measurement.blocks.items()}
    assert {name for name, state in states.items() if state == "refused"} == set(THETA_ONLY)
    assert "failed" not in states.values()
    thetas = measurement.result_set.measures.exclude(block=Block.BENCHMARK).filter(name__contains="theta")
    assert not thetas.filter(value__isnull=False).exists()
    assert {one.theta for one in estimates(measurement.result_set)} == {None}


def test_the_cohort_stands_beside_all_thirteen_columns(measured: tuple[Study, Measurement]) -> None:
    _, measurement = measured
    rows = measurement.result_set.measures.filter(block=Block.BENCHMARK)
    for name in (
        "benchmark.macro.model",
        "benchmark.harmonic.model",
        "theta.task.model",
        "theta.task.ql.model",
    ):
        assert rows.filter(name=name, value__isnull=False).count() == 13
    assert rows.get(name="theta.task", group="average").details["tasks"] == 23


def test_every_page_and_the_report_say_why_there_is_no_theta(
    measured: tuple[Study, Measurement], staff: Client
) -> None:
    study, measurement = measured
    root = f"/staff/studies/{study.slug}/"
    for block in measurement.blocks:
        page = staff.get(f"{root}results/{block}/").content.decode()
        assert (SENTENCE in read(page)) == (block != Block.BENCHMARK), block
        assert ("<table" in page) == (block not in THETA_ONLY), block
    assert SENTENCE in read(staff.get(f"{root}results/").content.decode())
    assert "there is no ability here" in " ".join(report_of(measurement.result_set).notes)
    report = staff.get(f"{root}report/report.html").content.decode()
    assert "abilities are those of accuracies per task" in report
    assert "ability = sum a" not in report


def test_without_an_item_bank_tasks_lead_beside_the_newest_table_and_what_is_absent_is_said_once(
    measured: tuple[Study, Measurement],
    make_study: Callable[..., Study],
    make_person: Callable[..., object],
    work: Callable[..., object],
    score_at: Callable[..., Scoring],
    staff: Client,
    now: datetime,
) -> None:
    tasks = measured[0].bank_version.prompts.order_by("position").values_list("task", flat=True)
    prompts = [
        PromptRecord(prompt_id=f"r{n}", text="?", gold_answer="no", task=task) for n, task in enumerate(tasks)
    ]
    study = make_study(
        prompts=prompts, slug="bare", batch_size=46, top_size=2, judge_kind="match", match_rules="bbeh",
        replicates_per_profile=20,
    )  # fmt: skip
    for right in (46, 46, 44):
        work(
            make_person(study), {one.prompt_id: "no" if n < right else "yes" for n, one in enumerate(prompts)}
        )
    results = score_at(study, clock=lambda: now, measures=False).judges[0].results
    measurement_compute(results=results, now=now, resamples=50)
    first = staff.get("/staff/studies/bare/results/").text
    assert "right on average over 23 tasks" in read(first)
    assert "above every published model in" in read(first)
    assert read(first).count("What there is not, and why") == 1
    assert "item parameters" not in read(first)
    assert "/staff/studies/bare/results/models/" not in first
    assert 'title="o3-mini (high)"' in staff.get("/staff/studies/bare/results/benchmark/").text
    macro = results.measures.get(block=Block.RESULTS, name="benchmark.macro", group="average")
    raw = results.measures.get(block=Block.RESULTS, name="raw_mean", group="average", subset="")
    assert macro.value is not None
    assert raw.value is not None
    said = f"Mean over the tasks (23), each counting alike; mean of all answers: {100 * raw.value:.0f} %."
    assert said in read(first)
    report = read(staff.get("/staff/studies/bare/report/report.html").text)
    assert f"People with AI got {macro.value:.0f} % right on average over 23 tasks" in report
    assert "Not in the bank" not in report
    assert "without item parameters" not in " ".join(result_lines(results))
    # As results of before tables were kept: computing again would set them beside one.
    table = "a table of published models with these tasks"
    assert table not in changes_since(results)
    assert results_are_current(results.run)
    results.published = None
    results.save()
    assert table in changes_since(results)
    assert not results_are_current(results.run)
    assert table in staff.get("/staff/studies/bare/results/").text


def test_the_numbers_of_its_export_are_computed_again_and_agree(
    measured: tuple[Study, Measurement], tmp_path: Path
) -> None:
    study, measurement = measured
    folder = tmp_path / "export"
    later = measurement.computed_at + timedelta(days=1)
    study_export(study=study, target=folder, replace=False, software="chiron test", now=later)
    code, said = computed_again(folder)
    assert code == 0, said
    assert "differs" not in said
