"""Calls that decide several criteria: planned, shared, taken over, given up."""

import json
from collections.abc import Callable
from datetime import datetime

import pytest

from batches.models import Answer, Session
from batches.services.ending import session_withdraw
from benchmarks.hashed_judge.running import RunningJudge
from judging.models import AnswerScore, CriterionScore, JudgeCall, JudgeConfig, JudgingRun, ScoringRun
from studies.models import Participant, Study
from tests.judging.batched_runs.batched_rows import PROMPTS, SCORED, UNSCORED, states

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
Clock = Callable[[], datetime]
Start = Callable[..., JudgingRun]


def verdict_told(row: CriterionScore) -> tuple[float, float]:
    """What the reply to the row's request says under the row's number."""
    call = JudgeCall.objects.get(request_sha256=row.request_sha256, outcome="ok")
    reply = json.loads(call.raw_reply)
    content = reply["choices"][0]["message"]["content"] if "choices" in reply else call.raw_reply
    told = json.loads(content)
    ending = f"_{row.place + 1}" if "score_1" in told else ""
    return told[f"score{ending}"], told[f"confidence{ending}"]


def test_every_criterion_gets_the_verdict_under_its_own_number(
    study: Study, judge: JudgeConfig, person: Callable[[str], Participant], start: Start,
    finish: Callable[[JudgingRun], JudgingRun], judge_endpoint: RunningJudge,
) -> None:  # fmt: skip
    person("one")
    person("another")
    run = finish(start(study, judge))
    # Nine criteria by three a call: 3 + 2, 3, 1.
    assert (run.state, run.planned, len(judge_endpoint.arrivals())) == ("finished", 18, 8)
    assert states(run) == {(SCORED, "asked"): 8, (SCORED, "shared"): 10}
    for row in run.rows.select_related("criterion"):
        assert row.criterion is not None
        assert row.place == (row.criterion.position - 1) % 3
        assert (row.score, row.confidence) == verdict_told(row)
    assert AnswerScore.objects.filter(score__isnull=False).count() == 6
    for score in AnswerScore.objects.all():
        own = CriterionScore.objects.filter(answer=score.answer).values_list("score", "confidence")
        weighted = [(points or 0) * (sure or 0) for points, sure in own]
        assert score.score == pytest.approx(sum(weighted) / len(weighted))


def test_people_with_the_same_answer_share_each_group_of_criteria(
    study: Study, judge: JudgeConfig, person: Callable[[str], Participant], start: Start,
    finish: Callable[[JudgingRun], JudgingRun], judge_endpoint: RunningJudge,
) -> None:  # fmt: skip
    for _ in range(3):
        person("the same")
    run = finish(start(study, judge))
    assert (run.planned, len(judge_endpoint.arrivals())) == (27, 4)
    assert states(run) == {(SCORED, "asked"): 4, (SCORED, "shared"): 23}
    by_criterion = run.rows.values_list("criterion", "score", "confidence").distinct()
    assert by_criterion.count() == 9
    assert len(set(AnswerScore.objects.values_list("answer__prompt", "score"))) == 3


def test_a_withdrawn_persons_group_is_given_up_and_the_others_are_still_asked(
    study: Study, judge: JudgeConfig, person: Callable[[str], Participant], start: Start,
    finish: Callable[[JudgingRun], JudgingRun], judge_endpoint: RunningJudge, running_clock: Clock,
) -> None:  # fmt: skip
    people = [person("the same") for _ in range(3)]
    run = start(study, judge)
    leaders = set(run.rows.filter(asked_with=None).values_list("answer__session__participant", flat=True))
    first = next(one for one in people if leaders == {one.pk})
    session_withdraw(participant=first, now=running_clock())
    finish(run)
    gone = run.rows.filter(answer__session__participant=first)
    assert set(gone.values_list("state", "unscored_reason")) == {(UNSCORED, "no_longer_counts")}
    kept = run.rows.exclude(answer__session__participant=first)
    assert (kept.filter(state=SCORED).count(), kept.count()) == (18, 18)
    assert len(judge_endpoint.arrivals()) == 4


def test_a_group_that_is_scored_in_part_is_asked_as_a_whole_and_keeps_what_it_has(
    study: Study, judge: JudgeConfig, person: Callable[[str], Participant], start: Start,
    finish: Callable[[JudgingRun], JudgingRun], judge_endpoint: RunningJudge,
) -> None:  # fmt: skip
    person("the same")
    first = finish(start(study, judge))
    AnswerScore.objects.filter(answer__prompt__prompt_id="p001").delete()
    JudgeCall.objects.all().delete()
    group = first.rows.filter(answer__prompt__prompt_id="p001", criterion__position__in=(1, 3))
    assert (
        group.update(state=UNSCORED, origin="", score=None, confidence=None, unscored_reason="reply_refused")
        == 2
    )
    kept = first.rows.get(answer__prompt__prompt_id="p001", criterion__position=2)
    # The kept verdict is not what the judge would say today.
    CriterionScore.objects.filter(pk=kept.pk).update(score=0.123, confidence=0.9)
    person("the same")
    before = len(judge_endpoint.arrivals())
    second = finish(start(study, judge))
    assert len(judge_endpoint.arrivals()) - before == 1
    # Two of the first person; of the second all nine, of which six were known from equal requests.
    assert second.planned == 11
    assert states(second) == {(SCORED, "asked"): 1, (SCORED, "shared"): 4, (SCORED, "cached"): 6}
    asked = second.rows.exclude(origin="cached")
    assert all((row.score, row.confidence) == verdict_told(row) for row in asked)
    scored = CriterionScore.objects.filter(state=SCORED).values_list("answer", "criterion")
    assert len(scored) == len(set(scored)) == 18
    kept.refresh_from_db()
    assert (kept.score, kept.state) == (0.123, SCORED)
    assert AnswerScore.objects.filter(score__isnull=False).count() == Answer.objects.count() == 6


def test_another_study_on_the_same_bank_takes_whole_groups_over(
    study: Study, judge: JudgeConfig, person: Callable[[str], Participant], start: Start,
    finish: Callable[[JudgingRun], JudgingRun], judge_endpoint: RunningJudge,
    make_study: Callable[..., Study], make_person: Callable[..., Participant], work: Callable[..., Session],
) -> None:  # fmt: skip
    person("the same")
    finish(start(study, judge))
    asked = len(judge_endpoint.arrivals())
    other = make_study(prompts=PROMPTS, batch_size=3, replicates_per_profile=50)
    work(make_person(other), {f"p{n:03d}": "the same" for n in (1, 2, 3)})
    run = finish(start(other, judge))
    assert (run.state, len(judge_endpoint.arrivals())) == ("finished", asked)
    assert states(run) == {(SCORED, "cached"): 9}
    # By another number of criteria a call it is another judge: nothing is taken over.
    finish(start(other, judge, 2))
    assert len(judge_endpoint.arrivals()) == asked + 3 + 2 + 1
    assert ScoringRun.objects.values("judge_sha256").distinct().count() == 2
