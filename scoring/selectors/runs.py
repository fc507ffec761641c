"""Scoring runs and their newest results."""

from django.db.models import QuerySet

from batches.models import SessionEvent, SessionEventKind
from scoring.models import ResultSet, ScoringRun, Verdict
from studies.models import Study


def runs_of(study: Study) -> QuerySet[ScoringRun]:
    """All runs, oldest first; the place in this order, from 1, is the run's number in an export."""
    return ScoringRun.objects.filter(study=study).order_by("pk")


def newest_results(run: ScoringRun) -> ResultSet | None:
    """The newest computation of the run."""
    return ResultSet.objects.filter(run=run).order_by("-pk").first()


def newest_study_results(study: Study) -> ResultSet | None:
    """The newest computation of any run of the study."""
    related = "run__study__item_bank"
    return ResultSet.objects.select_related(related).filter(run__study=study).order_by("-pk").first()


def changes_since(results: ResultSet) -> list[str]:
    """What happened after the results were computed that would change them, in words."""
    study, moment = results.run.study, results.computed_at
    ends = [SessionEventKind.SUBMITTED, SessionEventKind.EXPIRED, SessionEventKind.WITHDRAWN]
    sessions = SessionEvent.objects.filter(
        session__participant__study=study, session__participant__is_test=False, kind__in=ends
    )
    verdicts = Verdict.objects.filter(participant__study=study, decided_at__gt=moment)
    found = {
        "sessions that ended or were withdrawn": sessions.filter(recorded_at__gt=moment).count(),
        "verdicts": verdicts.count(),
        "judged answers": results.run.scores.filter(judged_at__gt=moment).count(),
    }
    amended = results.run.protocol_hash != study.protocol_hash
    return [f"{number} {what}" for what, number in found.items() if number] + [
        "an amended protocol"
    ] * amended
