"""How sure theta is: every standard error the design allows, and which question each answers."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from formats.wording import gettext_noop
from psychometrics.data.cohort import Cohort
from psychometrics.inference.estimates import unknown
from psychometrics.inference.measure import Measure, NotMeasurable, plain
from psychometrics.inference.mixed_model import Components
from psychometrics.inference.standard_errors import is_nested
from psychometrics.inference.standard_errors_table import ErrorRow, Errors
from psychometrics.measures.inputs import Inputs


class Size(NamedTuple):
    """What the numbers rest on."""

    n: int
    people: int
    prompts: int


def uncertainty_measures(inputs: Inputs) -> Iterator[Measure]:
    """The design, then theta.pool, theta.prompt and theta.ql with their errors, then variance components.

    All of Average: Top was chosen by these scores, which no error here allows for.
    """
    cohort = inputs.cohort
    if len(cohort.pairs) == 0:
        raise NotMeasurable(gettext_noop("No answer to a prompt with item parameters has a score."))
    nested = is_nested(cohort)
    yield design_measure(cohort, nested=nested)
    pairs = cohort.pairs
    errors = Errors(pairs, cohort.transform, cohort.sigma_hat, nested, inputs.resamples, inputs.rng)
    size = Size(len(pairs), len(np.unique(pairs.person)), len(np.unique(pairs.prompt)))
    for row in errors.rows():
        yield error_measure(row, size)
    yield from component_measures(errors.components, size)


def design_measure(cohort: Cohort, *, nested: bool) -> Measure:
    """How many batches there are, and whether each prompt with item parameters belongs to one of them."""
    placed = np.unique(np.stack([cohort.prompt, cohort.batch], axis=1), axis=0)
    asked, batches = np.unique(placed[:, 0], return_counts=True)
    in_several = int((batches[cohort.known[asked]] > 1).sum())
    return Measure(
        "design.batches", plain(float(len(np.unique(cohort.batch)))), people=cohort.people_present,
        prompts=len(asked), details={"nested": nested, "prompts_in_several": in_several},
    )  # fmt: skip


def error_measure(row: ErrorRow, size: Size) -> Measure:
    return Measure(
        f"uncertainty.{row.theta}", row.estimate, group="average", subset=row.error, n=size.n,
        people=size.people, prompts=size.prompts, clusters=row.clusters,
        details={
            "target": row.target, "serves": row.serves, "df": row.df, "few_clusters": row.few_clusters,
        },
    )  # fmt: skip


def component_measures(found: Components, size: Size) -> Iterator[Measure]:
    """Standard deviations rather than variances, as people read them; t2, d2 and s2 are in the details."""
    for name, variance, kind in (
        ("mixed.sd_people", found.people, "people"),
        ("mixed.sd_prompts", found.prompts, "prompts"),
        ("mixed.sd_answers", found.answers, "answers"),
    ):
        why = found.reason
        estimate = unknown(why) if why else plain(float(np.sqrt(variance)))
        details = {"variance": None if why else variance, "truncated": kind in found.truncated}
        yield Measure(
            name, estimate, group="average", n=size.n, people=size.people, prompts=size.prompts,
            details=details,
        )  # fmt: skip
