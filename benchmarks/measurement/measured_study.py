"""A study with answers and scores at any size, for benchmarks; imported after Django is set up.

The prompts are synthetic and carry the published item parameters. People's abilities are normal with an SD of
0.8, their responses those of DGP-R (`psychometrics.irt.responses`). Scores are rows: nobody judged anything.
"""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from batches.models import Answer, Batch
from benchmarks.made_studies import NOW, frozen_study, insert, submitted_sessions
from benchmarks.measurement.synthetic_bank import write_synthetic_bank
from formats.item_parameters import read_item_parameters
from judging.models import AnswerScore, CriterionScore, JudgingRun, ScoringRun
from psychometrics.irt.responses import dgp_r_table
from psychometrics.irt.transform import Array
from scoring.models import ModelConfiguration, ModelScore
from studies.bank.reading import read_bank
from studies.models import ItemBank, Study
from studies.selectors.item_arrays import item_arrays
from studies.services.banks import item_bank_import

MISSING_SHARE = 0.066  # GIM paper, appendix G: 3,642 of 195 x 20
BETWEEN_PEOPLE_SD = 0.8
CONFIDENT_SHARE, LOWER_CONFIDENCE = 0.97, 0.9
PEOPLE_AT_ONCE = 250
EPOCHS = 5


def measured_study(*, slug: str, people: int, models: int, published: Path, seed: int) -> ScoringRun:
    """A frozen study in which `people` submitted, each a batch of 20, with a finished scoring run.

    `models` configurations have five responses to every prompt, with abilities from -2 to 2.5.
    """
    rng = np.random.default_rng(seed)
    study = published_study(slug, published, people)
    run = finished_run(study)
    plan = Batch.objects.filter(plan__study=study).order_by("number")
    batches = [list(batch.prompts.order_by("places__position")) for batch in plan]
    bank = item_arrays(item_bank_of(study))
    responses = dgp_r_table(bank, rng)
    for n, ability in enumerate(np.linspace(-2, 2.5, models)):
        epochs = responses.epoch_scores(np.array([ability]), EPOCHS, rng)[0]
        configuration = ModelConfiguration.objects.create(
            item_bank=item_bank_of(study), name=f"model-{n:02d}", source="simulated", sha256="0" * 64,
            imported_at=NOW,
        )  # fmt: skip
        insert(
            ModelScore(configuration=configuration, prompt_id=prompt_id, epoch=epoch + 1, score=score)
            for prompt_id, scores in zip(bank.prompt_ids, epochs.tolist(), strict=True)
            for epoch, score in enumerate(scores)
        )
    theta = BETWEEN_PEOPLE_SD * rng.standard_normal(people)
    for start in range(0, people, PEOPLE_AT_ONCE):
        numbers = np.arange(start, min(people, start + PEOPLE_AT_ONCE))
        asked = [batches[n % len(batches)] for n in numbers]
        items = np.array([[bank.index[prompt.prompt_id] for prompt in own] for own in asked])
        rows = np.repeat(np.arange(len(numbers)), items.shape[1])
        p = responses.scores(theta[numbers], items.ravel(), rows, rng)
        p[rng.random(p.shape) < MISSING_SHARE] = np.nan
        answers = submit(study, numbers.tolist(), [[prompt.pk for prompt in own] for own in asked], p)
        judge(run, answers, p, rng)
    return run


def published_study(slug: str, published: Path, people: int) -> Study:
    with TemporaryDirectory() as folder:
        bank_path, items_path = write_synthetic_bank(Path(folder), published)
        parameters = read_item_parameters(items_path)
        item_bank, _ = item_bank_import(slug=slug, parameters=parameters, now=NOW)
        return frozen_study(
            slug,
            read_bank("chiron", bank_path),
            {"judge_kind": "checks", "replicates_per_profile": max(2, people // 100)},
            item_bank=item_bank,
        )


def item_bank_of(study: Study) -> ItemBank:
    assert study.item_bank is not None
    return study.item_bank


def finished_run(study: Study) -> ScoringRun:
    return ScoringRun.objects.create(
        study=study, judge_kind="checks", judge={"kind": "checks"}, judge_sha256="0" * 64,
        protocol_hash=study.protocol_hash, design_hash=study.design_hash, started_at=NOW, finished_at=NOW,
    )  # fmt: skip


def submit(study: Study, numbers: Sequence[int], prompts: Sequence[Sequence[int]], p: Array) -> list[Answer]:
    """Submitted sessions of these people; an answer without a score was never opened."""
    profiles = [profile.slug for profile in study.protocol.profiles]
    sessions = submitted_sessions(study, numbers, profiles)
    there = (~np.isnan(p)).reshape(len(numbers), -1)
    made: list[Answer] = insert(
        Answer(
            session=session, prompt_id=prompt, position=place + 1, has_text=bool(there[row, place]),
            text="It follows from what was measured before." if there[row, place] else "",
            revision=int(there[row, place]), first_seen_at=NOW if there[row, place] else None,
        )
        for row, session in enumerate(sessions)
        for place, prompt in enumerate(prompts[row])
    )  # fmt: skip
    return made


def judge(run: ScoringRun, answers: Sequence[Answer], p: Array, rng: np.random.Generator) -> None:
    """A score and one verdict for every answer that is there; the judge is certain of most."""
    judging, _ = JudgingRun.objects.get_or_create(
        study=run.study, state="finished", planned=0, estimate=[], plan_sha256="0" * 64,
        started_at=NOW, resumed_at=NOW, ended_at=NOW,
    )  # fmt: skip
    certain = np.where(rng.random(p.shape) < CONFIDENT_SHARE, 1.0, LOWER_CONFIDENCE)
    scored = [
        (answer, score, min(1.0, score / sure), sure)
        for answer, score, sure in zip(answers, p.tolist(), certain.tolist(), strict=True)
        if not np.isnan(score)
    ]
    insert(
        AnswerScore(run=run, answer=answer, revision=1, score=score, judged_at=NOW)
        for answer, score, _, _ in scored
    )
    insert(
        CriterionScore(
            judging_run=judging, run=run, answer=answer, revision=1, available_at=NOW, state="scored",
            origin="asked", score=own, confidence=sure, decided_at=NOW,
        )
        for answer, _, own, sure in scored
    )  # fmt: skip
