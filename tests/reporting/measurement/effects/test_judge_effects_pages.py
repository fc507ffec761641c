"""Effects of judges, and studies too small for person fit or DIF: stored rows and pages."""

from collections.abc import Callable
from datetime import datetime

import pytest
from django.test import Client

from batches.models import Answer
from judging.models import AnswerScore, CriterionScore, ScoringRun
from psychometrics.inference.measure import Block
from psychometrics.measures.catalogue import Need, entries_of
from scoring.selectors.measures import block_measures
from tests.reporting.measurement.effects.measured_effects import BLOCKS, PEOPLE, content, measured, row
from tests.support.read_pages import read

pytestmark = pytest.mark.django_db


def second_judge(run: ScoringRun, now: datetime, digest: str = "f") -> ScoringRun:
    """Another run of the same protocol: equal to the first but for one answer, and one it failed on."""
    judging_run = CriterionScore.objects.filter(run=run).first()
    assert judging_run is not None
    other = ScoringRun.objects.create(
        study=run.study, judge_kind="checks", judge={}, judge_sha256=digest * 64, replicate=2,
        protocol_hash=run.protocol_hash, design_hash=run.design_hash, started_at=now,
    )  # fmt: skip
    for own in AnswerScore.objects.filter(run=run).order_by("pk"):
        AnswerScore.objects.create(
            run=other, answer=own.answer, revision=own.revision, score=own.score, judged_at=now
        )
    CriterionScore.objects.create(
        judging_run=judging_run.judging_run, run=other, answer=judging_run.answer, revision=1,
        criterion=judging_run.criterion, available_at=now, decided_at=now, score=1.0, state="scored",
        confidence=1.0, origin="asked",
    )  # fmt: skip
    return other


def changed_answer(run: ScoringRun, prompt_id: str) -> Answer:
    """The first right answer to a prompt."""
    found = AnswerScore.objects.filter(run=run, answer__prompt__prompt_id=prompt_id, score=1.0)
    return found.order_by("answer__session__participant__code")[0].answer


def test_confidence_and_failures_are_counted(run: ScoringRun, staff: Client, now: datetime) -> None:
    one = AnswerScore.objects.filter(run=run).order_by("pk")[0]
    AnswerScore.objects.filter(pk=one.pk).update(score=None, unscored_reason="timed_out")

    measurement = measured(run, now, Block.JUDGE)

    confidence = row(measurement, Block.JUDGE, "judge.confidence")
    assert (confidence.value, confidence.details["counts"]) == (1.0, [[1.0, 12 * PEOPLE]])
    unscored = row(measurement, Block.JUDGE, "judge.unscored")
    assert (unscored.details["unscored"], unscored.details["reasons"]) == (1, {"timed_out": 1})
    assert unscored.value == pytest.approx(1 / (12 * PEOPLE))
    assert "No reply began in the time allowed." in content(staff, Block.JUDGE)


def test_theta_at_confidence_one_and_its_change(run: ScoringRun, now: datetime) -> None:
    answer = changed_answer(run, "p03")
    CriterionScore.objects.filter(run=run, answer=answer).update(confidence=0.9)
    AnswerScore.objects.filter(run=run, answer=answer).update(score=0.9)

    measurement = measured(run, now, Block.JUDGE)

    judged, certain = (
        row(measurement, Block.JUDGE, "judge.theta.pool", "average", f"scores:{name}")
        for name in ("judge", "certain")
    )
    change = row(measurement, Block.JUDGE, "theta.change", "average", "scores:certain")
    assert judged.value is not None
    assert certain.value is not None
    assert change.value == pytest.approx(certain.value - judged.value)
    assert certain.value > judged.value
    largest = measurement.result_set.measures.filter(scope="all", name="influence.other", group="average")
    assert [(one.participant, one.prompt_id) for one in largest] == [(answer.session.participant.code, "p03")]
    assert row(measurement, Block.JUDGE, "judge.theta.pool", "top", "scores:certain/reselected").people == 3


def test_another_judge_of_the_same_protocol_is_compared_on_the_same_answers(
    run: ScoringRun, staff: Client, now: datetime
) -> None:
    other = second_judge(run, now)
    answer = changed_answer(run, "p02")
    AnswerScore.objects.filter(run=other, answer=answer).update(score=0.0)
    failed = AnswerScore.objects.filter(run=other).exclude(answer=answer).order_by("pk")[0]
    AnswerScore.objects.filter(pk=failed.pk).update(score=None, unscored_reason="timed_out")

    measurement = measured(run, now, Block.JUDGE)

    subset = "judge:checks#2"
    change = row(measurement, Block.JUDGE, "theta.change", "average", subset)
    assert change.n == 12 * PEOPLE - 1
    assert change.value is not None
    assert change.value < 0
    assert change.low is not None
    first = measurement.result_set.measures.filter(
        scope="all", name="influence.other", group="average", subset=subset
    ).first()
    assert first is not None
    assert (first.participant, first.prompt_id) == (answer.session.participant.code, "p02")
    assert first.value == pytest.approx(change.value)
    assert row(measurement, Block.JUDGE, "theta.change", "top", subset).reason in {"selected", "no_spread"}
    assert "judge checks#2" in content(staff, Block.JUDGE)


def test_judges_of_one_name_are_told_apart(run: ScoringRun, now: datetime) -> None:
    for digest in "de":
        second_judge(run, now, digest)

    measurement = measured(run, now, Block.JUDGE)

    changes = measurement.result_set.measures.filter(
        scope="all", name="theta.change", group="average", subset__startswith="judge:"
    )
    assert [one.subset for one in changes] == ["judge:checks#2@dddddddd", "judge:checks#2@eeeeeeee"]
    assert {(one.value, one.reason) for one in changes} == {(0.0, "no_spread")}


def test_without_item_parameters_fit_and_dif_refuse_and_the_judge_is_still_described(
    scored: Callable[..., ScoringRun], staff: Client, now: datetime
) -> None:
    measurement = measured(scored("itemless", items=False), now, *BLOCKS)

    assert measurement.blocks["fit"]["state"] == measurement.blocks["dif"]["state"] == "refused"
    assert "item parameters" in measurement.blocks["fit"]["sentence"]
    names = {one.name for one in measurement.result_set.measures.filter(scope="all", block=Block.JUDGE)}
    assert names == {one.name for one in entries_of(Block.JUDGE) if Need.ITEMS not in one.needs}
    assert {"judge.confidence", "judge.certain", "judge.unscored"} <= names
    for block in BLOCKS:
        content(staff, block, "itemless")


def test_of_one_person_alone_no_block_tells(
    scored: Callable[..., ScoringRun], staff: Client, now: datetime
) -> None:
    measurement = measured(scored("alone", people=1), now, *BLOCKS)

    for block in BLOCKS:
        assert block_measures(measurement, block).state == "refused"
        assert "No number is told: it would be one person's own." in read(content(staff, block, "alone"))
    thetas = measurement.result_set.measures.filter(scope="all", name__contains="theta")
    assert {(row.value, row.reason) for row in thetas.filter(group="average")} == {(None, "too_few_people")}
