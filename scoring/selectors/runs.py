"""Scoring runs, their newest results, and what must be said wherever these are shown."""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any

from django.db.models import (
    Case,
    Count,
    Exists,
    F,
    IntegerField,
    Max,
    OuterRef,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.db.models.functions import Coalesce, Greatest
from django.utils.translation import gettext as _, gettext_noop, ngettext

from batches.models import SessionEvent, SessionEventKind
from judging.models import AnswerScore, JudgingRun, RunPurpose, RunState, ScoringRun
from presentation.catalogue import PLAIN_REASONS
from presentation.numbers import numbered
from psychometrics.inference.measure import Block, Scope
from psychometrics.measures.logistic_scale import LOGISTIC_BANK
from scoring.models import MeasureRow, ModelConfiguration, ResultSet
from scoring.selectors.due import RESULTS_WAIT
from scoring.selectors.measures import measurement_of
from scoring.selectors.task_tables import has_newer_table
from screening.models import Verdict
from screening.selectors.participants import ENDED, WENT_ON
from studies.models import Study, StudyEvent
from studies.selectors.private_questions import of_public
from studies.services.events import StudyEventKind

BATCHED = gettext_noop(
    "The judge was asked about up to %(number)d criteria of an answer in one call, in a text of Chiron's "
    "own. Published item parameters hold for one criterion a call."
)
ENDS = (
    SessionEventKind.SUBMITTED,
    SessionEventKind.EXPIRED,
    SessionEventKind.WITHDRAWN,
    SessionEventKind.VOIDED,
)


def runs_of(study: Study) -> QuerySet[ScoringRun]:
    """All runs, oldest first; the place in this order, from 1, is the run's number in an export."""
    return ScoringRun.objects.filter(study=study).order_by("pk")


def newest_results(run: ScoringRun) -> ResultSet | None:
    """The newest computation of the run."""
    return ResultSet.objects.filter(run=run).order_by("-pk").first()


def newest_study_results(study: Study) -> ResultSet | None:
    """The newest computation of any run of the study, with its measurement, whether it has the scope of
    public prompts, and what `changes_since` counts: one query for all that pages ask first.
    """
    related = ("run__study__item_bank", "run__study__bank_version", "run__config", "measurement")
    public = MeasureRow.objects.filter(results=OuterRef("pk"), scope=Scope.PUBLIC, block=Block.RESULTS)
    found = ResultSet.objects.filter(run__study=study).annotate(has_public_scope=Exists(public))
    return _with_counts_since(found, study.pk).select_related(*related).order_by("-pk").first()


def newest_results_and_changes(study: Study) -> tuple[ResultSet | None, list[str]]:
    """The newest computation of any run of the study, and `changes_since` it. One query."""
    newest = _with_counts_since(ResultSet.objects.filter(run__study=study), study.pk, with_public=False)
    results = newest.select_related("run__study", "measurement").order_by("-pk").first()
    return results, _changes(results) if results else []


def changes_since(results: ResultSet, *, public_only: bool = False) -> list[str]:
    """What happened after the results were computed that would change them, in words.

    With `public_only` what would change those over public prompts: no number tells of private ones.
    """
    if not hasattr(results, "judged_public"):  # of those that `newest_study_results` gave they are known
        own = ResultSet.objects.filter(pk=results.pk).select_related("run__study")
        results = _with_counts_since(own, results.run.study_id).get()
    return _changes(results, public_only=public_only)


def rests_on_an_earlier_protocol(study: Study) -> bool:
    """Whether the newest results are of answers judged before the protocol was amended: computing again
    changes nothing then, only judging again does.
    """
    newest = ResultSet.objects.filter(run__study=study).order_by("-pk").values_list("run__design_hash")[:1]
    return any(design != study.design_hash for (design,) in newest)


class WayOn(StrEnum):
    """What brings results up to date; one answer for every page that has a button for it."""

    NOTHING = "nothing"  # they are current
    JUDGE = "judge"  # judged before an amendment: computing again changes nothing
    RECOMPUTE = "recompute"


def way_on(results: ResultSet, changes: Sequence[str]) -> WayOn:
    """From these results, after what happened since (`changes_since`)."""
    if results.run.design_hash != results.run.study.design_hash:
        return WayOn.JUDGE
    return WayOn.RECOMPUTE if changes or measurement_of(results) is None else WayOn.NOTHING


def _changes(results: Any, *, public_only: bool = False) -> list[str]:
    """The numbers of `_with_counts_since` in words."""
    ended, resumed, decided = results.ended, results.resumed, results.decided
    judged = results.judged_public if public_only else results.judged
    imported, taken, deleted = results.imported, results.taken, results.deleted
    found = [
        (
            ended,
            ngettext(
                "%(n)d session that ended or was withdrawn",
                "%(n)d sessions that ended or were withdrawn",
                ended,
            ),
        ),
        (
            resumed,
            ngettext(
                "%(n)d session that goes on after its end",
                "%(n)d sessions that go on after their end",
                resumed,
            ),
        ),
        (decided, ngettext("%(n)d verdict", "%(n)d verdicts", decided)),
        (judged, ngettext("%(n)d judged answer", "%(n)d judged answers", judged)),
        (
            imported,
            ngettext(
                "results of %(n)d model that were imported or replaced",
                "results of %(n)d models that were imported or replaced",
                imported,
            ),
        ),
        (
            taken,
            ngettext(
                "newer results of models that were taken over",
                "newer results of models that were taken over %(n)d times",
                taken,
            ),
        ),
        (deleted, ngettext("%(n)d deletion of models", "%(n)d deletions of models", deleted)),
    ]
    amended = results.run.design_hash != results.run.study.design_hash
    return [
        *(numbered(words, {"n": number}) for number, words in found if number),
        *(
            [_("a table of published models with these tasks")]
            if has_newer_table(results, results.run.study)
            else []
        ),
        *([_("an amended protocol")] if amended else []),
    ]


def _with_counts_since(
    rows: QuerySet[ResultSet], study: int, *, with_public: bool = True
) -> QuerySet[ResultSet]:
    """With sessions `ended` and `resumed`, verdicts `decided`, answers `judged` (to public prompts:
    `judged_public`) since the results were computed, or last compared with what they rest on
    (`results_recompute`, which looks at results of the present design alone); with models `imported` for the
    item bank of a study that follows its newest, and how often a lead has `taken` newer ones over and some
    were `deleted`, since they were measured. Of results of this study.
    """
    events = StudyEvent.objects.filter(study=study)
    checks = events.filter(kind=StudyEventKind.RESULTS_RECOMPUTED)
    newest = checks.order_by("-happened_at").values("happened_at")[:1]
    moment, measured = OuterRef("moment"), OuterRef("measured")
    sessions = SessionEvent.objects.filter(
        session__participant__study=study, session__participant__is_test=False, recorded_at__gt=moment
    )
    scores = AnswerScore.objects.filter(run=OuterRef("run"), judged_at__gt=moment)
    models = ModelConfiguration.objects.filter(item_bank=OuterRef("run__study__item_bank"), until=None)
    return rows.annotate(
        checked=Case(When(run__design_hash=F("run__study__design_hash"), then=Subquery(newest))),
        moment=Greatest("computed_at", Coalesce("checked", "computed_at")),
        measured=Greatest("moment", Coalesce("measurement__computed_at", "computed_at")),
        ended=_counted(sessions.filter(kind__in=ENDS)),
        # Time given to a running session changes no result.
        resumed=_counted(sessions.filter(kind__in=WENT_ON, details__before__in=ENDED)),
        decided=_counted(Verdict.objects.filter(participant__study=study, decided_at__gt=moment)),
        judged=_counted(scores),
        **({"judged_public": _counted(scores.filter(of_public("answer__prompt")))} if with_public else {}),
        imported=Case(
            When(run__study__models_version=None, then=_counted(models.filter(imported_at__gt=measured))),
            default=0,
        ),
        taken=_counted(events.filter(kind=StudyEventKind.MODELS_TAKEN, happened_at__gt=measured)),
        deleted=_counted(events.filter(kind=StudyEventKind.MODELS_DELETED, happened_at__gt=measured)),
    )


def _counted(rows: QuerySet[Any]) -> Coalesce:
    """The number of these rows inside of another query."""
    number = rows.order_by().annotate(all=Value(1)).values("all").annotate(number=Count("*")).values("number")
    return Coalesce(Subquery(number), 0, output_field=IntegerField())


def results_are_coming(study: Study, now: datetime) -> bool:
    """Whether the study's answers were judged just now, and nobody has stored results of them yet."""
    since = now - 2 * RESULTS_WAIT
    ended = JudgingRun.objects.filter(study=study, state=RunState.FINISHED, purpose=RunPurpose.SCORES)
    newest = ended.filter(ended_at__gt=since).aggregate(newest=Max("ended_at"))["newest"]
    return (
        newest is not None
        and not ResultSet.objects.filter(run__study=study, computed_at__gte=newest).exists()
    )


def measures_are_coming(results: ResultSet, now: datetime) -> bool:
    """Whether the results were computed just now, and whoever did so is still measuring them."""
    return not hasattr(results, "measurement") and results.computed_at > now - 2 * RESULTS_WAIT


def run_notes(run: ScoringRun) -> list[str]:
    """The sentences in the reader's language."""
    return [numbered(_(PLAIN_REASONS.get(sentence, sentence)), values) for sentence, values in _notes_of(run)]


def exported_notes(run: ScoringRun) -> tuple[str, ...]:
    """The same in English, as files have it."""
    return tuple(sentence % values for sentence, values in _notes_of(run))


def _notes_of(run: ScoringRun) -> list[tuple[str, dict[str, int]]]:
    number, bank = int(run.judge.get("criteria_per_call", 1)), run.study.item_bank
    notes: list[tuple[str, dict[str, int]]] = []
    if number > 1:
        notes.append((BATCHED, {"number": number}))
    if bank and bank.is_logistic:
        notes.append((LOGISTIC_BANK, {}))
    return notes
