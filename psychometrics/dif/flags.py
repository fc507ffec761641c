"""Which prompts may be off, by themselves or by a group they are in, and what is left without them.

Prompt      p_j = 2 Phi(-|z_j|), z_j from `dif.item_dif`; flagged where Holm's adjusted p over all prompts
            with an answer is at most 5 %: false alarms are few, and so are those found
            with four or five answers to a prompt
Group       every prompt of a flagged category or modality (`dif_groups`, Holm within the family)
Extreme     |a b| > 6.5: uniformly passed or failed by the models of the calibration
Any         all of these together

A flag is a reason to look at the result without the prompt, never to drop it: p is approximate, as single
answers are not normal, and with no DIF at all one study in four flags a prompt. Where all answers are to one
prompt its shift cannot be told from ability: not tested.
"""

from collections.abc import Collection, Mapping

import numpy as np
from scipy.special import ndtr

from psychometrics.data.cohort import Cohort, Mask
from psychometrics.dif.prompts import ItemDif
from psychometrics.inference.clusters import Array
from psychometrics.inference.holm import holm

LEVEL = 0.05
EXTREME = 6.5
MIN_PROMPTS = 2


def prompt_p_values(items: ItemDif) -> tuple[Array, Array]:
    """Two-sided p of each prompt (J,) and Holm's adjusted p over all of them; NaN where it is not tested."""
    p = 2 * ndtr(-np.abs(items.z))
    if len(p) < MIN_PROMPTS:
        p = np.full(len(p), np.nan)
    return p, holm(p)


def flags_of(
    cohort: Cohort, items: ItemDif, *, categories: Collection[str], modalities: Collection[str]
) -> Mapping[str, Mask]:
    """Masks (J,) over the cohort's prompts: what each kind of flag is on, and `any` of them.

    `categories` and `modalities` are those that are flagged.
    """
    by_themselves = np.zeros(len(cohort.prompts), dtype=bool)
    by_themselves[items.prompt[prompt_p_values(items)[1] <= LEVEL]] = True
    flags = {
        "flagged-categories": np.array([one.category in categories for one in cohort.prompts], dtype=bool),
        "flagged-modalities": np.array([one.modality in modalities for one in cohort.prompts], dtype=bool),
        "flagged-prompts": by_themselves,
        "extreme": np.abs(np.nan_to_num(cohort.a * cohort.b)) > EXTREME,
    }
    return flags | {"any-flag": np.logical_or.reduce(list(flags.values()))}
