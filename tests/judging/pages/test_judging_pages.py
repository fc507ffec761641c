"""The staff's pages of judging before a run: who reaches them, the estimate, the start."""

import re
from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from benchmarks.hashed_judge.running import RunningJudge
from judging.models import CriterionScore, JudgeConfig, JudgingRun, ScoringRun
from studies.models import Participant, Study, StudyEvent, User
from studies.services.studies import study_create
from tests.judging.pages.judging_pages import ROWS, action, finish, page, plan, seen, start, words

# Workers store over connections of their own: what a test makes has to be committed.
pytestmark = pytest.mark.django_db(transaction=True)


# --- who ---------------------------------------------------------------------------------------------


def test_only_staff_reach_any_of_it(
    client: Client,
    staff: Client,
    study: Study,
    judge: JudgeConfig,
    make_person: Callable[..., Participant],
) -> None:
    run = start(staff, judge)
    reads = [page(), page(number=run.pk), action("live", run)]
    writes = [page(), action("pause", run), action("resume", run), action("cancel", run)]
    sent = {**plan(judge), "action": "start", "confirm": "on"}
    visitor, participant = Client(), Client()
    participant.force_login(make_person(study).user)
    for stranger, status in ((visitor, 302), (participant, 404)):
        assert {stranger.get(address).status_code for address in reads} == {status}
        assert {stranger.post(address, sent).status_code for address in writes} == {status}
    run.refresh_from_db()
    assert (run.state, JudgingRun.objects.count()) == ("running", 1)
    colleague = Client()
    colleague.force_login(User.objects.create_superuser("colleague@example.org"))
    assert {colleague.get(address).status_code for address in reads} == {200}


def test_a_run_is_found_in_its_own_study_only(
    staff: Client, study: Study, judge: JudgeConfig, make_study: Callable[..., Study]
) -> None:
    run, other = start(staff, judge), make_study(slug="other")
    for name in ("run", "live", "pause", "resume", "cancel"):
        address = reverse(f"staff_judging_{name}", args=[other.slug, run.pk])
        for response in (staff.get(address), staff.post(address, {"confirm": "on"})):
            assert response.status_code == 404
    run.refresh_from_db()
    assert run.state == "running"


# --- before a run ------------------------------------------------------------------------------------


def test_an_estimate_says_what_a_run_takes_and_starts_nothing(
    staff: Client, study: Study, judge: JudgeConfig, unpriced: JudgeConfig, server: RunningJudge
) -> None:
    response = staff.post(page(), {**plan(judge, unpriced), "action": "estimate"})
    rows = re.findall(r"<tbody>(.*?)</tbody>", response.content.decode(), re.DOTALL)[0].split("</tr>")
    one, two = (words(row).split() for row in rows[:2])
    # The two who answered alike share their calls: 24 verdicts in 18 calls.
    assert one[:5] == ["one", "24", "18", "6", "0"]
    assert two[:5] == ["two", "24", "18", "6", "0"]
    tokens_read, tokens_written = (int(number.replace(",", "")) for number in one[5:7])
    assert tokens_written == 18 * 200
    assert Decimal(one[7]) == round((tokens_read * Decimal("0.5") + 3600 * 2) / 1_000_000, 4)
    assert two[7:] == ["price", "unknown"]
    assert "The cost is not known" in response.content.decode()
    assert not JudgingRun.objects.exists()
    assert not CriterionScore.objects.exists()
    assert server.stats()["requests"] == 0


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"judges": []}, "Choose at least one judge."),
        ({"judges": ["nobody"]}, "Choose among the judges of this site."),
        ({"replicates": "0"}, "Write a whole number between 1 and 5."),
        ({"replicates": "6"}, "Write a whole number between 1 and 5."),
        ({"budget": "-1"}, "Write an amount such as 12.50"),
        ({"budget": "much"}, "Write an amount such as 12.50"),
        ({"budget": "1e30"}, "Write an amount such as 12.50"),
    ],
)
@pytest.mark.parametrize("action", ["estimate", "start"])
def test_bad_input_gets_a_sentence_and_keeps_the_form(
    wrong: dict[str, Any], sentence: str, action: str, staff: Client, study: Study, judge: JudgeConfig
) -> None:
    sent = {**plan(judge), "budget": "7.25", "replicates": "2", **wrong, "action": action}
    response = staff.post(page(), sent)
    content = response.content.decode()
    assert response.status_code == 422
    assert sentence in content
    if "judges" not in wrong:
        assert re.search(r'value="one"\s+checked', content)
    if "budget" not in wrong:
        assert 'value="7.25"' in content
    assert not JudgingRun.objects.exists()


def test_a_budget_for_a_judge_without_prices_cannot_be_started(
    staff: Client, study: Study, unpriced: JudgeConfig
) -> None:
    wanted = plan(unpriced, budget="5")
    content = staff.post(page(), {**wanted, "action": "estimate"}).content.decode()
    assert "No budget can be kept for a judge without prices" in content
    assert 'value="start"' not in content
    response = staff.post(page(), {**wanted, "action": "start", "seen": seen(content)})
    assert response.status_code == 422
    assert not JudgingRun.objects.exists()


def test_a_start_without_the_estimate_of_this_very_plan_shows_the_estimate_instead(
    staff: Client, study: Study, judge: JudgeConfig, unpriced: JudgeConfig
) -> None:
    one = staff.post(page(), {**plan(judge), "action": "estimate"})
    for wanted, named in ((plan(judge), ""), (plan(unpriced), seen(one.content.decode()))):
        response = staff.post(page(), {**wanted, "action": "start", "seen": named})
        assert response.status_code == 200
        assert "The plan is another one since the estimate." in response.content.decode()
    assert not JudgingRun.objects.exists()


def test_a_started_run_is_the_leads_with_its_budget(
    staff: Client, study: Study, judge: JudgeConfig, lead: User
) -> None:
    run = start(staff, judge, budget="2.5", replicates="2")
    assert (run.started_by, run.budget, run.planned, run.state) == (lead, Decimal("2.5"), 2 * ROWS, "running")
    assert StudyEvent.objects.get(kind="judging_started").actor == lead
    assert "replicate 2" in staff.get(page(number=run.pk)).content.decode()


def test_starting_twice_starts_one_run(staff: Client, study: Study, judge: JudgeConfig) -> None:
    wanted = plan(judge)
    named = seen(staff.post(page(), {**wanted, "action": "estimate"}).content.decode())
    sent = {**wanted, "action": "start", "seen": named}
    first, second = staff.post(page(), sent), staff.post(page(), sent, follow=True)
    run = JudgingRun.objects.get()
    assert first["Location"] == page(number=run.pk)
    assert second.redirect_chain == [(page(number=run.pk), 302)]
    assert "is being judged already" in second.content.decode()
    assert CriterionScore.objects.count() == ROWS


def test_while_a_run_is_open_the_page_leads_to_it(staff: Client, study: Study, judge: JudgeConfig) -> None:
    run = start(staff, judge)
    content = staff.get(page()).content.decode()
    assert page(number=run.pk) in content
    assert "Pause the run" in content
    assert 'id="plan-form"' not in content


def test_with_everything_judged_nothing_can_be_started(
    staff: Client, study: Study, judge: JudgeConfig
) -> None:
    finish(start(staff, judge))
    response = staff.post(page(), {**plan(judge), "action": "start", "seen": ""})
    assert "Nothing is left to judge" in response.content.decode()
    assert JudgingRun.objects.count() == 1


def test_a_draft_is_not_judged(staff: Client, study: Study, now: datetime, judge: JudgeConfig) -> None:
    draft = study_create(
        slug="draft",
        name="Draft",
        bank_version=study.bank_version,
        item_bank=None,
        judge_protocol=None,
        settings=study.protocol,
        opens_at=None,
        closes_at=None,
        now=now,
    )
    address = reverse("staff_judging", args=[draft.slug])
    assert "is a draft" in staff.get(address).content.decode()
    assert staff.post(address, {**plan(judge), "action": "start"}).status_code == 422
    assert not ScoringRun.objects.exists()


def test_a_study_with_machine_checks_needs_no_judge_and_no_budget(
    staff: Client,
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., object],
) -> None:
    study = make_study(prompts=2, slug="judged", batch_size=2, judge_kind="checks")
    work(make_person(study), {"p001": "1", "p002": "wrong"})
    content = staff.get(page()).content.decode()
    assert 'name="judges"' not in content
    run = start(staff)
    finish(run)
    text = words(staff.get(page(number=run.pk)).content.decode())
    assert "verdicts decided, of 2 (100 %) 2 " in text
    assert "Spent 0.0000 Limit none" in text
