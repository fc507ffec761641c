"""screen_study, score_study and export_study as somebody at a terminal meets them."""

import json
import socket
from collections.abc import Callable
from contextlib import closing
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from llmock.pytest_plugin import LLMock

from batches.models import Session
from scoring.models import AnswerScore, JudgeCall, ResultSet, ScoringRun, Verdict
from studies.bank.records import PromptRecord
from studies.models import Participant, Study, User

pytestmark = pytest.mark.django_db
PROMPTS = [
    PromptRecord(prompt_id=f"p{n}", text=f"Question {n}?", gold_answer=str(40 + n)) for n in range(1, 5)
]
RIGHT = {f"p{n}": str(40 + n) for n in range(1, 5)}


def run(*command: str, **options: Any) -> tuple[str, str]:
    """What a command prints to standard output and standard error."""
    out, err = StringIO(), StringIO()
    call_command(*command, stdout=out, stderr=err, **options)
    return out.getvalue(), err.getvalue()


@pytest.fixture
def checked(make_study: Callable[..., Study]) -> Study:
    return make_study(prompts=PROMPTS, slug="checked", judge_kind="checks", top_size=1)


@pytest.fixture
def judged(make_study: Callable[..., Study]) -> Study:
    return make_study(prompts=PROMPTS, slug="judged", judge_kind="llm", top_size=1)


@pytest.fixture
def worker(
    make_person: Callable[..., Participant], work: Callable[..., Session]
) -> Callable[..., Participant]:
    def finished(study: Study, answers: dict[str, str] = RIGHT) -> Participant:
        participant = make_person(study)
        work(participant, answers)
        return participant

    return finished


@pytest.fixture
def dead_url() -> str:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}/v1"


def test_scoring_prints_the_result_table(checked: Study, worker: Callable[..., Participant]) -> None:
    worker(checked)
    worker(checked, {"p1": "41", "p2": "17"})
    out, err = run("score_study", "checked")
    assert "People: recruited 2, approved 2, started 2, submitted 2, expired 0, withdrawn 0" in out
    assert "Answers of the retained: answered 6, not reached 2" in out
    assert (
        "Average: 8 expected = 6 pairs + 2 missing + 0 unscored + 0 on prompts without item parameters" in out
    )
    assert "Top (in-sample): 4 expected = 4 pairs" in out
    assert "The study has no item bank, so there is no theta." in out
    assert err == ""


def test_without_an_item_bank_there_is_no_table_of_categories(
    make_study: Callable[..., Study], worker: Callable[..., Participant]
) -> None:
    prompts = [prompt.model_copy(update={"category": "maths"}) for prompt in PROMPTS]
    worker(
        make_study(prompts=prompts, slug="tasks", judge_kind="checks", top_size=1), {"p1": "41", "p2": "9"}
    )
    out, _ = run("score_study", "tasks")
    average = next(line for line in out.splitlines() if line.startswith("Average "))
    assert average.split() == ["Average", "1", "–", "–", "–", "–", "2", "2", "1.00", "0.500", "0.500"]
    assert "maths" not in out


def test_scoring_again_judges_nothing_again(checked: Study, worker: Callable[..., Participant]) -> None:
    worker(checked)
    first, _ = run("score_study", "checked")
    judged_at = set(AnswerScore.objects.values_list("pk", "judged_at"))
    second, _ = run("score_study", "checked")
    assert second == first
    assert set(AnswerScore.objects.values_list("pk", "judged_at")) == judged_at


def test_flags_without_a_verdict_are_mentioned(checked: Study, worker: Callable[..., Participant]) -> None:
    worker(checked, {"p1": "idk"})
    _, err = run("score_study", "checked")
    assert "Flagged participants without a verdict: 1. They are retained until a reviewer confirms" in err


def test_screening_prints_counts_and_excludes_nobody(
    checked: Study, worker: Callable[..., Participant]
) -> None:
    worker(checked)
    worker(checked, {"p1": "idk"})
    out, _ = run("screen_study", "checked")
    assert "2 ended sessions, rules offtask-" in out
    assert "Flagged answers: 1 minimal_content, 3 no_answer." in out
    assert "Flagged participants: 1 few_answers, 1 mostly_off_task." in out
    assert "Without a verdict: 1. Excluded: 0." in out


def test_confirming_all_records_a_verdict_by_name_and_reason(
    checked: Study, worker: Callable[..., Participant]
) -> None:
    worker(checked, {"p1": "idk"})
    User.objects.create_superuser("lead@example.org")
    out, _ = run("screen_study", "checked", confirm_all=True, by="Lead@example.org", reason="Declared.")
    assert "Confirmed by lead@example.org: 1." in out
    assert "Without a verdict: 0. Excluded: 1." in out
    verdict = Verdict.objects.get()
    assert (verdict.decision, verdict.reason, verdict.decided_by.email) == (
        "confirm",
        "Declared.",
        "lead@example.org",
    )


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({}, "--confirm-all needs --by EMAIL and --reason TEXT"),
        ({"by": "lead@example.org"}, "--confirm-all needs --by EMAIL and --reason TEXT"),
        ({"by": "nobody@example.org", "reason": "x"}, "nobody@example.org is no staff member"),
    ],
)
def test_confirming_all_without_an_author_or_a_reason_is_refused(
    options: dict[str, str], sentence: str, checked: Study, worker: Callable[..., Participant]
) -> None:
    worker(checked, {"p1": "idk"})
    with pytest.raises(CommandError, match=sentence):
        run("screen_study", "checked", confirm_all=True, **options)
    assert not Verdict.objects.exists()


@pytest.mark.parametrize("command", [["screen_study"], ["score_study"], ["export_study", "out"]])
def test_an_unknown_study_is_named(command: list[str]) -> None:
    name, *rest = command
    with pytest.raises(CommandError, match=r'There is no study "nothing"\. There are none yet'):
        run(name, "nothing", *rest)


def test_a_language_model_judges_over_http(
    judged: Study, worker: Callable[..., Participant], llmock: LLMock, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker(judged)
    monkeypatch.setenv("JUDGE_KEY", "sk-secret-0123456789")
    out, _ = run(
        "score_study", "judged", judge_url=llmock.base_url(), judge_model="judge-1", judge_key_env="JUDGE_KEY"
    )
    assert "Average: 4 expected = 4 pairs" in out
    assert JudgeCall.objects.count() == 4
    run_row = ScoringRun.objects.get()
    assert run_row.judge["model"] == "judge-1"
    assert "sk-secret" not in json.dumps(run_row.judge) + "".join(
        JudgeCall.objects.values_list("raw_reply", flat=True)
    )


def test_a_judge_that_is_down_ends_with_one_sentence_and_can_be_continued(
    judged: Study, worker: Callable[..., Participant], llmock: LLMock, dead_url: str
) -> None:
    worker(judged, {"p1": "41", "p2": "42"})
    with pytest.raises(
        CommandError, match=r"cannot be reached .* Everything judged before is kept"
    ) as stopped:
        run("score_study", "judged", judge_url=dead_url, judge_model="judge-1")
    assert stopped.value.returncode == 1
    assert not ResultSet.objects.exists()
    assert set(AnswerScore.objects.values_list("score", "unscored_reason")) == {(None, "connection_failed")}
    out, _ = run("score_study", "judged", judge_url=llmock.base_url(), judge_model="judge-1")
    assert "+ 0 unscored" in out


@pytest.mark.parametrize(
    ("slug", "options", "sentence"),
    [
        ("judged", {}, "The study's judge is a language model; name its endpoint with --judge-url"),
        ("judged", {"judge_url": "http://127.0.0.1:1/v1"}, "needs both --judge-url and --judge-model"),
        (
            "judged",
            {"judge_url": "nonsense", "judge_model": "m"},
            "is not usable; expected e.g. https://host/v1",
        ),
        (
            "judged",
            {"judge_url": "http://127.0.0.1:1/v1", "judge_model": "m", "judge_key_env": "NO_SUCH_VARIABLE"},
            "The environment variable NO_SUCH_VARIABLE is not set",
        ),
        (
            "checked",
            {"judge_url": "http://127.0.0.1:1/v1", "judge_model": "m"},
            "which asks no language model",
        ),
    ],
)
def test_a_judge_that_does_not_fit_the_study_is_refused_before_anything_happens(
    slug: str, options: dict[str, str], sentence: str, judged: Study, checked: Study
) -> None:
    with pytest.raises(CommandError, match=sentence):
        run("score_study", slug, **options)
    assert not ScoringRun.objects.exists()


@pytest.mark.parametrize("number", ["0", "-1", "many"])
def test_a_concurrency_that_is_no_positive_number_is_refused(number: str, checked: Study) -> None:
    with pytest.raises(CommandError, match="argument --concurrency: is not a whole number above 0"):
        run("score_study", "checked", "--concurrency", number)


def test_an_export_says_what_it_wrote(
    checked: Study, worker: Callable[..., Participant], tmp_path: Path
) -> None:
    worker(checked)
    run("score_study", "checked")
    out, _ = run("export_study", "checked", str(tmp_path / "export"))
    assert "4  answers" in out
    assert f"Exported to {tmp_path / 'export'}, as CSV and JSONL, without names or addresses." in out
    assert json.loads((tmp_path / "export" / "manifest.json").read_text())["software"] == "chiron 0.1.0"
    with pytest.raises(CommandError, match="holds an earlier export; name another folder or add --replace"):
        run("export_study", "checked", str(tmp_path / "export"))
    run("export_study", "checked", str(tmp_path / "export"), replace=True)
