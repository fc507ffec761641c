"""compare_batched and score_study --criteria-per-call, and the sentence that goes with such results."""

import json
from collections.abc import Callable, Iterator
from datetime import datetime
from decimal import Decimal
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import translation

from batches.models import Session
from benchmarks.hashed_judge.running import RunningJudge
from formats.item_parameters import ItemParameter, ItemParameters
from judging.models import JudgeConfig, JudgingRun, RunPurpose
from judging.services.comparing import comparison_draw, comparison_plan, comparison_start
from judging.services.running.judge_specs import JudgeSpec
from judging.services.running.runs import run_plan, run_start
from psychometrics.inference.measure import Block
from reporting.selectors.reports import report_of
from scoring.models import ResultSet
from studies.bank.records import CriterionRecord, PromptRecord
from studies.models import Participant, Study
from studies.services.banks import item_bank_import
from tests.support.measuring import only_blocks

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
SENTENCE = (
    "The judge was asked about up to 4 criteria of an answer in one call, in a text of Chiron's own. "
    "Published item parameters hold for one criterion a call."
)


@pytest.fixture(autouse=True)
def measures_of_one_block() -> Iterator[None]:
    """What is said of several criteria a call is said beside whatever is measured."""
    with only_blocks(Block.COHORT):
        yield


def run(*command: str, **options: Any) -> tuple[str, str]:
    """What a command prints to standard output and standard error."""
    out, err = StringIO(), StringIO()
    call_command(*command, stdout=out, stderr=err, **options)
    return out.getvalue(), err.getvalue()


def rubric(number: int) -> PromptRecord:
    criteria = tuple(CriterionRecord(text=f"Says part {c} of {number}.") for c in range(8))
    return PromptRecord(prompt_id=f"p{number:03d}", text=f"Question {number}?", criteria=criteria)


@pytest.fixture
def study(
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    now: datetime,
) -> Study:
    """Ten people answered two prompts each, with 160 criteria together."""
    items = tuple(ItemParameter(f"p{n:03d}", a=1.0, b=0.0, subcategory="QR-DA") for n in (1, 2))
    parameters = ItemParameters(items, squeeze_scale=0.998, squeeze_offset=0.001, sigma_hat=2.0)
    study = make_study(
        prompts=[rubric(1), rubric(2)],
        slug="pilot",
        batch_size=2,
        replicates_per_profile=50,
        top_size=2,
        item_bank=item_bank_import(slug="items", parameters=parameters, now=now)[0],
    )
    for number in range(10):
        work(make_person(study), {"p001": f"Answer {number}", "p002": f"Reply {number}"})
    return study


@pytest.fixture
def judge(make_judge: Callable[..., JudgeConfig], judge_endpoint: RunningJudge) -> JudgeConfig:
    return make_judge(judge_endpoint.url, input_price=Decimal(1), output_price=Decimal(10))


def compare(*more: str) -> tuple[str, str]:
    return run("compare_batched", "pilot", "--judge", "judge", "--criteria-per-call", "4", *more)


def test_a_comparison_is_printed_with_its_warnings_and_what_it_saves(
    study: Study, judge: JudgeConfig
) -> None:
    out, err = compare("--seed", "7")
    assert 'the judge "judge", 4 criteria a call beside one, on 20 answers drawn by seed 7' in out
    assert "Answers to draw from: only 20." in err
    assert "in a text of Chiron's own, whatever judge texts are imported" in out
    lines = {line.split("  ")[0]: line.split() for line in out.splitlines()}
    assert lines["one criterion a call"][4:6] == ["160", "160"]
    assert lines["4 criteria a call"][4:6] == ["40", "40"]
    assert "Saved: 75 % of the requests" in out
    assert " of the cost" in out
    assert "by criterion: 160 pairs, 0 without a pair (0 lack one a call, 0 several)" in out
    assert "two different judges in the GIM paper: Pearson's r 0.845" in out
    assert "theta of the sample: " in out
    assert "Warning: Krippendorff's alpha is " in out
    assert "Warning: kappa is " in out
    assert "Compared so far: 20 answers, 160 criteria. 4 criteria a call may be used;" in out


def test_a_small_comparison_says_what_is_missing(study: Study, judge: JudgeConfig) -> None:
    out, err = compare("--answers", "5")
    assert err == ""
    assert "Compared so far: 5 answers, 40 criteria. 4 criteria a call may be used after 20 answers" in out
    assert "Fewer than 15 answers were compared: the intervals are too narrow." in out


def test_scores_by_several_criteria_a_call_need_a_comparison_and_carry_a_sentence(
    study: Study, judge: JudgeConfig, tmp_path: Path
) -> None:
    with pytest.raises(CommandError, match="Run compare_batched pilot --judge judge --criteria-per-call 4"):
        run("score_study", "pilot", judge=["judge"], criteria_per_call=4)
    assert not JudgingRun.objects.exists()
    assert not ResultSet.objects.exists()
    compare()
    out, _ = run("score_study", "pilot", judge=["judge"], criteria_per_call=4)
    assert SENTENCE in out
    assert SENTENCE in report_of(ResultSet.objects.get()).notes
    run("export_study", "pilot", str(tmp_path / "export"))
    manifest = json.loads((tmp_path / "export" / "manifest.json").read_text())
    notes = {entry["judge"]["criteria_per_call"]: entry["notes"] for entry in manifest["runs"]}
    assert notes == {1: [], 4: [SENTENCE]}
    assert [one["criteria_per_call"] for one in manifest["judging_runs"][0]["judges"]] == [1, 4]
    # Everything was scored by the comparison: one run is enough.
    assert [entry["purpose"] for entry in manifest["judging_runs"]] == ["comparison"]


def test_scores_by_one_criterion_a_call_carry_no_such_sentence(study: Study, judge: JudgeConfig) -> None:
    out, _ = run("score_study", "pilot", judge=["judge"])
    assert "criteria of an answer in one call" not in out


def test_the_sentence_in_a_file_is_english_whatever_the_reader_speaks(
    study: Study, judge: JudgeConfig, tmp_path: Path
) -> None:
    compare()
    with translation.override("de"):
        run("export_study", "pilot", str(tmp_path / "export"))
    manifest = json.loads((tmp_path / "export" / "manifest.json").read_text())
    assert manifest["runs"][1]["notes"] == [SENTENCE]


def test_a_comparison_pauses_at_its_budget_and_goes_on_with_another(study: Study, judge: JudgeConfig) -> None:
    with pytest.raises(CommandError, match="run the same command again with --resume"):
        compare("--budget", "0.0001")
    paused = JudgingRun.objects.get()
    assert (paused.purpose, paused.state) == (RunPurpose.COMPARISON, "paused")
    with pytest.raises(CommandError, match="Add --resume to go on with it"):
        compare()
    out, _ = compare("--resume", "--budget", "100")
    assert "by criterion: 160 pairs" in out
    paused.refresh_from_db()
    assert (paused.state, JudgingRun.objects.count()) == ("finished", 1)


def test_each_command_leaves_the_others_open_run_alone(
    study: Study, judge: JudgeConfig, judge_endpoint: RunningJudge, now: datetime
) -> None:
    comparison = comparison_draw(study=study, config=judge, criteria_per_call=4, answers=5, seed=1)
    plan = comparison_plan(comparison=comparison, now=now, progress=unseen)
    comparison_start(comparison=comparison, plan=plan, budget=None, actor=None, now=now)
    with pytest.raises(CommandError, match="continue it with compare_batched, or cancel it"):
        run("score_study", "pilot", judge=["judge"])
    with pytest.raises(CommandError, match=r"asks judge \(replicate 1\), judge \(replicate 1, 4 criteria a"):
        run("compare_batched", "pilot", "--judge", "judge", "--criteria-per-call", "5")
    JudgingRun.objects.update(state="cancelled", ended_at=now)
    plan = run_plan(study=study, specs=[JudgeSpec(judge)], now=now, progress=unseen)
    run_start(plan=plan, budget=None, actor=None, now=now)
    with pytest.raises(CommandError, match="The study is being scored: let that run end, or cancel it"):
        compare()
    assert judge_endpoint.arrivals() == []


def unseen(done: int, total: int) -> None:
    """Nobody watches a test."""


def test_what_makes_no_sense_is_refused(study: Study, judge: JudgeConfig) -> None:
    for arguments, sentence in (
        (["--criteria-per-call", "1"], "One criterion a call is what is compared with: give 2 or more"),
        (["--criteria-per-call", "21"], "Criteria per call: between 1 and 20, not 21"),
        (["--criteria-per-call", "0"], "argument --criteria-per-call: is not a whole number above 0"),
        (["--criteria-per-call", "2", "--seed", "-1"], "argument --seed: is not a whole number between 0"),
        (["--criteria-per-call", "2", "--answers", "0"], "argument --answers: is not a whole number above 0"),
    ):
        with pytest.raises(CommandError, match=sentence):
            run("compare_batched", "pilot", "--judge", "judge", *arguments)
        assert not JudgingRun.objects.exists()
