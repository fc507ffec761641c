"""screen_study, score_study and export_study as somebody at a terminal meets them."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.management.base import CommandError

from judging.models import AnswerScore
from screening.models import Verdict
from studies.models import Participant, Study, StudyEvent, User
from tests.scoring.commands.terminal import PROMPTS, run

pytestmark = pytest.mark.django_db


def test_scoring_prints_the_result_table(checked: Study, worker: Callable[..., Participant]) -> None:
    worker(checked)
    worker(checked, {"p1": "41", "p2": "17"})
    out, err = run("score_study", "checked")
    assert "People: recruited 2, approved 2, started 2, submitted 2, expired 0, withdrawn 0" in out
    assert "Answers of the retained: answered 6, not reached 2" in out
    assert "Average: 8 expected = 6 pairs + 2 missing + 0 unscored\n" in out
    assert "Top (in-sample): 4 expected = 4 pairs" in out
    assert "The study has no item bank, so there is no ability." in out
    assert err == ""


def test_without_an_item_bank_there_is_no_table_of_categories(
    make_study: Callable[..., Study], worker: Callable[..., Participant]
) -> None:
    prompts = [prompt.model_copy(update={"category": "maths"}) for prompt in PROMPTS]
    study = make_study(prompts=prompts, slug="tasks", judge_kind="checks", top_size=1)
    for _ in range(2):
        worker(study, {"p1": "41", "p2": "9"})
    out, _ = run("score_study", "tasks")
    average = next(line for line in out.splitlines() if line.startswith("Average "))
    assert average.split() == ["Average", "2", *["–"] * 6, "4", "2", "2.00", "0.500", "0.500"]
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


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--replicates", "0"], "argument --replicates: is not a whole number above 0"),
        (["--replicates", "many"], "argument --replicates: is not a whole number above 0"),
        (["--budget", "much"], "argument --budget: is not an amount such as 12.50"),
        (["--budget", "-1"], "argument --budget: is not an amount between"),
        (["--budget", "NaN"], "argument --budget: is not an amount between"),
    ],
)
def test_a_number_that_makes_no_sense_is_refused(arguments: list[str], sentence: str, checked: Study) -> None:
    with pytest.raises(CommandError, match=sentence):
        run("score_study", "checked", *arguments)


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
    run("export_study", "checked", str(tmp_path / "export"), replace=True, audience="public")
    events = StudyEvent.objects.filter(study=checked, kind="export_made").order_by("pk")
    assert [(one.actor, one.details) for one in events] == [
        (None, {"audience": "internal"}),
        (None, {"audience": "public"}),
    ]
