"""The table of parts of a cohort, and which of it must not be told (`psychometrics.inference.disclosure`).

Categories, sub-categories, modalities and tasks split the prompts, profiles and arms the people;
sub-categories split a category, and cells both a category and a profile. Labels overlap: each is judged by
itself and by what is left without it. Top is a part of Average, and each of its parts one of the same part of
Average; what is left there without Top must not be too few either.

Parts of several kinds have no whole of their own: a modality that lies within a category leaves the rest of
it, and cells are told by rows and by columns. So sums and differences of whatever is told are looked at, too
(`psychometrics.inference.combinations`).
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from psychometrics.data.cohort import Cohort, Mask
from psychometrics.inference.combinations import telling_too_few
from psychometrics.inference.disclosure import Answers, Whole, answers_of, withheld
from psychometrics.inference.estimates import Reason, few_private
from psychometrics.inference.measure import ALL, AVERAGE, TOP, Name
from psychometrics.slices.parts import Slice, SliceKind

OF_ALL = (SliceKind.CATEGORY, SliceKind.SUBCATEGORY, SliceKind.MODALITY, SliceKind.PROFILE, SliceKind.ARM)
WITHIN = {
    SliceKind.SUBCATEGORY: (SliceKind.CATEGORY,),
    SliceKind.CELL: (SliceKind.CATEGORY, SliceKind.PROFILE),
}


def withheld_parts(cohort: Cohort, slices: Sequence[Slice], top: Mask, counted: Mask) -> dict[Name, Reason]:
    """What must not be told of Average and of Top, whose rows (n,) are `top`, by group and subset.

    `counted` are the rows that numbers rest on. Some rest on every scored answer, too: what the others lack
    must not be answers to one or two private prompts.
    """
    answers, everything = answers_of(cohort, counted), np.ones(len(cohort), dtype=bool)
    others = answers_of(cohort, ~np.isnan(cohort.p) & ~counted)
    found: dict[Name, Reason] = {}
    for group, rows in ((AVERAGE, everything), (TOP, top)):
        if few_private(others.private_prompts(rows)):
            found[group, ALL] = Reason.TOO_FEW_PRIVATE
    found = withheld(answers, _table(slices, everything, top)) | found
    # The rows of each group and of its parts that have a number of their own.
    of_average = {(AVERAGE, ALL): everything} | {(AVERAGE, part.subset): part.rows for part in slices}
    parts_of_top = [part for part in slices if part.kind != SliceKind.CELL]
    of_top = {(TOP, ALL): top} | {(TOP, part.subset): part.rows & top for part in parts_of_top}
    _withhold_combined(answers, found, of_average, {})
    _withhold_combined(answers, found, of_top, of_average)
    return found


def withheld_tasks(cohort: Cohort, top: Mask) -> dict[Name, Reason]:
    """The same of tasks, on every scored answer."""
    tasks = np.array([prompt.task for prompt in cohort.prompts], dtype=np.str_)[cohort.prompt]
    slices = [Slice(SliceKind.TASK, str(task), tasks == task) for task in np.unique(tasks)]
    answers, everything = answers_of(cohort, ~np.isnan(cohort.p)), np.ones(len(cohort), dtype=bool)
    return withheld(answers, _table(slices, everything, top))


def withheld_where_asked(cohort: Cohort, parts: Mapping[str, Mask]) -> dict[str, Reason]:
    """What must not be told of parts, rows (n,) that are in one part each: of all asked, scored or not.

    How often prompts were answered is no score: of these rows private prompts alone matter.
    """
    everything = np.ones(len(cohort), dtype=bool)
    return withheld(answers_of(cohort, everything), [Whole(ALL, everything, parts, only_private=True)])


def _withhold_combined(
    answers: Answers, found: dict[Name, Reason], own: Mapping[Name, Mask], beside: Mapping[Name, Mask]
) -> None:
    """Of a group's own parts the smallest, until no sum of what is told, `beside` included, is of too few.

    Then those are told again without which there is none either.
    """
    told = {
        name: rows & answers.counted
        for name, rows in {**own, **beside}.items()
        if name not in found and (rows & answers.counted).any() and not answers.why_untold(rows)
    }
    hidden = []
    while used := telling_too_few(answers, told) & own.keys():
        hidden.append(min(used, key=lambda name: (answers.people(own[name]), int(told[name].sum()), name)))
        found[hidden[-1]] = Reason.COMPLEMENT
        del told[hidden[-1]]
    for name in reversed(hidden[:-1]):
        again = told | {name: own[name] & answers.counted}
        if not telling_too_few(answers, again):
            told = again
            del found[name]


def _table(slices: Sequence[Slice], everything: Mask, top: Mask) -> Iterator[Whole[Name]]:
    """Wholes before their parts: Average, Top as a part of it, Top by itself, and what is left without it."""
    yield Whole(("", ALL), everything, {(AVERAGE, ALL): everything})
    yield from _parts_of(AVERAGE, slices, everything)
    yield Whole((AVERAGE, ALL), everything, {(TOP, ALL): top})
    of_top = [part for part in slices if part.kind != SliceKind.CELL]  # those are a handful of answers
    yield from _parts_of(TOP, of_top, top)
    for part in of_top:
        own = {(TOP, part.subset): part.rows & top}
        yield Whole((AVERAGE, part.subset), part.rows, own)
    if top.any():
        yield from _parts_of(TOP, of_top, everything & ~top, beside=True)


def _parts_of(
    group: str, slices: Sequence[Slice], of_group: Mask, *, beside: bool = False
) -> Iterator[Whole[Name]]:
    """A group by every kind of part, and its categories and profiles by what splits these."""

    def whole(subset: str, rows: Mask, parts: Sequence[Slice]) -> Whole[Name]:
        named = {(group, part.subset): part.rows & rows & of_group for part in parts}
        return Whole((group, subset), rows & of_group, named, beside=beside)

    everything = np.ones(len(of_group), dtype=bool)
    for kind in (*OF_ALL, SliceKind.TASK):
        yield whole(ALL, everything, [part for part in slices if part.kind == kind])
    for label in (part for part in slices if part.kind == SliceKind.LABEL):
        yield whole(ALL, everything, [label])
    for kind, wholes in WITHIN.items():
        for outer in (part for part in slices if part.kind in wholes):
            inner = [part for part in slices if part.kind == kind and (part.rows & outer.rows).any()]
            yield whole(outer.subset, outer.rows, inner)
