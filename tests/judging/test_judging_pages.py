"""The staff's pages of judging: estimate, start, progress, pause, resume, cancel."""

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from threading import Event
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from hashed_judge.running import RunningJudge, judge_server

from judging.coordinator import run_work_through
from judging.judges.reasons import UnscoredReason
from judging.models import (
    CriterionScore,
    JudgeCall,
    JudgeConfig,
    JudgingRun,
    PauseReason,
    RowState,
    ScoringRun,
    WorkerLease,
)
from judging.selectors.progress import judging_progress
from judging.services.running.claims import lease_begin, rows_claim
from judging.services.running.runs import run_pause
from judging.services.running.working import lease_work
from judging.views.reason_texts import REASON_TEXTS, WAYS_ON
from scoring.coordinator import judging_coordinate
from studies.bank.records import CriterionRecord, PromptRecord
from studies.models import Participant, Study, StudyEvent, User
from studies.services.studies import study_create

# Workers store over connections of their own: what a test makes has to be committed.
pytestmark = pytest.mark.django_db(transaction=True)
PEOPLE, PROMPTS, CRITERIA = 4, 2, 3
ROWS = PEOPLE * PROMPTS * CRITERIA


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RunningJudge]:
    with judge_server(log=tmp_path / "judge.log") as running:
        yield running


@pytest.fixture
def judge(server: RunningJudge, now: datetime) -> JudgeConfig:
    return JudgeConfig.objects.create(
        slug="one",
        base_url=server.url,
        model="judge-1",
        provider="generic",
        max_output_tokens=500,
        input_price=Decimal("0.5"),
        output_price=Decimal(2),
        concurrency=2,
        created_at=now,
    )


@pytest.fixture
def unpriced(server: RunningJudge, now: datetime) -> JudgeConfig:
    return JudgeConfig.objects.create(
        slug="two", base_url=server.url, model="judge-2", provider="generic", created_at=now
    )


@pytest.fixture
def study(
    make_study: Callable[..., Study], make_person: Callable[..., Participant], work: Callable[..., object]
) -> Study:
    """Four people, two prompts of three criteria; two of the people give the same answers."""
    criteria = tuple(CriterionRecord(text=f"Says part {part}.") for part in range(CRITERIA))
    records = [
        PromptRecord(prompt_id=f"p{n}", text=f"Question {n}?", gold_answer=str(n), criteria=criteria)
        for n in range(PROMPTS)
    ]
    study = make_study(
        prompts=records, slug="judged", batch_size=2, replicates_per_profile=9, judge_kind="llm"
    )
    for number in (0, 1, 2, 2):
        work(make_person(study), {f"p{n}": f"Answer {number} to {n}" for n in range(PROMPTS)})
    return study


def page(**run: int) -> str:
    return reverse("staff_judging_run" if run else "staff_judging", kwargs={"slug": "judged", **run})


def action(name: str, run: JudgingRun) -> str:
    return reverse(f"staff_judging_{name}", args=["judged", run.pk])


def seen(content: str) -> str:
    return re.findall(r'name="seen" value="(\w*)"', content)[0]  # type: ignore[no-any-return]


def plan(*judges: JudgeConfig, **more: str) -> dict[str, Any]:
    return {"judges": [judge.slug for judge in judges], "replicates": "1", "budget": "", **more}


def start(client: Client, *judges: JudgeConfig, **more: str) -> JudgingRun:
    """Estimate, then start what was estimated."""
    wanted = plan(*judges, **more)
    estimate = client.post(page(), {**wanted, "action": "estimate"})
    assert estimate.status_code == 200
    named = seen(estimate.content.decode())
    response = client.post(page(), {**wanted, "action": "start", "seen": named})
    run = JudgingRun.objects.get()
    assert response["Location"] == page(number=run.pk)
    return run


def finish(run: JudgingRun) -> None:
    run_work_through(run=run, clock=timezone.now, progress=lambda done, total: None)
    run.refresh_from_db()


def words(content: str) -> str:
    """What is read on a page, in one line."""
    return " ".join(re.sub(r"<[^>]+>", " ", content).split())


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
    colleague.force_login(User.objects.create_user("colleague@example.org", is_staff=True))
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
    assert f"Run {run.pk} is under way" in content
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
    assert "spent, without a budget 0.0000" in text


# --- while it goes on --------------------------------------------------------------------------------


def test_the_numbers_of_a_finished_run_are_those_of_its_rows_and_calls(
    staff: Client, study: Study, judge: JudgeConfig, server: RunningJudge
) -> None:
    run = start(staff, judge, budget="5")
    finish(run)
    one = judging_progress(run, timezone.now()).judges[0]
    assert (one.planned, one.open, one.being_asked) == (24, 0, 0)
    assert (one.asked, one.shared, one.cached, one.scored) == (18, 6, 0, 24)
    assert (one.calls, server.stats()["requests"]) == ({"ok": 18}, 18)
    assert (one.unscored, one.waiting_again, one.workers) == ({}, {}, 0)
    calls = JudgeCall.objects.all()
    assert one.prompt_tokens == sum(call.prompt_tokens or 0 for call in calls)
    assert one.completion_tokens == sum(call.completion_tokens or 0 for call in calls)
    assert one.cost == (one.prompt_tokens * Decimal("0.5") + one.completion_tokens * 2) / 1_000_000
    assert (one.unknown_costs, one.possibly_spent) == (0, Decimal(0))
    text = words(staff.get(page(number=run.pk)).content.decode())
    assert "verdicts decided, of 24 (100 %) 24 " in text
    assert f"spent, of a budget of 5 {one.cost:.4f}" in text


def test_a_second_replicate_shows_that_nothing_is_known_and_a_second_study_run_that_everything_is(
    staff: Client, study: Study, judge: JudgeConfig
) -> None:
    finish(start(staff, judge))
    content = staff.post(page(), {**plan(judge, replicates="2"), "action": "estimate"}).content.decode()
    rows = re.findall(r"<tbody>(.*?)</tbody>", content, re.DOTALL)[0].split("</tr>")
    assert words(rows[0]).split()[:5] == ["one", "0", "0", "0", "0"]
    assert words(rows[1]).split()[:7] == ["one", "replicate", "2", "24", "18", "6", "0"]


def test_without_prices_the_cost_is_unknown_and_not_nothing(
    staff: Client, study: Study, unpriced: JudgeConfig
) -> None:
    run = start(staff, unpriced)
    finish(run)
    progress = judging_progress(run, timezone.now())
    assert (progress.cost, progress.judges[0].cost, progress.known_cost) == (None, None, None)
    assert "spent, without a budget price unknown" in words(staff.get(page(number=run.pk)).content.decode())


def test_rows_in_a_workers_hands_are_being_asked_until_it_dies(
    staff: Client, study: Study, judge: JudgeConfig
) -> None:
    run, now = start(staff, judge), timezone.now()
    scored = ScoringRun.objects.get()
    lease = lease_begin(judging_run=run, run=scored, wanted=2, now=now)
    assert lease is not None
    rows_claim(lease, limit=4, now=now)
    WorkerLease.objects.update(reserved=Decimal("0.25"))
    one = judging_progress(run, now).judges[0]
    assert (one.open, one.being_asked, one.workers, one.slots) == (24, 4, 1, 2)
    assert one.possibly_spent == 0
    text = words(staff.get(action("live", run)).content.decode())
    assert "1 worker up to 2 at a time" in text
    later = now + timedelta(hours=1)
    one = judging_progress(run, later).judges[0]
    assert (one.open, one.being_asked, one.workers) == (24, 0, 0)
    assert one.possibly_spent == Decimal("0.25")


def test_unscored_rows_show_their_reason_in_words(
    staff: Client, study: Study, judge: JudgeConfig, tmp_path: Path
) -> None:
    with judge_server(log=tmp_path / "other.log", permanent=1.0) as server:
        JudgeConfig.objects.update(base_url=server.url)
        run = start(staff, judge)
        for _ in range(20):
            judging_coordinate(clock=timezone.now)
            run.refresh_from_db()
            if run.state != "running":
                break
            CriterionScore.objects.filter(state="open", lease=None).update(available_at=timezone.now())
            leases(run)
    one = judging_progress(run, timezone.now()).judges[0]
    stored = CriterionScore.objects.filter(state=RowState.UNSCORED)
    assert one.unscored_number == stored.count() > 0
    text = words(staff.get(page(number=run.pk)).content.decode())
    for code, number in one.unscored.items():
        assert f"{REASON_TEXTS[code]} {code} {number} " in text.replace("&#x27;", "'")


def leases(run: JudgingRun) -> None:
    lease_work(
        judging_run=run,
        run=ScoringRun.objects.select_related("study", "config").get(),
        seconds=20,
        stopping=Event(),
        clock=timezone.now,
        wanted=2,
    )


def test_every_reason_and_every_pause_has_its_sentence() -> None:
    assert REASON_TEXTS.keys() == {reason.value for reason in UnscoredReason}
    assert WAYS_ON.keys() == set(PauseReason.values)


def test_when_nothing_moves_for_half_a_minute_the_page_says_that_no_worker_is_there(
    staff: Client, study: Study, judge: JudgeConfig
) -> None:
    run = start(staff, judge)
    begun = run.resumed_at
    assert not judging_progress(run, begun + timedelta(seconds=29)).nobody_works
    assert judging_progress(run, begun + timedelta(seconds=31)).nobody_works
    assert "No worker is taking this work" not in staff.get(page(number=run.pk)).content.decode()
    JudgingRun.objects.update(resumed_at=begun - timedelta(minutes=5))
    CriterionScore.objects.update(available_at=begun - timedelta(minutes=5))
    assert "No worker is taking this work" in staff.get(page(number=run.pk)).content.decode()


def test_rows_that_wait_for_another_round_are_no_missing_worker(
    staff: Client, study: Study, judge: JudgeConfig
) -> None:
    run = start(staff, judge)
    later = run.resumed_at + timedelta(minutes=3)
    CriterionScore.objects.update(
        available_at=later + timedelta(seconds=20), rounds=1, unscored_reason="rate_limited"
    )
    progress = judging_progress(run, later)
    assert (progress.waits_for_next_round, progress.nobody_works) == (True, False)
    assert progress.judges[0].waiting_again == {"rate_limited": 24}


def test_speed_and_expected_end_follow_from_the_last_two_minutes(
    staff: Client, study: Study, judge: JudgeConfig
) -> None:
    run = start(staff, judge)
    assert judging_progress(run, run.resumed_at + timedelta(seconds=5)).expected_end is None
    now = run.resumed_at + timedelta(minutes=10)
    pks = list(CriterionScore.objects.order_by("pk").values_list("pk", flat=True)[:8])
    CriterionScore.objects.filter(pk__in=pks).update(
        state="scored", origin="asked", score=1, confidence=1, decided_at=now - timedelta(seconds=30)
    )
    progress = judging_progress(run, now)
    assert progress.judges[0].rows_per_minute == 4.0
    assert progress.expected_end == now + timedelta(minutes=4)


def test_a_run_takes_as_many_queries_whatever_its_size(
    staff: Client,
    study: Study,
    judge: JudgeConfig,
    unpriced: JudgeConfig,
    django_assert_num_queries: Callable[[int], AbstractContextManager[object]],
) -> None:
    run = start(staff, judge, unpriced, replicates="2")
    scored = list(ScoringRun.objects.all())
    for number in range(30):
        WorkerLease.objects.create(
            token=uuid4(),
            run=scored[number % 4],
            judging_run=run,
            judge=judge,
            slots=1,
            started_at=run.started_at,
            leased_until=run.started_at,
        )
    with django_assert_num_queries(4):
        progress = judging_progress(run, timezone.now())
    assert (len(progress.judges), progress.planned) == (4, 4 * ROWS)
    staff.get(action("live", run))
    with django_assert_num_queries(8):  # session, person, study, run, and the four
        staff.get(action("live", run))


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
    leases(run)
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
