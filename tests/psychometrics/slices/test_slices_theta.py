"""Theta of parts of a cohort: which parts there are, their numbers, and when there is none."""

from math import log, nan, sqrt

import numpy as np
import pytest

from psychometrics.data.cohort import Cohort, cohort_of
from psychometrics.data.places import AskedPrompt, Outcome, Person
from psychometrics.inference.clusters import linear_estimate
from psychometrics.inference.estimates import Reason
from psychometrics.irt.bank import ItemBank
from psychometrics.irt.responses import logit_normal_scores
from psychometrics.irt.transform import Transform
from psychometrics.measures.blocks.slices import part_measures
from psychometrics.slices.differences import arm_differences, contamination
from psychometrics.slices.parts import (
    Slice,
    SliceKind,
    rare_labels,
    slice_result,
    slices_of,
)
from psychometrics.slices.suppression import withheld_parts

ONE = log(0.999 / 0.001)
PROFILES = ("stem", "arts")


def bank_of(items: int, rng: np.random.Generator) -> ItemBank:
    names = tuple(f"p{j:03}" for j in range(items))
    a, b = np.exp(0.5 * rng.standard_normal(items)), rng.standard_normal(items)
    return ItemBank(names, a, b, ("",) * items, Transform(0.998, 0.001), 2.5)


def withheld_from_average(cohort: Cohort) -> dict[str, Reason]:
    nobody = np.zeros(len(cohort), dtype=bool)
    found = withheld_parts(cohort, list(slices_of(cohort)), nobody, cohort.is_pair)
    return {subset: why for (group, subset), why in found.items() if group == "average"}


def simulated(*, seed: int = 1, gain: float = 0.0, people: int = 48, nested: bool = True) -> Cohort:
    """40 prompts of which every fourth is private, 10 a person; public ones `gain` logits of theta easier.

    Nested: four batches of prompts that share none. Else each person has 10 prompts of their own draw.
    """
    rng = np.random.default_rng(seed)
    bank = bank_of(40, rng)
    theta = 0.5 * rng.standard_normal(people)
    p = logit_normal_scores(theta, bank, sigma=2.5, rng=rng)
    helped = logit_normal_scores(theta + gain, bank, sigma=2.5, rng=rng)
    prompts = [
        AskedPrompt(
            name, category="QR" if j < 25 else "LR", subcategory=f"S{j % 3}", modality="text",
            split="private" if j % 4 == 0 else "public",
            labels=("common", "rare") if j < 5 else ("common",) if j < 35 else (),
        )
        for j, name in enumerate(bank.prompt_ids)
    ]  # fmt: skip
    asked = [np.arange(10) + 10 * (i % 4) if nested else rng.permutation(40)[:10] for i in range(people)]
    rows = [
        (i, int(j), i % 4 + 1, place + 1, score, score, Outcome.SCORED)
        for i in range(people)
        for place, j in enumerate(asked[i])
        for score in [float((helped if prompts[j].split == "public" else p)[i, j])]
    ]
    return cohort_of(
        people=[Person(f"P{i:02}", PROFILES[i % 2]) for i in range(people)],
        prompts=prompts,
        bank=bank,
        rows=rows,
    )


def test_parts_are_named_values_and_labels_of_thirty_prompts() -> None:
    cohort = simulated()
    assert [part.subset for part in slices_of(cohort)] == [
        "category:LR", "category:QR", "subcategory:S0", "subcategory:S1", "subcategory:S2", "label:common",
        "modality:text", "split:private", "split:public", "profile:arts", "profile:stem", "cell:LR/arts",
        "cell:LR/stem", "cell:QR/arts", "cell:QR/stem",
    ]  # fmt: skip
    assert rare_labels(cohort.prompts) == 1


def test_a_very_long_value_is_cut_and_still_tells_parts_apart() -> None:
    rows = np.ones(1, dtype=bool)
    one, other = (Slice(SliceKind.LABEL, "x" * 300 + end, rows).subset for end in "ab")
    assert one != other
    assert len(f"{one};se.participant") <= 200


def test_cells_are_categories_within_profiles() -> None:
    cohort = simulated()
    parts = {part.subset: part.rows for part in slices_of(cohort)}
    assert (parts["cell:QR/arts"] == (parts["category:QR"] & parts["profile:arts"])).all()
    rows = sum(part.rows.sum() for part in slices_of(cohort) if part.kind == SliceKind.CELL)
    assert rows == len(cohort)


def test_a_part_is_estimated_from_its_own_pairs() -> None:
    """With a = 1 and b = 0 theta.pool is the mean of y, +-ONE for scores of 1 and 0."""
    bank = ItemBank(("p0", "p1"), np.ones(2), np.zeros(2), ("", ""), Transform(0.998, 0.001), 2.0)
    scores = [(0, 0, 1.0), (0, 1, 0.5), (1, 0, 0.0), (1, 1, 1.0)]
    cohort = cohort_of(
        people=[Person("A"), Person("B")],
        prompts=[AskedPrompt("p0", "QR"), AskedPrompt("p1", "QR")],
        bank=bank,
        rows=[(i, j, 1, 1, p, p, Outcome.SCORED) for i, j, p in scores],
    )
    found = slice_result(cohort, np.ones(4, dtype=bool), nested=True)
    prompt, pool, quasi = (theta.by_person for theta in found.thetas)
    assert prompt.value == pytest.approx(log(0.7495 / 0.2505) / 2)  # the mean of 0 and of y(0.75)
    assert pool.value == pytest.approx(ONE / 4)
    assert quasi.value == pytest.approx(log(0.625 / 0.375))
    assert pool.se == pytest.approx(sqrt(2 * 2 * (ONE / 2) ** 2) / 4)  # sums of residuals +-ONE / 2
    assert all(theta.first == theta.by_person for theta in found.thetas)  # there is one batch
    assert (found.people, found.prompts, found.pairs) == (2, 2, 4)


def test_errors_by_people_and_by_batch_are_those_of_their_clusters() -> None:
    cohort = simulated()
    part = next(iter(slices_of(cohort)))
    pairs = cohort.of_rows(part.rows).pairs
    _, pool, _ = slice_result(cohort, part.rows, nested=True).thetas
    by_person = linear_estimate(pairs.a, pairs.z, pairs.person).estimate
    by_batch = linear_estimate(pairs.a, pairs.z, pairs.batch).estimate
    assert (pool.by_person.se, pool.first.se) == pytest.approx((by_person.se, by_batch.se))
    assert (pool.by_person.low, pool.first.high) == pytest.approx((by_person.low, by_batch.high))


def test_where_prompts_occur_in_several_batches_errors_are_by_people_and_prompts() -> None:
    cohort = simulated(nested=False)
    part = next(iter(slices_of(cohort)))

    made = list(part_measures(part, "average", slice_result(cohort, part.rows, nested=False)))

    first = [one for one in made if one.subset == part.subset]
    assert {one.details["error"] for one in first} == {"se.twoway", "se.jackknife_twoway"}
    assert {one.estimate.reason for one in first} == {None}


@pytest.mark.parametrize("score", [0.0, 1.0])
def test_equal_scores_throughout_have_a_bound_only(score: float) -> None:
    cohort = simulated()
    equal = cohort.with_scores(np.full(len(cohort), score))
    for theta in slice_result(equal, np.ones(len(cohort), dtype=bool), nested=True).thetas:
        for estimate in (theta.first, theta.by_person):
            assert estimate.reason == Reason.NO_FINITE_SOLUTION
            assert np.isnan([estimate.low, estimate.high]).tolist() == [score == 0, score == 1]


def test_nothing_scored_says_so() -> None:
    cohort = simulated()
    nothing = cohort.with_scores(np.full(len(cohort), nan))
    found = slice_result(nothing, np.ones(len(cohort), dtype=bool), nested=True)
    assert {theta.by_person.reason for theta in found.thetas} == {Reason.NOTHING_SCORED}
    assert found.pairs == 0


def test_empty_people_and_unknown_items_change_no_part() -> None:
    cohort = simulated()
    bank = ItemBank(
        tuple(prompt.prompt_id for prompt in cohort.prompts), cohort.a, cohort.b, ("",) * 40,
        cohort.transform, cohort.sigma_hat,
    )  # fmt: skip
    rows = [
        (int(i), int(j), int(batch), 1, float(p), float(p), Outcome.SCORED)
        for i, j, batch, p in zip(cohort.person, cohort.prompt, cohort.batch, cohort.p, strict=True)
    ]
    unknown = AskedPrompt("unknown", category="QR", split="public")
    more = cohort_of(
        people=[*cohort.people, Person("empty", "stem")],
        prompts=[*cohort.prompts, unknown],
        bank=bank,
        rows=[*rows[::-1], (0, 40, 1, 11, 1.0, 1.0, Outcome.SCORED)],
    )
    for before, after in zip(slices_of(cohort), slices_of(more), strict=True):
        results = (slice_result(of, part.rows, nested=True) for of, part in ((more, after), (cohort, before)))
        assert next(results) == next(results)


def test_public_prompts_that_went_much_better_are_flagged() -> None:
    found = contamination(simulated(gain=2.0), nested=True)
    assert found.flagged
    assert found.by == "batches"
    assert found.difference.value == pytest.approx(2.0, abs=0.9)


def test_private_prompts_that_went_better_are_no_sign_of_contamination() -> None:
    found = contamination(simulated(gain=-2.0), nested=True)
    assert found.difference.value < -1
    assert not found.flagged


def test_without_a_difference_few_studies_are_flagged() -> None:
    """People and prompts crossed, 40 studies: more than five flags have a chance of 0.1 % at 2.5 % each."""
    found = [contamination(simulated(seed=seed, nested=False, people=24), nested=False) for seed in range(40)]
    assert {one.by for one in found} == {"people and prompts"}
    assert sum(one.flagged for one in found) <= 5
    errors = [one.difference.value / one.difference.se for one in found]
    assert np.std(errors) == pytest.approx(1, abs=0.35)


@pytest.mark.parametrize(("split", "reason"), [("public", "nothing_scored"), ("both", "too_few_private")])
def test_without_enough_private_prompts_there_is_no_difference(split: str, reason: str) -> None:
    cohort = simulated()
    private = np.array([prompt.split == "private" for prompt in cohort.prompts])
    kept = ~private if split == "public" else ~private | (np.arange(40) == 0)
    found = contamination(cohort.of_prompts(kept), nested=True)
    assert found.difference.reason == reason
    assert not found.flagged


@pytest.mark.parametrize(
    ("people", "best", "average", "of_top"),
    [
        (1, 0, Reason.TOO_FEW_PEOPLE, None),
        (5, 1, None, Reason.TOO_FEW_PEOPLE),
        (5, 2, None, None),
        (5, 3, None, None),
        (5, 4, None, Reason.COMPLEMENT),  # Average less Top would be the fifth
    ],
)
def test_neither_average_nor_top_nor_what_is_beside_it_is_one_person_s(
    people: int, best: int, average: Reason | None, of_top: Reason | None
) -> None:
    prompts = [AskedPrompt(f"p{j}", category="AB"[j % 2]) for j in range(8)]
    rows = [(i, j, 1, j + 1, 0.5, 0.5, Outcome.SCORED) for i in range(people) for j in range(8)]
    bank = ItemBank(tuple(one.prompt_id for one in prompts), np.ones(8), np.zeros(8), ("",) * 8,
                    Transform(0.998, 0.001), 2.5)  # fmt: skip
    cohort = cohort_of(people=[Person(f"P{i}") for i in range(people)], prompts=prompts, bank=bank, rows=rows)
    found = withheld_parts(cohort, list(slices_of(cohort)), cohort.person < best, cohort.is_pair)
    for subset in ("", "category:A", "category:B"):
        assert (found.get(("average", subset)), found.get(("top", subset))) == (average, of_top)


def test_a_category_with_two_private_prompts_hides_the_next_one() -> None:
    prompts = [
        AskedPrompt(f"p{j}", category="ABC"[j % 3], split="private" if j in (0, 3, 1, 4, 7) else "public")
        for j in range(12)
    ]
    rows = [(i, j, 1, j + 1, 0.5, 0.5, Outcome.SCORED) for i in range(3) for j in range(12)]
    bank = ItemBank(tuple(one.prompt_id for one in prompts), np.ones(12), np.zeros(12), ("",) * 12,
                    Transform(0.998, 0.001), 2.5)  # fmt: skip
    cohort = cohort_of(people=[Person(f"P{i}") for i in range(3)], prompts=prompts, bank=bank, rows=rows)
    found = withheld_from_average(cohort)
    assert found == {"category:A": Reason.TOO_FEW_PRIVATE, "category:B": Reason.COMPLEMENT}
    part = next(one for one in slices_of(cohort) if one.subset == "category:B")
    hidden = slice_result(cohort, part.rows, found[part.subset], nested=True)
    assert hidden.thetas[0].by_person.reason == Reason.COMPLEMENT


def test_neither_arms_nor_what_they_are_made_of_give_private_prompts_away() -> None:
    """Arm x has answered two private prompts: all people less the other arms would be these."""
    split = ["private"] * 4 + ["public"] * 4
    prompts = [AskedPrompt(f"p{j}", category="AB"[j % 2], split=one) for j, one in enumerate(split)]
    people = [Person(f"P{i}", profile=("stem", "arts")[i % 2], arm="xyz"[i // 2]) for i in range(6)]
    asked = {"x": (0, 1, 4, 5), "y": (0, 1, 2, 4, 5), "z": range(8)}
    rows = [(i, j, 1, j + 1, 0.5, 0.5, Outcome.SCORED) for i in range(6) for j in asked[people[i].arm]]
    bank = ItemBank(tuple(one.prompt_id for one in prompts), np.ones(8), np.zeros(8), ("",) * 8,
                    Transform(0.998, 0.001), 2.5)  # fmt: skip
    cohort = cohort_of(people=people, prompts=prompts, bank=bank, rows=rows)
    found = withheld_from_average(cohort)
    assert {"arm:x", "arm:y"} <= found.keys()
    assert "arm:z" not in found
    assert {"category:A", "category:B", "cell:A/stem", "cell:B/arts"} <= found.keys()
    assert not any(name.startswith("profile") for name in found)
    differences = {
        (one.first, one.second): one.difference.reason for one in arm_differences(cohort, found, nested=True)
    }
    assert differences["x", "z"] == Reason.TOO_FEW_PRIVATE
    assert differences["y", "z"] == Reason.COMPLEMENT


def test_a_cohort_of_public_prompts_is_as_if_no_other_had_been_asked() -> None:
    cohort = simulated()
    public = cohort.public
    assert public.people == cohort.people
    assert [one.prompt_id for one in public.prompts] == [
        one.prompt_id for one in cohort.prompts if one.split == "public"
    ]
    kept = np.array([cohort.prompts[j].split == "public" for j in cohort.prompt])
    names = np.array([one.prompt_id for one in public.prompts])[public.prompt]
    assert names.tolist() == [cohort.prompts[j].prompt_id for j in cohort.prompt[kept]]
    assert np.array_equal(public.p, cohort.p[kept])
    assert np.array_equal(public.pairs.a, cohort.a[cohort.prompt[kept]])
    assert public.public.prompts == public.prompts
