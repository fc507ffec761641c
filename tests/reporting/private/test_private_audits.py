"""An audit of a study with private prompts: what people say of the verdicts on public ones alone."""

import math
import random
from collections.abc import Callable, Iterator
from datetime import datetime
from io import StringIO
from statistics import fmean

import pytest
from django.core.management import call_command

from judging.models import AuditItem, AuditSample, JudgingRun, ScoringRun
from judging.services.audits import audit_draw
from psychometrics.inference.measure import Scope
from scoring.selectors.audit_results import audit_result
from scoring.services.audits import audits_compute
from studies.models import Study
from tests.support.judged_study import NAMES, without_private_prompts

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def computes() -> Callable[[Study, datetime], object]:
    """Nothing: an audit rests on verdicts alone."""
    return nothing


def nothing(study: Study, now: datetime) -> None:
    """Leave the scores as they are."""


def test_the_terminal_says_over_which_prompts_an_audit_is(study: Study, sample: AuditSample) -> None:
    for public_only in (False, True):
        AuditSample.objects.update(strata=sample.strata | {"public_only": public_only})
        said = StringIO()
        call_command("audit_sample", "show", study.slug, stdout=said)
        assert ("over all prompts, private ones included" in said.getvalue()) is not public_only


def rate(sample: AuditSample) -> None:
    """People say something to every drawn verdict."""
    chance = random.Random(sample.seed)
    for item in sample.items.all():
        item.human_score, item.rater, item.rated_at = chance.choice((0.0, 0.5, 1.0)), "r", sample.drawn_at
        item.save()


def public_strata(sample: AuditSample) -> dict[str, tuple[int, list[float]]]:
    """By stratum: its verdicts on public prompts, and what people say of those drawn of them."""
    items = sample.items.filter(row__answer__prompt__split="public")
    return {
        one["name"]: (
            one["public_verdicts"],
            [item.human_score or 0.0 for item in items.filter(stratum=one["name"])],
        )
        for one in sample.strata["strata"]
        if one["public_verdicts"]
    }


def samples(study: Study, now: datetime, size: int, number: int) -> Iterator[AuditSample]:
    run = JudgingRun.objects.get(study=study)
    for seed in range(number):
        sample = audit_draw(run=run, size=size, seed=seed, public_only=False, actor=None, now=now)
        rate(sample)
        yield sample


def share_drawn_from(sample: AuditSample) -> float:
    """Of the verdicts on public prompts, those in strata of which a public verdict was drawn."""
    strata = public_strata(sample).values()
    return sum(verdicts for verdicts, said in strata if said) / sum(verdicts for verdicts, _ in strata)


def test_the_draw_keeps_how_much_of_each_stratum_is_public(sample: AuditSample) -> None:
    strata = sample.strata["strata"]
    rows = ScoringRun.objects.earliest("pk").criteria.filter(score__isnull=False)
    assert sum(one["verdicts"] for one in strata) == rows.count()
    public = rows.filter(answer__prompt__split="public").count()
    assert sum(one["public_verdicts"] for one in strata) == public < rows.count()
    for one in strata:
        items = sample.items.filter(stratum=one["name"])
        assert one["drawn"] == items.count()
        assert one["public_drawn"] == items.filter(row__answer__prompt__split="public").count()


def test_an_audit_of_the_public_scope_counts_only_what_was_drawn_of_public_prompts(
    sample: AuditSample,
) -> None:
    public, everything = (audit_result(sample, scope) for scope in (Scope.PUBLIC, Scope.ALL))
    private = AuditItem.objects.filter(row__answer__prompt__split="private").count()
    assert (everything.drawn, public.drawn) == (70, 70 - private)
    assert (everything.gone, public.gone) == (0, 0)
    assert sum(one.gone for one in public.strata) == 0
    assert public.verdicts < everything.verdicts
    without_private_prompts()
    assert audit_result(sample).gone == private
    assert repr(audit_result(sample, Scope.PUBLIC)) == repr(public)


def test_a_stratum_counts_for_its_public_verdicts(study: Study, now: datetime) -> None:
    [sample] = samples(study, now, size=90, number=1)
    assert share_drawn_from(sample) == 1
    strata = public_strata(sample).values()
    expected = sum(verdicts * fmean(said) for verdicts, said in strata) / sum(
        verdicts for verdicts, _ in strata
    )
    audits_compute(study=study, now=now)
    found = audit_result(sample, Scope.PUBLIC).judges[0].found
    assert found.covered == 1
    assert found.weighted["mean_human"].value == pytest.approx(expected)


def test_where_all_drawn_of_a_stratum_are_private_nothing_is_said_of_all_verdicts(
    make_judged: Callable[..., Study], now: datetime
) -> None:
    drawn = list(samples(make_judged(NAMES[:6], nothing), now, size=24, number=6))
    shares = {sample.pk: share_drawn_from(sample) for sample in drawn}
    assert min(shares.values()) < 0.95
    audits_compute(study=drawn[0].judging_run.study, now=now)
    for sample in drawn:
        found = audit_result(sample, Scope.PUBLIC).judges[0].found
        assert found.covered == pytest.approx(shares[sample.pk])
        assert math.isnan(found.weighted["offset"].value) == (shares[sample.pk] < 0.95)


def test_raters_are_those_who_gave_a_score(sample: AuditSample) -> None:
    before = audit_result(sample).raters
    unrated = sample.items.filter(human_score=None)
    assert unrated.exists()
    unrated.update(rater="who only wrote a comment", comment="?")
    assert audit_result(sample).raters == before == 2
