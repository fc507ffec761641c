"""Absent answers by modality: none is told that would be those to one or two private prompts."""

import numpy as np
import pytest

from psychometrics.data.cohort import Cohort, cohort_of
from psychometrics.data.places import AskedPrompt, Outcome, Person
from psychometrics.inference.estimates import WITHHELD
from psychometrics.inference.measure import Measure
from psychometrics.irt.bank import ItemBank
from psychometrics.irt.transform import Transform
from psychometrics.measures.blocks.missing import model_measures, place_measures

PROMPTS = 12


def asked(private: set[int]) -> Cohort:
    """Four with a text, four with an image, four with sound; every third place is skipped."""
    prompts = [
        AskedPrompt(
            f"p{j:02}", modality=("text", "image", "sound")[j // 4],
            split="private" if j in private else "public",
        )
        for j in range(PROMPTS)
    ]  # fmt: skip
    rows = [
        (
            i,
            j,
            1,
            j + 1,
            *((np.nan, np.nan, Outcome.SKIPPED) if (i + j) % 3 == 0 else (0.5, 0.5, Outcome.SCORED)),
        )
        for i in range(6)
        for j in range(PROMPTS)
    ]
    bank = ItemBank(tuple(one.prompt_id for one in prompts), np.ones(PROMPTS), np.linspace(-1, 1, PROMPTS),
                    ("",) * PROMPTS, Transform(0.998, 0.001), 2.5)  # fmt: skip
    return cohort_of(people=[Person(f"P{i}") for i in range(6)], prompts=prompts, bank=bank, rows=rows)


def by_modality(found: list[Measure]) -> dict[str, Measure]:
    return {one.subset: one for one in found if one.subset.startswith("modality:")}


@pytest.mark.parametrize(
    ("private", "hidden"),
    [
        (set(), set()),
        ({0, 1, 2, 4, 5, 6}, set()),
        ({0, 4, 5, 6}, {"modality:text", "modality:image"}),  # all places less image and sound are one prompt
    ],
)
def test_a_modality_with_one_private_prompt_has_neither_share_nor_counts(
    private: set[int], hidden: set[str]
) -> None:
    found = by_modality(list(place_measures(asked(private))))

    assert set(found) == {"modality:text", "modality:image", "modality:sound"}
    for subset, one in found.items():
        assert (one.estimate.reason in WITHHELD) == (subset in hidden)
        assert (one.n is None) == (subset in hidden)
        assert all(count is None for count in one.details.values()) == (subset in hidden)


def test_beside_a_hidden_modality_no_odds_ratio_of_a_modality_is_told() -> None:
    shown, hidden = (list(model_measures(asked(private))) for private in (set(), {0, 4, 5, 6}))

    assert len(by_modality(shown)) == len(by_modality(hidden)) == 2
    assert all(one.n for one in shown)
    for one in by_modality(hidden).values():
        assert (one.estimate.reason, one.n, one.clusters) == ("too_few_private", None, None)
        assert one.details["log_odds"] is None
