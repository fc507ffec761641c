"""How far people who rated the judge's verdicts agree with it, in two queries: what the first page says."""

from dataclasses import dataclass

from judging.models import AuditSample
from judging.selectors.audits import PUBLIC_ITEM, counting_items
from psychometrics.agreement.coefficients import kappa
from psychometrics.agreement.paired import ScoresRefused, columns, pair_scores, sums_of
from psychometrics.inference.estimates import none_if_nan
from psychometrics.inference.measure import Scope
from studies.models import Study


@dataclass(frozen=True)
class Audited:
    """The newest audit: how many verdicts people rated, and Cohen's kappa on them as they were drawn."""

    sample: AuditSample
    rated: int
    kappa: float | None


def newest_audit(study: Study, scope: Scope) -> Audited | None:
    """None where no sample was drawn. Over the verdicts of the scope."""
    samples = AuditSample.objects.filter(judging_run__study=study).select_related("judging_run__study")
    sample = samples.order_by("-pk").first()
    if sample is None:
        return None
    items = counting_items(sample).exclude(human_score=None)
    if scope == Scope.PUBLIC:
        items = items.filter(PUBLIC_ITEM)
    rated = list(items.values_list("human_score", "row__score"))
    both = [(one, two) for one, two in rated if one is not None and two is not None]
    return Audited(sample, len(rated), _kappa(both))


def _kappa(scores: list[tuple[float, float]]) -> float | None:
    if not scores:
        return None
    try:
        pairs = pair_scores([one for one, _two in scores], [two for _one, two in scores], range(len(scores)))
    except ScoresRefused:
        return None
    return none_if_nan(float(kappa(sums_of(columns(pairs).sum(axis=0)[None, :], pairs))[0]))
