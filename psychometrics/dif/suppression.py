"""Which shifts, and which thetas without some prompts, would tell of one or two private prompts.

Categories and modalities are the parts of the slices, and what must not be told there must not be told here
(`slices_hidden`). A contrast of a profile on a category rests on four cells, the profile and the others on
the category and elsewhere: none of these may rest on one or two, and of a category with a hidden cell no
contrast is told, as the cells of all profiles are in each.
"""

from collections.abc import Iterator, Mapping

import numpy as np

from psychometrics.data.cohort import Cohort, Mask
from psychometrics.slices.parts import Slice, SliceKind, slices_of, too_few_private
from psychometrics.slices.suppression import complementary_suppression, is_private

LABELS = (SliceKind.CATEGORY, SliceKind.MODALITY)


def hidden_shifts(cohort: Cohort) -> frozenset[str]:
    """Subsets of `dif.group`, such as category:QR or profile:stem/category:QR, that must not be told."""
    if not is_private(cohort).any():
        return frozenset()
    slices = list(slices_of(cohort))
    hidden = complementary_suppression(cohort, slices, np.ones(len(cohort), dtype=bool))
    labels = {f"{part.kind}:{part.value}" for part in slices if part.kind in LABELS and part.subset in hidden}
    return frozenset(labels).union(_hidden_contrasts(cohort, slices, hidden))


def _hidden_contrasts(cohort: Cohort, slices: list[Slice], hidden: frozenset[str]) -> Iterator[str]:
    profiles, categories = (
        [part for part in slices if part.kind == kind] for kind in (SliceKind.PROFILE, SliceKind.CATEGORY)
    )
    private = is_private(cohort)
    for category in categories:
        cells = {Slice(SliceKind.CELL, f"{category.value}/{one.value}", one.rows).subset for one in profiles}
        for profile in profiles:
            focal, part = profile.rows, category.rows
            cells_of_contrast = (focal & part, focal & ~part, ~focal & part, ~focal & ~part)
            few = any(_too_few(cohort, private, rows) for rows in cells_of_contrast)
            if few or hidden & {*cells, category.subset, profile.subset}:
                yield f"profile:{profile.value}/category:{category.value}"


def _too_few(cohort: Cohort, private: Mask, rows: Mask) -> bool:
    asked = np.unique(cohort.prompt[rows & cohort.is_pair])
    return too_few_private(int(private[asked].sum()))


def suppressed_complements(members: Cohort, kept: Mapping[str, Mask]) -> frozenset[str]:
    """Which sets of prompts (J,), the first of which is all, must not be told of beside those before them.

    Whatever is added and subtracted of sets that are told is made of prompts that are in the same of them:
    of such prompts with a pair none, or at least three, are private.
    """
    asked = np.zeros(len(members.prompts), dtype=bool)
    asked[members.pairs.prompt] = True
    private = asked & is_private(members)
    told: list[Mask] = []
    hidden = set()
    for name, prompts in kept.items():
        sizes = np.unique(np.array([*told, prompts])[:, private], axis=1, return_counts=True)[1]
        before = np.unique(np.array(told)[:, private], axis=1).shape[1] if told else len(sizes)
        if len(sizes) > before and any(too_few_private(int(size)) for size in sizes):
            hidden.add(name)
        else:
            told.append(prompts)
    return frozenset(hidden)
