"""What can be done to a run: pause, resume, cancel."""

import re
from decimal import Decimal

import pytest
from django.test import Client
from django.utils import timezone

from judging.models import CriterionScore, JudgeConfig, PauseReason
from judging.services.running.runs import run_pause
from studies.models import Study, StudyEvent, User
from tests.judging.pages.judging_pages import action, ask_judge, finish, page, start

# Workers store over connections of their own: what a test makes has to be committed.
pytestmark = pytest.mark.django_db(transaction=True)


# --- what can be done --------------------------------------------------------------------------------


def test_a_paused_run_says_so_and_goes_on_with_the_new_budget(
    staff: Client, study: Study, judge: JudgeConfig, lead: User
) -> None:
    run = start(staff, judge, budget="1")
    staff.post(action("pause", run))
    run.refresh_from_db()
    assert (run.state, run.pause_reason) == ("paused", "by_hand")
    content = staff.get(page(number=run.pk)).content.decode()
    assert "Somebody of the study team paused it." in content
    assert "Pause the run" not in content
    assert 'value="1.0000"' in content or 'value="1"' in content
    staff.post(action("resume", run), {"budget": "3"})
    run.refresh_from_db()
    assert (run.state, run.budget) == ("running", Decimal(3))
    actors = StudyEvent.objects.filter(kind__in=["judging_paused", "judging_resumed"])
    assert [event.actor for event in actors] == [lead, lead]


def test_pausing_a_run_that_is_over_changes_nothing(staff: Client, study: Study, judge: JudgeConfig) -> None:
    run = start(staff, judge)
    finish(run)
    response = staff.post(action("pause", run), follow=True)
    assert "The run was not running any more." in response.content.decode()
    run.refresh_from_db()
    assert run.state == "finished"


def test_why_a_run_pauses_comes_with_the_remedy(staff: Client, study: Study, judge: JudgeConfig) -> None:
    run = start(staff, judge)
    detail = "The judge gave no verdict 3 times in a row. <b>Nobody answered.</b>"
    run_pause(run=run, reason=PauseReason.JUDGE_FAILING, detail=detail, now=timezone.now())
    content = staff.get(page(number=run.pk)).content.decode()
    assert "The judge fails for everyone." in content
    assert "Mend the cause and try the judge" in content
    assert "&lt;b&gt;Nobody answered." in content


def test_a_budget_below_what_is_spent_is_refused_and_kept_on_the_page(
    staff: Client, study: Study, judge: JudgeConfig
) -> None:
    run = start(staff, judge)
    ask_judge()
    CriterionScore.objects.filter(pk=CriterionScore.objects.order_by("pk")[0].pk).update(
        state="open", origin="", score=None, confidence=None, decided_at=None
    )
    staff.post(action("pause", run))
    response = staff.post(action("resume", run), {"budget": "0.0001"})
    assert response.status_code == 422
    assert "is spent already" in response.content.decode()
    assert 'value="0.0001"' in response.content.decode()
    for wrong in ("-1", "much"):
        assert staff.post(action("resume", run), {"budget": wrong}).status_code == 422
    run.refresh_from_db()
    assert run.state == "paused"


def test_cancelling_takes_a_confirmation(staff: Client, study: Study, judge: JudgeConfig, lead: User) -> None:
    run = start(staff, judge)
    response = staff.post(action("cancel", run))
    assert response.status_code == 422
    assert "Tick the box" in response.content.decode()
    run.refresh_from_db()
    assert run.state == "running"
    staff.post(action("cancel", run), {"confirm": "on"})
    run.refresh_from_db()
    assert run.state == "cancelled"
    assert StudyEvent.objects.get(kind="judging_cancelled").actor == lead
    again = staff.post(action("cancel", run), {"confirm": "on"}, follow=True)
    assert "This run is over already." in again.content.decode()


def test_looking_at_an_actions_address_leads_back_and_changes_nothing(
    staff: Client, study: Study, judge: JudgeConfig
) -> None:
    run = start(staff, judge)
    for name in ("pause", "resume", "cancel"):
        assert staff.get(action(name, run))["Location"] == page(number=run.pk)
    run.refresh_from_db()
    assert run.state == "running"


def test_the_part_that_is_asked_for_again_is_no_whole_page_and_says_when_it_is_over(
    staff: Client, study: Study, judge: JudgeConfig
) -> None:
    run = start(staff, judge)
    content = staff.get(action("live", run)).content.decode()
    assert "<html" not in content
    assert 'data-over="no"' in content
    assert 'data-said="0 % decided. Running' in content
    finish(run)
    assert 'data-over="yes"' in staff.get(action("live", run)).content.decode()


def test_pages_need_no_inline_style_or_script(staff: Client, study: Study, judge: JudgeConfig) -> None:
    run = start(staff, judge)
    for address in (page(), page(number=run.pk), action("live", run)):
        content = staff.get(address).content.decode()
        assert "style=" not in content
        assert "<style" not in content
        assert "onclick" not in content
        assert re.findall(r"<script(?![^>]*src=)", content) == []


def test_earlier_runs_are_listed_with_a_link_each(staff: Client, study: Study, judge: JudgeConfig) -> None:
    run = start(staff, judge)
    finish(run)
    content = staff.get(page()).content.decode()
    assert page(number=run.pk) in content
    assert "lead@example.org" in content
