"""Agreement and audits of a study with private prompts leave the site in the public scope only."""

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from batches.services.ending import session_withdraw
from judging.models import AuditSample
from operations.services.erasure import withdrawn_erase
from studies.models import Study
from tests.support.judged_study import (
    PRIVATE,
    assert_agrees,
    compute,
    exported,
    rows_of,
    run_script,
)

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("number", [1, 3])
def test_only_the_public_scope_leaves_and_the_script_computes_all_of_it(
    make_judged: Callable[..., Study], tmp_path: Path, now: datetime, number: int
) -> None:
    study = make_judged(PRIVATE[:number])
    folder = exported(study, tmp_path / "out", now)
    for table in ("agreement", "audit_results"):
        assert {row["scope"] for row in rows_of(folder, table)} == {"public"}, table
    code, said = run_script(folder)
    assert code == 0, said
    assert_agrees(said)


def test_without_private_prompts_the_only_scope_is_that_of_all_answers(
    make_judged: Callable[..., Study], tmp_path: Path, now: datetime
) -> None:
    folder = exported(make_judged([]), tmp_path / "out", now)
    for table in ("agreement", "audit_results"):
        assert {row["scope"] for row in rows_of(folder, table)} == {"all"}, table
    [entry] = json.loads((folder / "manifest.json").read_text())["audits"]
    assert sum(one["drawn"] for one in entry["strata"]) == 70
    code, said = run_script(folder)
    assert code == 0, said
    assert_agrees(said)


def test_of_the_strata_only_the_public_counts_leave(
    study: Study, sample: AuditSample, tmp_path: Path, now: datetime
) -> None:
    folder = exported(study, tmp_path / "out", now)
    [entry] = json.loads((folder / "manifest.json").read_text())["audits"]
    assert "private" not in entry
    stored = {one["name"]: one for one in sample.strata["strata"] if one["public_verdicts"]}
    assert any(one["public_verdicts"] < one["verdicts"] for one in stored.values())
    assert entry["strata"] == [
        {"name": name, "verdicts": one["public_verdicts"], "drawn": one["public_drawn"]}
        for name, one in stored.items()
    ]
    for row in rows_of(folder, "audit"):
        one = stored[row["stratum"]]
        assert row["inclusion_probability"] == pytest.approx(one["public_drawn"] / one["public_verdicts"])


def test_who_leaves_after_the_draw_is_left_out_and_still_counted_as_drawn(
    study: Study, sample: AuditSample, tmp_path: Path, now: datetime
) -> None:
    of_private = sample.items.filter(row__answer__prompt__split="private")
    public = 70 - of_private.count()
    person = of_private.earliest("number").row.answer.session.participant
    session_withdraw(participant=person, now=now + timedelta(hours=2))
    withdrawn_erase(now=now + timedelta(days=400))
    compute(study, now)
    folder = exported(study, tmp_path / "out", now)
    rows = rows_of(folder, "audit_results")
    assert {row["value"] for row in rows if row["statistic"] == "drawn"} == {public}
    code, said = run_script(folder)
    assert code == 0, said
    assert_agrees(said)
