"""Results of task benchmarks, computed by hand from tiny studies."""

from collections.abc import Callable
from datetime import datetime

import pytest

from batches.models import Session
from psychometrics.inference.measure import Block
from reporting.selectors.reports import report_of
from scoring.coordinator import Scoring
from scoring.models import ResultSet
from scoring.services.measurement import measurement_compute
from studies.bank.records import PromptRecord
from studies.models import Participant, Study
from tests.support.headlines import estimates, metrics, tasks

pytestmark = pytest.mark.django_db
Work = Callable[..., Session]
Person = Callable[..., Participant]
BBEH = [
    PromptRecord(prompt_id=f"{task}-{n}", text=f"Question {n}?", gold_answer="yes", task=task)
    for task, size in (("web of lies", 2), ("zebra puzzles", 1), ("word sorting", 1))
    for n in range(size)
]


@pytest.fixture
def bbeh_results(
    make_study: Callable[..., Study], make_person: Person, work: Work, score: Callable[..., Scoring]
) -> ResultSet:
    study = make_study(prompts=BBEH, judge_kind="match", match_rules="bbeh", top_size=1)
    work(
        make_person(study),
        {"web of lies-0": "The answer is: yes", "web of lies-1": "no", "zebra puzzles-0": "no"},
    )
    work(make_person(study), {"web of lies-0": "no"})
    return score(study).judges[0].results


def test_bbeh_has_an_accuracy_per_task_and_its_three_summaries(bbeh_results: ResultSet) -> None:
    assert [(task.task, task.responses, task.accuracy) for task in tasks(bbeh_results, "average")] == [
        ("web of lies", 3, None),  # with the whole it would tell of the next
        ("word sorting", 0, None),
        ("zebra puzzles", 1, None),
    ]
    assert metrics(bbeh_results, "average") == {
        "macro": pytest.approx(100 / 6),
        "micro": pytest.approx(25.0),
        "adjusted_harmonic_mean": pytest.approx(2 / (1 / (100 / 3 + 1) + 1)),
    }


def test_the_harmonic_mean_of_few_questions_is_hidden_and_the_reason_said(
    bbeh_results: ResultSet, now: datetime
) -> None:
    bbeh_results.measures.filter(block=Block.BENCHMARK).delete()
    before = report_of(bbeh_results)
    assert "hidden until the measurement" in before.notes[-1]
    measurement_compute(results=bbeh_results, now=now, resamples=20)
    report = report_of(bbeh_results)
    assert "fewer than 20 different questions with a scored answer (here 1)" in report.notes[-1]
    for shown in (before, report):
        harmonic = shown.metrics[-1]
        assert (harmonic.average, harmonic.top) == (None, None)
        assert shown.metrics[0].average == pytest.approx(100 / 6)


def test_many_answers_to_two_questions_are_two_questions(
    make_study: Callable[..., Study], make_person: Person, work: Work, score: Callable[..., Scoring],
    now: datetime,
) -> None:  # fmt: skip
    study = make_study(
        prompts=BBEH[:2], judge_kind="match", match_rules="bbeh", top_size=1, replicates_per_profile=20
    )
    for _ in range(20):
        work(make_person(study), {one.prompt_id: "no" for one in BBEH[:2]})
    results = score(study).judges[0].results
    measurement_compute(results=results, now=now, resamples=20)
    assert "(here 2)" in report_of(results).notes[-1]


def test_the_harmonic_mean_of_enough_questions_is_shown(
    make_study: Callable[..., Study], make_person: Person, work: Work, score: Callable[..., Scoring],
    now: datetime,
) -> None:  # fmt: skip
    questions = [
        PromptRecord(prompt_id=f"web-{n}", text="?", gold_answer="no", task="web of lies") for n in range(20)
    ]
    study = make_study(
        prompts=questions, judge_kind="match", match_rules="bbeh", top_size=1, batch_size=20,
        replicates_per_profile=20,
    )  # fmt: skip
    for _ in range(2):
        work(make_person(study), {one.prompt_id: "no" for one in questions})
    results = score(study).judges[0].results
    measurement_compute(results=results, now=now, resamples=20)
    report = report_of(results)
    assert report.metrics[-1].average == 101.0
    assert not any("harmonic" in note for note in report.notes)


def test_bbh_has_a_macro_average_only(
    make_study: Callable[..., Study], make_person: Person, work: Work, score: Callable[..., Scoring]
) -> None:
    prompts = [
        PromptRecord(prompt_id=f"n{n}", text="?", gold_answer="Yes", task="navigate") for n in range(4)
    ]
    study = make_study(prompts=prompts, judge_kind="match", match_rules="bbh", top_size=1)
    for _ in range(2):
        work(make_person(study), {"n0": "So the answer is Yes.", "n1": "the answer is No."})
    results = score(study).judges[0].results
    assert metrics(results, "average") == {"macro": 50.0}
    assert len(estimates(results, group="average")) == 1
