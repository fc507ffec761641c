"""Theta by category, sub-category, label, modality, split, profile and arm, for Average and Top."""

from collections.abc import Iterator, Mapping

from formats.wording import gettext_noop
from psychometrics.inference.estimates import Reason
from psychometrics.inference.measure import Measure, NotMeasurable, plain
from psychometrics.measures.inputs import Inputs
from psychometrics.slices import parts
from psychometrics.slices.differences import FLAGGED_FROM, arm_differences, contamination


def slice_measures(inputs: Inputs) -> Iterator[Measure]:
    """Every part with three estimators; then public against private."""
    cohort = inputs.cohort
    if not len(cohort.pairs):
        raise NotMeasurable(gettext_noop("No answer to a prompt with item parameters has a score."))
    top_rows = inputs.top[cohort.person]
    slices, nested = list(parts.slices_of(cohort)), inputs.nested
    hidden, hidden_of_top = (
        {subset: why for (of, subset), why in inputs.withheld.items() if of == group}
        for group in ("average", "top")
    )
    for done, part in enumerate(slices):
        inputs.progress(done, len(slices))
        of_all = parts.slice_result(cohort, part.rows, hidden.get(part.subset), nested=nested)
        yield from part_measures(part, "average", of_all)
        if part.kind != parts.SliceKind.CELL:  # a cell of Top is a handful of answers
            why, of_both = hidden_of_top.get(part.subset), part.rows & top_rows
            of_top = parts.slice_result(cohort, of_both, why, nested=nested)
            yield from part_measures(part, "top", of_top)
    rare = plain(parts.rare_labels(cohort.prompts))
    yield Measure("labels.left_out", rare, details={"fewest_prompts": parts.LABEL_PROMPTS})
    yield from _contrast_measures(inputs, hidden)


def part_measures(part: parts.Slice, group: str, slice_result: parts.SliceResult) -> Iterator[Measure]:
    """Each theta with the interval that stands first, and again with the one by people."""
    for theta in slice_result.thetas:
        clusters, facts = (theta.error.found.clusters, theta.error.facts) if theta.error else (None, {})
        for subset, estimate, independent, of_error in (
            (part.subset, theta.first, clusters, facts),
            (
                f"{part.subset};se.participant",
                theta.by_person,
                slice_result.people,
                {"error": "se.participant"},
            ),
        ):
            yield Measure(
                f"slices.{theta.name}", estimate, group=group, subset=subset, n=slice_result.pairs,
                people=slice_result.people, prompts=slice_result.prompts, clusters=independent,
                details={"kind": part.kind, "value": part.value, **of_error},
            )  # fmt: skip


def _contrast_measures(inputs: Inputs, hidden: Mapping[str, Reason]) -> Iterator[Measure]:
    """The difference of every two arms; public less private, where the study has a private split.

    For Average alone: Top is chosen across arms, and by both splits.
    """
    for difference in arm_differences(inputs.cohort, hidden, nested=inputs.nested):
        people = difference.people_first + difference.people_second
        yield Measure(
            f"arms.{difference.estimator}", difference.difference, group="average",
            subset=f"arms:{difference.first}/{difference.second}", n=difference.pairs,
            people=people, clusters=people,
            details={
                "first": difference.first, "second": difference.second, "df": difference.df,
                "people_first": difference.people_first, "people_second": difference.people_second,
            },
        )  # fmt: skip
    if all(prompt.split == "public" for prompt in inputs.cohort.prompts):
        return
    found = contamination(inputs.cohort, nested=inputs.nested)
    yield Measure(
        "contamination.difference", found.difference, "average", n=found.pairs_public + found.pairs_private,
        people=inputs.cohort.people_present, clusters=found.clusters,
        details={
            "flagged": found.flagged, "flagged_from": FLAGGED_FROM, "clusters_are": found.by,
            "pairs_public": found.pairs_public, "pairs_private": found.pairs_private,
        },
    )  # fmt: skip
