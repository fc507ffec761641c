"""A site at its full size as rows: many studies, people and answers; imported after Django is set up.

Two studies are as a study lead meets them: one that was judged and measured by the program, and one so large
that no page may read it person by person. The large one's scores and results are rows after the pattern of
the measured one. The others fill the tables.
"""

from datetime import timedelta
from pathlib import Path
from typing import Any

from django.db import connection
from django.utils import timezone

from batches.services.plans import batches_build
from batches.services.sums import sessions_count
from benchmarks.console import rows
from benchmarks.measurement.measured_study import finished_run, measured_study
from judging.models import AuditSample, JudgingRun, ScoringRun
from judging.services.running.counting import run_count
from scoring.models import ResultSet
from scoring.services.measurement import measurement_compute
from scoring.services.results import results_compute
from studies.models import Study, User
from studies.services.studies import study_create, study_freeze

MEASURED, LARGE = "measured", "large"
MEASURED_PEOPLE, MODELS, RESAMPLES = 246, 30, 50
# The large study has this share of all people.
LARGE_SHARE = 0.4
LEAD = "lead@example.org"


def full_site(*, studies: int, people: int, published: Path, large_share: float = LARGE_SHARE) -> User:
    """So many studies with so many people in all, each with a set of 20 answers; gives the administrator."""
    administrator = User.objects.create_superuser(LEAD)
    run = measured_study(slug=MEASURED, people=MEASURED_PEOPLE, models=MODELS, published=published, seed=1)
    now = timezone.now()
    pattern = results_compute(run=run, now=now)
    measurement_compute(results=pattern, now=now, resamples=RESAMPLES)
    sizes = [round(people * large_share)]
    rest = people - sizes[0] - MEASURED_PEOPLE
    sizes += [rest // (studies - 2)] * (studies - 2)
    sizes[1] += people - MEASURED_PEOPLE - sum(sizes)
    made = [
        _study_with_people(LARGE if number == 0 else f"study-{number:03d}", run.study, size)
        for number, size in enumerate(sizes)
    ]
    everybody = {"studies": [study.pk for study in made], "large": made[0].pk, "actor": administrator.pk}
    _run(rows.OF_EVERYBODY, everybody)
    sessions_count(now=timezone.now(), at_most=people)
    _judge(made[0], pattern)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    return administrator


def site_again() -> User:
    """The administrator of a site that was made before, whose people are still at work."""
    _run([rows.STILL_AT_WORK], {})
    return User.objects.get(email=LEAD)


def _study_with_people(slug: str, pattern: Study, people: int) -> Study:
    """A frozen study on the pattern's bank and settings, with places for this many people."""
    now = timezone.now()
    profiles = [profile.slug for profile in pattern.protocol.profiles]
    per_set = max(2, people // (pattern.batch_plan.batches.count() * len(profiles)))
    study = study_create(
        slug=slug, name=f"The study {slug}", bank_version=pattern.bank_version, item_bank=pattern.item_bank,
        judge_protocol=None, settings=pattern.protocol.model_copy(update={"replicates_per_profile": per_set}),
        now=now,
    )  # fmt: skip
    batches_build(study=study, now=now)
    study_freeze(study=study, now=now)
    _run([rows.PEOPLE], {"study": study.pk, "people": people, "profiles": profiles})
    return study


def _judge(study: Study, pattern: ResultSet) -> None:
    """Scores of the large study, a sample of them audited, and results with all their numbers."""
    now = timezone.now()
    run = finished_run(study)
    judging = JudgingRun.objects.create(
        study=study, state="finished", planned=600_000, estimate=[], plan_sha256="0" * 64,
        started_at=now, resumed_at=now, ended_at=now,
    )  # fmt: skip
    sample = AuditSample.objects.create(judging_run=judging, seed=1, strata=_strata(run), drawn_at=now)
    results = ResultSet.objects.create(
        run=run, inputs_sha256="0" * 64, inputs_sha256_public=pattern.inputs_sha256_public,
        flow=pattern.flow, computed_at=now,
    )  # fmt: skip
    measurement = pattern.measurement
    measurement.pk, measurement.result_set = None, results
    measurement.save()
    judged = {"run": run.pk, "judging": judging.pk, "sample": sample.pk, "large": study.pk}
    _run(
        rows.OF_THE_JUDGED,
        {**judged, "results": results.pk, "pattern": ResultSet.objects.get(run=pattern.run).pk},
    )
    ResultSet.objects.filter(pk=results.pk).update(computed_at=timezone.now())
    over_since = now - timedelta(hours=1)
    JudgingRun.objects.filter(pk=judging.pk).update(
        started_at=over_since, resumed_at=over_since, ended_at=over_since
    )
    run_count(now=timezone.now())


def _strata(run: ScoringRun) -> dict[str, object]:
    """As a draw of all of `rows.AUDITED` from one stratum leaves it."""
    stratum = {"verdicts": 600_000, "drawn": 400, "public_verdicts": 600_000, "public_drawn": 400}
    return {"judges": [run.pk], "public_only": False, "strata": [{"name": "all", **stratum}]}


def _run(statements: tuple[str, ...] | list[str], values: dict[str, Any]) -> None:
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement, {**values, "now": timezone.now()})
