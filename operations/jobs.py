"""Long work of operating a site: a rehearsal with simulated people."""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _, gettext_lazy

from formats.wording import gettext_noop
from jobs.context import FINE, JobContext, JobResult, Part
from jobs.registry import job_kind
from jobs.services.starting import job_start
from judging.services.running.judge_specs import study_judge_specs
from operations.services.demo_people import STUDY as DEMO
from operations.services.rehearsal_studies import (
    demo_models_import,
    demo_study_make,
    judged_for_free,
    rehearsal_copy,
    slug_free,
)
from operations.services.rehearsals import Rehearsed, StudyNotOpen, rehearsal_run
from scoring.coordinator import study_score
from screening.services.screening import offtask_filter_run
from studies.models import Study, StudyStatus, User
from studies.roles import Can

REHEARSAL = "rehearsal"
ANSWERING = gettext_noop("Simulated people answer through the pages")
JUDGING = gettext_noop("Judging their answers and measuring the results")


@transaction.atomic
def rehearsal_start(*, study: Study, people: int, off_task: bool, actor: User, now: datetime) -> Study:
    """Ask for a rehearsal of a simulated study, or of a simulated copy of a real one, which is made here; the
    study that is rehearsed. Nothing is left where any of it fails. Raises StudyNotOpen, JobUnderWay, and what
    building and locking raise.
    """
    rehearsed = study if study.is_simulated else rehearsal_copy(study=study, actor=actor, now=now)
    if rehearsed.status != StudyStatus.FROZEN:
        raise StudyNotOpen
    arguments = {"people": people, "off_task": off_task}
    job_start(kind=REHEARSAL, study=rehearsed, actor=actor, now=now, arguments=arguments)
    return rehearsed


@transaction.atomic
def demo_study_start(*, people: int, actor: User, now: datetime) -> Study:
    """Make the demo's study with its models, and ask for its rehearsal: all of it, or nothing."""
    study = demo_study_make(
        slug=slug_free(DEMO), name=_("Demo study"), is_simulated=True, actor=actor, now=now
    )
    demo_models_import(study=study, now=now)
    return rehearsal_start(study=study, people=people, off_task=True, actor=actor, now=now)


@job_kind(
    REHEARSAL, label=gettext_lazy("Rehearsal with simulated people"), can=Can.SET_UP, page="staff_rehearsal"
)
def rehearsal(job: JobContext, *, people: int, off_task: bool) -> JobResult:
    """Let simulated people answer, run the off-task filter over them, and judge where that costs nothing."""
    answered = 700 if judged_for_free(job.study) else FINE
    done = rehearsal_run(
        study=job.study, people=people, off_task=off_task, actor=job.actor, clock=job.clock,
        step=Part(job, 0, answered, ANSWERING),
    )  # fmt: skip
    screening = offtask_filter_run(study=job.study, actor=job.actor, now=job.clock())
    if judged_for_free(job.study):
        study_score(
            study=job.study, specs=study_judge_specs(study=job.study, configs=()), budget=None,
            actor=job.actor, clock=job.clock, planning=Part(job, answered, 750, JUDGING),
            judging=Part(job, 750, FINE, JUDGING),
        )  # fmt: skip
    return _result(job, done, undecided=screening.undecided)


def _result(job: JobContext, done: Rehearsed, *, undecided: int) -> JobResult:
    facts = {"through": done.through, "people": done.people, "answers": done.answers, "waiting": undecided}
    if undecided:
        sentence = gettext_noop(
            "Simulated people who are through: %(through)d of %(people)d; answers saved now: %(answers)d. "
            "People whom the off-task filter flagged: %(waiting)d. Decide about them as in a real study."
        )
        return JobResult(
            sentence, facts, "staff_screening", [job.study.slug], gettext_noop("Go to screening")
        )
    if judged_for_free(job.study):
        sentence = gettext_noop(
            "Simulated people who are through: %(through)d of %(people)d; answers saved now: %(answers)d. "
            "They are judged and measured."
        )
        return JobResult(sentence, facts, "staff_results", [job.study.slug], gettext_noop("See the results"))
    sentence = gettext_noop(
        "Simulated people who are through: %(through)d of %(people)d; answers saved now: %(answers)d. The "
        "judge of this study is a language model: nothing is asked of it before you start it."
    )
    return JobResult(sentence, facts, "staff_judging", [job.study.slug], gettext_noop("Go to judging"))
