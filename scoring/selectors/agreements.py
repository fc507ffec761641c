"""What the judges of a panel gave to the same answers, as arrays; and what was found of their agreement."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from itertools import groupby

import numpy as np
from django.db.models import Exists, F, OuterRef, Prefetch, QuerySet

from judging.models import AnswerScore, CriterionScore, JudgingRun, RowState, ScoringRun
from judging.selectors.answers import counted_answers
from judging.selectors.runs import scores_runs
from psychometrics.agreement.scores import PanelScores, filled
from psychometrics.data.places import PUBLIC
from psychometrics.inference.measure import Scope
from scoring.models import JudgeComparison, MeasureRow
from studies.models import Criterion, Study

Panel = tuple[ScoringRun, ...]


def panels(study: Study) -> list[Panel]:
    """Runs under one design that were asked for scores, two or more of them; the oldest panel first."""
    asked = CriterionScore.objects.filter(run=OuterRef("pk"), judging_run__in=scores_runs())
    runs = ScoringRun.objects.filter(Exists(asked), study=study).select_related("config").order_by("pk")
    by_design: dict[str, list[ScoringRun]] = {}
    for run in runs:
        by_design.setdefault(run.design_hash, []).append(run)
    return [tuple(found) for found in by_design.values() if len(found) > 1]


def panel_scores(study: Study, runs: Panel) -> PanelScores:
    """Everything the runs gave to what counts now, in four queries."""
    facts = ("pk", "session__participant__code", "prompt__prompt_id", "prompt__split", "prompt")
    # Sorted here: a database orders texts by its own rules, and draws of clusters follow this order.
    answers = sorted(
        counted_answers(study).order_by().values_list(*facts), key=lambda row: (row[1], row[2], row[0])
    )
    places = {pk: row for row, (pk, *_) in enumerate(answers)}
    criteria = criteria_of(prompt for *_, prompt in answers)
    cells = [(pk, criterion) for pk, *_, prompt in answers for criterion in criteria.get(prompt, ())]
    columns = {run.pk: column for column, run in enumerate(runs)}
    return PanelScores(
        scope=Scope.ALL,
        participants=[code for _, code, *_ in answers],
        prompt_ids=[prompt_id for _, _, prompt_id, *_ in answers],
        is_public=np.array([split == PUBLIC for *_, split, _ in answers], dtype=bool),
        answer_scores=filled(places, columns, answer_scores(runs)),
        criterion_answers=np.array([places[pk] for pk, _ in cells], dtype=np.int64),
        criterion_scores=filled(
            {cell: row for row, cell in enumerate(cells)}, columns, criterion_scores(runs)
        ),
    )


def criteria_of(prompts: Iterable[int]) -> Mapping[int, list[int]]:
    """The criteria of each prompt that has a rubric, in their order."""
    rows = Criterion.objects.filter(prompt__in=set(prompts)).order_by("prompt_id", "position")
    found = groupby(rows.values_list("prompt", "pk"), key=lambda row: row[0])
    return {prompt: [pk for _, pk in own] for prompt, own in found}


def answer_scores(runs: Panel) -> Iterator[tuple[int, int, float]]:
    scores = AnswerScore.objects.filter(
        run__in=runs, score__isnull=False, revision=F("answer__revision")
    ).values_list("run", "answer", "score")
    for run, answer, score in scores.iterator():
        if score is not None:
            yield run, answer, score


def criterion_scores(runs: Panel) -> Iterator[tuple[int, tuple[int, int], float]]:
    scored = CriterionScore.objects.filter(
        run__in=runs, state=RowState.SCORED, criterion__isnull=False, revision=F("answer__revision")
    ).values_list("run", "answer", "criterion", "score")
    for run, answer, criterion, score in scored.iterator():
        if criterion is not None and score is not None:
            yield run, (answer, criterion), score


def study_agreements(study: Study) -> QuerySet[JudgeComparison]:
    """What is stored of every scope, pair by pair, with its numbers."""
    related = ("first__config", "second__config")
    compared = JudgeComparison.objects.filter(first__study=study).select_related(*related)
    measures = MeasureRow.objects.order_by("pk")
    return compared.order_by("first", "second", "pk").prefetch_related(Prefetch("measures", measures))


def design_of(judging_run: JudgingRun) -> str:
    """The design its judges were asked under; "" before there is a row."""
    rows = judging_run.rows.order_by("pk").values_list("run__design_hash", flat=True)
    return rows.first() or ""


def newly_judged(first: ScoringRun, second: ScoringRun, since: datetime) -> int:
    """Answers that either of them judged after this moment."""
    return AnswerScore.objects.filter(run__in=(first, second), judged_at__gt=since).count()
