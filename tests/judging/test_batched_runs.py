"""Calls that decide several criteria: planned, shared, taken over, given up, retried, and killed."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest
from hashed_judge.log import repeats
from hashed_judge.running import RunningJudge, judge_server
from pytest_django import Settings

from batches.models import Answer, Session
from batches.services.ending import session_withdraw
from judging.coordinator import run_work_through
from judging.models import (
    AnswerScore,
    CriterionScore,
    JudgeCall,
    JudgeConfig,
    JudgingRun,
    RowState,
    RunPurpose,
    ScoringRun,
)
from judging.services.running.judge_specs import JudgeSpec
from judging.services.running.runs import run_plan, run_start
from studies.bank.records import CriterionRecord, PromptRecord
from studies.models import Participant, Study

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
ROOT = Path(__file__).resolve().parents[2]
Clock = Callable[[], datetime]
Start = Callable[..., JudgingRun]
SCORED, UNSCORED, OPEN = RowState.SCORED, RowState.UNSCORED, RowState.OPEN


def rubric(number: int, criteria: int) -> PromptRecord:
    return PromptRecord(
        prompt_id=f"p{number:03d}",
        text=f"Question {number}?",
        criteria=tuple(CriterionRecord(text=f"Says part {c} of {number}.") for c in range(criteria)),
    )


PROMPTS = [rubric(1, 5), rubric(2, 3), rubric(3, 1)]


@pytest.fixture
def judge(
    make_judge: Callable[..., JudgeConfig], judge_endpoint: RunningJudge, settings: Settings
) -> JudgeConfig:
    settings.JUDGING_ROUND_WAIT_SECONDS = 0
    return make_judge(judge_endpoint.url)


@pytest.fixture
def study(make_study: Callable[..., Study]) -> Study:
    return make_study(prompts=PROMPTS, batch_size=3, replicates_per_profile=50)


@pytest.fixture
def person(
    study: Study, make_person: Callable[..., Participant], work: Callable[..., Session]
) -> Callable[[str], Participant]:
    """Somebody who gives this answer to all three prompts."""

    def make(text: str) -> Participant:
        participant = make_person(study)
        work(participant, {f"p{n:03d}": text for n in (1, 2, 3)})
        return participant

    return make


@pytest.fixture
def start(running_clock: Clock) -> Start:
    """Plan and freeze by three criteria a call; as a comparison, which needs none before it."""

    def begin(study: Study, judge: JudgeConfig, criteria_per_call: int = 3) -> JudgingRun:
        specs = [JudgeSpec(judge, criteria_per_call=criteria_per_call)]
        plan = run_plan(study=study, specs=specs, now=running_clock(), progress=unseen)
        return run_start(
            plan=plan, budget=None, actor=None, now=running_clock(), purpose=RunPurpose.COMPARISON
        )

    return begin


@pytest.fixture
def finish(running_clock: Clock) -> Callable[[JudgingRun], JudgingRun]:
    def work_through(run: JudgingRun) -> JudgingRun:
        run_work_through(run=run, clock=running_clock, progress=unseen)
        run.refresh_from_db()
        return run

    return work_through


def unseen(done: int, total: int) -> None:
    """Nobody watches a test."""


def states(run: JudgingRun) -> Counter[tuple[str, str]]:
    return Counter(run.rows.values_list("state", "origin"))


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


def test_faults_that_pass_leave_no_criterion_without_a_score(
    study: Study, make_judge: Callable[..., JudgeConfig], person: Callable[[str], Participant], start: Start,
    finish: Callable[[JudgingRun], JudgingRun], tmp_path: Path, settings: Settings,
) -> None:  # fmt: skip
    settings.JUDGING_ROUND_WAIT_SECONDS = 0
    kinds = ("status_503", "truncated", "off_schema", "out_of_range", "not_json", "closed", "empty")
    for number in range(6):
        person(f"answer {number}")
    with judge_server(log=tmp_path / "faulty.log", faults=0.3, fault_kinds=kinds, faults_at_most=1) as faulty:
        run = finish(start(study, make_judge(faulty.url)))
        assert sum(faulty.stats()["faults"].values()) > 0
    assert states(run) == {(SCORED, "asked"): 24, (SCORED, "shared"): 30}
    assert JudgeCall.objects.exclude(outcome="ok").exists()
    assert JudgeCall.objects.filter(outcome="ok").count() == 24


def test_a_reply_that_stays_wrong_leaves_its_whole_group_unscored_and_only_that(
    study: Study, make_judge: Callable[..., JudgeConfig], person: Callable[[str], Participant], start: Start,
    finish: Callable[[JudgingRun], JudgingRun], tmp_path: Path, settings: Settings,
) -> None:  # fmt: skip
    settings.JUDGING_ROUND_WAIT_SECONDS = 0
    for number in range(8):
        person(f"answer {number}")
    with judge_server(log=tmp_path / "faulty.log", permanent=0.2, seed=3) as faulty:
        judge = make_judge(faulty.url)
        run = finish(start(study, judge))
    groups: dict[tuple[int, str], set[tuple[str, str]]] = {}
    for row in run.rows.all():
        key = (row.answer_id, row.request_sha256)
        groups.setdefault(key, set()).add((row.state, row.unscored_reason))
    assert {len(found) for found in groups.values()} == {1}
    reasons = Counter(reason for [(_, reason)] in groups.values())
    assert set(reasons) == {"", "reply_refused", "reply_off_schema"}
    failed = [answer for (answer, _), [(state, _)] in groups.items() if state == UNSCORED]
    unscored = AnswerScore.objects.filter(score=None).values_list("answer", flat=True)
    assert set(unscored) == set(failed)
    # The next run asks about the groups without a verdict, and about nothing else.
    with judge_server(log=tmp_path / "mended.log", latency_ms=1) as mended:
        JudgeConfig.objects.filter(pk=judge.pk).update(base_url=mended.url)
        judge.refresh_from_db()
        finish(start(study, judge))
        assert len(mended.arrivals()) == len(failed)
    assert AnswerScore.objects.filter(score__isnull=False).count() == 24


def test_a_killed_worker_leaves_no_group_in_halves(
    study: Study, make_judge: Callable[..., JudgeConfig], person: Callable[[str], Participant],
    finish: Callable[[JudgingRun], JudgingRun], tmp_path: Path, child_environment: dict[str, str],
) -> None:  # fmt: skip
    threads = 4
    for number in range(15):
        person(f"answer {number}")
    with judge_server(log=tmp_path / "judge.log", latency_ms=60) as server:
        make_judge(server.url)
        command = [sys.executable, "manage.py", "compare_batched", study.slug]
        command += ["--judge", "judge", "--criteria-per-call", "3", "--answers", "30"]
        environment = {**child_environment, "CHIRON_JUDGING_THREADS": str(threads)}
        worker = subprocess.Popen(command, cwd=ROOT, env=environment, start_new_session=True)
        try:
            wait_for(lambda: JudgeCall.objects.count() >= 30)
        finally:
            os.killpg(worker.pid, signal.SIGKILL)
            worker.wait(timeout=10)
        run = JudgingRun.objects.get()
        assert run.rows.filter(state=OPEN).exists()
        require_whole_groups(run)
        # The clock of this process is past the lease of the killed one.
        finish(run)
        assert run.state == "finished"
        assert not run.rows.exclude(state=SCORED).exists()
        require_whole_groups(run)
        asked = repeats(server.arrivals())
    # 15 answers with five criteria, 15 with three: one by one, and three at a time.
    assert len(asked) == 120 + 45
    assert sum(times - 1 for times in asked.values()) <= threads
    assert JudgeCall.objects.filter(outcome="ok").count() == 165


def require_whole_groups(run: JudgingRun) -> None:
    """Every call's rows are decided together or not at all."""
    groups: dict[str, set[str]] = {}
    for key, state in run.rows.values_list("request_sha256", "state"):
        groups.setdefault(key, set()).add(state)
    assert {len(found) for found in groups.values()} == {1}


def wait_for(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, "it did not happen in time"
        time.sleep(0.05)
