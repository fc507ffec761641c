"""Labels overlap; which of them would give one or two private prompts away."""

import numpy as np
import pytest

from psychometrics.data.cohort import cohort_of
from psychometrics.data.places import AskedPrompt, Outcome, Person
from psychometrics.inference.estimates import Reason
from psychometrics.irt.bank import ItemBank
from psychometrics.irt.transform import Transform
from psychometrics.slices.parts import slices_of
from psychometrics.slices.suppression import withheld_parts


@pytest.mark.parametrize(("without", "hidden"), [(0, set()), (1, {"label:most"}), (3, set())])
def test_a_label_that_all_private_prompts_but_one_have_is_not_told(without: int, hidden: set[str]) -> None:
    """All prompts less those of the label would be that one."""
    prompts = [
        AskedPrompt(
            f"p{j:02}", split="private" if j < 6 else "public", labels=() if j < without else ("most",)
        )
        for j in range(36)
    ]
    rows = [(i, j, 1, j + 1, 0.5, 0.5, Outcome.SCORED) for i in range(3) for j in range(36)]
    bank = ItemBank(tuple(one.prompt_id for one in prompts), np.ones(36), np.zeros(36), ("",) * 36,
                    Transform(0.998, 0.001), 2.5)  # fmt: skip
    cohort = cohort_of(people=[Person(f"P{i}") for i in range(3)], prompts=prompts, bank=bank, rows=rows)
    nobody = np.zeros(len(cohort), dtype=bool)
    found = withheld_parts(cohort, list(slices_of(cohort)), nobody, cohort.is_pair)
    of_average = {subset: why for (group, subset), why in found.items() if group == "average"}
    assert of_average == dict.fromkeys(hidden, Reason.COMPLEMENT)
