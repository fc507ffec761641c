"""What a judge has said before: the same judge is never paid twice for the same request.

A judge is the same by what decides its scores, the texts it is asked in included; its address does not
matter. A replicate is asked again on purpose. Looked up when a run is planned, and again when its rows are
claimed; only requests that are under way in two runs at the same moment are made twice.
"""

from collections.abc import Sequence

from django.db.models import QuerySet

from judging.models import CriterionScore, RowState, ScoringRun

KEYS_AT_ONCE = 500

KnownVerdict = tuple[float, float, str]


def known_verdicts(run: ScoringRun, requests: Sequence[str]) -> dict[str, dict[int, KnownVerdict]]:
    """Score, confidence and explanation by request hash and place in the call, from any run of any study."""
    found: dict[str, dict[int, KnownVerdict]] = {}
    for start in range(0, len(requests), KEYS_AT_ONCE):
        rows = _verdicts(run).filter(request_sha256__in=requests[start : start + KEYS_AT_ONCE]).order_by("pk")
        columns = ("request_sha256", "place", "score", "confidence", "explanation")
        for key, place, score, confidence, explanation in rows.values_list(*columns):
            found.setdefault(key, {}).setdefault(place, (score, confidence, explanation))
    return found


def has_known_verdicts(run: ScoringRun) -> bool:
    """Whether it may be worth looking: a judge that was never asked knows nothing."""
    return _verdicts(run).exclude(request_sha256="").exists()


def _verdicts(run: ScoringRun) -> QuerySet[CriterionScore]:
    return CriterionScore.objects.filter(
        run__judge_sha256=run.judge_sha256, run__replicate=run.replicate, state=RowState.SCORED
    )
