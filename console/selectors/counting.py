"""What waits for somebody in a study, and the studies beside it: one query for what stands on every page."""

from datetime import datetime
from typing import Any

from django.db.models import Case, Exists, F, Func, IntegerField, OuterRef, QuerySet, Subquery, When

from batches.models import Session
from batches.rules.statuses import SessionStatus
from console.selectors.states import StudyState, day_of, study_state
from presentation.rail import PageFacts
from scoring.models import ResultSet
from screening.selectors.participants import ENDED, undecided_participants
from studies.models import ClockWatch, Message, Participant, Study, StudyStatus, VettingStatus
from studies.roles import Can, SiteCan
from studies.selectors.participants import withdrew

OTHER_STUDIES = 6
# Names of counts as entries of the rail use them.
WAITING = ("applications", "messages", "screening", "running")


def study_page_facts(
    study: Study, rights: frozenset[Can], studies: QuerySet[Study], now: datetime
) -> PageFacts:
    """What stands on every page of the study for whoever has these rights; one query.

    `studies` are those that the person has a part in.
    """
    waiting = {
        "applications": applications().filter(study=study),
        "messages": unanswered_messages().filter(participant__study=study),
        "screening": undecided_participants(study).order_by(),
        "running": Session.objects.filter(
            status=SessionStatus.ACTIVE, deadline_at__gte=now, participant__is_test=False
        ).filter(participant__study=study),
    }
    ended = Participant.objects.filter(study=study, is_test=False, session__status__in=ENDED)
    # Counted and looked for for the study's own row alone; in an archived one nothing waits for anybody.
    counts = {
        name: Case(When(pk=study.pk, archived_at=None, then=number_of(rows)), default=0)
        for name, rows in waiting.items()
    }
    seen = {
        name: Case(When(pk=study.pk, then=Exists(rows.order_by())), default=False)
        for name, rows in (("has_ended", ended), ("has_results", ResultSet.objects.filter(run__study=study)))
    }
    rows = list(
        studies.annotate(
            **counts, **seen, is_here=Case(When(pk=study.pk, then=0), default=1), held=Exists(_held_clocks())
        )
        .order_by("is_here", "-created_at", "-pk")
        .values("slug", "name", "is_here", "held", *WAITING, *seen)[: OTHER_STUDIES + 1]
    )
    here = next((row for row in rows if not row["is_here"]), dict.fromkeys([*WAITING, *seen], 0))
    state = study_state(study, now, **{name: bool(here[name]) for name in seen})
    return PageFacts(
        rights,
        {name: here[name] for name in WAITING},
        clock_is_held=any(row["held"] for row in rows),
        other_studies=[row for row in rows if row["is_here"]],
        state=state,
        day=day_of(study, now) if state == StudyState.RUNNING else None,
    )


def site_page_facts(rights: frozenset[SiteCan]) -> PageFacts:
    """The same for pages of no study; one query."""
    return PageFacts(rights, {}, clock_is_held=_held_clocks().exists())


def _held_clocks() -> QuerySet[ClockWatch]:
    return ClockWatch.objects.exclude(held_since=None)


def applications() -> QuerySet[Participant]:
    """People of all studies who wait for a decision; where a study is closed there is none to be made."""
    submitted = Participant.objects.filter(vetting_status=VettingStatus.SUBMITTED)
    return submitted.exclude(study__status=StudyStatus.CLOSED).exclude(withdrew())


def unanswered_messages() -> QuerySet[Message]:
    """Messages of people that are the last word of their conversation: one each."""
    later = Message.objects.filter(participant=OuterRef("participant"), pk__gt=OuterRef("pk"))
    return Message.objects.filter(~Exists(later), is_from_team=False)


def number_of(rows: QuerySet[Any]) -> Subquery:
    """How many rows there are, as part of another query."""
    counted = rows.order_by().annotate(
        rows_counted=Func(F("pk"), function="COUNT", output_field=IntegerField())
    )
    return Subquery(counted.values("rows_counted"))
