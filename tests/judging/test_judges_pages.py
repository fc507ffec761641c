"""The staff's pages of judges: who may see them, adding, changing, trying."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from benchmarks.hashed_judge.running import judge_server
from judging.models import JudgeChange, JudgeConfig
from judging.services.judge_rules import JudgeSettings
from judging.services.judges import judge_add
from judging.services.running.judge_specs import study_judge_specs
from judging.services.running.runs import run_plan, run_start
from studies.models import Participant, Study, User

pytestmark = pytest.mark.django_db
SECRET = "sk-proj-4f9Q2mZx81LpTTe0abcdEF"
WRITTEN = {
    "slug": "my-judge",
    "base_url": "https://judge.example/v1",
    "model": "judge-1",
    "provider": "generic",
    "parameters": '{"temperature": 0}',
    "concurrency": "8",
    "timeout_seconds": "60",
}


@pytest.fixture
def judge(now: datetime) -> JudgeConfig:
    settings = JudgeSettings(base_url="https://judge.example/v1", model="judge-1")
    return judge_add(slug="one", settings=settings, actor=None, now=now)


def addresses() -> list[str]:
    return [
        reverse("staff_judges"),
        reverse("staff_judge_add"),
        reverse("staff_judge", args=["one"]),
        reverse("staff_judge_try", args=["one"]),
    ]


def change_of(judge: JudgeConfig, **changed: str) -> dict[str, str]:
    seen = JudgeChange.objects.filter(judge=judge).order_by("-pk")[0].pk
    return {**WRITTEN, "parameters": "{}", "seen": str(seen), **changed}


def test_visitors_are_asked_to_sign_in(client: Client, judge: JudgeConfig) -> None:
    for address in addresses():
        for response in (client.get(address), client.post(address, WRITTEN)):
            assert response.status_code == 302
            assert response["Location"].startswith(reverse("account_login"))
    assert JudgeConfig.objects.count() == 1


def test_participants_learn_nothing_and_change_nothing(
    client: Client,
    judge: JudgeConfig,
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
) -> None:
    client.force_login(make_person(make_study()).user)
    for address in addresses():
        assert client.get(address).status_code == 404
        assert client.post(address, WRITTEN).status_code == 404
    assert JudgeConfig.objects.count() == 1


def test_every_member_of_staff_sees_them(client: Client, judge: JudgeConfig) -> None:
    client.force_login(User.objects.create_superuser("colleague@example.org"))
    assert [client.get(address).status_code for address in addresses()] == [200, 200, 200, 302]


def test_an_unknown_judge_is_not_found(staff: Client) -> None:
    assert staff.get(reverse("staff_judge", args=["nobody"])).status_code == 404
    assert staff.post(reverse("staff_judge_try", args=["nobody"])).status_code == 404


def test_pages_need_no_inline_style_or_script(staff: Client, judge: JudgeConfig) -> None:
    for address in addresses()[:3]:
        content = staff.get(address).content.decode()
        assert "style=" not in content
        assert "<style" not in content
        assert "onclick" not in content
        assert "<script>" not in content


def test_an_added_judge_is_the_leads_doing(staff: Client, lead: User) -> None:
    response = staff.post(reverse("staff_judge_add"), WRITTEN)
    assert response.status_code == 302
    assert response["Location"] == reverse("staff_judge", args=["my-judge"])
    judge = JudgeConfig.objects.get()
    assert (judge.parameters, judge.concurrency, judge.timeout_seconds) == ({"temperature": 0}, 8, 60.0)
    assert (judge.input_price, judge.max_output_tokens) == (None, None)
    assert JudgeChange.objects.get().actor == lead


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("slug", "My Judge", "small letters, digits and single hyphens"),
        ("base_url", "nonsense", "https://host/v1"),
        ("provider", "another", "Choose one of the kinds of endpoint."),
        ("reasoning_effort", "high", "cannot be asked for"),
        ("parameters", "{temperature: 0}", "breaks off at column 2"),
        ("parameters", "[]", "JSON object"),
        ("parameters", '{"messages": []}', "Leave messages out"),
        ("parameters", "[" * 9_000, "JSON"),
        ("max_output_tokens", "0", "Write a whole number above 0."),
        ("concurrency", "many", "Write a whole number above 0."),
        ("timeout_seconds", "inf", "Write a number"),
        ("input_price", "1e999999", "A price lies between"),
        ("input_price", "1", "Give both prices or none"),
    ],
)
def test_bad_input_gets_a_sentence_and_keeps_the_form(
    field: str, value: str, sentence: str, staff: Client
) -> None:
    response = staff.post(reverse("staff_judge_add"), {**WRITTEN, "model": "the model", field: value})
    content = response.content.decode()
    assert response.status_code == 422
    assert sentence in content
    assert 'value="the model"' in content
    assert not JudgeConfig.objects.exists()


def test_a_key_in_place_of_its_name_comes_back_nowhere(staff: Client) -> None:
    for written in ({"key_variable": SECRET}, {"key_variable": f"{SECRET} ", "slug": ""}):
        response = staff.post(reverse("staff_judge_add"), {**WRITTEN, **written})
        assert response.status_code == 422
        assert SECRET not in response.content.decode()
        assert "name of the environment variable" in response.content.decode()


def test_a_name_that_is_taken_keeps_the_form(staff: Client, judge: JudgeConfig) -> None:
    response = staff.post(reverse("staff_judge_add"), {**WRITTEN, "slug": "one"})
    assert response.status_code == 422
    assert "There is a judge &quot;one&quot; already" in response.content.decode()


def test_a_change_is_shown_with_both_values(staff: Client, judge: JudgeConfig) -> None:
    address = reverse("staff_judge", args=["one"])
    response = staff.post(address, change_of(judge, requests_per_minute="30"), follow=True)
    content = response.content.decode()
    assert "The judge one is changed." in content
    assert "requests_per_minute" in content
    assert "lead@example.org" in content
    judge.refresh_from_db()
    assert (judge.requests_per_minute, judge.concurrency, judge.timeout_seconds) == (30, 8, 60.0)


def test_saving_what_stands_there_changes_nothing(staff: Client, judge: JudgeConfig) -> None:
    address = reverse("staff_judge", args=["one"])
    same = change_of(judge, concurrency="16", timeout_seconds="120")
    assert "Nothing was changed." in staff.post(address, same, follow=True).content.decode()
    assert JudgeChange.objects.count() == 1


def test_a_page_from_before_somebody_elses_change_is_refused(staff: Client, judge: JudgeConfig) -> None:
    address, before = reverse("staff_judge", args=["one"]), change_of(judge, concurrency="2")
    staff.post(address, change_of(judge, concurrency="3"))
    response = staff.post(address, before)
    assert response.status_code == 422
    assert "Somebody else changed this judge" in response.content.decode()
    judge.refresh_from_db()
    assert judge.concurrency == 3


def test_a_used_judge_keeps_its_model_whatever_is_sent(
    staff: Client,
    judge: JudgeConfig,
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., object],
    now: datetime,
) -> None:
    study = make_study(prompts=1, batch_size=1, judge_kind="llm")
    work(make_person(study), {"p001": "1"})
    specs = study_judge_specs(study=study, configs=[judge])
    plan = run_plan(study=study, specs=specs, now=now, progress=lambda done, total: None)
    run_start(plan=plan, budget=None, actor=None, now=now)
    address = reverse("staff_judge", args=["one"])
    assert "This judge has been used" in staff.get(address).content.decode()
    assert staff.post(address, change_of(judge, model="judge-9", concurrency="3")).status_code == 302
    judge.refresh_from_db()
    assert (judge.model, judge.concurrency) == ("judge-1", 3)
    assert study.slug in staff.get(reverse("staff_judges")).content.decode()


def test_a_trial_is_shown_on_the_page_and_stored_nowhere(
    staff: Client, now: datetime, tmp_path: Path
) -> None:
    with judge_server(log=tmp_path / "log") as server:
        settings = JudgeSettings(base_url=server.url, model="judge-1")
        judge_add(slug="one", settings=settings, actor=None, now=now)
        response = staff.post(reverse("staff_judge_try", args=["one"]))
    content = response.content.decode()
    assert response.status_code == 200
    assert "The judge works." in content
    assert "takes a JSON schema" in content
    assert JudgeChange.objects.count() == 1


def test_a_trial_nobody_answers_says_so(staff: Client, now: datetime) -> None:
    settings = JudgeSettings(base_url="http://127.0.0.1:9/v1", model="judge-1")
    judge_add(slug="one", settings=settings, actor=None, now=now)
    content = staff.post(reverse("staff_judge_try", args=["one"])).content.decode()
    assert "The judge does not work as it is." in content


def test_the_list_takes_as_many_queries_for_many_judges(
    staff: Client, now: datetime, django_assert_num_queries: Callable[[int], AbstractContextManager[object]]
) -> None:
    address = reverse("staff_judges")
    staff.get(address)
    for number in range(12):
        settings = JudgeSettings(base_url="https://judge.example/v1", model="judge-1")
        judge_add(slug=f"judge-{number}", settings=settings, actor=None, now=now)
    with django_assert_num_queries(5):  # session, person, judges, studies, clock
        content = staff.get(address).content.decode()
    assert content.count('<th scope="row">') == 12
