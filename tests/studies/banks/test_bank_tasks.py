"""BBEH with its mini set, and BBH."""

import json
from collections import Counter
from pathlib import Path

import pytest

from formats.files import Limits
from studies.bank.big_bench_formats import read_bbeh, read_bbh
from studies.bank.reading import read_bank

CANARY = "EXAMPLE CANARY"


def write_task(path: Path, *examples: object, canary: object = CANARY) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"examples": list(examples), "canary": canary}), encoding="utf-8")
    return path


def example(text: str, target: str, **more: str) -> dict[str, str]:
    return {"input": text, "target": target, **more}


@pytest.fixture
def bbeh(tmp_path: Path) -> Path:
    tasks = tmp_path / "benchmark_tasks"
    write_task(
        tasks / "bbeh_sums" / "task.json", example("1+1", "2"), example("same", "a"), example("same", "b")
    )
    write_task(
        tasks / "bbeh_maps" / "task.json", example("where", "here", subtask="tree"), example("same", "a")
    )
    return tmp_path


def ids(path: Path, *, mini: bool = False) -> list[str]:
    reading = read_bbeh(path, mini=mini)
    assert reading.problems == ()
    return [prompt.prompt_id for prompt in reading.bank.prompts]


def test_every_entry_of_every_task_is_a_prompt_with_an_id_of_its_own(bbeh: Path) -> None:
    reading = read_bbeh(bbeh)
    assert reading.problems == ()
    assert [(prompt.prompt_id, prompt.text, prompt.gold_answer) for prompt in reading.bank.prompts] == [
        ("bbeh_maps-0001", "where", "here"),
        ("bbeh_maps-0002", "same", "a"),
        ("bbeh_sums-0001", "1+1", "2"),
        ("bbeh_sums-0002", "same", "a"),
        ("bbeh_sums-0003", "same", "b"),
    ]
    first = reading.bank.prompts[0]
    assert (first.task, first.category, first.subcategory, first.text_format) == (
        "maps",
        "maps",
        "tree",
        "plain",
    )
    assert reading.bank.canaries == (CANARY,)


def test_the_tasks_folder_itself_may_be_given(bbeh: Path) -> None:
    assert ids(bbeh / "benchmark_tasks") == ids(bbeh)


def test_a_folder_beside_the_tasks_is_not_mistaken_for_them(bbeh: Path) -> None:
    (problem,) = read_bbeh(bbeh / "nothing").problems
    assert problem.message == (
        "holds no benchmark_tasks/<task>/task.json; give the folder that holds benchmark_tasks"
    )


def test_a_mini_entry_takes_the_first_free_entry_with_its_text_and_target(bbeh: Path) -> None:
    write_task(bbeh / "mini.json", example("same", "b"), example("same", "a"), example("same", "a"))
    expected = ["bbeh_sums-0003", "bbeh_maps-0002", "bbeh_sums-0002"]
    assert ids(bbeh, mini=True) == expected
    assert ids(bbeh / "mini.json") == expected
    assert ids(bbeh / "benchmark_tasks", mini=True) == expected


def test_the_mini_set_is_also_found_in_a_folder_of_its_own(bbeh: Path) -> None:
    write_task(bbeh / "mini" / "data.json", example("1+1", "2"))
    assert ids(bbeh, mini=True) == ["bbeh_sums-0001"]
    assert ids(bbeh / "mini" / "data.json") == ["bbeh_sums-0001"]


def test_a_mini_entry_without_a_question_in_the_tasks_is_reported(bbeh: Path) -> None:
    write_task(
        bbeh / "mini.json", example("1+1", "3"), example("1+1", "2"), example("1+1", "2"), 5, {"input": []}
    )
    reading = read_bbeh(bbeh, mini=True)
    assert [prompt.prompt_id for prompt in reading.bank.prompts] == ["bbeh_sums-0001"]
    message = "matches no question of the task files by input and target; get both from one version"
    assert [str(problem) for problem in reading.problems] == [
        f"mini.json, examples[{number}]: {message}" for number in (1, 3, 4, 5)
    ]


def test_a_missing_mini_file_is_reported(bbeh: Path) -> None:
    reading = read_bbeh(bbeh, mini=True)
    assert reading.bank.prompts == ()
    assert [problem.file for problem in reading.problems] == [str(bbeh / "mini.json")]


def test_problems_of_task_files_are_reported_together_and_the_rest_is_read(bbeh: Path) -> None:
    tasks = bbeh / "benchmark_tasks"
    (tasks / "bbeh_broken").mkdir()
    (tasks / "bbeh_broken" / "task.json").write_text('{"examples": [\n{"input": "x" "target"}]}')
    write_task(
        tasks / "bbeh_gaps" / "task.json", example("", "x"), {"input": "y"}, "z", example("q", "1"), canary=3
    )
    write_task(tasks / "bbeh_other" / "task.json").write_text("[]")
    reading = read_bbeh(bbeh)
    assert len(reading.bank.prompts) == 6
    assert [str(problem) for problem in reading.problems] == [
        "benchmark_tasks/bbeh_broken/task.json, line 2, JSON: "
        "breaks off at column 15 (Expecting ',' delimiter); correct the JSON",
        "benchmark_tasks/bbeh_gaps/task.json, bbeh_gaps-0003, examples[3]: "
        "is text, but an object with input and target is expected",
        "benchmark_tasks/bbeh_gaps/task.json, canary: is a number, but text is expected; put it in quotes",
        "benchmark_tasks/bbeh_other/task.json, examples: "
        "is null, but a list of questions is expected; is it a task file?",
        "benchmark_tasks/bbeh_gaps/task.json, bbeh_gaps-0001, input: "
        "is blank; write something or leave the entry out",
        "benchmark_tasks/bbeh_gaps/task.json, bbeh_gaps-0002, target: "
        "is blank; write something or leave the entry out",
    ]


def test_a_bbh_folder_is_read_by_its_file_names(tmp_path: Path) -> None:
    write_task(tmp_path / "navigate.json", example("turn", "Yes"), example("turn", "Yes"))
    write_task(tmp_path / "snarks.json", example("which", "(A)"))
    reading = read_bbh(tmp_path)
    assert reading.problems == ()
    assert [(prompt.prompt_id, prompt.task) for prompt in reading.bank.prompts] == [
        ("bbh_navigate-0001", "navigate"),
        ("bbh_navigate-0002", "navigate"),
        ("bbh_snarks-0001", "snarks"),
    ]


def test_a_file_or_an_empty_folder_is_no_bbh_bank(tmp_path: Path) -> None:
    file = write_task(tmp_path / "sub" / "navigate.json", example("turn", "Yes"))
    for path in (file, tmp_path):
        assert [str(problem) for problem in read_bbh(path).problems] == [
            f"{path}: is no folder with task files; give the folder that holds <task>.json files"
        ]


def test_a_task_file_over_the_limit_is_reported(tmp_path: Path) -> None:
    write_task(tmp_path / "navigate.json", example("turn", "Yes"))
    (problem,) = read_bbh(tmp_path, limits=Limits(bank_bytes=10)).problems
    assert problem.file == "navigate.json"
    assert problem.message.endswith("above the limit of 10 bytes; split it")


def test_only_bbeh_has_a_mini_set(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="Only bbeh has a mini set; read bbh without it"):
        read_bank("bbh", tmp_path, mini=True)


def test_the_published_bbeh_has_4520_questions_in_23_tasks(shared_data: Path) -> None:
    reading = read_bank("bbeh", shared_data / "bbeh")
    counts = Counter(prompt.task for prompt in reading.bank.prompts)
    assert reading.problems == ()
    assert sum(counts.values()) == 4520
    assert len(counts) == 23
    assert {task: count for task, count in counts.items() if count != 200} == {"disambiguation_qa": 120}
    assert len(reading.bank.canaries) == 1


def test_the_published_mini_set_has_20_questions_of_each_task(shared_data: Path) -> None:
    reading = read_bank("bbeh", shared_data / "bbeh", mini=True)
    assert reading.problems == ()
    counts = Counter(prompt.task for prompt in reading.bank.prompts)
    assert len(counts) == 23
    assert set(counts.values()) == {20}
    linguini = {
        prompt.prompt_id: prompt.gold_answer for prompt in reading.bank.prompts if prompt.task == "linguini"
    }
    assert (linguini["bbeh_linguini-0140"], linguini["bbeh_linguini-0160"]) == ("ahɨka", "it was opened")


def test_the_published_bbh_has_6511_questions_in_27_tasks(shared_data: Path) -> None:
    reading = read_bank("bbh", shared_data / "bbh")
    assert reading.problems == ()
    assert len(reading.bank.prompts) == 6511
    assert len({prompt.task for prompt in reading.bank.prompts}) == 27
    assert len(reading.bank.canaries) == 1
