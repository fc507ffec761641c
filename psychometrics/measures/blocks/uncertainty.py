"""How sure theta is: every standard error the design allows, and which question each answers."""

from collections.abc import Iterator
from functools import partial

import numpy as np

from formats.wording import gettext_noop
from psychometrics.data.cohort import Cohort
from psychometrics.inference.estimates import unknown
from psychometrics.inference.measure import Measure, NotMeasurable, plain
from psychometrics.inference.standard_errors_table import Errors
from psychometrics.measures.inputs import Inputs


def uncertainty_measures(inputs: Inputs) -> Iterator[Measure]:
    """The design, then theta.pool, theta.prompt and theta.ql with their errors, then variance components.

    All of Average: Top was chosen by these scores, which no error here allows for.
    """
    cohort = inputs.cohort
    if len(cohort.pairs) == 0:
        raise NotMeasurable(gettext_noop("No answer to a prompt with item parameters has a score."))
    nested = inputs.nested
    yield _design_measure(cohort, nested=nested)
    pairs = cohort.pairs
    errors = Errors(pairs, cohort.transform, cohort.sigma_hat, nested, inputs.resamples, inputs.rng)
    of_average = partial(
        Measure, group="average", n=len(pairs), people=len(np.unique(pairs.person)),
        prompts=len(np.unique(pairs.prompt)),
    )  # fmt: skip
    for row in errors.rows():
        yield of_average(
            f"uncertainty.{row.theta}", row.estimate, subset=row.error, clusters=row.clusters,
            details={
                "target": row.target, "serves": row.serves, "df": row.df, "few_clusters": row.few_clusters,
                **({"at_least": row.at_least} if row.at_least else {}),
            },
        )  # fmt: skip
    # Standard deviations rather than variances, as people read them; t2, d2 and s2 are in the details.
    components = errors.components
    for kind, variance in (
        ("people", components.people),
        ("prompts", components.prompts),
        ("answers", components.answers),
    ):
        estimate = unknown(components.reason) if components.reason else plain(float(np.sqrt(variance)))
        details = {
            "variance": None if components.reason else variance,
            "truncated": kind in components.truncated,
        }
        yield of_average(f"mixed.sd_{kind}", estimate, details=details)


def _design_measure(cohort: Cohort, *, nested: bool) -> Measure:
    """How many batches there are, and whether each prompt with item parameters belongs to one of them."""
    placed = np.unique(np.stack([cohort.prompt, cohort.batch], axis=1), axis=0)
    asked, batches = np.unique(placed[:, 0], return_counts=True)
    in_several = int((batches[cohort.known[asked]] > 1).sum())
    return Measure(
        "design.batches", plain(float(len(np.unique(cohort.batch)))), people=cohort.people_present,
        prompts=len(asked), details={"nested": nested, "prompts_in_several": in_several},
    )  # fmt: skip
