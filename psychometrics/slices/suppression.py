"""Which parts must not be told, as a whole less what is told would be one or two private prompts' own.

Scores on public prompts are exported, so what is told of a part tells of its private prompts. Categories,
sub-categories and modalities split the prompts, profiles and arms the people; sub-categories split a
category, and cells both a category and a profile. Labels overlap: each is judged by itself and by what is
left without it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from psychometrics.data.cohort import PUBLIC, Cohort, Mask
from psychometrics.slices.parts import Slice, SliceKind, hidden_among, too_few_private

Prompts = frozenset[int]
OF_ALL = (SliceKind.CATEGORY, SliceKind.SUBCATEGORY, SliceKind.MODALITY, SliceKind.PROFILE, SliceKind.ARM)
WITHIN = {
    SliceKind.SUBCATEGORY: (SliceKind.CATEGORY,),
    SliceKind.CELL: (SliceKind.CATEGORY, SliceKind.PROFILE),
}


def complementary_suppression(cohort: Cohort, slices: Iterable[Slice], group: Mask) -> frozenset[str]:
    """Which parts (subsets) of a group, rows (n,), must not be told."""
    rows = is_private(cohort)[cohort.prompt] & cohort.is_pair & group
    if not rows.any():
        return frozenset()
    parts, asked = list(slices), cohort.prompt[rows]

    def prompts(of_rows: Mask) -> Prompts:
        return frozenset(np.unique(asked[of_rows[rows]]).tolist())

    everything = np.ones(len(cohort), dtype=bool)
    hidden: frozenset[str] = frozenset()
    for kind in OF_ALL:
        hidden |= _hidden_of([part for part in parts if part.kind == kind], everything, prompts)
    labels = [part for part in parts if part.kind == SliceKind.LABEL]
    hidden |= {
        one.subset
        for one in labels
        if prompts(one.rows) and too_few_private(len(prompts(everything & ~one.rows)))
    }
    for kind, wholes in WITHIN.items():
        for whole in (part for part in parts if part.kind in wholes):
            own = [part for part in parts if part.kind == kind and prompts(part.rows & whole.rows)]
            if whole.subset in hidden:
                hidden |= {part.subset for part in own}  # all of them together would tell it
            else:
                hidden |= _hidden_of(own, whole.rows, prompts)
    return hidden


def hidden_where_asked(cohort: Cohort, parts: Mapping[str, Mask]) -> frozenset[str]:
    """Which parts, rows (n,) that are in one part each, must not be told of: of all asked, scored or not."""
    asked = is_private(cohort)[cohort.prompt]
    own = {name: frozenset(np.unique(cohort.prompt[rows & asked]).tolist()) for name, rows in parts.items()}
    return hidden_among(own)


def is_private(cohort: Cohort) -> Mask:
    """(J,): prompts of a private split."""
    return np.array([prompt.split != PUBLIC for prompt in cohort.prompts], dtype=bool)


def _hidden_of(parts: Sequence[Slice], whole: Mask, prompts: Callable[[Mask], Prompts]) -> frozenset[str]:
    if not parts:
        return frozenset()
    rest = whole & ~np.any([part.rows for part in parts], axis=0)
    return hidden_among({part.subset: prompts(part.rows & whole) for part in parts}, prompts(rest))
