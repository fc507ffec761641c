"""DIF: neither shifts of groups of prompts nor theta without some tell of one or two private prompts."""

import math
from collections.abc import Iterable

import numpy as np
import pytest

from psychometrics.data.cohort import Cohort, Mask, cohort_of
from psychometrics.data.places import AskedPrompt, Outcome, Person
from psychometrics.dif.groups import GroupDif
from psychometrics.dif.suppression import hidden_shifts, suppressed_complements
from psychometrics.inference.estimates import Estimate, Reason
from psychometrics.irt.bank import ItemBank
from psychometrics.irt.transform import Transform
from psychometrics.measures.blocks.dif import family_measures, flagged_of, told

PROMPTS = 24


def asked(private: dict[str, int], *, unscored: tuple[int, ...] = ()) -> Cohort:
    """Six people of two profiles and eight prompts of each category A to C, so many of them private."""
    prompts = [
        AskedPrompt(
            f"p{j}", category="ABC"[j % 3], modality="image" if j < 6 else "text",
            split="private" if j // 3 < private["ABC"[j % 3]] else "public",
        )
        for j in range(PROMPTS)
    ]  # fmt: skip
    rows = [
        (i, j, 1, j + 1, math.nan if j in unscored else 0.5, 0.5, Outcome.SCORED)
        for i in range(6)
        for j in range(PROMPTS)
    ]
    bank = ItemBank(tuple(one.prompt_id for one in prompts), np.ones(PROMPTS), np.zeros(PROMPTS),
                    ("",) * PROMPTS, Transform(0.998, 0.001), 2.5)  # fmt: skip
    people = [Person(f"P{i}", profile=("stem", "arts")[i % 2]) for i in range(6)]
    return cohort_of(people=people, prompts=prompts, bank=bank, rows=rows)


def of_kind(found: Iterable[str], kind: str) -> set[str]:
    return {name.partition(":")[2] for name in found if name.startswith(f"{kind}:")}


@pytest.mark.parametrize(
    ("private", "hidden"),
    [
        ({"A": 0, "B": 0, "C": 0}, set()),
        ({"A": 3, "B": 3, "C": 0}, set()),
        ({"A": 1, "B": 3, "C": 5}, {"A", "B"}),  # all prompts less B and C would be A
        ({"A": 2, "B": 1, "C": 5}, {"A", "B", "C"}),  # together three; C less those with text would be two
    ],
)
def test_a_category_that_would_give_one_or_two_private_prompts_away_is_not_told_for_any_profile(
    private: dict[str, int], hidden: set[str]
) -> None:
    found = hidden_shifts(asked(private))

    assert of_kind(found, "category") == hidden
    assert of_kind(found, "profile") == {
        f"{profile}/category:{name}" for name in hidden for profile in ("stem", "arts")
    }


def test_private_prompts_without_a_score_do_not_count() -> None:
    private = {"A": 3, "B": 3, "C": 3}  # the first three prompts of each: 0, 3, 6 of A

    assert of_kind(hidden_shifts(asked(private)), "category") == set()
    assert of_kind(hidden_shifts(asked(private, unscored=(3,))), "category") == {"A", "B"}


def test_modalities_are_hidden_like_categories() -> None:
    """Of the first six prompts, with an image, two are private; so are two with text: together four."""
    assert of_kind(hidden_shifts(asked({"A": 4, "B": 0, "C": 0})), "modality") == {"image", "text"}


def test_what_is_hidden_has_neither_number_nor_counts_and_no_part_in_the_correction() -> None:
    def shift(p: float) -> GroupDif:
        return GroupDif(Estimate(1.0, 0.5, 0.0, 2.0), p, 40, 6)

    family = {"category:A": shift(0.001), "category:B": shift(0.02), "category:C": shift(0.4)}
    told_now = told(family, {"category:A": Reason.COMPLEMENT})
    hidden, second, third = family_measures(told_now)

    assert math.isnan(hidden.estimate.value)
    assert hidden.estimate.reason == Reason.COMPLEMENT
    assert (hidden.n, hidden.clusters) == (None, None)
    assert hidden.details == {"p": None, "p_holm": None, "flagged": False}
    assert second.details["p_holm"] == pytest.approx(2 * 0.02)  # of two that are told
    assert (third.n, third.details["flagged"]) == (40, False)
    assert flagged_of(told_now) == ["B"]


def without(*left_out: int) -> Mask:
    return ~np.isin(np.arange(PROMPTS), left_out)


@pytest.mark.parametrize(
    ("sets", "hidden"),
    [
        ({"one": without(0)}, {"one"}),  # all less this is one private prompt's own
        ({"three": without(0, 3, 6)}, set()),
        ({"public": without(1, 2)}, set()),
        ({"none": without()}, set()),
        ({"four": without(0, 3, 6, 9), "five": without(0, 3, 6, 9, 12)}, {"five"}),  # one less the other
        ({"three": without(0, 3, 6), "same": without(0, 3, 6, 1)}, set()),
        # three in one, three in the other, one of them in both
        ({"one": without(0, 3, 6), "other": without(6, 9, 12)}, {"other"}),
    ],
)
def test_theta_without_prompts_is_not_told_where_a_difference_would_be_of_one_or_two_private_ones(
    sets: dict[str, Mask], hidden: set[str]
) -> None:
    cohort = asked({"A": 8, "B": 0, "C": 0})  # prompts 0, 3, 6, ... 21

    assert suppressed_complements(cohort, {"all": without()} | sets) == hidden
    of_public = {name: prompts[public_of(cohort)] for name, prompts in ({"all": without()} | sets).items()}
    assert suppressed_complements(cohort.public, of_public) == set()


def public_of(cohort: Cohort) -> Mask:
    return np.array([one.split == "public" for one in cohort.prompts])
