"""A category with one private prompt: no score on it moves what an export says of parts of the prompts."""

import random
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from batches.models import Session
from formats.item_parameters import ItemParameter, ItemParameters
from judging.models import AnswerScore, ScoringRun
from psychometrics.recompute.export import table_row
from scoring.coordinator import Scoring
from scoring.services.exports import study_export
from scoring.services.measurement import measurement_compute
from scoring.services.results import results_compute
from studies.bank.records import PromptRecord
from studies.models import Participant, Study
from studies.services.banks import item_bank_import
from tests.support.computed_again import computed_again

pytestmark = pytest.mark.django_db
NAMES = [f"p{n:02d}" for n in range(1, 13)]
ALONE = "p02"  # of category LN
PRIVATE = {ALONE, "p01", "p03", "p04", "p06", "p07", "p09"}  # three of QR and three of LR
CATEGORIES = ("LR", "QR", "LN")
PEOPLE = 12
Row = dict[str, Any]


@pytest.fixture(scope="module")
def study(
    kept: None,
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    score_at: Callable[..., Scoring],
    now: datetime,
) -> Study:
    chance = random.Random(3)
    items = tuple(ItemParameter(name, a=1.0, b=n / 6 - 1) for n, name in enumerate(NAMES))
    parameters = ItemParameters(items, squeeze_scale=0.998, squeeze_offset=0.001, sigma_hat=2.5)
    bank, _ = item_bank_import(slug="items", parameters=parameters, now=now)
    prompts = [
        PromptRecord(
            prompt_id=name, text=f"Question {name}?", gold_answer=name, category=CATEGORIES[n % 3],
            split="private" if name in PRIVATE else "public",
        )
        for n, name in enumerate(NAMES, start=1)
    ]  # fmt: skip
    study = make_study(
        prompts=prompts,
        slug="parts",
        batch_size=12,
        replicates_per_profile=50,
        item_bank=bank,
        top_size=4,
        judge_kind="checks",
    )
    for number in range(PEOPLE):
        person = make_person(study, profile=("stem-phd", "stem-undergraduate")[number % 2])
        work(person, dict.fromkeys(NAMES, "an answer of several words"))
    run = score_at(study, clock=lambda: now + timedelta(days=1), measures=False).judges[0].results.run
    for one in AnswerScore.objects.filter(run=run).order_by(
        "answer__session__participant", "answer__prompt__prompt_id"
    ):
        AnswerScore.objects.filter(pk=one.pk).update(score=chance.choice((0.0, 0.25, 0.5, 0.9, 1.0)))
    return study


def exported(study: Study, score: float, folder: Path, now: datetime) -> tuple[list[Row], list[Row]]:
    """The measures in both scopes that leave with this score for everybody on the private prompt of LN."""
    run = ScoringRun.objects.get(study=study)
    AnswerScore.objects.filter(run=run, answer__prompt__prompt_id=ALONE).update(score=score)
    results = results_compute(run=run, now=now + timedelta(days=2))
    measurement_compute(results=results, now=now + timedelta(days=2), resamples=60)
    study_export(study=study, target=folder, replace=False, software="chiron test", now=now)
    rows = [table_row(line) for line in (folder / "measures.jsonl").read_text().splitlines()]
    of_scopes = ([row for row in rows if row["scope"] == scope] for scope in ("all", "public"))
    of_all, of_public = of_scopes
    return of_all, of_public


def test_a_score_on_the_one_private_prompt_of_a_category_moves_no_shift_of_it_that_leaves(
    study: Study, tmp_path: Path, now: datetime
) -> None:
    found = [exported(study, score, tmp_path / f"{score:g}", now) for score in (0.0, 1.0)]

    assert found[0][1] == found[1][1]
    shifts = [{row["subset"]: row for row in of_all if row["name"] == "dif.group"} for of_all, _ in found]
    assert shifts[0].keys() == shifts[1].keys() >= {"category:LN", "category:LR", "category:QR"}
    hidden = [subset for subset in shifts[0] if subset.endswith(("category:LN", "category:LR"))]
    assert len(hidden) == 2 * 3  # LR is the next smallest: all less LR and QR would be LN
    for subset in hidden:
        row = shifts[0][subset]
        assert row == shifts[1][subset]
        assert [row[key] for key in ("value", "se", "low", "high", "n", "clusters")] == [None] * 6
        assert row["reason"] in ("too_few_private", "complement")
        assert row["details"] == {"p": None, "p_holm": None, "flagged": False}
    assert shifts[0]["category:LN"]["reason"] == "too_few_private"
    assert shifts[0]["category:LR"]["reason"] == "complement"
    assert shifts[0]["category:QR"]["value"] is not None
    assert {row["reason"] for row in found[0][1] if row["subset"] == "category:LN"} != {"too_few_private"}


def test_what_is_held_back_is_no_difference_to_the_recompute_script(
    study: Study, tmp_path: Path, now: datetime
) -> None:
    exported(study, 0.5, tmp_path / "export", now)
    code, said = computed_again(tmp_path / "export")
    assert code == 0, said
