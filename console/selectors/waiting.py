"""What waits for a member of the study team: in each study, and only what their part in it lets them see."""

from dataclasses import dataclass

from django.db.models import Count, OuterRef

from console.selectors.counting import applications, number_of, unanswered_messages
from judging.models import JudgingRun, RunState
from screening.selectors.participants import undecided_numbers
from studies.models import MailKind, MailOutcome, MailRecord, MailSwitch, Study, User
from studies.roles import Can
from studies.selectors.roles import rights_by_study, studies_of_staff


@dataclass(frozen=True, slots=True)
class StudyWaits:
    """How much waits in one study; nought, too, where the reader may not know."""

    study: Study
    applications: int = 0
    messages: int = 0
    failed_mails: int = 0
    verdicts: int = 0
    paused_runs: int = 0


def waits_of(user: User) -> list[StudyWaits]:
    """The studies in which something waits for this person, newest first; in an archived one nothing does."""
    studies = list(
        studies_of_staff(user)
        .filter(is_simulated=False, archived_at=None)
        .annotate(
            waiting=number_of(applications().filter(study=OuterRef("pk"))),
            unanswered=number_of(unanswered_messages().filter(participant__study=OuterRef("pk"))),
        )
        .order_by("-created_at", "-id")
    )
    rights = rights_by_study(user, studies)
    mails = MailRecord.objects.filter(study__in=studies, outcome=MailOutcome.FAILED, mail__isnull=False)
    failed = dict(mails.order_by().values_list("study").annotate(number=Count("pk")))
    runs = JudgingRun.objects.filter(study__in=studies, state=RunState.PAUSED)
    paused = dict(runs.order_by().values_list("study").annotate(number=Count("pk")))
    reviewed = [study for study in studies if Can.REVIEW in rights[study.pk]]
    undecided = undecided_numbers(reviewed) if reviewed else {}
    waits = []
    for study in studies:
        can = rights[study.pk]
        numbers = {
            "applications": (getattr(study, "waiting", None) or 0) if Can.DECIDE_PEOPLE in can else 0,
            "messages": (getattr(study, "unanswered", None) or 0) if Can.INVITE in can else 0,
            "failed_mails": failed.get(study.pk, 0) if Can.INVITE in can else 0,
            "verdicts": undecided.get(study.pk, 0) if Can.REVIEW in can else 0,
            "paused_runs": paused.get(study.pk, 0) if Can.JUDGE in can else 0,
        }
        if any(numbers.values()):
            waits.append(StudyWaits(study, **numbers))
    return waits


def digest_waits_of(user: User) -> list[StudyWaits]:
    """`waits_of`, without the studies that send no digest."""
    off = set(MailSwitch.objects.filter(kind=MailKind.DIGEST).values_list("study", flat=True))
    return [waits for waits in waits_of(user) if waits.study.pk not in off]
