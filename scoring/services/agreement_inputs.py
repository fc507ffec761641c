"""What the agreement of judges rests on, its hash, and whether it is stored."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, groupby

import numpy as np
from django.db.models import F, QuerySet

from judging.models import AnswerScore, CriterionScore, RowState, ScoringRun
from judging.selectors.answers import counted_answers
from psychometrics.agreement.measures import OF_ALL
from psychometrics.agreement.scores import PanelScores, filled
from psychometrics.data.places import PUBLIC
from psychometrics.inference.measure import Scope
from scoring.models import JudgeComparison
from scoring.selectors.judges import Panel, panels
from scoring.selectors.scopes import study_scopes
from studies.models import Criterion, Study

RESAMPLES = 1000
# Part of every hash of inputs: what an earlier way of computing left is computed anew.
METHOD = 6  # errors by CR2, bounds, nothing of too few


@dataclass(frozen=True)
class Compared:
    """Two judges, or all of a panel at once (`of_all`), by these columns of its scores in a scope.

    `runs` are those of the columns. `key`: a hash of what they rest on.
    """

    first: ScoringRun
    second: ScoringRun
    runs: tuple[ScoringRun, ...]
    scores: PanelScores
    columns: tuple[int, ...]
    of_all: bool
    key: str

    def stored(self) -> QuerySet[JudgeComparison]:
        rows = JudgeComparison.objects.filter(first=self.first, second=self.second, scope=self.scores.scope)
        return rows.filter(level=OF_ALL) if self.of_all else rows.exclude(level=OF_ALL)

    @property
    def is_stored(self) -> bool:
        keys = set(self.stored().values_list("inputs_sha256", flat=True))
        return keys == {self.key}


def agreements_are_current(study: Study) -> bool:
    """Whether the agreement of every panel is stored, from the scores as they are and by this method.

    Those under earlier designs as well: an export has them, and whoever withdrew since is in none.
    """
    return all(
        compared.is_stored
        for runs in panels(study)
        for compared in panel_compared(study, runs, study_scopes(study))
    )


def panel_compared(study: Study, runs: Panel, scopes: Iterable[Scope]) -> Iterator[Compared]:
    """Every two judges of a panel, then all of them, each once; scope by scope."""
    everything = panel_scores(study, runs)
    # The columns of each judge's first run; of a single judge all its runs.
    first: dict[int | None, int] = {}
    for column, run in enumerate(runs):
        first.setdefault(run.config_id, column)
    judges = tuple(first.values()) if len(first) > 1 else tuple(range(len(runs)))
    for scores in map(everything.within, scopes):
        for pair in combinations(range(len(runs)), 2):
            yield _compared(study, runs, scores, pair, of_all=False)
        yield _compared(study, runs, scores, judges, of_all=True)


def _compared(
    study: Study, runs: Panel, scores: PanelScores, columns: tuple[int, ...], *, of_all: bool
) -> Compared:
    """With a hash of everything the numbers of these runs in this scope depend on."""
    own = tuple(runs[column] for column in columns)
    first, second = (runs[0], runs[-1]) if of_all else own
    digest = hashlib.sha256()
    facts = {
        "method": METHOD,
        "resamples": RESAMPLES,
        "runs": [run.pk for run in own],
        "item_bank": study.item_bank.digest if study.item_bank else None,
        "top_size": study.protocol.top_size,
        "answers": list(zip(scores.participants, scores.prompt_ids, strict=True)),
    }
    digest.update(json.dumps(facts, sort_keys=True).encode())
    digest.update(scores.criterion_answers.tobytes())
    for table in (scores.answer_scores, scores.criterion_scores):
        digest.update(np.ascontiguousarray(table[:, list(columns)]).tobytes())
    return Compared(first, second, own, scores, columns, of_all, digest.hexdigest())


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
