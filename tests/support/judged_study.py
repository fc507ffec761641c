"""A study with private prompts, scored by two judges and audited by people; and what leaves of it."""

import random
import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from batches.models import Answer
from judging.models import AnswerScore, AuditItem, CriterionScore, JudgingRun, ScoringRun
from psychometrics.recompute.export import table_row
from reporting.report.parts import Heading, Part
from reporting.selectors.report_records import study_records
from reporting.views.report.judges import judge_parts
from reporting.views.report.parts import shortened, study_document
from scoring.models import JudgeComparison
from scoring.services.agreements import agreements_compute
from scoring.services.audits import audits_compute
from scoring.services.exports import study_export
from scoring.services.measurement import measurement_compute
from scoring.services.results import results_compute
from studies.bank.records import CriterionRecord
from studies.models import Criterion, Study

NAMES = [f"p{n:02d}" for n in range(1, 9)]
PRIVATE = NAMES[1:6:2]
RUBRIC = tuple(CriterionRecord(text=f"Says part {c}.") for c in range(2))
JUDGED, PEOPLE = "ab", 9


def answers(study: Study) -> Iterator[Answer]:
    found = Answer.objects.filter(session__participant__study=study, has_text=True)
    return found.order_by("prompt__prompt_id", "session__participant").iterator()


def judge_all(judging_run: JudgingRun, run: ScoringRun, chance: random.Random) -> None:
    """Give every criterion of every answer a score, now and then none, and every answer their mean."""
    judged, scored = [], []
    for answer in answers(run.study):
        criteria = answer.prompt.criteria.order_by("position")
        own = [verdict(judging_run, run, answer, criterion, chance) for criterion in criteria]
        scores = [one.score for one in own if one.score is not None]
        judged += own
        scored.append(
            AnswerScore(
                run=run, answer=answer, revision=answer.revision, judged_at=run.started_at,
                score=sum(scores) / len(scores) if scores else None,
                unscored_reason="" if scores else "reply_empty",
            )
        )  # fmt: skip
    CriterionScore.objects.bulk_create(judged)
    AnswerScore.objects.bulk_create(scored)


def verdict(
    judging_run: JudgingRun, run: ScoringRun, answer: Answer, criterion: Criterion, chance: random.Random
) -> CriterionScore:
    score = chance.choice((0.0, 0.3, 0.5, 1.0, 1.0)) if chance.random() > 0.05 else None
    return CriterionScore(
        judging_run=judging_run, run=run, answer=answer, revision=answer.revision, criterion=criterion,
        available_at=run.started_at, decided_at=run.started_at, score=score, origin="asked",
        confidence=None if score is None else 1.0, state="unscored" if score is None else "scored",
        unscored_reason="reply_empty" if score is None else "",
    )  # fmt: skip


def compute(study: Study, now: datetime) -> None:
    """Everything that a report shows, as the scores are now."""
    agreements_compute(study=study, now=now)
    audits_compute(study=study, now=now)
    for run in ScoringRun.objects.filter(study=study).order_by("-pk"):
        results = results_compute(run=run, now=now)
        measurement_compute(results=results, now=now, resamples=60)


def stored(scope: str) -> dict[tuple[int, int, str], Any]:
    rows = JudgeComparison.objects.filter(scope=scope)
    return {(one.first_id, one.second_id, one.level): one.values for one in rows}


def hashes(scope: str) -> set[str]:
    return set(JudgeComparison.objects.filter(scope=scope).values_list("inputs_sha256", flat=True))


def without_private_prompts() -> None:
    """As if nobody had answered them."""
    Answer.objects.filter(prompt__split="private").update(has_text=False)


def change_private_scores() -> None:
    """Whatever judges and raters gave to private prompts becomes something else."""
    criteria = CriterionScore.objects.filter(answer__prompt__split="private", score__isnull=False)
    for one in criteria:
        CriterionScore.objects.filter(pk=one.pk).update(score=1 - (one.score or 0), confidence=0.5)
    for score in AnswerScore.objects.filter(answer__prompt__split="private", score__isnull=False):
        AnswerScore.objects.filter(pk=score.pk).update(score=0.25 if score.score != 0.25 else 0.75)
    items = AuditItem.objects.filter(row__answer__prompt__split="private", human_score__isnull=False)
    items.update(human_score=0.125)


def exported(study: Study, folder: Path, now: datetime) -> Path:
    audits_compute(study=study, now=now)
    study_export(study=study, target=folder, replace=False, software="chiron test", now=now)
    return folder


def run_script(folder: Path) -> tuple[int, str]:
    command = [sys.executable, "-I", str(folder / "recompute.py")]
    done = subprocess.run(command, cwd=folder.parent, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def rows_of(folder: Path, table: str) -> list[dict[str, Any]]:
    return [table_row(line) for line in (folder / f"{table}.jsonl").read_text().splitlines()]


def counts_of(said: str, *tables: str) -> dict[str, tuple[int, int, int]]:
    """How many numbers of each line agree, differ and are not there."""
    lines = (re.match(r" *(\d+) +(\d+) +(\d+)  (.+)", line) for line in said.splitlines())
    found = {line[4]: (int(line[1]), int(line[2]), int(line[3])) for line in lines if line}
    return {name: counts for name, counts in found.items() if name.startswith(tables)}


def assert_agrees(said: str) -> None:
    """All of agreement and audit in the public scope; nothing over all answers."""
    public = counts_of(said, "agreement: ", "audit_results: ")
    assert len(public) > 100
    assert not [name for name, (agree, differ, absent) in public.items() if differ or absent or not agree]
    assert not counts_of(said, "agreement with private", "audit_results with private")


def judges_section(study: Study) -> list[Part]:
    """Agreement and audit in the report."""
    return [shortened(part) for part in judge_parts(study, study_records(study).scope)]


def parts_of(study: Study) -> list[Part]:
    """The whole report but where its numbers come from: there stand times of computing."""
    parts = list(study_document(study).parts)
    names = [part.text if isinstance(part, Heading) else "" for part in parts]
    return parts[: names.index("Provenance")]
