"""A program of the site judges a study: the whole way, and what keeps it from judging."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest
from pytest_django import Settings

from batches.models import Session
from judging.coordinator import RunPaused, run_continue_or_start, run_work_through
from judging.models import AnswerScore, CriterionScore, JudgeCall, JudgingRun, PauseReason, ScoringRun
from judging.selectors.judges import run_name
from judging.services.judge_keys import JudgeNotConfigured
from judging.services.running.judge_specs import JudgeSpec
from reporting.views.report.methods import judge_words
from scoring.coordinator import Scoring
from studies.models import Participant, Study
from studies.services.amendments import study_amend
from tests.judging.scoring.judged_answers import ANSWERS, PROMPTS, scores
from tests.support.headlines import estimate
from tests.support.programs import FINDS, program

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
FAILS_ON_BLUE = 'if given["answer"] == "blue": sys.exit(1)\n' + FINDS


@pytest.fixture
def study(
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    settings: Settings,
    tmp_path: Path,
) -> Study:
    """One person has answered; the site's program is right about each answer."""
    settings.JUDGE_COMMANDS = {"units": (program(tmp_path),)}
    study = make_study(prompts=PROMPTS, judge_kind="command", judge_command="units", top_size=1)
    work(make_person(study), ANSWERS)
    return study


def run_through(study: Study, clock: Callable[[], datetime]) -> JudgingRun:
    run = run_continue_or_start(study, [JudgeSpec()], None, None, clock, lambda done, total: None)
    assert run is not None
    run_work_through(run=run, clock=clock, progress=lambda done, total: None)
    return run


def test_a_program_scores_every_answer(study: Study, score: Callable[..., Scoring]) -> None:
    results = score(study).judges[0].results
    assert scores() == {"p1": 1.0, "p2": 0.25, "p3": 0.0, "p4": 1.0}
    assert estimate(results, "average").pairs + estimate(results, "average").unknown_items == 4
    assert CriterionScore.objects.get(criterion=None).explanation == "Looked for 42."
    assert not JudgeCall.objects.exists()
    run = ScoringRun.objects.get()
    assert (run.judge_kind, run.judge["name"]) == ("command", "units")
    assert str(run_name(run)) == "a program of the site"
    assert judge_words(run) == "by the program units of the study's site"


def test_where_it_fails_the_answer_is_unscored_and_is_asked_about_again(
    study: Study, score: Callable[..., Scoring], tmp_path: Path
) -> None:
    program(tmp_path, FAILS_ON_BLUE)
    state = score(study).judges[0].judging
    assert scores() == {"p1": 1.0, "p2": 0.25, "p3": "server_failed", "p4": 1.0}
    assert (state.scored, state.unscored) == (3, {"server_failed": 1})
    assert JudgingRun.objects.get().state == "finished"
    assert score(study).judges[0].judging.scored == 3
    assert CriterionScore.objects.filter(state="unscored").count() == 2


@pytest.mark.parametrize("commands", [{}, {"units": ("/nowhere/units",)}])
def test_a_program_that_this_site_does_not_have_is_found_before_anything_is_judged(
    study: Study, score: Callable[..., Scoring], settings: Settings, commands: dict[str, tuple[str, ...]]
) -> None:
    settings.JUDGE_COMMANDS = commands
    with pytest.raises(JudgeNotConfigured, match=r'The judge "command" cannot be used: .*units'):
        score(study)
    assert not JudgingRun.objects.exists()


def test_a_changed_program_is_another_judge_with_scores_of_its_own(
    study: Study, score: Callable[..., Scoring], tmp_path: Path
) -> None:
    score(study, measures=False)
    program(tmp_path, "say(score=1, explanation='So be it.')")
    score(study, measures=False)
    of_p3 = AnswerScore.objects.filter(answer__prompt__prompt_id="p3").order_by("run")
    assert list(of_p3.values_list("score", flat=True)) == [0.0, 1.0]


def test_what_a_program_says_that_was_exchanged_during_a_run_is_not_stored(
    study: Study, running_clock: Callable[[], datetime], tmp_path: Path
) -> None:
    program(tmp_path, FINDS + "open(sys.argv[0], 'a').write('#')\n")
    with pytest.raises(RunPaused, match="The judge is another one than this run was planned with"):
        run_through(study, running_clock)
    assert JudgingRun.objects.get().pause_reason == PauseReason.UNUSABLE
    assert not CriterionScore.objects.exclude(state="open").exists()


@pytest.mark.parametrize("kind", ["checks", "llm"])
def test_no_other_judge_goes_on_with_a_run_whose_protocol_was_amended(
    study: Study, running_clock: Callable[[], datetime], kind: str
) -> None:
    run = run_continue_or_start(study, [JudgeSpec()], None, None, running_clock, lambda done, total: None)
    assert run is not None
    changes = {"judge_kind": kind, "judge_command": None}
    study_amend(study=study, changes=changes, reason="Better.", now=running_clock())
    run = JudgingRun.objects.get()
    with pytest.raises(RunPaused, match="the protocol was amended"):
        run_work_through(run=run, clock=running_clock, progress=lambda done, total: None)
    assert not CriterionScore.objects.exclude(state="open").exists()
