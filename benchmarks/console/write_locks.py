"""How long one transaction of the program keeps everybody else from writing, on SQLite, at product scale.

    python -m benchmarks.console.write_locks
    python -m benchmarks.console.write_locks --people 200 --questions 4000   # quicker

In one process, on a database of the benchmark's own: every operation that stores, changes or deletes many
rows is run once. Printed are its seconds in all, its transactions that write, and the longest of them from
the moment that it had the lock until it was committed.
"""

import argparse
import os
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from benchmarks.judging.speed import close_connections, set_up

PROMPTS, CRITERIA = 20, 5
MODELS = 5
SITE = "https://study.example.org"
READS = ("SELECT", "PRAGMA", "SAVEPOINT", "RELEASE", "ROLLBACK", "BEGIN", "WITH")


@dataclass
class Locks:
    """The write lock by transaction: how many held it, and the longest: seconds, those of this process's
    processor, and who held it.
    """

    number: int = 0
    longest: float = 0.0
    processor: float = 0.0
    where: str = ""
    began: tuple[float, float] = (0.0, 0.0)

    def begin(self) -> None:
        self.began = time.perf_counter(), time.process_time()

    def end(self) -> None:
        seconds, processor = time.perf_counter() - self.began[0], time.process_time() - self.began[1]
        self.number += 1
        if processor > self.processor:
            self.longest, self.processor, self.where = seconds, processor, _place()


def _place() -> str:
    """The innermost function of the program that is under way, other than the shared ones."""
    ours = [
        frame for frame in traceback.extract_stack()
        if "/site-packages/" not in frame.filename and "/benchmarks/" not in frame.filename
        and "/lib/python" not in frame.filename and "<frozen" not in frame.filename
        and not frame.filename.endswith("services/database.py")
    ]  # fmt: skip
    return f"{Path(ours[-1].filename).stem}.{ours[-1].name}" if ours else ""


@contextmanager
def watched() -> Iterator[Locks]:
    """Notes every transaction that writes while the block runs. `BEGIN IMMEDIATE` takes the lock."""
    from django.db import connections

    connection: Any = connections["default"]
    locks = Locks()
    start, commit = connection._start_transaction_under_autocommit, connection._commit

    def started() -> None:
        start()
        locks.begin()

    def committed() -> None:
        commit()
        locks.end()

    def alone(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        """A statement outside of a transaction is one of its own."""
        if connection.in_atomic_block or sql.lstrip().upper().startswith(READS):
            return execute(sql, *rest)
        locks.begin()
        try:
            return execute(sql, *rest)
        finally:
            locks.end()

    connection._start_transaction_under_autocommit, connection._commit = started, committed
    try:
        with connection.execute_wrapper(alone):
            yield locks
    finally:
        del connection._start_transaction_under_autocommit, connection._commit


def measured(name: str, work: Callable[[], Any]) -> Any:
    began = time.perf_counter()
    with watched() as locks:
        made = work()
    seconds = time.perf_counter() - began
    print(
        f"{name:48} {seconds:7.1f} s  {locks.number:6,} transactions, longest "
        f"{1000 * locks.longest:6.0f} ms, of the processor {1000 * locks.processor:6.0f} ms  {locks.where}",
        flush=True,
    )
    return made


def banks(questions: int) -> None:
    """Question bank, item parameters, results of models, and the question sets of a study on them."""
    from django.utils import timezone

    from batches.services.plans import batches_build
    from benchmarks.judging.judged_study import prompt_records
    from benchmarks.made_studies import bank_reading
    from formats.item_parameters import ItemParameter, ItemParameters
    from scoring.models import ModelConfiguration
    from scoring.readers.model_results.records import ModelResponse, ModelResults
    from scoring.services.leaderboards import leaderboard_import
    from scoring.services.model_deleting import models_delete
    from studies.protocol.settings import ProtocolSettings
    from studies.services.banks import bank_import, item_bank_import
    from studies.services.studies import study_create, study_freeze

    now = timezone.now()
    reading = bank_reading(prompt_records(questions, 3))
    version = measured(
        f"a bank of {questions:,} questions",
        lambda: bank_import(slug="large", reading=reading, strict=True, now=now).version,
    )
    items = tuple(ItemParameter(f"p{n:03d}", a=1.0, b=n / questions) for n in range(1, questions + 1))
    parameters = ItemParameters(items, squeeze_scale=0.998, squeeze_offset=0.001, sigma_hat=2.5)
    item_bank, _ = measured(
        f"{questions:,} item parameters",
        lambda: item_bank_import(slug="items", parameters=parameters, now=now),
    )
    responses = ModelResults(
        responses=tuple(
            ModelResponse(model=f"M{model}", prompt_id=item.prompt_id, epoch=1, score=0.5)
            for model in range(MODELS) for item in items
        )
    )  # fmt: skip
    measured(
        f"results of {MODELS} models, {MODELS * questions:,} scores",
        lambda: leaderboard_import(
            item_bank=item_bank, results=responses, source="A run", replace=False, now=now
        ),
    )
    settings = ProtocolSettings.model_validate({"batch_size": PROMPTS, "replicates_per_profile": 2})
    study = study_create(
        slug="large", name="Large", bank_version=version, item_bank=item_bank, judge_protocol=None,
        settings=settings, now=now,
    )  # fmt: skip
    sets = questions // PROMPTS
    measured(f"{sets:,} question sets", lambda: batches_build(study=study, now=now))
    measured(f"{sets:,} question sets, again", lambda: batches_build(study=study, now=now))
    measured("locking that study", lambda: study_freeze(study=study, now=now))
    measured(
        "deleting these models",
        lambda: models_delete(
            models=list(ModelConfiguration.objects.all()), recompute=True, actor=None, now=now
        ),
    )


def people(study: Any, number: int) -> None:
    """A list of people added, decided on, invited, and reported as paid."""
    from django.utils import timezone

    from batches.services.recruiting import person_approve
    from studies.services.people.invitation_mails import invitations_queue
    from studies.services.people.participants import participants_vet
    from studies.services.people.people_import import (
        PeopleReading,
        PersonRow,
        invitations_import,
        participants_import,
    )

    now = timezone.now()

    def reading(name: str, status: str = "", number: int = number) -> PeopleReading:
        rows = (PersonRow(n, f"{name}{n}@example.org", "stem-phd", status) for n in range(1, number + 1))
        return PeopleReading(tuple(rows), ())

    measured(
        f"adding {number:,} people", lambda: participants_import(study=study, reading=reading("a"), now=now)
    )
    measured(
        f"adding {5 * number:,} people, approved",
        lambda: participants_import(study=study, reading=reading("b", "approved", 5 * number), now=now),
    )
    measured(
        f"approving {number:,} people, with mails",
        lambda: participants_vet(
            study=study, approve=True, names=None, now=now, site_url=SITE, approve_with=person_approve
        ),
    )
    made = measured(
        f"inviting {5 * number:,} people",
        lambda: invitations_import(study=study, reading=reading("c", number=5 * number), now=now),
    )
    measured(
        f"queueing {5 * number:,} invitations",
        lambda: invitations_queue(study=study, invitations=made.to_send, site_url=SITE, now=now),
    )
    measured(
        f"queueing {5 * number:,} invitations, again",
        lambda: invitations_queue(study=study, invitations=made.to_send, site_url=SITE, now=now),
    )


def judging(study: Any) -> None:
    """A run started, cancelled, started from what is known; scores, results, audits, screening."""
    from django.db.models import Max
    from django.utils import timezone

    from benchmarks.judging.judged_study import judge_config
    from judging.models import AnswerScore, CriterionScore, PauseReason
    from judging.services.audits import audit_draw
    from judging.services.running.coordinating import run_coordinate
    from judging.services.running.judge_specs import JudgeSpec
    from judging.services.running.runs import run_cancel, run_pause, run_plan, run_resume, run_start
    from scoring.services.measurement import measurement_compute
    from scoring.services.results import results_compute
    from screening.services.screening import study_screen

    now = timezone.now()
    config = judge_config("http://127.0.0.1:9/v1")

    def planned(slug: str = "") -> Any:
        specs = [JudgeSpec(config, replicate=2 if slug else 1)]
        return run_plan(study=study, specs=specs, now=timezone.now(), progress=lambda done, of: None)

    plan = measured("planning a run", planned)
    run = measured(
        f"starting a run of {plan.rows:,} calls",
        lambda: run_start(plan=plan, budget=None, actor=None, now=now),
    )
    run_pause(run=run, reason=PauseReason.BY_HAND, detail="", now=now)
    measured("resuming it", lambda: run_resume(run=run, budget=None, actor=None, now=now))
    measured("cancelling it", lambda: run_cancel(run=run, actor=None, now=now))
    again = planned()
    run = run_start(plan=again, budget=None, actor=None, now=now)
    rows = CriterionScore.objects.filter(judging_run=run)
    rows.update(
        state="scored", origin="asked", score=0.5, confidence=1.0, decided_at=now, lease=None,
        explanation="As the second table shows.",
    )  # fmt: skip
    measured("scoring and ending it", lambda: run_coordinate(judging_run=run, now=now))
    scoring = AnswerScore.objects.first()
    assert scoring is not None
    run.refresh_from_db()
    results = measured("results", lambda: results_compute(run=scoring.run, now=now))
    measured("measurement", lambda: measurement_compute(results=results, now=now, resamples=20))
    measured("measurement, again", lambda: measurement_compute(results=results, now=now, resamples=20))
    measured(
        "drawing 400 verdicts",
        lambda: audit_draw(run=run, size=400, seed=1, public_only=False, actor=None, now=now),
    )
    measured("screening", lambda: study_screen(study=study, now=now))
    # The same answers by the same judge under another design: every verdict is known.
    type(study).objects.filter(pk=study.pk).update(design_hash="0" * 64)
    study.refresh_from_db()
    known = measured("planning what is known", planned)
    assert not any(one.calls for one in known.judge_plans), rows.aggregate(Max("pk"))
    run = measured(
        f"starting a run of {known.rows:,} known verdicts",
        lambda: run_start(plan=known, budget=None, actor=None, now=now),
    )
    measured("scoring and ending it", lambda: run_coordinate(judging_run=run, now=now))


def upkeep(study: Any) -> None:
    """What beat sends: deletion of who withdrew, sign-ins that are over, mails too old, sessions."""
    from django.contrib.sessions.backends.db import SessionStore
    from django.contrib.sessions.models import Session as SignIn
    from django.utils import timezone

    from batches.models import Session
    from batches.services.ending import session_withdraw, sessions_expire
    from operations.services.erasure import withdrawn_erase
    from studies.models import MailRecord
    from studies.services.mails.mails import mails_send
    from studies.services.staff.sign_in import sign_ins_clear

    now = timezone.now()
    Session.objects.filter(participant__study=study).update(
        status="active",
        ended_at=None,
        started_at=now - timedelta(hours=2),
        deadline_at=now - timedelta(hours=1),
    )
    measured("ending everybody's session", lambda: sessions_expire(now=now, site_url=SITE))
    for participant in study.participants.all()[:20]:
        session_withdraw(participant=participant, now=now)
    late = now + timedelta(days=365)
    measured("deleting the data of 20 people", lambda: withdrawn_erase(now=late))
    data = SessionStore().encode({"a": "b" * 200})
    SignIn.objects.bulk_create(
        SignIn(session_key=f"{n:032d}", session_data=data, expire_date=now) for n in range(20_000)
    )
    measured("clearing 20,000 sign-ins", lambda: sign_ins_clear(now=late))
    print(f"mails: {MailRecord.objects.count():,}")
    measured("dropping them as too old", lambda: mails_send(clock=lambda: late))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--people", type=int, default=1000)
    parser.add_argument("--questions", type=int, default=40_000)
    parser.add_argument("--only", choices=("banks", "people", "judging"), nargs="+")
    arguments = parser.parse_args()
    chosen = arguments.only or ["banks", "people", "judging"]
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(CHIRON_DATA_DIR=folder, DATABASE_URL=f"sqlite:///{folder}/locks.sqlite3")
        set_up()
        from django.core.management import call_command

        from benchmarks.judging.judged_study import judged_study

        call_command("check")  # as a worker does when it starts: the first address would load all pages
        study = judged_study(people=arguments.people, prompts=PROMPTS, criteria=CRITERIA)
        print(f"load {os.getloadavg()[0]:.1f}", flush=True)
        if "judging" in chosen:
            judging(study)
        if "people" in chosen:
            people(study, arguments.people)
        upkeep(study)
        if "banks" in chosen:
            banks(arguments.questions)
        print(f"load {os.getloadavg()[0]:.1f}")
        close_connections()


if __name__ == "__main__":
    main()
