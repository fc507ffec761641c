"""Where reviewers may not see private questions, audits are drawn from public ones; older samples stay."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from judging.models import AuditSample, JudgingRun
from judging.selectors.audits import private_items
from judging.services.audit_asking import DrawRefused
from judging.services.audit_rating import ItemRefused, item_rate
from judging.services.audits import audit_draw_once
from studies.models import Study, StudyEvent, User
from studies.roles import Role
from studies.services.staff.roles import role_give
from tests.support.audit_sheets import draw

pytestmark = pytest.mark.django_db


def reviewers_see(run: JudgingRun, says: bool | None) -> None:
    """What the protocol says; None is a study that was locked before it could say so."""
    settings = {name: value for name, value in run.study.settings.items() if name != "reviewers_see_private"}
    run.study.settings = settings if says is None else settings | {"reviewers_see_private": says}
    Study.objects.filter(pk=run.study_id).update(settings=run.study.settings)


@pytest.fixture
def reviewer(run: JudgingRun, make_staff: Callable[..., User], now: datetime) -> User:
    user = make_staff("eyes@example.org")
    role_give(study=run.study, user=user, role=Role.REVIEWER, now=now)
    return user


@pytest.fixture
def make_staff(db: None) -> Callable[[str], User]:
    return lambda email: User.objects.create_user(email, is_staff=True)


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.mark.parametrize("says", [False, None])
def test_a_sample_is_drawn_from_public_questions_and_stands_for_them(
    run: JudgingRun, now: datetime, says: bool | None
) -> None:
    reviewers_see(run, says)
    sample = draw(run, now, size=30)
    assert private_items(sample) == 0
    assert sample.strata["public_only"] is True
    strata = sample.strata["strata"]
    # Of the 60 verdicts 6 are on the private question: each stratum is drawn from its public ones alone.
    assert sum(one["verdicts"] for one in strata) == sum(one["public_verdicts"] for one in strata) == 54
    assert sum(one["drawn"] for one in strata) == sum(one["public_drawn"] for one in strata) == 30
    with pytest.raises(DrawRefused, match="there are 54 verdicts"):
        draw(run, now, size=55)
    assert StudyEvent.objects.get(kind="audit_drawn").details["public_only"] is True


def test_the_protocol_may_let_reviewers_see_them(run: JudgingRun, now: datetime, reviewer: User) -> None:
    reviewers_see(run, True)
    sample = draw(run, now, size=60)
    assert private_items(sample) == 6
    where = reverse("staff_audit_rate", args=[run.study.slug, sample.pk])
    private = sample.items.filter(row__answer__prompt__split="private").values_list("number", flat=True)
    page = signed_in(reviewer).get(where, {"number": private[0]}).content.decode()
    assert "A hidden question?" in page
    assert StudyEvent.objects.filter(kind="private_seen", actor=reviewer).count() == 1


def test_pressed_twice_the_same_wish_draws_once(run: JudgingRun, now: datetime, lead: User) -> None:
    reviewers_see(run, False)
    wish: dict[str, Any] = {
        "run": run,
        "size": 30,
        "seed": None,
        "public_only": False,
        "actor": lead,
        "asked_at": now,
    }
    drawn = audit_draw_once(**wish, now=now)
    assert audit_draw_once(**wish, now=now + timedelta(minutes=5)) == drawn, "its worker was killed"
    assert AuditSample.objects.count() == 1


def test_of_an_older_sample_a_reviewer_gets_the_public_part_and_is_told(
    run: JudgingRun, now: datetime, reviewer: User, lead: User
) -> None:
    sample = draw(run, now, size=60)
    reviewers_see(run, None)
    private = list(sample.items.filter(row__answer__prompt__split="private"))
    where = reverse("staff_audit_rate", args=[run.study.slug, sample.pk])
    sheet = reverse("staff_audit_sheet", args=[run.study.slug, run.pk, sample.pk])
    browser = signed_in(reviewer)
    page = browser.get(where).content.decode()
    assert (
        "6 answers of this sample are to private questions, which reviewers of this study do not see" in page
    )
    assert "of 54" in page
    assert browser.get(where, {"number": private[0].number}).status_code == 404
    rows = browser.get(sheet).content.decode()
    assert "hidden" not in rows.lower()
    assert rows.count("Confidential: for the raters") == 54
    with pytest.raises(ItemRefused):
        item_rate(sample=sample, number=private[0].number, score=1, comment="", actor=reviewer, now=now)
    # A lead sees and rates the rest; the sample stays as it was drawn.
    whole = signed_in(lead).get(sheet).content.decode()
    assert whole.count("A hidden question?") == 6
    item_rate(sample=sample, number=private[0].number, score=1, comment="", actor=lead, now=now)
    sample.refresh_from_db()
    assert (sample.items.count(), sample.strata["public_only"]) == (60, False)


def test_the_command_says_nothing_of_private_questions_then(
    run: JudgingRun, tmp_path: object, capsys: pytest.CaptureFixture[str]
) -> None:
    reviewers_see(run, False)
    target = f"{tmp_path}/sheet.csv"
    call_command("audit_sample", "draw", run.study.slug, "--out", target, "--size", "40")
    with open(target, encoding="utf-8") as file:
        assert "hidden" not in file.read().lower()
    assert "private" not in capsys.readouterr().out
    assert not StudyEvent.objects.filter(kind="private_seen").exists()
    reviewers_see(run, True)
    call_command("audit_sample", "draw", run.study.slug, "--out", f"{tmp_path}/whole.csv", "--size", "60")
    assert "lines show private prompts" in capsys.readouterr().out
    event = StudyEvent.objects.get(kind="private_seen")
    assert (event.actor, set(event.details)) == (None, {"question"})
