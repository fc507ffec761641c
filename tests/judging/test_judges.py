"""Judges of a site: the rules of their settings, and what changes leave behind."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from decimal import Decimal

import pytest

from judging.models import JudgeChange, JudgeConfig, ScoringRun
from judging.selectors.judges import judge_is_used, known_judges
from judging.services.judge_rules import JudgeInvalid, JudgeSettings
from judging.services.judges import (
    JudgeChanged,
    JudgeFixed,
    judge_add,
    judge_change,
    settings_of,
)
from judging.services.running.judge_specs import study_judge_specs
from judging.services.running.runs import run_plan, run_start
from studies.models import Participant, Study, User
from studies.roles import Role
from studies.services.site_objects import UsedByOthers
from studies.services.staff.roles import role_give
from studies.services.staff.staff import staff_add

pytestmark = pytest.mark.django_db
GOOD = JudgeSettings(base_url="https://judge.example/v1", model="judge-1")
SECRET = "sk-proj-4f9Q2mZx81LpTTe0abcdEF"


@pytest.fixture
def judge(now: datetime) -> JudgeConfig:
    return judge_add(slug="one", settings=GOOD, actor=None, now=now)


@pytest.fixture
def asked_study(
    make_study: Callable[..., Study], make_person: Callable[..., Participant], work: Callable[..., object]
) -> Study:
    study = make_study(prompts=2, judge_kind="llm")
    work(make_person(study), {"p001": "1", "p002": "2"})
    return study


def refusal(settings: JudgeSettings, now: datetime, slug: str = "one") -> JudgeInvalid:
    with pytest.raises(JudgeInvalid) as caught:
        judge_add(slug=slug, settings=settings, actor=None, now=now)
    assert not JudgeConfig.objects.exists()
    return caught.value


def test_a_judge_is_stored_as_described_and_its_beginning_is_on_record(lead: User, now: datetime) -> None:
    settings = replace(
        GOOD,
        base_url=" https://judge.example/v1/ ",
        provider="openai",
        key_variable="CHIRON_JUDGE_KEY_MAIN",
        reasoning_effort="high",
        parameters={"temperature": 0},
        input_price=Decimal("0.25"),
        output_price=Decimal(2),
        requests_per_minute=500,
    )
    judge = judge_add(slug="my-judge", settings=settings, actor=lead, now=now)
    judge.refresh_from_db()
    assert settings_of(judge) == replace(settings, base_url="https://judge.example/v1")
    change = JudgeChange.objects.get()
    assert (change.judge, change.actor, change.changed_at) == (judge, lead, now)
    assert change.changes["slug"] == "my-judge"
    assert change.changes["input_price"] == "0.25"


@pytest.mark.parametrize(
    "written",
    [SECRET, "my_key", "AKIAIOSFODNN7EXAMPLE", "KEY WITH SPACE", "1KEY", "A" * 30, "x" * 101, "KÉY"],
)
def test_what_may_be_a_key_is_refused_and_not_repeated(written: str, now: datetime) -> None:
    error = refusal(replace(GOOD, key_variable=written), now)
    assert error.field == "key_variable"
    assert written not in str(error)


@pytest.mark.parametrize(
    "variable", ["", *(f"CHIRON_JUDGE_KEY_{name}" for name in ("MAIN", "2", "OF_THE_UNIVERSITY", "GPT_5_2"))]
)
def test_the_name_of_a_variable_is_taken(variable: str, now: datetime) -> None:
    judge = judge_add(slug="one", settings=replace(GOOD, key_variable=variable), actor=None, now=now)
    assert judge.key_variable == variable


@pytest.mark.parametrize(
    "parameters",
    [
        {"api_key": SECRET},
        {"extra_headers": {"Authorization": "Bearer abc"}},
        {"more": [{"Api-Key": "x"}]},
        {"note": SECRET},
    ],
)
def test_a_key_among_the_parameters_is_refused_and_not_repeated(
    parameters: dict[str, object], now: datetime
) -> None:
    error = refusal(replace(GOOD, parameters=parameters), now)  # type: ignore[arg-type]
    assert (error.field, SECRET in str(error)) == ("parameters", False)


@pytest.mark.parametrize(
    ("changed", "field", "words"),
    [
        ({"base_url": "judge.example"}, "base_url", "https://host/v1"),
        ({"base_url": "ftp://judge.example/v1"}, "base_url", "https://host/v1"),
        ({"base_url": "https://me:secret@judge.example/v1"}, "base_url", "no user, password or query"),
        ({"base_url": "https://judge.example/v1?key=x"}, "base_url", "no user, password or query"),
        ({"base_url": "https://judge.example/ü"}, "base_url", "ASCII"),
        ({"base_url": "https://judge.example/" + "x" * 500}, "base_url", "500 characters"),
        ({"model": " "}, "model", "model's name"),
        ({"model": "a\x00b"}, "model", "model's name"),
        ({"provider": "another"}, "provider", "openai, gemini"),
        ({"provider": "openai", "reasoning_effort": "huge"}, "reasoning_effort", "It takes none, minimal"),
        ({"reasoning_effort": "high"}, "reasoning_effort", "cannot be asked for"),
        ({"parameters": {"messages": []}}, "parameters", "Leave messages out"),
        ({"parameters": {"max_tokens": 5}}, "parameters", "Leave max_tokens out"),
        ({"parameters": {"temperature": float("nan")}}, "parameters", "no JSON"),
        ({"parameters": {"stop": "\x00"}}, "parameters", "NUL"),
        ({"parameters": {"stop": "\ud800"}}, "parameters", "no JSON"),
        ({"parameters": {"stop": "x" * 10_001}}, "parameters", "10,000"),
        ({"parameters": [1]}, "parameters", "JSON object"),
        ({"max_output_tokens": 0}, "max_output_tokens", "above 0"),
        ({"requests_per_minute": 0}, "requests_per_minute", "above 0"),
        ({"tokens_per_minute": 2**31}, "tokens_per_minute", "above 0"),
        ({"concurrency": 0}, "concurrency", "Between 1 and 1,000"),
        ({"timeout_seconds": 0.0}, "timeout_seconds", "3,600"),
        ({"timeout_seconds": float("nan")}, "timeout_seconds", "3,600"),
        ({"input_price": Decimal(1)}, "output_price", "both prices or none"),
        ({"output_price": Decimal(1)}, "input_price", "both prices or none"),
        ({"input_price": Decimal(-1), "output_price": Decimal(1)}, "input_price", "between 0"),
        ({"input_price": Decimal("NaN"), "output_price": Decimal(1)}, "input_price", "between 0"),
        ({"input_price": Decimal("0.0000001"), "output_price": Decimal(1)}, "input_price", "six decimal"),
    ],
)
def test_every_rule_is_a_sentence_about_its_setting(
    changed: dict[str, object], field: str, words: str, now: datetime
) -> None:
    error = refusal(replace(GOOD, **changed), now)  # type: ignore[arg-type]
    assert error.field == field
    assert words in str(error)


@pytest.mark.parametrize("slug", ["", "Judge", "my judge", "-a", "a--b", "a/b", "x" * 51])
def test_a_name_is_small_letters_digits_and_hyphens(slug: str, now: datetime) -> None:
    assert refusal(GOOD, now, slug).field == "slug"


def test_a_name_is_given_once(judge: JudgeConfig, now: datetime) -> None:
    with pytest.raises(JudgeInvalid, match='There is a judge "one" already'):
        judge_add(slug="one", settings=GOOD, actor=None, now=now)
    assert JudgeConfig.objects.count() == 1


def test_a_change_is_on_record_with_both_values_and_its_actor(
    judge: JudgeConfig, lead: User, now: datetime
) -> None:
    prices = {"input_price": Decimal("0.5"), "output_price": Decimal(4)}
    changes = judge_change(judge=judge, settings=replace(GOOD, **prices), actor=lead, now=now)  # type: ignore[arg-type]
    assert changes == {"input_price": [None, "0.5"], "output_price": [None, "4"]}
    newest = JudgeChange.objects.order_by("-pk").first()
    assert newest is not None
    assert (newest.changes, newest.actor) == (changes, lead)
    judge.refresh_from_db()
    assert judge.output_price == 4


def test_no_change_leaves_no_record(judge: JudgeConfig, now: datetime) -> None:
    assert judge_change(judge=judge, settings=settings_of(judge), actor=None, now=now) == {}
    assert JudgeChange.objects.count() == 1


def test_who_looked_before_somebody_elses_change_changes_nothing(judge: JudgeConfig, now: datetime) -> None:
    seen = JudgeChange.objects.get().pk
    judge_change(judge=judge, settings=replace(GOOD, concurrency=2), actor=None, now=now)
    with pytest.raises(JudgeChanged, match="Somebody else"):
        judge_change(
            judge=judge, settings=replace(GOOD, concurrency=9), actor=None, now=now, seen_change_id=seen
        )
    judge.refresh_from_db()
    assert judge.concurrency == 2


def test_another_address_may_take_schemas_again(judge: JudgeConfig, now: datetime) -> None:
    JudgeConfig.objects.update(plain_json_at=now)
    judge_change(judge=judge, settings=replace(GOOD, concurrency=2), actor=None, now=now)
    judge.refresh_from_db()
    assert judge.plain_json_at == now
    elsewhere = replace(GOOD, concurrency=2, base_url="https://other.example/v1")
    judge_change(judge=judge, settings=elsewhere, actor=None, now=now)
    judge.refresh_from_db()
    assert judge.plain_json_at is None


@pytest.mark.parametrize(
    "changed",
    [
        {"model": "judge-2"},
        {"provider": "vllm"},
        {"parameters": {"temperature": 1}},
        {"max_output_tokens": 500},
    ],
)
def test_what_decides_scores_is_fixed_once_a_run_used_the_judge(
    changed: dict[str, object], judge: JudgeConfig, asked_study: Study, now: datetime
) -> None:
    specs = study_judge_specs(study=asked_study, configs=[judge])
    plan = run_plan(study=asked_study, specs=specs, now=now, progress=lambda done, total: None)
    run_start(plan=plan, budget=None, actor=None, now=now)
    with pytest.raises(JudgeFixed, match="Add another judge"):
        judge_change(judge=judge, settings=replace(GOOD, **changed), actor=None, now=now)  # type: ignore[arg-type]
    moved = replace(
        GOOD,
        base_url="https://other.example/v1",
        key_variable="CHIRON_JUDGE_KEY_OTHER",
        concurrency=3,
        requests_per_minute=10,
        timeout_seconds=5.0,
        input_price=Decimal(1),
        output_price=Decimal(1),
    )
    assert len(judge_change(judge=judge, settings=moved, actor=None, now=now)) == 7
    assert [(known.config.slug, known.studies) for known in known_judges()] == [("one", (asked_study.slug,))]
    (of_others,) = known_judges(among=Study.objects.none())
    assert (of_others.studies, of_others.others) == ((), 1)


def test_an_estimate_alone_fixes_nothing_and_is_forgotten(
    judge: JudgeConfig, asked_study: Study, now: datetime
) -> None:
    specs = study_judge_specs(study=asked_study, configs=[judge])
    run_plan(study=asked_study, specs=specs, now=now, progress=lambda done, total: None)
    assert ScoringRun.objects.count() == 1
    assert not judge_is_used(judge)
    judge_change(judge=judge, settings=replace(GOOD, model="judge-2"), actor=None, now=now)
    assert not ScoringRun.objects.exists()


def test_a_used_judge_is_changed_by_those_alone_who_may_judge_in_each_of_its_studies(
    judge: JudgeConfig, asked_study: Study, now: datetime
) -> None:
    specs = study_judge_specs(study=asked_study, configs=[judge])
    plan = run_plan(study=asked_study, specs=specs, now=now, progress=lambda done, total: None)
    run_start(plan=plan, budget=None, actor=None, now=now)
    maker, _ = staff_add(email="maker@example.org", creates_studies=True)
    elsewhere = replace(GOOD, base_url="https://elsewhere.example/v1")
    for moved in (
        elsewhere,
        replace(GOOD, key_variable="CHIRON_JUDGE_KEY_OTHER"),
        replace(GOOD, input_price=Decimal(9), output_price=Decimal(9)),
        replace(GOOD, concurrency=3),
        replace(GOOD, requests_per_minute=1),
        replace(GOOD, tokens_per_minute=1),
        replace(GOOD, timeout_seconds=1.0),
    ):
        with pytest.raises(UsedByOthers, match="Studies in which you may not judge") as refused:
            judge_change(judge=judge, settings=moved, actor=maker, now=now)
        assert asked_study.slug not in str(refused.value)
    judge.refresh_from_db()
    assert settings_of(judge) == GOOD
    assert not asked_study.events.filter(kind="judge_changed").exists()
    role_give(study=asked_study, user=maker, role=Role.LEAD, now=now)
    judge_change(judge=judge, settings=replace(elsewhere, concurrency=3), actor=maker, now=now)
    event = asked_study.events.get(kind="judge_changed")
    assert (event.actor, event.details) == (
        maker,
        {"judge": "one", "base_url": [GOOD.base_url, elsewhere.base_url], "concurrency": [16, 3]},
    )
