"""add_judge, change_judge, list_judges."""

from datetime import datetime
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from benchmarks.hashed_judge.running import judge_server
from judging.models import JudgeChange, JudgeConfig
from llm.egress import PUBLIC_ONLY
from studies.models import User

pytestmark = pytest.mark.django_db
ADDRESS = ("--url", "https://judge.example/v1", "--model", "judge-1")


def said(*arguments: Any) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def test_a_judge_is_added_with_everything_that_is_given() -> None:
    User.objects.create_user("lead@example.org", is_staff=True)
    options = (
        *("--provider", "openai", "--key-env", "CHIRON_JUDGE_KEY_MAIN", "--effort", "low"),
        *("--max-output-tokens", "2000", "--parameters", '{"temperature": 0}'),
        *("--input-price", "0.25", "--output-price", "2", "--rpm", "500", "--tpm", "200000"),
        *("--concurrency", "32", "--timeout", "90", "--by", "lead@example.org"),
    )
    assert 'Added the judge "one"' in said("add_judge", "one", *ADDRESS, *options)
    judge = JudgeConfig.objects.get()
    assert (judge.provider, judge.key_variable, judge.reasoning_effort) == (
        "openai",
        "CHIRON_JUDGE_KEY_MAIN",
        "low",
    )
    assert (judge.max_output_tokens, judge.parameters) == (2000, {"temperature": 0})
    assert (judge.requests_per_minute, judge.tokens_per_minute) == (500, 200_000)
    assert (judge.concurrency, judge.timeout_seconds) == (32, 90.0)
    assert (str(judge.input_price), str(judge.output_price)) == ("0.250000", "2.000000")
    change = JudgeChange.objects.get()
    assert change.actor is not None
    assert change.actor.email == "lead@example.org"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--key-env", "sk-abcdefghijklmnop"), "name of the environment variable"),
        (("--effort", "high"), "cannot be asked for"),
        (("--input-price", "1"), "both prices or none"),
        (("--input-price", "-1", "--output-price", "1"), "A price lies between"),
        (("--parameters", '{"model": "x"}'), "Leave model out"),
        (("--parameters", "{"), "JSON"),
        (("--parameters", "/nowhere.json"), "cannot be read"),
        (("--concurrency", "0"), "Between 1 and 1,000"),
        (("--timeout", "nan"), "3,600"),
        (("--rpm", "0"), "whole number above 0"),
        (("--input-price", "cheap"), "is not a price"),
        (("--provider", "somebody"), "invalid choice"),
        (("--by", "nobody@example.org"), "is no staff member"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(options: tuple[str, ...], sentence: str) -> None:
    with pytest.raises(CommandError, match=sentence) as caught:
        said("add_judge", "one", *ADDRESS, *options)
    assert "sk-abc" not in str(caught.value)
    assert not JudgeConfig.objects.exists()


def test_a_judge_needs_an_address_and_a_model() -> None:
    with pytest.raises(CommandError, match="--url, --model"):
        said("add_judge", "one")


def test_a_change_says_what_was_and_what_is_and_keeps_the_rest() -> None:
    said("add_judge", "one", *ADDRESS, "--rpm", "30", "--input-price", "1", "--output-price", "2")
    assert said("change_judge", "one", "--concurrency", "4", "--rpm", "none") == (
        "requests_per_minute: 30 -> None\nconcurrency: 16 -> 4\n"
    )
    assert said("change_judge", "one", "--input-price", "1.0") == "Nothing was changed.\n"
    said("change_judge", "one", "--input-price", "none", "--output-price", "none")
    judge = JudgeConfig.objects.get()
    assert (judge.concurrency, judge.requests_per_minute, judge.input_price) == (4, None, None)


def test_a_key_is_taken_away_by_a_word() -> None:
    said("add_judge", "one", *ADDRESS, "--key-env", "CHIRON_JUDGE_KEY_MAIN")
    said("change_judge", "one", "--key-env", "none")
    assert JudgeConfig.objects.get().key_variable == ""


def test_an_unknown_judge_is_named_with_those_there_are() -> None:
    said("add_judge", "one", *ADDRESS)
    with pytest.raises(CommandError, match=r'There is no judge "two"\. There are: one\.'):
        said("change_judge", "two", "--rpm", "3")


def test_the_list_has_a_line_for_every_judge() -> None:
    assert "There is no judge yet" in said("list_judges")
    said("add_judge", "one", *ADDRESS, "--rpm", "30", "--input-price", "0.5", "--output-price", "10")
    said("add_judge", "two", *ADDRESS)
    head, one, two = said("list_judges").splitlines()
    assert head.split()[:3] == ["name", "model", "provider"]
    assert one.split("  ")[0] == "one"
    assert "16 at a time, requests/min 30" in one
    assert "0.5 read, 10 written" in one
    assert "unknown" in two
    assert two.endswith("no study")


def test_a_trial_after_adding_prints_what_works(tmp_path: Path) -> None:
    with judge_server(log=tmp_path / "log") as server:
        told = said("add_judge", "one", "--url", server.url, "--model", "judge-1", "--try")
    assert "good  Model: The reply is by judge-1." in told
    assert 'The judge "one" works.' in told


def test_a_trial_that_fails_keeps_the_judge_and_ends_in_an_error(now: datetime) -> None:
    with pytest.raises(CommandError, match="does not work"):
        said("add_judge", "one", "--url", "http://127.0.0.1:9/v1", "--model", "judge-1", "--try")
    assert JudgeConfig.objects.filter(slug="one").exists()


def test_a_trial_sends_nothing_to_an_address_that_is_not_public(tmp_path: Path, settings: Settings) -> None:
    settings.JUDGING_EGRESS = PUBLIC_ONLY
    with judge_server(log=tmp_path / "log") as server:
        out = StringIO()
        with pytest.raises(CommandError, match="does not work"):
            call_command("add_judge", "one", "--url", server.url, "--model", "judge-1", "--try", stdout=out)
        assert server.stats()["requests"] == 0
    assert "bad   Address: " in out.getvalue()
    assert "names it in CHIRON_PRIVATE_ENDPOINTS" in out.getvalue()
