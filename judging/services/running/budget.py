"""The most a run may spend: what a request can cost at worst is committed before it is sent.

`JudgingRun.committed` is the cost of all requests on record, those under way at their worst, and never passes
the budget. The bound is as good as two facts: no token of a prompt is shorter than a byte, and no reply is
longer than the judge's bound on output tokens (without one: than `ASSUMED_OUTPUT_TOKENS`, so only a judge
with a bound makes a budget a guarantee).
"""

from collections.abc import Iterable
from decimal import ROUND_CEILING, Decimal

from django.db.models import Sum
from django.utils.translation import gettext as _

from judging.judges.course import LOST
from judging.judges.reasons import UnscoredReason
from judging.models import CriterionScore, JudgeCall, JudgeConfig, JudgingRun, RowState
from llm.requests import BYTES_PER_TOKEN, Attempt
from studies.services.refusals import Refused

ASSUMED_OUTPUT_TOKENS = 16_000
# What a chat template and a description of the reply in words add to the text of the messages.
TOKENS_AROUND = 200
# Nobody answered, or an error status was the answer: there is no work to be paid.
NEVER_CHARGED = frozenset(
    {
        UnscoredReason.ADDRESS_REFUSED,
        UnscoredReason.CONNECTION_FAILED,
        UnscoredReason.RATE_LIMITED,
        UnscoredReason.SERVER_FAILED,
        UnscoredReason.ENDPOINT_TIMED_OUT,
        UnscoredReason.ENDPOINT_CONFLICT,
        UnscoredReason.ASKED_TOO_EARLY,
        UnscoredReason.ACCESS_DENIED,
        UnscoredReason.SCHEMA_REJECTED,
        UnscoredReason.REQUEST_REJECTED,
    }
)
STORED = Decimal("0.00000001")


class PricesUnknown(Refused):
    """A budget can only be kept where every judge's prices are known."""


def require_prices(budget: Decimal | None, configs: Iterable[JudgeConfig | None]) -> None:
    """Raise PricesUnknown where a budget is given and a judge has no prices. Who computes costs nothing."""
    if budget is None:
        return
    unknown = {config.slug for config in configs if config is not None and config.input_price is None}
    if unknown:
        names = ", ".join(f'"{name}"' for name in sorted(unknown))
        said = _(
            "A budget needs prices, and these judges have none: %(names)s. Give them their prices per "
            "million tokens, 0 for a model of your own, or leave out the budget."
        )
        raise PricesUnknown(said % {"names": names})


def cost_of(config: JudgeConfig | None, call: Attempt) -> Decimal | None:
    """What a request cost; None where the prices are not known.

    Where the endpoint does not say how many tokens it took, it counts as the most it can have been, unless
    there was nothing to charge: what may have been paid is never taken to be free.
    """
    if config is None or config.input_price is None:
        return None
    known = config.price_of(call.prompt_tokens, call.completion_tokens)
    if known is not None:
        return known.quantize(STORED, ROUND_CEILING)
    return Decimal(0) if call.outcome in NEVER_CHARGED else worst_cost(config, call.prompt_estimate)


def worst_cost(config: JudgeConfig, prompt_estimate: int) -> Decimal:
    """The most a request can cost whose prompt was estimated at so many tokens."""
    prompt = prompt_estimate * BYTES_PER_TOKEN + TOKENS_AROUND
    cost = config.price_of(prompt, config.max_output_tokens or ASSUMED_OUTPUT_TOKENS)
    if cost is None:
        raise ValueError(f"The judge {config.slug} has no prices.")
    return cost.quantize(STORED, ROUND_CEILING)


def why_exhausted(run: JudgingRun, judge: JudgeConfig, worst: Decimal) -> str:
    """In words: what is spent and left to do, and what the next request could cost."""
    rows = CriterionScore.objects.filter(judging_run=run)
    left = rows.filter(state=RowState.OPEN).count()
    lost = JudgeCall.objects.filter(judging_run=run, outcome=LOST).aggregate(cost=Sum("cost"))["cost"]
    of_lost = f", {_money(lost)} of it perhaps, by workers that died" if lost else ""
    return (
        f"{_money(run.committed)} of {_money(run.budget or Decimal(0))} is spent{of_lost}; the next request "
        f'to the judge "{judge}" could cost {_money(worst)}. Verdicts left: {left:,} of {rows.count():,}. '
        "Resume the run with a higher budget to go on."
    )


def _money(amount: Decimal) -> str:
    """An amount without needless zeros, with two decimals at least."""
    whole, _point, decimals = f"{amount:f}".partition(".")
    return f"{whole}.{decimals.rstrip('0').ljust(2, '0')}"
