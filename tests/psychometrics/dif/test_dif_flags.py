"""Flagged prompts: Holm's correction by hand, what each kind of flag is on, designs that allow no test."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from psychometrics.data.cohort import Cohort, cohort_of
from psychometrics.data.places import AskedPrompt
from psychometrics.dif.groups import flags_of, prompt_p_values
from psychometrics.dif.heterogeneity import Heterogeneity
from psychometrics.dif.prompts import ItemDif
from psychometrics.inference.estimates import Reason, unknown
from psychometrics.irt.bank import ItemBank
from psychometrics.irt.transform import Transform

Z = {0.05: 1.959963985, 0.01: 2.575829304, 0.001: 3.290526731, 0.4: 0.841621234}  # two-sided p: z


def items_of(z: list[float], prompt: list[int] | None = None) -> ItemDif:
    """Shifts z with a variance of 1 each."""
    columns = dict.fromkeys(ItemDif.__dataclass_fields__, np.ones(len(z)))
    places = np.arange(len(z)) if prompt is None else np.array(prompt, dtype=np.int64)
    between = Heterogeneity(0.0, 0.0, unknown(Reason.TOO_FEW_PROMPTS), len(z))
    return ItemDif(**columns | {"prompt": places, "d": np.array(z), "z": np.array(z), "between": between})  # type: ignore[arg-type]


def cohort(prompts: list[AskedPrompt], b: list[float]) -> Cohort:
    names = tuple(one.prompt_id for one in prompts if one.prompt_id != "unknown")
    bank = ItemBank(names, np.ones(len(b)), np.array(b), ("",) * len(b), Transform(0.998, 0.001), 2.5)
    return cohort_of(people=[], prompts=prompts, bank=bank, rows=[])


def test_holm_over_four_prompts_is_that_computed_by_hand() -> None:
    p, p_holm = prompt_p_values(items_of([Z[0.05], -Z[0.01], Z[0.001], Z[0.4]]))

    assert p == pytest.approx([0.05, 0.01, 0.001, 0.4], abs=1e-8)
    assert p_holm == pytest.approx([2 * 0.05, 3 * 0.01, 4 * 0.001, 0.4], abs=1e-7)


def test_one_prompt_alone_is_not_tested() -> None:
    assert np.isnan(prompt_p_values(items_of([9.0]))).all()
    assert [len(found) for found in prompt_p_values(items_of([]))] == [0, 0]


def test_each_flag_is_on_its_own_prompts_and_any_flag_on_all_of_them() -> None:
    prompts = [
        AskedPrompt("p0", category="QR", modality="text"), AskedPrompt("p1", category="LN", modality="image"),
        AskedPrompt("p2", category="LN", modality="text"), AskedPrompt("p3", category="LN", modality="text"),
        AskedPrompt("p4", category="LN", modality="text"), AskedPrompt("unknown", category="LN"),
    ]  # fmt: skip
    items = items_of([0.1, 0.2, 0.3, -Z[0.001], 0.4], prompt=[0, 1, 2, 3, 4])

    found = flags_of(cohort(prompts, [0, 0, 7, 0, 0]), items, categories=["QR"], modalities=["image"])

    places = {name: np.flatnonzero(mask).tolist() for name, mask in found.items()}
    assert places == {
        "flagged-categories": [0], "flagged-modalities": [1], "flagged-prompts": [3], "extreme": [2],
        "any-flag": [0, 1, 2, 3],
    }  # fmt: skip


def test_nothing_flagged_is_no_prompt_at_all() -> None:
    prompts = [AskedPrompt("p0", category="QR"), AskedPrompt("unknown")]

    found = flags_of(cohort(prompts, [0]), items_of([0.5]), categories=[], modalities=[])

    assert not any(mask.any() for mask in found.values())


@given(st.lists(st.floats(-6, 6), min_size=2, max_size=9, unique=True), st.randoms(use_true_random=False))
def test_the_order_of_prompts_changes_no_flag_and_an_inconspicuous_one_adds_none(z: list[float], rng) -> None:  # type: ignore[no-untyped-def]
    flagged = dict(zip(z, prompt_p_values(items_of(z))[1] <= 0.05, strict=True))
    shuffled = rng.sample(z, len(z))
    again = dict(zip(shuffled, prompt_p_values(items_of(shuffled))[1] <= 0.05, strict=True))
    more = prompt_p_values(items_of([*z, 0.0]))[1] <= 0.05

    assert again == flagged
    assert not more[-1]
    assert all(flagged[one] for one, still in zip(z, more, strict=False) if still)
