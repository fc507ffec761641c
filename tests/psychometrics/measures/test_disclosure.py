"""What may leave the site of a study with a private split."""

import pytest

from psychometrics.inference.measure import Block, Measure, Scope, plain
from psychometrics.measures.disclosure import disclosure_of

THETA = Measure("theta.pool", plain(0.5), "average")
OF_A_CATEGORY = Measure("theta.pool", plain(0.5), "average", "category:QR")


def counts(whole: int, **by_category: int) -> list[Measure]:
    """Headlines that say on how many private prompts Average rests."""
    subsets = {"": whole, **{f"category:{name}": number for name, number in by_category.items()}}
    return [
        Measure(name, plain(float(number)), "average", subset)
        for name in ("private.prompts", "private.scored")
        for subset, number in subsets.items()
    ]


@pytest.mark.parametrize(
    ("headlines", "whole", "category"),
    [
        (counts(6, QR=3, LR=3), True, True),
        (counts(6, QR=2, LR=4), True, False),
        (counts(2, QR=2), False, False),
        ([], False, False),
    ],
    ids=["enough everywhere", "two in a category", "two in all", "nobody knows"],
)
def test_a_number_that_tells_of_one_or_two_private_prompts_stays(
    headlines: list[Measure], whole: bool, category: bool
) -> None:
    rule = disclosure_of(headlines, split=True, public=["p1"])
    assert rule.may_leave(Block.RESULTS, Scope.ALL, THETA) == whole
    assert rule.may_leave(Block.RESULTS, Scope.ALL, OF_A_CATEGORY) == category
    assert rule.may_leave(Block.RESULTS, Scope.PUBLIC, OF_A_CATEGORY)


@pytest.mark.parametrize("category", ["QR", "Law; contracts"])
def test_models_beside_people_in_a_hidden_category_stay_whatever_signs_its_name_has(category: str) -> None:
    rule = disclosure_of(counts(6, **{category: 2, "LR": 4}), split=True, public=["p1"])
    details = {"category": category, "model": "a;b"}
    one = Measure(
        "models.category.raw_mean", plain(0.5), "average", f"category:{category};model:a;b", details=details
    )
    assert not rule.may_leave(Block.MODELS, Scope.ALL, one)
    assert rule.may_leave(Block.MODELS, Scope.PUBLIC, one)


def test_one_person_one_task_and_a_private_prompt_stay_within_all_answers() -> None:
    rule = disclosure_of(counts(6), split=True, public=["p1"])
    for one in (
        Measure("fit.outfit", plain(1.0), participant="P-1"),
        Measure("influence.answer", plain(1.0), "average", prompt_id="p1"),
        Measure("task.accuracy", plain(50.0), "average", "task:a"),
    ):
        assert not rule.may_leave(Block.JUDGE, Scope.ALL, one)
        assert rule.may_leave(Block.JUDGE, Scope.PUBLIC, one)
    private = Measure("influence.answer", plain(1.0), "average", prompt_id="p2")
    assert not rule.may_leave(Block.JUDGE, Scope.PUBLIC, private)


def test_without_private_prompts_everything_leaves() -> None:
    rule = disclosure_of([], split=False, public=["p1"])
    assert rule.may_leave(Block.RESULTS, Scope.ALL, THETA)
