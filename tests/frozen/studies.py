"""The frozen studies, each made at fixed moments and with fixed seeds."""

import math
import random
from collections.abc import Callable, Mapping
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from django.core.management import call_command

from judging.models import AuditSample, JudgingRun
from judging.services.audit_ratings import RatingReading, RatingRow, ratings_import
from judging.services.audits import audit_draw
from psychometrics.benchmark.accuracy_table import AccuracyTable
from scoring.services.task_tables import task_table_import
from studies.bank.records import CriterionRecord, PromptRecord
from studies.models import ItemBank, Study, User
from tests.frozen.cohort import (
    Texts,
    answers_judge,
    flags_decide,
    items_make,
    judges_running,
    lead_make,
    models_make,
    people_turned_away,
    people_work,
    study_open,
)
from tests.frozen.computing import study_compute
from tests.upgrades.kept_study import BEGAN, after

PARTS = tuple(CriterionRecord(text=f"Says part {part}.") for part in (1, 2))
CATEGORIES = ("QR", "LR", "CF")
WORDS = "the answer follows from the second line because every term before it cancels and leaves one".split()
SPLIT_ENDINGS = (
    *("submitted",) * 7, "expired", "submitted", "expired", *("submitted",) * 8, "withdrawn", "active", "test"
)  # fmt: skip
ENDINGS = (*("submitted",) * 6, "expired", *("submitted",) * 5, "withdrawn")
TASKS = ("Web of Lies", "DisambiguationQA", "Zebra Puzzles", "Object Counting")


def split_make() -> Study:
    """Rubrics, six private prompts, two judges and two arms; off-task people, an audit, models."""
    chance, lead = random.Random(11), lead_make()
    names = names_of(20)
    item_bank = items_make("split-items", names[:-1], chance)
    models_make(item_bank, names[:-1], (0.0, 0.25, 0.5, 0.9, 1.0), seed=12)
    study = study_open(
        "split", lead, [rubric_prompt(n) for n in range(1, 21)], item_bank, batch_size=10, top_size=4,
        replicates_per_profile=6, arms=[{"slug": slug, "instructions": f"Work {slug}."} for slug in ARMS],
        note_per_prompt=True, confidence_per_prompt=True, prompt_order="random", reviewers_see_private=True,
    )  # fmt: skip
    people_work(study, lead, SPLIT_ENDINGS, texts_of(names, seed=13, off_task=(3, 8, 14)))
    flags_decide(study, lead)
    with judges_running(lead, "AB") as judges:
        answers_judge(study, judges, lead)
    study_compute(study, after(days=5))
    sample = audit_draw(
        run=JudgingRun.objects.get(), size=60, seed=4, public_only=False, actor=lead, now=after(days=6)
    )
    for rater, kept in (("r1", 0), ("r2", 1)):
        sheet_import(sample, rater, lead, kept)
    return study


ARMS = ("together", "alone")


def rubric_prompt(n: int) -> PromptRecord:
    return PromptRecord(
        prompt_id=f"p{n:02d}",
        text=f"Question {n}: what follows?",
        gold_answer=str(n),
        criteria=PARTS if n % 4 else (),
        category=CATEGORIES[n % 3],
        subcategory=("one", "two")[n % 2],
        labels=("long",) if n % 2 else (),
        split="private" if n % 3 == 0 else "public",
    )


def names_of(number: int) -> list[str]:
    return [f"p{n:02d}" for n in range(1, number + 1)]


def texts_of(names: list[str], *, seed: int, off_task: tuple[int, ...] = ()) -> Callable[[int], Texts]:
    """What the person of a number writes: some prompts are left, some never opened."""

    def texts(number: int) -> Texts:
        if number in off_task:
            return dict.fromkeys(names, "idk")
        chance = random.Random(seed * 1000 + number)
        found = {name: own_words(chance, number) for name in names if chance.random() < 0.92}
        return found | {name: "" for name in names if chance.random() < 0.06}

    return texts


def own_words(chance: random.Random, number: int) -> str:
    said = " ".join(chance.choices(WORDS, k=chance.randint(6, 14)))
    return f"It is {chance.randint(1, 99)}: {said} ({number})."


def sheet_import(sample: AuditSample, rater: str, lead: User, kept: int) -> None:
    """One rater's sheet: every other verdict, and one in ten of them not rated."""
    rows = tuple(
        RatingRow(n + 1, sample.pk, n, ((n * 7) % 5) / 4 if n % 2 == kept and n % 10 else None)
        for n in sample.items.order_by("number").values_list("number", flat=True)
    )
    ratings_import(sample=sample, reading=RatingReading(rows, ()), rater=rater, actor=lead, now=after(days=7))


def tasks_make() -> Study:
    """Four tasks with a table of models, scored by comparing; two batches."""
    lead, chance = lead_make(), random.Random(21)
    accuracies: dict[str, list[float | None]] = {
        task: [round(chance.uniform(5 + 15 * m, 30 + 15 * m), 1) for m in range(4)] for task in TASKS
    }
    accuracies["Zebra Puzzles"][3] = None
    models = ["Random", "small", "large", "reasoner"]
    table = AccuracyTable(models=models, tasks=list(TASKS), accuracy_percent=accuracies)
    item_bank, _, _ = task_table_import(slug="table", table=table, source="Invented", now=BEGAN)
    prompts = [
        PromptRecord(prompt_id=name, text="Which?", gold_answer="no", task=TASKS[n % 4].lower())
        for n, name in enumerate(names_of(20))
    ]
    study = study_open(
        "tasks", lead, prompts, item_bank, batch_size=10, top_size=4, replicates_per_profile=6,
        judge_kind="match", match_rules="bbeh",
    )  # fmt: skip
    people_work(study, lead, ENDINGS, right_or_wrong(names_of(20), seed=22))
    return judged_and_measured(study, lead)


def right_or_wrong(names: list[str], *, seed: int) -> Callable[[int], Texts]:
    """Right with a probability that grows from the hardest prompt to the easiest, and by person."""

    def texts(number: int) -> Texts:
        chance = random.Random(seed * 1000 + number)
        found = {
            name: "The answer is: no" if chance.random() < right(number, place / len(names)) else "yes"
            for place, name in enumerate(names)
            if chance.random() < 0.94
        }
        return found | {names[number % len(names)]: ""}

    return texts


def right(number: int, ease: float) -> float:
    return 1 / (1 + math.exp(1.2 - 3 * ease - 0.15 * number))


def judged_and_measured(study: Study, lead: User) -> Study:
    """Scored by the study's own judge."""
    flags_decide(study, lead)
    answers_judge(study, [], lead)
    study_compute(study, after(days=5))
    return study


def logistic_make() -> Study:
    """A bank calibrated from right-or-wrong responses, which has its ability on the logistic scale."""
    lead, names = lead_make(), names_of(16)
    item_bank = logistic_bank(names)
    models_make(item_bank, names, (0.0, 1.0, 0.0, 1.0), seed=32)
    prompts = [
        PromptRecord(
            prompt_id=name, text="Which?", gold_answer="no", category=CATEGORIES[n % 2],
            labels=("long",) if n % 3 else (),
        )
        for n, name in enumerate(names)
    ]  # fmt: skip
    study = study_open(
        "logistic", lead, prompts, item_bank, batch_size=8, top_size=4, replicates_per_profile=6,
        judge_kind="match", match_rules="bbeh",
    )  # fmt: skip
    people_work(study, lead, ENDINGS, right_or_wrong(names, seed=33))
    return judged_and_measured(study, lead)


def logistic_bank(names: list[str]) -> ItemBank:
    """Calibrated by the command from the responses of 30 configurations."""
    rng = np.random.default_rng(31)
    theta, b = rng.standard_normal((30, 1)), np.linspace(-1.5, 1.5, len(names))
    scores = (rng.random((30, len(names))) < 1 / (1 + np.exp(b - theta))).astype(int).tolist()
    lines = [["configuration", *names], *([f"m{i}", *own] for i, own in enumerate(scores))]
    with TemporaryDirectory() as folder:
        matrix, bank = Path(folder) / "matrix.csv", Path(folder) / "bank.json"
        matrix.write_text("\n".join(",".join(map(str, line)) for line in lines))
        call_command("calibrate", str(matrix), "--out", str(bank), stdout=StringIO())
        call_command("import_item_bank", str(bank), "--slug", "binary", stdout=StringIO())
    return ItemBank.objects.get(slug="binary")


def bankless_make() -> Study:
    """No item bank, so no ability: two judges, and batches that are cut anew for everybody."""
    lead, names = lead_make(), names_of(18)
    prompts = [rubric_prompt(n).model_copy(update={"split": "public"}) for n in range(1, 19)]
    study = study_open(
        "bankless", lead, prompts, None, batch_size=9, top_size=4, replicates_per_profile=3, assembly="matrix"
    )
    people_work(study, lead, ENDINGS, texts_of(names, seed=43, off_task=(2, 9)))
    flags_decide(study, lead)
    with judges_running(lead, "AB") as judges:
        answers_judge(study, judges, lead)
    study_compute(study, after(days=5))
    return study


def unjudged_make() -> Study:
    """Files of BBH, two of them variants of one task, with item parameters; the excluded are not judged."""
    lead, names = lead_make(), names_of(16)
    item_bank = items_make("unjudged-items", names, random.Random(51))
    prompts = [
        PromptRecord(prompt_id=name, text="Which?", gold_answer="no", task=BBH_FILES[n % 3])
        for n, name in enumerate(names)
    ]
    study = study_open(
        "unjudged", lead, prompts, item_bank, batch_size=8, top_size=3, replicates_per_profile=6,
        judge_kind="match", match_rules="bbh", judge_excluded=False,
    )  # fmt: skip
    writes = right_or_wrong(names, seed=52)
    off_task = {2: dict.fromkeys(names, "idk"), 5: {}, 9: dict.fromkeys(names, "idk")}
    people_work(study, lead, (*ENDINGS, "absent"), lambda number: off_task.get(number, writes(number)))
    people_turned_away(study, lead)
    return judged_and_measured(study, lead)


BBH_FILES = ("logical_deduction_three_objects", "logical_deduction_five_objects", "navigate")


def judges_make() -> Study:
    """Two judges on a bank of the logistic model."""
    lead, names = lead_make(), names_of(16)
    prompts = [rubric_prompt(n).model_copy(update={"split": "public"}) for n in range(1, 17)]
    study = study_open(
        "judges", lead, prompts, logistic_bank(names), batch_size=16, top_size=3, replicates_per_profile=3
    )
    people_work(study, lead, ("submitted",) * 9, texts_of(names, seed=61))
    flags_decide(study, lead)
    with judges_running(lead, "AB") as judges:
        answers_judge(study, judges, lead)
    study_compute(study, after(days=5))
    return study


STUDIES: Mapping[str, Callable[[], Study]] = {
    "split": split_make,
    "tasks": tasks_make,
    "logistic": logistic_make,
    "bankless": bankless_make,
    "unjudged": unjudged_make,
    "judges": judges_make,
}
