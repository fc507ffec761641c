"""Trials of a judge against a real server."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from pathlib import Path

import pytest

from benchmarks.hashed_judge.running import RunningJudge, judge_server
from judging.models import JudgeCall
from judging.services.judge_rules import JudgeSettings
from judging.services.judge_trial import FindingState, Trial, judge_probe
from judging.services.judges import judge_add
from tests.support.small_server import ok, saying, small_servers

pytestmark = pytest.mark.django_db
GOOD = JudgeSettings(base_url="https://judge.example/v1", model="judge-1")
SECRET = "sk-proj-4f9Q2mZx81LpTTe0abcdEF"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RunningJudge]:
    with judge_server(log=tmp_path / "judge.log") as running:
        yield running


def states(trial: Trial) -> dict[str, str]:
    return {finding.name: finding.state.value for finding in trial.findings}


def test_a_trial_of_a_judge_that_works_says_so_and_is_no_studys_call(
    server: RunningJudge, now: datetime
) -> None:
    priced = replace(GOOD, base_url=server.url, input_price=Decimal(1), output_price=Decimal(2))
    trial = judge_probe(judge_add(slug="one", settings=priced, actor=None, now=now))
    assert trial.works
    found = states(trial)
    assert found.keys() == {"Key", "Address", "Model", "Reply", "Verdict", "Tokens", "Cost"}
    assert {found[name] for name in ("Key", "Address", "Model", "Reply", "Tokens", "Cost")} == {"good"}
    assert server.stats()["requests"] == 1
    assert not JudgeCall.objects.exists()


def test_a_trial_says_that_there_are_no_prices(server: RunningJudge, now: datetime) -> None:
    trial = judge_probe(
        judge_add(slug="one", settings=replace(GOOD, base_url=server.url), actor=None, now=now)
    )
    assert (trial.works, states(trial)["Cost"]) == (True, "warn")


def test_a_trial_finds_an_endpoint_that_does_not_hold_to_the_schema_it_takes(now: datetime) -> None:
    verdict = '{"explanation": "3 + 4", "grade": "CORRECT", "confidence": 1.0}'
    message = {"content": f"```json\n{verdict}\n```"}
    reply = json.dumps({"choices": [{"message": message, "finish_reason": "stop"}]}).encode()
    with small_servers() as serve:
        server = serve(saying(ok(reply)))
        settings = replace(GOOD, base_url=server.base_url)
        trial = judge_probe(judge_add(slug="one", settings=settings, actor=None, now=now))
    assert (trial.works, states(trial)["Reply"], states(trial)["Verdict"]) == (True, "warn", "good")
    assert "the reply stands in a fence" in next(
        one.sentence for one in trial.findings if one.name == "Reply"
    )
    assert len(server.bodies) == 1


def test_a_trial_finds_an_endpoint_that_takes_no_schema(tmp_path: Path, now: datetime) -> None:
    with judge_server(log=tmp_path / "log", reject_keyword=("minimum",)) as server:
        trial = judge_probe(
            judge_add(slug="one", settings=replace(GOOD, base_url=server.url), actor=None, now=now)
        )
        assert (trial.works, states(trial)["Reply"]) == (True, "warn")
        assert server.stats()["requests"] == 2


def test_a_trial_of_an_address_where_nobody_answers_asks_once(now: datetime) -> None:
    nobody = replace(GOOD, base_url="http://127.0.0.1:9/v1")
    trial = judge_probe(judge_add(slug="one", settings=nobody, actor=None, now=now))
    assert not trial.works
    assert (trial.findings[-1].name, trial.findings[-1].state) == ("Address", FindingState.BAD)


def test_a_trial_with_a_wrong_key_blames_the_key_and_never_shows_it(
    tmp_path: Path, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHIRON_JUDGE_KEY_MAIN", SECRET)
    with judge_server(log=tmp_path / "log", dead_after=0) as server:
        monkeypatch.setenv("CHIRON_JUDGE_ORIGIN_MAIN", server.url.removesuffix("/v1"))
        keyed = replace(GOOD, base_url=server.url, key_variable="CHIRON_JUDGE_KEY_MAIN")
        trial = judge_probe(judge_add(slug="one", settings=keyed, actor=None, now=now))
    assert states(trial) == {"Key": "good", "Key or model": "bad"}
    assert SECRET not in str(trial)


def test_without_its_key_a_judge_is_not_asked(
    server: RunningJudge, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CHIRON_JUDGE_KEY_MAIN", raising=False)
    keyed = replace(GOOD, base_url=server.url, key_variable="CHIRON_JUDGE_KEY_MAIN")
    trial = judge_probe(judge_add(slug="one", settings=keyed, actor=None, now=now))
    assert states(trial) == {"Key": "bad"}
    assert server.stats()["requests"] == 0
