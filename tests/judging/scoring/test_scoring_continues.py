"""How judging continues: after changes, amendments and moved times."""

from collections.abc import Callable
from datetime import datetime

import pytest

from batches.models import Answer, Session
from judging.judges.reasons import UnscoredReason
from judging.models import AnswerScore, JudgeConfig, JudgingRun, ScoringRun
from judging.services.running.coordinating import require_same_judges
from judging.services.running.judge_specs import (
    JudgeSpec,
    StudyNotFrozen,
    judge_of,
    scoring_run_open,
    spec_of,
)
from judging.services.running.planning import PromptsNotScorable
from scoring.coordinator import Scoring
from scoring.selectors.runs import changes_since
from scoring.services.results import results_compute
from studies.models import Criterion, Participant, Study
from studies.services.amendments import study_amend
from studies.services.studies import study_create
from tests.judging.scoring.judged_answers import ANSWERS, answers, fails, prompt, scores
from tests.support.scripted_judge import ScriptedJudge, ScriptedRun

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
Work = Callable[..., Session]
Person = Callable[..., Participant]


def test_a_text_that_changed_since_is_judged_again_from_the_start(
    person: Person, work: Work, run: ScriptedRun
) -> None:
    work(person(), {"p2": "red"})
    run.judge(fails(UnscoredReason.REPLY_REFUSED, ("p2", 4)))
    Answer.objects.filter(prompt__prompt_id="p2").update(text="white", revision=2)
    second = ScriptedJudge()
    run.judge(second)
    assert second.asked == [("p2", position, "white") for position in (1, 2, 3, 4)]
    assert AnswerScore.objects.get().revision == 2
    assert scores() == {"p2": 0.5}


def test_an_answer_whose_verdicts_are_all_there_is_scored_without_asking(
    checked: Study, make_person: Person, work: Work, score: Callable[..., Scoring]
) -> None:
    work(make_person(checked), {"p2": "red"})
    score(checked)
    AnswerScore.objects.all().delete()
    state = score(checked).judges[0].judging
    assert (state.scored, scores()) == (1, {"p2": 0.25})
    assert JudgingRun.objects.count() == 1


def test_the_same_judge_continues_its_run_and_an_amended_protocol_starts_another(
    checked: Study, make_person: Person, work: Work, score: Callable[..., Scoring], now: datetime
) -> None:
    work(make_person(checked), {"p4": "42"})
    score(checked)
    score(checked)
    assert (ScoringRun.objects.count(), JudgingRun.objects.count()) == (1, 1)
    study_amend(study=checked, changes={"top_size": 3}, reason="Fewer people came.", now=now)
    score(checked)
    assert ScoringRun.objects.values("design_hash").distinct().count() == 2


def test_moving_the_closing_time_asks_no_judge_again_and_stops_no_open_run(
    study: Study, person: Person, work: Work, run: ScriptedRun, config: JudgeConfig, now: datetime
) -> None:
    work(person(), answers(1))
    run.judge(ScriptedJudge())
    work(person(), answers(2))
    stopped = ScriptedJudge(stops_after=1)
    run.judge(stopped)
    under_way = JudgingRun.objects.get(state="running")
    study_amend(study=study, changes={"closes_at": "2031-01-01T00:00:00Z"}, reason="Later.", now=now)
    under_way.refresh_from_db()
    require_same_judges(under_way, [JudgeSpec(config)])
    second = ScriptedJudge()
    run.judge(second)
    assert len(stopped.asked) + len(second.asked) == 8
    assert ScoringRun.objects.count() == 1
    assert not any(
        "protocol" in said for said in changes_since(results_compute(run=run.scoring_run, now=now))
    )


def test_a_run_goes_on_with_the_neutralising_it_was_begun_with(
    study: Study, config: JudgeConfig, now: datetime
) -> None:
    begun = scoring_run_open(study=study, spec=JudgeSpec(config, rules_version=5), now=now)
    assert begun.judge["neutralising"] == 5
    assert scoring_run_open(study=study, spec=JudgeSpec(config), now=now) == begun
    with judge_of(study, spec_of(begun)) as judge:
        assert judge.describe()["neutralising"] == 5
    again = scoring_run_open(study=study, spec=JudgeSpec(config, replicate=2), now=now)
    assert again.judge["neutralising"] == 6


def test_a_draft_is_not_scored(study: Study, config: JudgeConfig, now: datetime) -> None:
    draft = study_create(
        slug="draft",
        name="Draft",
        bank_version=study.bank_version,
        item_bank=None,
        judge_protocol=None,
        settings=study.protocol,
        now=now,
    )
    with pytest.raises(StudyNotFrozen, match='The study "draft" is a draft; lock it before it is scored'):
        scoring_run_open(study=draft, spec=JudgeSpec(config), now=now)
    assert not ScoringRun.objects.exists()


def test_prompts_the_judge_cannot_score_are_named_before_anything_is_judged(
    make_study: Callable[..., Study], make_person: Person, work: Work, score: Callable[..., Scoring]
) -> None:
    study = make_study(prompts=[prompt(1, "red"), prompt(2, "red")], judge_kind="checks")
    work(make_person(study), {"p1": "red", "p2": "because"})
    Criterion.objects.filter(prompt__prompt_id="p2").update(check_rule=None)
    with pytest.raises(PromptsNotScorable, match="Prompt p2: no machine check on criterion 1"):
        score(study)
    assert not AnswerScore.objects.exists()
    assert not JudgingRun.objects.exists()


def test_more_verdicts_take_few_more_queries(
    checked: Study,
    make_person: Person,
    work: Work,
    score: Callable[..., Scoring],
    django_assert_max_num_queries: Callable[[int], object],
) -> None:
    for _ in range(5):
        work(make_person(checked), ANSWERS)
    # 40 to judge, the rest for results and their measurement, whatever their size.
    with django_assert_max_num_queries(40 + 180):  # type: ignore[attr-defined]
        score(checked)
    assert AnswerScore.objects.count() == 20
