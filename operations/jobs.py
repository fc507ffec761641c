"""Long work of operating a site: rehearsals with simulated people, and the studies that are made for them."""

from collections.abc import Callable

from django.db import transaction
from django.utils import translation
from django.utils.translation import gettext_lazy

from formats.wording import gettext_noop
from jobs.context import FINE, JobContext, JobResult, Part
from jobs.registry import job_kind
from jobs.services.starting import job_start
from operations.services.rehearsal_starting import (
    DEMO_STUDY,
    REHEARSAL,
    REHEARSAL_COPY,
    judged_for_free,
    slugs_from,
)
from studies.models import Study
from studies.roles import Can, SiteCan
from studies.selectors.studies import study_by_slug
from studies.services.studies import StudyExists

MAKING = gettext_noop("Making the study and its question sets")
ANSWERING = gettext_noop("Simulated people answer through the pages")
JUDGING = gettext_noop("Judging their answers and measuring the results")


@job_kind(
    REHEARSAL_COPY, label=gettext_lazy("Copy of the study for a rehearsal"), can=Can.SET_UP,
    page="staff_rehearsal", all_or_nothing=True,
)  # fmt: skip
def copy_to_rehearse(
    job: JobContext, *, slug: str, name: str, people: int, off_task: bool, language: str
) -> JobResult:
    """Make a simulated copy of the study, and ask for its rehearsal."""
    from operations.services.rehearsal_studies import rehearsal_copy

    def make(slug: str) -> Study:
        return rehearsal_copy(study=job.study, slug=slug, name=name, actor=job.actor, now=job.clock())

    with translation.override(language):
        return _made_and_rehearsed(job, slug, name, make, people=people, off_task=off_task)


@job_kind(
    DEMO_STUDY, label=gettext_lazy("Demo study"), can=SiteCan.MAKE_STUDIES, once_per_study=False,
    page="staff_home", all_or_nothing=True,
)  # fmt: skip
def demo_to_rehearse(job: JobContext, *, slug: str, name: str, people: int, language: str) -> JobResult:
    """Make the demo's study with its models, and ask for its rehearsal."""
    from operations.services.rehearsal_studies import demo_models_import, demo_study_make

    def make(slug: str) -> Study:
        study = demo_study_make(slug=slug, name=name, is_simulated=True, actor=job.actor, now=job.clock())
        demo_models_import(study=study, now=job.clock())
        return study

    with translation.override(language):
        return _made_and_rehearsed(job, slug, name, make, people=people, off_task=True)


def _made_and_rehearsed(
    job: JobContext, slug: str, name: str, make: Callable[[str], Study], *, people: int, off_task: bool
) -> JobResult:
    """All of it or nothing; once, where another worker begins this again. A short name that somebody else
    took since this was asked for is theirs.
    """
    progress = Part(job, 0, FINE, MAKING)
    progress(0, 1)
    arguments = {"people": people, "off_task": off_task}
    for free in slugs_from(slug):
        study = study_by_slug(free)
        if study is not None:
            # Whoever asked for this job had the study made where its first rehearsal was asked for with it.
            first = study.jobs.filter(kind=REHEARSAL).order_by("created_at").first()
            if first is not None and first.actor == job.actor and study.name == name:
                break
            continue
        try:
            with transaction.atomic():
                study = make(free)
                job_start(kind=REHEARSAL, study=study, actor=job.actor, now=job.clock(), arguments=arguments)
                progress(1, 1)
            break
        except StudyExists:  # at this very moment; where it does not, something else is wrong
            if study_by_slug(free) is None:
                raise
    assert study is not None  # noqa: S101  # for the type
    return JobResult(
        gettext_noop("%(study)s is made; simulated people answer in it now."),
        {"study": study.name},
        "staff_rehearsal",
        [study.slug],
        gettext_noop("Go to the rehearsal"),
        leads=True,
    )


@job_kind(
    REHEARSAL, label=gettext_lazy("Rehearsal with simulated people"), can=Can.SET_UP, page="staff_rehearsal"
)
def rehearsal(job: JobContext, *, people: int, off_task: bool) -> JobResult:
    """Let simulated people answer, run the off-task filter over them, and judge where that costs nothing."""
    from judging.services.running.judge_specs import study_judge_specs
    from operations.services.rehearsals import rehearsal_run
    from scoring.coordinator import study_score
    from screening.services.screening import offtask_filter_run

    is_free = judged_for_free(job.study)
    answered = 700 if is_free else FINE
    done = rehearsal_run(
        study=job.study, people=people, off_task=off_task, actor=job.actor, clock=job.clock,
        step=Part(job, 0, answered, ANSWERING),
    )  # fmt: skip
    screening = offtask_filter_run(study=job.study, actor=job.actor, now=job.clock())
    if is_free:
        study_score(
            study=job.study, specs=study_judge_specs(study=job.study, configs=()), budget=None,
            actor=job.actor, clock=job.clock, planning=Part(job, answered, 750, JUDGING),
            judging=Part(job, 750, FINE, JUDGING),
        )  # fmt: skip
    if screening.undecided:
        page, label = "staff_screening", gettext_noop("Go to screening")
        sentence = gettext_noop(
            "Simulated people who are through: %(through)d of %(people)d; answers saved now: %(answers)d. "
            "People whom the off-task filter flagged: %(waiting)d. Decide about them as in a real study."
        )
    elif is_free:
        page, label = "staff_results", gettext_noop("See the results")
        sentence = gettext_noop(
            "Simulated people who are through: %(through)d of %(people)d; answers saved now: %(answers)d. "
            "They are judged and measured."
        )
    else:
        page, label = "staff_judging", gettext_noop("Go to judging")
        sentence = gettext_noop(
            "Simulated people who are through: %(through)d of %(people)d; answers saved now: %(answers)d. "
            "The judge of this study is a language model: nothing is asked of it before you start it."
        )
    facts = {
        "through": done.through, "people": done.people, "answers": done.answers,
        "waiting": screening.undecided,
    }  # fmt: skip
    return JobResult(sentence, facts, page, [job.study.slug], label)
