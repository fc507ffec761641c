import json
import math
from pathlib import Path
from typing import Any

import pytest

from psychometrics.benchmark.accuracy_table import AccuracyTableRefused
from psychometrics.benchmark.metrics import (
    BBEH_TASK_SIZES,
    TaskAccuracy,
    adjusted_harmonic_mean,
    bbeh_task_sizes,
    macro,
    micro,
    per_task_accuracy,
)
from scoring.readers.accuracy_tables import read_accuracy_table

NAN = math.nan
QWEN = "Qwen-2.5-7B-Instruct"


def table_file(tmp_path: Path, **changes: Any) -> Path:
    content = {
        "models": ["m1", "m2"],
        "tasks": ["SportQA", "DisambiguationQA"],
        "accuracy_percent": {"SportQA": [0.0, 50.0], "DisambiguationQA": [100, None]},
    } | changes
    path = tmp_path / "accuracies.json"
    path.write_text(json.dumps({key: value for key, value in content.items() if value is not None}))
    return path


def problems_of(path: Path) -> list[str]:
    with pytest.raises(AccuracyTableRefused) as refusal:
        read_accuracy_table(path)
    return str(refusal.value).split("\n")


def test_a_hand_computed_case() -> None:
    accuracies = {"t1": 0.0, "t2": 99.0}

    assert macro(accuracies) == 49.5
    assert micro(accuracies, {"t1": 300, "t2": 100}) == 24.75
    # Two tasks, 1 and 100 after adding one: twice the inverse of 1.01.
    assert adjusted_harmonic_mean(accuracies) == pytest.approx(1.9801980198019802, abs=1e-12)


def test_the_harmonic_mean_runs_from_one_to_a_hundred_and_one() -> None:
    assert adjusted_harmonic_mean({"t1": 0, "t2": 0}) == 1
    assert adjusted_harmonic_mean({"t1": 100, "t2": 100}) == 101


def test_a_task_without_a_score_takes_no_part() -> None:
    accuracies = {"t1": 40.0, "t2": NAN}

    assert macro(accuracies) == 40
    assert micro(accuracies, {"t1": 10}) == 40
    assert adjusted_harmonic_mean(accuracies) == pytest.approx(41, abs=1e-12)


@pytest.mark.parametrize("accuracies", [{}, {"t1": NAN}])
def test_without_any_score_every_metric_is_nan(accuracies: dict[str, float]) -> None:
    assert math.isnan(macro(accuracies))
    assert math.isnan(micro(accuracies, {}))
    assert math.isnan(adjusted_harmonic_mean(accuracies))


def test_missing_answers_are_counted_and_do_not_lower_the_accuracy() -> None:
    outcomes = [("b", True), ("a", None), ("b", False), ("b", None), ("b", True)]

    found = per_task_accuracy(outcomes)

    assert found == {
        "b": TaskAccuracy(n=3, correct=2, missing=1),
        "a": TaskAccuracy(n=0, correct=0, missing=1),
    }
    assert list(found) == ["b", "a"]
    assert found["b"].accuracy == pytest.approx(200 / 3)
    assert math.isnan(found["a"].accuracy)


def test_bbeh_has_4520_questions_whichever_way_its_tasks_are_named() -> None:
    assert sum(BBEH_TASK_SIZES.values()) == 4_520
    assert bbeh_task_sizes(["bbeh_temporal_sequence", "Zebra Puzzles", "bbeh_disambiguation_qa"]) == {
        "bbeh_temporal_sequence": 200,
        "Zebra Puzzles": 200,
        "bbeh_disambiguation_qa": 120,
    }
    assert bbeh_task_sizes(["Zebra Puzzles", "chess"]) is None


def test_the_sizes_are_those_of_the_task_files(shared_data: Path) -> None:
    files = (shared_data / "bbeh" / "benchmark_tasks").glob("*/task.json")
    counts = {path.parent.name: len(json.loads(path.read_text())["examples"]) for path in files}

    assert len(counts) == 23
    assert bbeh_task_sizes(counts) == counts


def test_table_2_is_reproduced_but_for_one_printed_slip(shared_data: Path) -> None:
    path = shared_data / "bbeh" / "paper_table2.json"
    printed = json.loads(path.read_text())

    metrics = read_accuracy_table(path).metrics()

    assert [found.model for found in metrics] == printed["models"]
    harmonic_errors = [
        abs(found.adjusted_harmonic_mean - value)
        for found, value in zip(metrics, printed["printed_harmonic"], strict=True)
    ]
    micro_errors = {
        found.model: abs(found.micro - value)
        for found, value in zip(metrics, printed["printed_micro"], strict=True)
    }
    assert len(harmonic_errors) == 13
    assert max(harmonic_errors) <= 0.05
    assert [model for model, error in micro_errors.items() if error > 0.05] == [QWEN]
    # What is printed as this model's micro average is its macro average.
    qwen = next(found for found in metrics if found.model == QWEN)
    assert (round(qwen.micro, 2), round(qwen.macro, 1)) == (12.08, 12.5)


def test_a_table_gives_the_metrics_of_each_model(tmp_path: Path) -> None:
    first, second = read_accuracy_table(table_file(tmp_path)).metrics()

    assert (first.model, first.macro) == ("m1", 50)
    assert first.micro == 37.5
    assert first.adjusted_harmonic_mean == pytest.approx(2 / (1 + 1 / 101))
    assert (second.macro, second.micro) == (50, 50)


def test_other_benchmarks_give_their_task_sizes_or_have_no_micro_average(tmp_path: Path) -> None:
    accuracies = {"x": [0, 50], "y": [100, 50]}
    given = table_file(tmp_path, tasks=["x", "y"], accuracy_percent=accuracies, task_sizes={"x": 1, "y": 3})
    assert [found.micro for found in read_accuracy_table(given).metrics()] == [75, 50]

    unknown = table_file(tmp_path, tasks=["x", "y"], accuracy_percent=accuracies)
    table = read_accuracy_table(unknown)
    assert table.sizes is None
    assert all(math.isnan(found.micro) for found in table.metrics())
    assert [found.macro for found in table.metrics()] == [50, 50]


def test_parts_of_a_table_that_do_not_fit_are_all_named(tmp_path: Path) -> None:
    path = table_file(
        tmp_path,
        models=["m1", "m1"],
        tasks=["x", "y"],
        accuracy_percent={"x": [1], "z": [1, 2]},
        task_sizes={"x": 10},
    )

    assert problems_of(path) == [
        "models: 'm1' occurs twice; keep one",
        "accuracy_percent: the task 'y' is missing",
        "accuracy_percent: 'x' has 1 where the models are 2",
        "accuracy_percent: 'z' is not among the tasks",
        "task_sizes: the task 'y' is missing",
    ]


def test_values_that_are_no_percentages_are_all_named(tmp_path: Path) -> None:
    path = table_file(tmp_path, accuracy_percent={"SportQA": [101, "x"], "DisambiguationQA": [NAN, -1]})

    assert problems_of(path) == [
        "accuracy_percent.SportQA[1]: is above 100; write 100 or less",
        "accuracy_percent.SportQA[2]: is text, but a number is expected",
        "accuracy_percent.DisambiguationQA[1]: is not a finite number; write an ordinary number",
        "accuracy_percent.DisambiguationQA[2]: is below 0; write 0 or more",
    ]


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"models": None}, "models: is missing; add it"),
        ({"tasks": []}, "tasks: has too few entries; at least 1 is needed"),
        ({"accuracy_percent": [1]}, "accuracy_percent: is a list, but an object is expected"),
        ({"task_sizes": {"SportQA": 0}}, "task_sizes.SportQA: is below 1; write 1 or more"),
        (
            {"task_sizes": {"SportQA": 10**400}},
            "task_sizes.SportQA: is above 1000000000; write 1000000000 or less",
        ),
    ],
)
def test_a_wrong_part_is_named(tmp_path: Path, changes: dict[str, Any], problem: str) -> None:
    path = table_file(tmp_path)
    content = json.loads(path.read_text()) | changes
    path.write_text(json.dumps({key: value for key, value in content.items() if value is not None}))

    assert problems_of(path) == [problem]
