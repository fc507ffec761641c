"""What an audit gives: its result, its export, its command."""

import csv
import json
from collections.abc import Callable
from datetime import datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from batches.services.ending import session_withdraw
from judging.models import AuditSample, CriterionScore, JudgingRun
from judging.selectors.audits import sheet_rows
from psychometrics.inference.estimates import Reason
from scoring.coordinator import results_bring_up
from scoring.selectors.audit_results import audit_result
from scoring.services.audits import audits_compute
from scoring.services.exports import study_export
from studies.models import BankVersion, Participant, Study
from tests.support.audit_sheets import draw, filled, rate, sheet

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(run: JudgingRun) -> Study:
    return run.study


def test_people_who_repeat_the_first_judge_agree_with_it_wholly(run: JudgingRun, now: datetime) -> None:
    sample = draw(run, now, size=60)
    said = {item.number: item.row.score for item in sample.items.select_related("row")}
    rate(sample, [row | {"human_score": repr(said[int(row["number"])])} for row in sheet(sample)], now)
    audits_compute(study=run.study, now=now)
    first, second = audit_result(sample).judges
    assert (first.found.pairs, first.found.covered) == (60, 1.0)
    weighted, in_sample = first.found.weighted, first.found.sample
    assert (weighted["kappa"].value, in_sample["kappa"].value) == (1.0, 1.0)
    assert (weighted["near_exact"].value, weighted["offset"].value) == (1.0, 0.0)
    # All 60 are drawn: weighted is what the sample says, and that is the agreement of the two judges.
    weighted, in_sample = second.found.weighted, second.found.sample
    assert weighted["kappa"].value == pytest.approx(in_sample["kappa"].value)
    assert weighted["same_side"].value == pytest.approx(agreeing_share())
    assert weighted["same_side"].value < 1


def agreeing_share() -> float:
    by_judge: dict[str, dict[tuple[int, int | None], bool]] = {"first": {}, "second": {}}
    for row in CriterionScore.objects.select_related("run__config"):
        assert row.run.config is not None
        assert row.score is not None
        by_judge[row.run.config.slug][row.answer_id, row.criterion_id] = row.score >= 0.5
    first, second = by_judge.values()
    return sum(first[place] == second[place] for place in first) / len(first)


def test_an_unrated_sample_says_so_and_nothing_else(run: JudgingRun, now: datetime) -> None:
    sample = draw(run, now)
    assert (audit_result(sample).judges, audit_result(sample).is_current) == ((), False)
    audits_compute(study=run.study, now=now)
    result = audit_result(sample)
    assert result.is_current
    assert (result.rated, result.asked, result.raters, result.verdicts) == (0, 30, 0, 60)
    for judge in result.judges:
        assert judge.found.weighted["kappa"].reason == Reason.NO_PAIRS
        assert judge.found.pairs == 0
    assert {one.rated for one in result.strata} == {0}


def test_a_result_takes_few_queries(
    run: JudgingRun, now: datetime, django_assert_max_num_queries: Callable[[int], Any]
) -> None:
    sample = AuditSample.objects.select_related("judging_run__study").get(pk=draw(run, now, size=60).pk)
    with django_assert_max_num_queries(6):
        audit_result(sample)
    with django_assert_max_num_queries(3):
        assert len(list(sheet_rows(sample))) == 60


def test_the_export_has_ratings_without_names_and_public_prompts_only(
    run: JudgingRun, study: Study, people: list[Participant], now: datetime, tmp_path: Path
) -> None:
    sample = draw(run, now, size=60)
    rows = sheet(sample)
    first = [row | {"human_score": "1", "comment": "of Ada"} for row in rows[:10]] + rows[10:]
    rate(sample, first, now, rater="Ada Lovelace")
    rate(
        sample,
        rows[:10] + [row | {"human_score": "0"} for row in rows[10:20]] + rows[20:],
        now,
        rater="Grace",
    )
    session_withdraw(participant=people[0], now=now + timedelta(hours=2))
    folder = tmp_path / "out"
    results_bring_up(study=study, clock=lambda: now)
    study_export(study=study, target=folder, replace=False, software="chiron test", now=now)
    found = [json.loads(line) for line in (folder / "audit.jsonl").read_text().splitlines()]
    assert len(found) == 5 * 9 * 2
    assert {row["prompt_id"] for row in found} == {"p1", "p2", "p3"}
    assert {row["participant"] for row in found} == {person.code for person in people[1:]}
    assert {row["rater"] for row in found} == {1, 2, None}
    assert all((row["rater"] is None) == (row["human_score"] is None) for row in found)
    assert {row["inclusion_probability"] for row in found} == {1.0}
    assert {(row["run"], row["sample"]) for row in found} == {(1, 1), (2, 1)}
    verdicts = {
        (row["run"], row["participant"], row["prompt_id"], row["criterion"]): row["score"]
        for row in map(json.loads, (folder / "criteria.jsonl").read_text().splitlines())
    }
    for row in found:
        place = (row["run"], row["participant"], row["prompt_id"], row["criterion"])
        assert row["judge_score"] == verdicts[place]
    for path in (one for one in folder.iterdir() if one.suffix != ".zip"):
        content = path.read_text(encoding="utf-8")
        assert not any(word in content for word in ("Ada", "Grace", "hidden answer", "Hidden"))


def test_the_command_draws_takes_back_and_shows(
    run: JudgingRun, now: datetime, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    BankVersion.objects.update(canaries=["canary-1"])
    target = tmp_path / "audit.csv"
    call_command("audit_sample", "draw", "audited", "--size", "20", "--seed", "3", "--out", str(target))
    sample = AuditSample.objects.get()
    said = capsys.readouterr().out
    assert f"Audit sample {sample.pk}, seed 3: 20 verdicts in {target}." in said
    content = target.read_bytes()
    assert content.startswith(b"\xef\xbb\xbfsample,number,")
    assert content.count(b"canary-1") == 20
    with pytest.raises(CommandError, match=r"audit\.csv exists"):
        call_command("audit_sample", "draw", "audited", "--out", str(target))
    assert AuditSample.objects.count() == 1
    rows = list(csv.DictReader(StringIO(content.decode("utf-8-sig"), newline="")))
    rated = tmp_path / "rated.csv"
    rated.write_bytes(filled([row | {"human_score": "1"} for row in rows[:12]] + rows[12:], ";"))
    call_command("audit_sample", "import", "audited", str(rated), "--rater", "Ada")
    assert "New: 12. Replaced: 0. Unchanged: 0." in capsys.readouterr().out
    call_command("audit_sample", "show", "audited")
    said = capsys.readouterr().out
    assert "rated 12 of 19" in said
    assert "first and people, 12 verdicts with both scores" in said
    assert "second and people" in said


def test_the_command_refuses_in_sentences(
    run: JudgingRun, study: Study, now: datetime, tmp_path: Path
) -> None:
    out = str(tmp_path / "audit.csv")
    for arguments, sentence in (
        (["draw", "audited", "--size", "61", "--out", out], "61 cannot be drawn"),
        (["draw", "audited", "--run", "999", "--out", out], "no judging run 999"),
        (["draw", "audited", "--seed", "-1", "--out", out], "A seed is a whole number"),
        (["draw", "audited", "--out", str(tmp_path / "none" / "a.csv")], "There is no folder"),
        (["draw", "nobody", "--out", out], 'There is no study "nobody"'),
        (["show", "audited"], "has no audit sample"),
        (["import", "audited", out, "--rater", "Ada"], "has no audit sample"),
    ):
        with pytest.raises(CommandError, match=sentence):
            call_command("audit_sample", *arguments)
    assert not Path(out).exists()
    assert not AuditSample.objects.exists()
    draw(run, now)
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("audit_sample", "import", "audited", out, "--rater", "Ada")
