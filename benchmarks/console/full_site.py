"""A site at its full size as rows: many studies, people and answers; imported after Django is set up.

Two studies are as a study lead meets them: one that was judged and measured, and one so large that no page
may read it person by person. The others fill the tables.
"""

from datetime import timedelta
from pathlib import Path

from django.db import connection
from django.utils import timezone

from batches.models import Batch
from batches.services.plans import batches_build
from benchmarks.made_studies import insert
from benchmarks.measurement.measured_study import measured_study
from scoring.services.measurement import measurement_compute
from scoring.services.results import results_compute
from studies.models import Participant, Study, User
from studies.services.studies import study_create, study_freeze

MEASURED, LARGE = "measured", "large"
MEASURED_PEOPLE, MODELS, RESAMPLES = 246, 30, 50
BATCH_SIZE = 20
# The large study has this share of all people.
LARGE_SHARE = 0.5
STATES = ("active", "submitted", "submitted", "submitted", "expired")

ANSWERS = """
INSERT INTO batches_answer (session_id, prompt_id, position, text, note, is_flagged, revision, tab, sequence,
                            first_seen_at, saved_at, has_text, is_open, history_bytes)
SELECT session.id, place.prompt_id, place.position, 'It follows from what was measured before.', '', false, 1,
       'a', 1, session.started_at, session.started_at + place.position * interval '5 minutes', true,
       session.status = 'active', 40
FROM batches_session session
JOIN studies_participant person ON person.id = session.participant_id
JOIN batches_batchprompt place ON place.batch_id = session.batch_id
WHERE person.study_id = %s
"""
SESSIONS = """
INSERT INTO batches_session (id, participant_id, batch_id, arm, status, started_at, deadline_at, ended_at,
                             overdue_rule, late_tolerance_seconds, answer_max_characters, asks_note,
                             asks_confidence, extended_seconds, resources, resources_note)
SELECT gen_random_uuid(), person.id, (%s::bigint[])[1 + person.id %% %s], '', made.status, made.start,
       made.start + interval '5 hours',
       CASE WHEN made.status = 'active' THEN NULL ELSE made.start + interval '4 hours' END,
       'saved_counts', 10, 100000, false, false, 0, '[]', ''
FROM studies_participant person
CROSS JOIN LATERAL (
  SELECT (%s::text[])[1 + person.id %% %s] AS status,
         %s::timestamptz - (person.id %% 280) * interval '1 minute' AS start
) made
WHERE person.study_id = %s
"""
EVENTS = """
INSERT INTO batches_sessionevent (session_id, kind, details, happened_at, recorded_at)
SELECT session.id, 'started', '{}', session.started_at, session.started_at
FROM batches_session session
JOIN studies_participant person ON person.id = session.participant_id
WHERE person.study_id = %s
"""
DECISIONS = """
INSERT INTO studies_studyevent (study_id, participant_id, kind, details, happened_at)
SELECT study_id, id, 'vetting_decided', '{"decision": "approved"}', submitted_at
FROM studies_participant WHERE study_id = %s
"""


def full_site(*, studies: int, people: int, published: Path) -> User:
    """So many studies with so many people in all, each with a set of 20 answers; gives the administrator."""
    administrator = User.objects.create_superuser("lead@example.org")
    run = measured_study(slug=MEASURED, people=MEASURED_PEOPLE, models=MODELS, published=published, seed=1)
    now = timezone.now()
    measurement_compute(results=results_compute(run=run, now=now), now=now, resamples=RESAMPLES)
    large = round(people * LARGE_SHARE)
    rest = people - large - MEASURED_PEOPLE
    sizes = [rest // (studies - 2)] * (studies - 2)
    sizes[0] += rest - sum(sizes)
    for number, size in enumerate([large, *sizes]):
        _study_with_people(LARGE if number == 0 else f"study-{number:03d}", run.study, size)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return administrator


def _study_with_people(slug: str, pattern: Study, people: int) -> None:
    """A frozen study on the pattern's bank and settings, with people of whom some still answer."""
    now = timezone.now()
    study = study_create(
        slug=slug, name=f"The study {slug}", bank_version=pattern.bank_version, item_bank=pattern.item_bank,
        judge_protocol=None, settings=pattern.protocol, now=now,
    )  # fmt: skip
    batches_build(study=study, now=now)
    study_freeze(study=study, now=now)
    profiles = [profile.slug for profile in study.protocol.profiles]
    users = insert(User(email=f"{slug}-{n}@example.org") for n in range(people))
    insert(
        Participant(
            study=study, user=user, code=f"P-{n:06d}", profile=profiles[n % len(profiles)],
            vetting_status="approved", submitted_at=now - timedelta(days=1),
        )
        for n, user in enumerate(users)
    )  # fmt: skip
    batches = list(Batch.objects.filter(plan__study=study).order_by("number").values_list("pk", flat=True))
    with connection.cursor() as cursor:
        cursor.execute(SESSIONS, [batches, len(batches), list(STATES), len(STATES), now, study.pk])
        for statement in (ANSWERS, EVENTS, DECISIONS):
            cursor.execute(statement, [study.pk])
