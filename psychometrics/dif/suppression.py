"""Which shifts, and which thetas without some prompts, would tell of too few (`slices.suppression`).

Categories and modalities are the parts of the slices, and what must not be told there must not be told
here. A contrast of a profile on a category rests on four cells, the profile and the others on the category
and elsewhere: none of these may be too few, and of a category with a hidden cell no contrast is told, as the
cells of all profiles are in each.
"""

from collections.abc import Mapping

import numpy as np

from psychometrics.data.cohort import Cohort, Mask
from psychometrics.inference.disclosure import answers_of, is_private
from psychometrics.inference.estimates import Reason, few_private
from psychometrics.inference.measure import AVERAGE
from psychometrics.slices.parts import Slice, SliceKind, slices_of
from psychometrics.slices.suppression import withheld_parts

LABELS = (SliceKind.CATEGORY, SliceKind.MODALITY)


def hidden_shifts(cohort: Cohort) -> dict[str, Reason]:
    """Subsets of `dif.group`, such as category:QR or profile:stem/category:QR, that must not be told."""
    slices, nobody = list(slices_of(cohort)), np.zeros(len(cohort), dtype=bool)
    parts = withheld_parts(cohort, slices, nobody, cohort.is_pair)
    hidden = {subset: why for (group, subset), why in parts.items() if group == AVERAGE}
    labels = {part.subset for part in slices if part.kind in LABELS} & hidden.keys()
    untold = {subset: hidden[subset] for subset in labels}
    profiles, categories = (
        [part for part in slices if part.kind == kind] for kind in (SliceKind.PROFILE, SliceKind.CATEGORY)
    )
    answers = answers_of(cohort, cohort.is_pair)
    for category in categories:
        cells = [
            Slice(SliceKind.CELL, f"{category.value}/{profile.value}", profile.rows).subset
            for profile in profiles
        ]
        for profile in profiles:
            focal, part = profile.rows, category.rows
            cells_of_contrast = (focal & part, focal & ~part, ~focal & part, ~focal & ~part)
            found = [
                *map(answers.why_untold, cells_of_contrast),
                *(hidden.get(subset) for subset in (profile.subset, category.subset, *cells)),
            ]
            if why := next(filter(None, found), None):
                untold[f"profile:{profile.value}/category:{category.value}"] = why
    return untold


def suppressed_complements(members: Cohort, kept: Mapping[str, Mask]) -> frozenset[str]:
    """Which sets of prompts (J,), the first of which is all, must not be told of beside those before them.

    Whatever is added and subtracted of sets that are told is made of prompts that are in the same of them:
    of such prompts with a pair none, or at least three, are private.
    """
    asked = np.zeros(len(members.prompts), dtype=bool)
    asked[members.pairs.prompt] = True
    private = asked & is_private(members)
    masks: list[Mask] = []
    hidden = set()
    for name, prompts in kept.items():
        sizes = np.unique(np.array([*masks, prompts])[:, private], axis=1, return_counts=True)[1]
        before = np.unique(np.array(masks)[:, private], axis=1).shape[1] if masks else len(sizes)
        if len(sizes) > before and any(few_private(int(size)) for size in sizes):
            hidden.add(name)
        else:
            masks.append(prompts)
    return frozenset(hidden)
