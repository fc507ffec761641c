"""The pages of judges' agreement where numbers are absent, and the words for why."""

from collections.abc import Callable
from datetime import datetime

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from judging.models import JudgeConfig, ScoringRun
from judging.selectors.judges import run_name
from presentation.agreement import PUBLISHED_ONLY, STATISTICS, warning_text
from presentation.measures import WHY_ABSENT
from psychometrics.agreement.measures import level_measures
from psychometrics.agreement.reference import REFERENCE_FIGURES, Level
from psychometrics.inference.estimates import Reason
from psychometrics.inference.measure import Block, Scope
from scoring.models import JudgeComparison
from scoring.services.storing import measures_store
from studies.models import Participant, Study
from tests.support.agreement_studies import page, row, study_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(make_study: Callable[..., Study], now: datetime) -> Study:
    """A study that nobody has judged."""
    return study_of(make_study, "alone", now)


def test_a_study_with_one_judge_or_none_says_what_is_needed(
    staff: Client, study: Study, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "Two judges, or two replicates of one, must have scored the study" in page(staff, "alone")
    call_command("judge_agreement", "alone")
    assert "There is nothing to compare" in capsys.readouterr().out


def test_an_absent_number_is_a_dash_with_its_reason(staff: Client, study: Study, now: datetime) -> None:
    absent = {"value": None, "se": None, "low": None, "high": None, "reason": "no_pairs"}
    values = {
        "rows": 4, "n": 0, "missing_x": 0, "missing_y": 4, "clusters": 0, "seed": 1, "resamples": 1000,
        "statistics": dict.fromkeys(STATISTICS, absent), "cells": [], "outside": 0,
        "warnings": [
            {
                "code": "not_measured", "subject": "kappa", "value": None, "threshold": 0.75,
                "reason": "no_pairs",
            }
        ],
    }  # fmt: skip
    runs = [
        ScoringRun.objects.create(
            study=study,
            judge_kind="llm",
            judge={},
            judge_sha256=name * 64,
            design_hash="d",
            protocol_hash="p",
            started_at=now,
        )
        for name in "ab"
    ]
    for level in ("answer", "people"):
        comparison = JudgeComparison.objects.create(
            first=runs[0], second=runs[1], level=level, inputs_sha256="", computed_at=now
        )
        measures_store(
            level_measures(level, values), Block.AGREEMENT, comparison=comparison, scope=Scope.ALL,
            may_leave=lambda _: True,
        )  # fmt: skip
    content = page(staff, "alone")
    assert row(content, "Cohen's κ") == "Cohen's κ – – nothing was scored by both judges"
    assert "Cohen's κ could not be measured (nothing was scored by both judges)." in content
    assert "<img" not in content


def test_others_learn_nothing(client: Client, study: Study, make_person: Callable[..., Participant]) -> None:
    address = reverse("staff_agreement", kwargs={"slug": "alone"})
    assert client.get(address).status_code == 302
    client.force_login(make_person(study).user)
    assert client.get(address).status_code == 404


def test_every_reason_and_every_warning_has_words() -> None:
    named = {(figure.level, figure.statistic) for figure in REFERENCE_FIGURES}
    assert named == set(PUBLISHED_ONLY) | {
        (level, name)
        for level, name in named
        if level in {Level.CRITERION, Level.PROMPT} and name in STATISTICS
    }
    assert set(WHY_ABSENT) == {reason.value for reason in Reason}
    facts = {"subject": "average_pool", "value": -1.26, "threshold": 1.0, "reason": ""}
    assert warning_text({"code": "theta_moved", **facts}) == (
        "Ability of Average (pooled) changes by −1.26 cluster standard errors with the judge, more than 1."
    )
    assert warning_text({"code": "offset_large", **facts, "value": -0.045, "threshold": 0.03}) == (
        "The judges are −0.045 score points apart on average, more than 0.03."
    )


def test_runs_of_one_judge_are_told_apart() -> None:
    judge = JudgeConfig(slug="alpha")
    assert run_name(ScoringRun(config=judge, judge={})) == "alpha"
    assert run_name(ScoringRun(config=judge, judge={"criteria_per_call": 4}, replicate=2)) == (
        "alpha, 4 criteria a call, replicate 2"
    )
