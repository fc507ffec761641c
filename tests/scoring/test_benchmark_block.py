"""The benchmark block of a study with tasks: what it computes, refuses and hides."""

import json
from collections.abc import Callable, Iterable
from dataclasses import asdict
from datetime import datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from operations.services.deleting import site_row_delete
from presentation.numbers import decimals
from psychometrics.benchmark.accuracy_table import AccuracyTable
from psychometrics.inference.measure import Block
from psychometrics.measures.computing import MEASURED
from reporting.management.result_lines import result_lines
from scoring.coordinator import Scoring
from scoring.models import Measurement, MeasureRow, ModelConfiguration, ModelScore
from scoring.selectors.measures import BlockMeasures, block_measures
from scoring.services.exports import ResultsOutOfDate, study_export
from scoring.services.task_tables import task_table_import
from studies.bank.records import PromptRecord
from studies.models import ItemBank, Study, User
from tests.support.headlines import metrics, tasks
from tests.support.measuring import measure_blocks
from tests.support.read_pages import every_part, read

pytestmark = pytest.mark.django_db

TASKS = ("web of lies", "zebra puzzles")
PROMPTS = [
    PromptRecord(prompt_id=f"{task}-{n}", text=f"{task} {n}?", gold_answer="no", task=task)
    for task in TASKS
    for n in range(2)
]
TABLE = AccuracyTable(
    models=["Random", "small", "large"],
    tasks=["Web of Lies", "Zebra Puzzles"],
    accuracy_percent={"Web of Lies": [25.0, 30.0, 80.0], "Zebra Puzzles": [10.0, 20.0, 60.0]},
)


@pytest.fixture
def measured(
    make_study: Callable[..., Study],
    make_person: Callable[..., object],
    work: Callable[..., object],
    score: Callable[..., Scoring],
    now: datetime,
) -> Callable[..., tuple[Study, Measurement]]:
    """A measured study of four people, two of whom are right throughout."""

    def measure(
        item_bank: ItemBank | None = None, *, blocks: Iterable[Block] = (Block.BENCHMARK,), **settings: object
    ) -> tuple[Study, Measurement]:
        chosen: dict[str, Any] = {
            "judge_kind": "match",
            "match_rules": "bbeh",
            "top_size": 2,
            "prompts": PROMPTS,
            **settings,
        }
        chosen["replicates_per_profile"] = 20
        study = make_study(item_bank=item_bank, **chosen)
        for right in (4, 4, 2, 1):
            answers = {one.prompt_id: "no" if n < right else "yes" for n, one in enumerate(chosen["prompts"])}
            work(make_person(study), answers)
        results = score(study, measures=False).judges[0].results
        return study, measure_blocks(results, *blocks, now=now, resamples=100)

    return measure


def block(measurement: Measurement) -> BlockMeasures:
    return block_measures(measurement, Block.BENCHMARK)


def row(found: BlockMeasures, name: str, group: str = "", subset: str = "") -> MeasureRow:
    """The one row of this name."""
    one = found.get(name, group, subset)
    assert one is not None
    return one


def values(found: BlockMeasures, name: str, group: str = "") -> dict[str, float | None]:
    return {one.subset: one.value for one in found.named(name, group=group)}


def test_accuracies_are_those_of_the_results_page_with_intervals_beside_them(
    measured: Callable[..., tuple[Study, Measurement]],
) -> None:
    _, measurement = measured()
    found = block(measurement)
    assert values(found, "task.accuracy", "average") == {
        f"task:{one.task}": pytest.approx(one.accuracy) for one in tasks(measurement.result_set, "average")
    }
    over = metrics(measurement.result_set, "average")
    assert row(found, "benchmark.macro", "average").value == pytest.approx(over["macro"])
    assert row(found, "benchmark.micro", "average").value == pytest.approx(over["micro"])


def test_who_has_every_answer_right_has_a_bound_beside_the_models_and_in_them(
    measured: Callable[..., tuple[Study, Measurement]], now: datetime, staff: Client
) -> None:
    accuracies: dict[str, list[float | None]] = {
        task: [100.0, *of] for task, of in TABLE.accuracy_percent.items()
    }
    table = AccuracyTable(models=["Perfect", *TABLE.models], tasks=TABLE.tasks, accuracy_percent=accuracies)
    item_bank, _, _ = task_table_import(slug="table", table=table, source="a table", now=now)
    study, measurement = measured(item_bank)
    found = block(measurement)
    page = read(every_part(staff, f"/staff/studies/{study.slug}/results/benchmark/"))
    for name in ("theta.task", "theta.task.ql"):
        best = row(found, name, "top")
        perfect = row(found, f"{name}.model", "", "model:Perfect")
        for one in (best, perfect):
            assert (one.value, one.high, one.reason) == (None, None, "no_finite_solution")
            assert one.low is not None
            assert f"above {decimals(one.low)}" in page
        assert perfect.details["full"] is None
        assert (perfect.low or 0) > (best.low or 0)  # at as many answers as everybody gave
        assert row(found, f"{name}.model", "", "model:large").value is not None


def test_the_harmonic_mean_of_few_questions_is_hidden_without_a_table_and_says_why(
    measured: Callable[..., tuple[Study, Measurement]], staff: Client
) -> None:
    study, measurement = measured()
    hidden = row(block(measurement), "benchmark.harmonic", "average")
    assert (hidden.value, hidden.reason, hidden.details["fewest_questions"]) == (None, "too_few_questions", 2)
    page = staff.get(f"/staff/studies/{study.slug}/results/benchmark/").content.decode()
    assert "The harmonic mean is hidden" in page


def test_a_study_with_a_bank_of_tasks_stands_beside_the_models_of_its_table(
    measured: Callable[..., tuple[Study, Measurement]], now: datetime, staff: Client
) -> None:
    item_bank, _, _ = task_table_import(slug="table", table=TABLE, source="a table", now=now)
    study, measurement = measured(item_bank)
    found = block(measurement)
    assert row(found, "benchmark.harmonic", "average").value is not None
    assert set(values(found, "theta.task.model")) == {"model:Random", "model:small", "model:large"}
    large = row(found, "theta.task.model", "", "model:large")
    assert (large.low or 0) <= large.details["full"] <= (large.high or 0)
    assert row(found, "theta.task", "average").value is not None
    corrected = row(found, "task.accuracy.corrected", "average", "task:web of lies")
    accuracy = row(found, "task.accuracy", "average", "task:web of lies")
    assert corrected.value == pytest.approx(((accuracy.value or 0) - 25) / 0.75)
    page = every_part(staff, f"/staff/studies/{study.slug}/results/benchmark/")
    assert "best rater per task, not a best human" in page
    assert "Best rater (picked by these same scores) (%)" in read(page)
    assert "large" in page
    for figure in ("tasks", "models"):
        address = f"/staff/studies/{study.slug}/results/{measurement.result_set.pk}/benchmark/{figure}.svg"
        assert staff.get(address).content.startswith(b"<?xml")


def test_tasks_have_one_name_on_pages_in_figures_report_and_terminal(
    measured: Callable[..., tuple[Study, Measurement]], staff: Client
) -> None:
    """That of the category that each is as well; the code is in a tooltip at most."""
    codes = {one.prompt_id: one.task.replace(" ", "_") for one in PROMPTS}
    prompts = [
        one.model_copy(update={"task": codes[one.prompt_id], "category": codes[one.prompt_id]})
        for one in PROMPTS
    ]
    study, measurement = measured(prompts=prompts)
    assert values(block(measurement), "task.accuracy", "average").keys() == {
        "task:web_of_lies", "task:zebra_puzzles",
    }  # fmt: skip
    base, results = f"/staff/studies/{study.slug}", measurement.result_set
    pages = (
        "results/",
        "results/benchmark/",
        "report/report.html",
        f"results/{results.pk}/benchmark/tasks.svg",
    )
    shown = [read(staff.get(f"{base}/{page}").content.decode()) for page in pages]
    for text in (*shown, "\n".join(result_lines(results))):
        assert "Web of lies" in text
        assert "web_of_lies" not in text


def test_raters_are_counted_and_their_best_stands_beside_the_best_of_equals(
    measured: Callable[..., tuple[Study, Measurement]],
) -> None:
    found = block(measured()[1])
    best = row(found, "human.max", "", "task:zebra puzzles")
    equal = row(found, "human.max.equal", "", "task:zebra puzzles")
    assert (best.value, best.people, best.details["best_items"]) == (100.0, 4, 2)
    assert 33 < (equal.value or 0) <= 100


def test_a_study_without_tasks_is_refused_in_one_sentence(
    measured: Callable[..., tuple[Study, Measurement]],
) -> None:
    without = [PromptRecord(prompt_id=one.prompt_id, text="?", gold_answer="no") for one in PROMPTS]
    found = block(measured(prompts=without)[1])
    assert (found.state, len(found.rows)) == ("refused", 0)
    assert found.sentence.startswith("No question of this study belongs to a task")


def test_a_table_is_imported_once_with_its_columns(tmp_path: Path) -> None:
    path, said = tmp_path / "table-2.json", StringIO()
    path.write_text(json.dumps(asdict(TABLE)))
    call_command("import_task_table", str(path), stdout=said)
    call_command("import_task_table", str(path), stdout=StringIO())
    assert json.loads(said.getvalue())["difficulty_only"] is True
    assert ItemBank.objects.get().slug == "table-2"
    assert (ModelConfiguration.objects.count(), ModelScore.objects.count()) == (3, 6)


def test_a_table_that_is_none_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "table.json"
    path.write_text("{}")
    with pytest.raises(CommandError, match="cannot be used"):
        call_command("import_task_table", str(path))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            {"models": ["a"], "accuracy_percent": {task: [50.0] for task in TABLE.tasks}},
            "without any residual",
        ),
        ({"models": ["", "b", "c"]}, "The name of a model is empty or longer than"),
        ({"models": ["a" * 500, "b", "c"]}, "The name of a model is empty or longer than"),
        (
            {
                "tasks": ["Web of Lies", "web of lies"],
                "accuracy_percent": {"Web of Lies": [1.0, 2.0, 4.0], "web of lies": [3.0, 4.0, 9.0]},
            },
            "are names of one task",
        ),
    ],
)
def test_a_table_that_makes_no_bank_is_refused_in_a_sentence(
    tmp_path: Path, change: dict[str, object], sentence: str
) -> None:
    path = tmp_path / "table.json"
    path.write_text(json.dumps({**asdict(TABLE), **change}))
    with pytest.raises(CommandError, match=sentence):
        call_command("import_task_table", str(path))
    assert not ItemBank.objects.exists()


def test_bbh_counts_three_variants_of_a_task_as_one_and_has_no_harmonic_mean(
    measured: Callable[..., tuple[Study, Measurement]], staff: Client
) -> None:
    files = ("logical_deduction_three_objects", "logical_deduction_five_objects", "navigate", "navigate")
    prompts = [
        PromptRecord(prompt_id=one.prompt_id, text="?", gold_answer="no", task=task)
        for one, task in zip(PROMPTS, files, strict=True)
    ]
    study, measurement = measured(prompts=prompts, match_rules="bbh")
    found = block(measurement)
    accuracy = values(found, "task.accuracy", "average")
    three, five, navigate = 100, 300 / 4, 200 / 4
    assert list(accuracy.values()) == [None, None, pytest.approx(navigate)]  # two are of one question each
    assert row(found, "benchmark.macro", "average").value == pytest.approx((three + five + navigate) / 3)
    by_hand = ((three + five) / 2 + navigate) / 2
    assert row(found, "benchmark.macro.bbh23", "average").value == pytest.approx(by_hand)
    assert found.get("benchmark.harmonic", "average") is None
    page = staff.get(f"/staff/studies/{study.slug}/results/benchmark/").content.decode()
    assert "BBH has 27 files and counts 23 tasks" in page


def test_what_is_by_task_leaves_without_private_prompts_of_which_a_task_may_have_one(
    measured: Callable[..., tuple[Study, Measurement]], tmp_path: Path, now: datetime
) -> None:
    prompts = [
        one.model_copy(update={"split": "public" if n == 0 else "private"}) for n, one in enumerate(PROMPTS)
    ]
    prompts.append(prompts[0].model_copy(update={"prompt_id": "another"}))
    study, _ = measured(prompts=prompts, blocks=MEASURED)
    study_export(study=study, target=tmp_path / "export", replace=False, software="chiron test", now=now)
    tables = {
        name: [json.loads(line) for line in (tmp_path / "export" / f"{name}.jsonl").read_text().splitlines()]
        for name in ("task_accuracies", "metrics", "measures")
    }
    for name in ("task_accuracies", "metrics"):
        assert {row["scope"] for row in tables[name]} == {"public"}, name
    scopes = {(row["block"] == "benchmark", row["scope"]) for row in tables["measures"]}
    assert scopes == {(True, "public"), (False, "public"), (False, "all")}


def test_an_export_names_the_best_published_model_of_each_task_as_the_page_does(
    measured: Callable[..., tuple[Study, Measurement]], tmp_path: Path, now: datetime
) -> None:
    task_table_import(slug="tasks", table=TABLE, source="made up", now=now)
    study, measurement = measured(blocks=MEASURED)
    study_export(study=study, target=tmp_path / "export", replace=False, software="chiron test", now=now)
    lines = (tmp_path / "export" / "task_accuracies.jsonl").read_text().splitlines()
    exported = {
        (row["task"], row["best_published"], row["best_published_accuracy"]) for row in map(json.loads, lines)
    }
    assert exported == {("web of lies", "large", 80.0), ("zebra puzzles", "large", 60.0)}
    assert {column.name for column in block(measurement).published} == {"Random", "small", "large"}


def test_results_stand_beside_the_table_they_were_computed_with_and_never_beside_another_teams(
    measured: Callable[..., tuple[Study, Measurement]], tmp_path: Path, now: datetime, lead: User
) -> None:
    def uploaded(slug: str, best: str, hours: int, actor: User | None = None) -> ItemBank:
        accuracies: dict[str, list[float | None]] = {
            task: [*of[:2], (of[2] or 0) + hours] for task, of in TABLE.accuracy_percent.items()
        }
        table = AccuracyTable(["Random", "small", best], TABLE.tasks, accuracies)
        at = now + timedelta(hours=hours)
        return task_table_import(slug=slug, table=table, source="made up", now=at, actor=actor)[0]

    own = uploaded("own", "known", 1)
    uploaded("theirs", "secret", 2, User.objects.create_user("other@example.org", is_staff=True))
    study, measurement = measured(blocks=MEASURED)
    site_row_delete(row=own, typed="", actor=lead, now=now)
    study_export(study=study, target=tmp_path / "export", replace=False, software="chiron test", now=now)
    rows = map(json.loads, (tmp_path / "export" / "task_accuracies.jsonl").read_text().splitlines())
    assert {row["best_published"] for row in rows} == {"known"}
    assert {column.name for column in block(measurement).published} == {"Random", "small", "known"}
    manifest = json.loads((tmp_path / "export" / "manifest.json").read_text())
    assert manifest["runs"][0]["published_table"] == {"bank": "own", "digest": own.digest}
    assert f"of the table `own`, digest {own.digest}" in (tmp_path / "export" / "README.md").read_text()
    uploaded("later", "newer", 3, lead)
    with pytest.raises(ResultsOutOfDate):
        study_export(study=study, target=tmp_path / "newer", replace=False, software="", now=now)
    assert {column.name for column in block(measurement).published} == {"Random", "small", "known"}
