"""score_study with a language model as the judge."""

import json
import socket
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest
from django.core.management.base import CommandError
from pytest_django import Settings

from benchmarks.hashed_judge.running import RunningJudge
from judging.models import JudgeCall, JudgeConfig, JudgingRun, ScoringRun
from judging.services.running.judge_specs import study_judge_specs
from judging.services.running.runs import run_plan, run_start
from llm.egress import PUBLIC_ONLY
from psychometrics.inference.measure import Block
from scoring.models import ResultSet
from studies.models import Participant, Study, User
from studies.services.amendments import study_amend
from tests.scoring.commands.terminal import PROMPTS, run
from tests.support.measuring import only_blocks

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def measures_of_one_block() -> Iterator[None]:
    """No test here looks at what is measured."""
    with only_blocks(Block.COHORT):
        yield


@pytest.fixture
def judged(make_study: Callable[..., Study]) -> Study:
    return make_study(prompts=PROMPTS, slug="judged", judge_kind="llm", top_size=1)


@pytest.fixture
def dead_url() -> str:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}/v1"


@pytest.mark.django_db(transaction=True)
def test_a_language_model_judges_over_http(
    judged: Study,
    worker: Callable[..., Participant],
    judge_endpoint: RunningJudge,
    make_judge: Callable[..., JudgeConfig],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    worker(judged)
    monkeypatch.setenv("CHIRON_JUDGE_KEY_MAIN", "sk-secret-0123456789")
    monkeypatch.setenv("CHIRON_JUDGE_ORIGIN_MAIN", judge_endpoint.url.removesuffix("/v1"))
    make_judge(judge_endpoint.url, key_variable="CHIRON_JUDGE_KEY_MAIN")
    User.objects.create_superuser("lead@example.org")
    out, err = run("score_study", "judged", judge=["judge"], by="lead@example.org")
    assert "Average: 4 expected = 4 pairs" in out
    assert err == ""
    assert JudgeCall.objects.count() == len(judge_endpoint.arrivals()) == 4
    judging_run = JudgingRun.objects.get()
    assert judging_run.started_by == User.objects.get(email="lead@example.org")
    run_row = ScoringRun.objects.get()
    assert run_row.judge["model"] == "judge-1"
    assert "sk-secret" not in json.dumps(run_row.judge) + "".join(
        JudgeCall.objects.values_list("raw_reply", flat=True)
    )


@pytest.mark.django_db(transaction=True)
def test_an_estimate_says_what_it_would_take_and_asks_nothing(
    judged: Study,
    worker: Callable[..., Participant],
    judge_endpoint: RunningJudge,
    make_judge: Callable[..., JudgeConfig],
) -> None:
    worker(judged)
    make_judge(judge_endpoint.url, "priced", input_price="1", output_price="2")
    out, _ = run("score_study", "judged", judge=["priced"], estimate=True)
    assert out.startswith("priced: 4 verdicts wanted, 4 calls (0 known already, 0 by the call of an equal")
    assert "cost about 0.0" in out
    assert (judge_endpoint.arrivals(), JudgingRun.objects.count()) == ([], 0)
    said, _ = run("score_study", "judged", judge=["priced"])
    assert said.startswith(out)


@pytest.mark.django_db(transaction=True)
def test_a_panel_is_reported_judge_by_judge_and_each_replicate_asks_again(
    judged: Study,
    worker: Callable[..., Participant],
    judge_endpoint: RunningJudge,
    make_judge: Callable[..., JudgeConfig],
) -> None:
    worker(judged)
    make_judge(judge_endpoint.url, "first")
    make_judge(judge_endpoint.url, "second", model="judge-2")
    out, _ = run("score_study", "judged", judge=["second", "first"], replicates=2)
    heads = [line.removeprefix("== ") for line in out.splitlines() if line.startswith("== ")]
    assert heads == [
        f"The study judged by {judge}, replicate {replicate}"
        for judge, replicate in (("second", 1), ("second", 2), ("first", 1), ("first", 2))
    ]
    assert len(judge_endpoint.arrivals()) == 16


@pytest.mark.django_db(transaction=True)
def test_a_judge_that_is_down_pauses_the_run_with_one_sentence_and_resume_goes_on(
    judged: Study,
    worker: Callable[..., Participant],
    judge_endpoint: RunningJudge,
    make_judge: Callable[..., JudgeConfig],
    dead_url: str,
) -> None:
    worker(judged, {"p1": "41", "p2": "42"})
    judge = make_judge(dead_url)
    with pytest.raises(
        CommandError, match=r"cannot be reached .*Everything judged before is kept"
    ) as stopped:
        run("score_study", "judged", judge=["judge"])
    assert stopped.value.returncode == 1
    assert not ResultSet.objects.exists()
    JudgeConfig.objects.filter(pk=judge.pk).update(base_url=judge_endpoint.url)
    with pytest.raises(CommandError, match=r"open run pauses: The judge fails for everyone.*Add --resume"):
        run("score_study", "judged", judge=["judge"])
    assert judge_endpoint.arrivals() == []
    out, _ = run("score_study", "judged", judge=["judge"], resume=True)
    assert "+ 0 unscored" in out
    assert JudgingRun.objects.get().state == "finished"


@pytest.mark.django_db(transaction=True)
def test_a_run_sends_nothing_to_an_address_that_is_not_public_and_says_what_to_do(
    judged: Study,
    worker: Callable[..., Participant],
    make_judge: Callable[..., JudgeConfig],
    judge_endpoint: RunningJudge,
    settings: Settings,
) -> None:
    worker(judged, {"p1": "41", "p2": "42"})
    make_judge(judge_endpoint.url)
    allowed, settings.JUDGING_EGRESS = settings.JUDGING_EGRESS, PUBLIC_ONLY
    with pytest.raises(CommandError, match=r"not public; .*names it in CHIRON_PRIVATE_ENDPOINTS\."):
        run("score_study", "judged", judge=["judge"])
    assert set(JudgeCall.objects.values_list("outcome", flat=True)) == {"address_refused"}
    assert judge_endpoint.stats()["requests"] == 0
    settings.JUDGING_EGRESS = allowed
    out, _ = run("score_study", "judged", judge=["judge"], resume=True)
    assert "+ 0 unscored" in out


@pytest.mark.parametrize(
    ("slug", "options", "sentence"),
    [
        (
            "judged",
            {},
            r"The study's judge is a language model; name one with --judge \(add it with add_judge",
        ),
        ("judged", {"judge": ["judge"], "replicates": 6}, "A judge is asked at most 5 times about the same."),
        ("judged", {"judge": ["nobody"]}, 'There is no judge "nobody". There are: judge, keyed'),
        ("judged", {"judge": ["keyed"]}, "The environment variable CHIRON_JUDGE_KEY_NONE is not set"),
        ("judged", {"judge": ["judge"], "resume": True}, "No run of this study pauses; leave out --resume"),
        ("judged", {"judge": ["judge"], "by": "nobody@example.org"}, "nobody@example.org is no staff member"),
        ("judged", {"judge": ["judge"], "budget": Decimal(5)}, "price"),
        ("checked", {"judge": ["judge"]}, "which asks no language model"),
        ("checked", {"replicates": 2}, "which asks no language model"),
        ("checked", {"budget": Decimal(5)}, "The study's judge costs nothing; leave out --budget"),
    ],
)
def test_what_does_not_fit_the_study_is_refused_before_anything_is_asked(
    slug: str,
    options: dict[str, Any],
    sentence: str,
    judged: Study,
    checked: Study,
    worker: Callable[..., Participant],
    make_judge: Callable[..., JudgeConfig],
    dead_url: str,
) -> None:
    worker(judged)
    make_judge(dead_url)
    make_judge(dead_url, "keyed", key_variable="CHIRON_JUDGE_KEY_NONE")
    with pytest.raises(CommandError, match=sentence):
        run("score_study", slug, **options)
    assert not JudgingRun.objects.exists()
    assert not JudgeCall.objects.exists()


@pytest.fixture
def opened(
    judged: Study,
    worker: Callable[..., Participant],
    make_judge: Callable[..., JudgeConfig],
    dead_url: str,
    now: datetime,
) -> JudgingRun:
    """A run of the judge "judge" that goes on; another judge, "other", has no part in it."""
    worker(judged)
    specs = study_judge_specs(study=judged, configs=[make_judge(dead_url)])
    make_judge(dead_url, "other", model="judge-2")
    plan = run_plan(study=judged, specs=specs, now=now, progress=lambda done, total: None)
    return run_start(plan=plan, budget=None, actor=None, now=now)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"judge": ["other"]}, r"open run asks judge \(replicate 1\): name the same judges and replicates"),
        ({"judge": ["judge", "other"]}, "name the same judges and replicates to continue it, or cancel"),
        ({"judge": ["judge"], "replicates": 2}, "name the same judges and replicates to continue it"),
        ({"judge": ["judge"], "budget": Decimal(5)}, "has the budget it was started with; leave out"),
        ({"judge": ["judge"], "resume": True}, "open run goes on already; leave out --resume"),
    ],
)
def test_an_open_run_is_not_continued_as_something_else(
    options: dict[str, Any], sentence: str, opened: JudgingRun
) -> None:
    with pytest.raises(CommandError, match=sentence):
        run("score_study", "judged", **options)
    opened.refresh_from_db()
    assert (opened.state, JudgingRun.objects.count(), JudgeCall.objects.count()) == ("running", 1, 0)


def test_an_open_run_of_an_earlier_protocol_is_not_continued(opened: JudgingRun, now: datetime) -> None:
    study_amend(study=opened.study, changes={"top_size": 3}, reason="Fewer people came.", now=now)
    with pytest.raises(CommandError, match="was planned before its protocol was amended; cancel it"):
        run("score_study", "judged", judge=["judge"])
