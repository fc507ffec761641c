"""The memory an export needs does not grow with the number of answers.

Run:  python -m benchmarks.measurement.export_memory [ANSWERS …]      (default: 1,000 and 100,000)

For each size, one process fills a new SQLite database and another exports it; the peak memory of the second
is what counts. Answers have 1,000 characters, each with a score, a criterion with an explanation, and a
request to a judge with its reply.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

ROOT = Path(__file__).resolve().parents[2]
SIZES = (1_000, 100_000)
PROMPTS = 20
TEXT = "An answer of ordinary length, with a reason and a result. " * 17
NOW = datetime(2030, 5, 1, 9, 0, tzinfo=UTC)
MIB = 1024
AGAIN = (sys.executable, "-m", "benchmarks.measurement.export_memory")

if TYPE_CHECKING:
    from collections.abc import Iterable

    from batches.models import Session
    from studies.models import Study


def main(arguments: list[str]) -> None:
    if arguments[:1] == ["fill"]:
        fill(int(arguments[1]))
    elif arguments[:1] == ["export"]:
        export(Path(arguments[1]))
    else:
        compare([int(argument) for argument in arguments] or list(SIZES))


def compare(sizes: list[int]) -> None:
    peaks = [measured(size) for size in sizes]
    print(f"difference {max(peaks) - min(peaks):.1f} MiB; wanted: at most 50 MiB")


def measured(answers: int) -> float:
    """Peak memory of the exporting process in MiB."""
    with tempfile.TemporaryDirectory() as folder:
        database = f"sqlite:///{folder}/chiron.sqlite3"
        environment = {**os.environ, "CHIRON_DATA_DIR": folder, "DATABASE_URL": database}
        child([*AGAIN, "fill", str(answers)], environment)
        seconds, kib = child([*AGAIN, "export", f"{folder}/export"], environment).split()
    peak = float(kib) / MIB
    print(f"{answers:>8,} answers: peak {peak:6.1f} MiB, {float(seconds):5.1f} s", flush=True)
    return peak


def child(command: list[str], environment: dict[str, str]) -> str:
    done = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout


def export(folder: Path) -> None:
    set_up()
    from scoring.services.exports import study_export
    from studies.models import Study

    started = time.perf_counter()
    study_export(study=Study.objects.get(), target=folder, replace=False, software="benchmark", now=NOW)
    print(time.perf_counter() - started, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


def fill(answers: int) -> None:
    set_up()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    from benchmarks.made_studies import bank_reading, frozen_study, submitted_sessions
    from studies.bank.records import CriterionRecord, PromptRecord

    criteria = (CriterionRecord(text="It is right."),)
    reading = bank_reading(
        PromptRecord(prompt_id=f"p{n}", text=f"Question {n}?", criteria=criteria) for n in range(PROMPTS)
    )
    study = frozen_study("memory", reading, {"batch_size": PROMPTS, "replicates_per_profile": 1000})
    make_answers(study, submitted_sessions(study, range(answers // PROMPTS), ["stem-phd"]))
    from scoring.coordinator import results_bring_up

    results_bring_up(study=study, clock=lambda: NOW)


def set_up() -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    import django

    django.setup()


def make_answers(study: "Study", sessions: "list[Session]") -> None:
    """Answers with a score, a criterion and a request to a judge each."""
    from batches.models import Answer
    from benchmarks.made_studies import ROWS_PER_INSERT, insert
    from judging.models import AnswerScore, CriterionScore, JudgeCall, JudgingRun, ScoringRun
    from studies.models import Criterion, Prompt

    run = ScoringRun.objects.create(
        study=study,
        judge_kind="llm",
        judge={},
        judge_sha256="0" * 64,
        protocol_hash=study.protocol_hash,
        design_hash=study.design_hash,
        started_at=NOW,
    )
    judging_run = JudgingRun.objects.create(
        study=study,
        planned=len(sessions) * PROMPTS,
        estimate=[],
        plan_sha256="0" * 64,
        started_at=NOW,
        resumed_at=NOW,
    )
    prompts = list(Prompt.objects.all())
    criterion_of = {criterion.prompt_id: criterion.pk for criterion in Criterion.objects.all()}
    for some in chunks(sessions, ROWS_PER_INSERT // PROMPTS):
        answers = insert(
            Answer(session=session, prompt=prompt, position=n, text=TEXT, has_text=True, revision=1)
            for session in some
            for n, prompt in enumerate(prompts, start=1)
        )
        scores = insert(
            AnswerScore(run=run, answer=answer, revision=1, score=1.0, judged_at=NOW) for answer in answers
        )
        insert(
            CriterionScore(
                judging_run=judging_run,
                run=run,
                answer=score.answer,
                revision=1,
                criterion_id=criterion_of[score.answer.prompt_id],
                available_at=NOW,
                state="scored",
                origin="asked",
                score=1.0,
                confidence=1.0,
                explanation="It is right, as the reason shows.",
                decided_at=NOW,
            )
            for score in scores
        )
        insert(
            JudgeCall(
                judging_run=judging_run,
                run=run,
                answer=score.answer,
                criterion_id=criterion_of[score.answer.prompt_id],
                request_sha256="0" * 64,
                judge_protocol_sha256="0" * 64,
                model="judge-1",
                raw_reply=TEXT,
                latency_ms=1.0,
                outcome="ok",
                called_at=NOW,
            )
            for score in scores
        )


def chunks(rows: list[Any], size: int) -> "Iterable[list[Any]]":
    remaining = iter(rows)
    while some := list(islice(remaining, size)):
        yield some


if __name__ == "__main__":
    main(sys.argv[1:])
