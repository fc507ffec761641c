"""Numbers put together from several looks see one moment, whatever is counted between two of them."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from functools import partial

import pytest
from django.db import connection

from batches.models import Session
from batches.selectors.sums import sessions_to_score, written_and_seconds, written_by_prompt
from batches.services.sums import sessions_count
from console.selectors.money import judge_spent
from judging.models import JudgeCall, JudgingRun, ScoringRun
from judging.services.running.counting import run_count
from screening.selectors.flow import study_flow
from studies.models import Participant, Study

pytestmark = pytest.mark.django_db(transaction=True)
LATER = timedelta(days=1)


@pytest.fixture
def study(
    make_study: Callable[..., Study], make_person: Callable[..., Participant], work: Callable[..., Session]
) -> Study:
    study = make_study()
    work(make_person(study), {"p001": "It follows.", "p002": ""})
    return study


def with_count_after_each_query(look: Callable[[], object], count: Callable[[], object]) -> object:
    """What is found where somebody else counts after the first query, or after any other."""

    def closing() -> None:
        try:
            count()
        finally:
            connection.close()

    def then(execute: Callable[..., object], sql: str, *rest: object) -> object:
        found = execute(sql, *rest)
        if sql.startswith("SELECT"):
            pool.submit(closing).result(timeout=30)
        return found

    with ThreadPoolExecutor(1) as pool, connection.execute_wrapper(then):
        return look()


@pytest.mark.parametrize(
    "look",
    [
        lambda study: written_by_prompt(study, sessions_to_score(study)),
        lambda study: written_and_seconds(study, sessions_to_score(study)),
        study_flow,
    ],
)
def test_a_session_counted_between_two_looks_is_in_one(
    study: Study, look: Callable[[Study], object], now: datetime
) -> None:
    before = look(study)
    count = partial(sessions_count, now=now + LATER, at_most=10)
    assert with_count_after_each_query(partial(look, study), count) == before
    assert Session.objects.get().counted_at is not None
    assert look(study) == before


def test_a_run_counted_between_two_looks_costs_once(study: Study, now: datetime) -> None:
    run = JudgingRun.objects.create(
        study=study, state="cancelled", planned=1, estimate=[], plan_sha256="0" * 64, started_at=now,
        resumed_at=now, ended_at=now,
    )  # fmt: skip
    judge = ScoringRun.objects.create(
        study=study, judge_kind="exact", judge={"kind": "exact"}, judge_sha256="0" * 64,
        protocol_hash=study.protocol_hash, design_hash=study.design_hash, started_at=now,
    )  # fmt: skip
    answer = Session.objects.get().answers.all()[0]
    JudgeCall.objects.create(
        judging_run=run, run=judge, answer=answer, request_sha256="0" * 64, judge_protocol_sha256="",
        model="m", raw_reply="", prompt_tokens=1, completion_tokens=1, cost="0.5", latency_ms=1, outcome="ok",
        called_at=now,
    )  # fmt: skip
    before = judge_spent(study)
    count = partial(run_count, now=now + LATER)
    assert with_count_after_each_query(partial(judge_spent, study), count) == before
    assert JudgingRun.objects.get().counts is not None
    assert before.calls == 1
