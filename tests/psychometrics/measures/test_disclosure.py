"""What may leave the site of a study with a private split."""

import pytest

from psychometrics.inference.estimates import WITHHELD, Estimate, Reason, unknown
from psychometrics.inference.measure import Block, Measure, NotMeasurable, Scope, plain
from psychometrics.measures.disclosure import disclosed, disclosure_of

THETA = Measure("theta.pool", plain(0.5), "average")
OF_A_CATEGORY = Measure("theta.pool", plain(0.5), "average", "category:QR")
OF_A_MODEL = Measure(
    "models.category.raw_mean", plain(0.5), "average", "category:Law; contracts;model:a;b",
    details={"category": "Law; contracts", "model": "a;b"},
)  # fmt: skip
COUNTED = Measure("pairs", plain(7.0), "average", "category:QR")


def mean(estimate: Estimate) -> Measure:
    """The headline that says whether everybody together may be told of."""
    return Measure("raw_mean", estimate, "average")


@pytest.mark.parametrize(
    ("headlines", "leaves"),
    [
        ([mean(plain(0.4))], True),
        ([mean(unknown(Reason.TOO_FEW_PRIVATE))], False),
        ([mean(unknown(Reason.TOO_FEW_PEOPLE))], True),
        ([mean(unknown(Reason.NOTHING_SCORED))], True),
        ([], False),
    ],
    ids=[
        "enough",
        "two private prompts in all",
        "one person in all, of whom public numbers tell neither",
        "nothing there",
        "nobody knows",
    ],
)
def test_where_everybody_together_must_not_be_told_nothing_over_all_answers_leaves(
    headlines: list[Measure], leaves: bool
) -> None:
    rule = disclosure_of(headlines, split=True, public=["p1"])
    for one in (THETA, OF_A_CATEGORY, OF_A_MODEL):
        assert rule.may_leave(Block.RESULTS, Scope.ALL, one) == leaves
        assert rule.may_leave(Block.RESULTS, Scope.PUBLIC, one)


@pytest.mark.parametrize("why", sorted(WITHHELD))
def test_a_part_that_must_not_be_told_has_its_counts_and_the_reason_whatever_signs_its_name_has(
    why: Reason,
) -> None:
    withheld = {("average", "category:QR"): why, ("average", "category:Law; contracts"): why}
    measures = [THETA, OF_A_CATEGORY, COUNTED, OF_A_MODEL]
    theta, category, counted, model = disclosed(Block.RESULTS, measures, withheld)

    assert (theta, counted) == (THETA, COUNTED)
    assert (category.estimate.reason, model.estimate.reason) == (why, why)
    assert not category.estimate.known
    assert model.details == OF_A_MODEL.details


@pytest.mark.parametrize(
    ("why", "words"),
    [
        (Reason.TOO_FEW_PEOPLE, "one person.s own"),
        (Reason.TOO_FEW_PROMPTS, "one prompt.s own"),
        (Reason.TOO_FEW_PRIVATE, "one or two private prompts"),
    ],
)
def test_where_everybody_together_must_not_be_told_of_no_block_says_anything(why: Reason, words: str) -> None:
    withheld = {("average", ""): why}
    with pytest.raises(NotMeasurable, match=words):
        list(disclosed(Block.UNCERTAINTY, [THETA], withheld))
    theta, counted = disclosed(Block.RESULTS, [THETA, COUNTED], withheld)
    assert (theta.estimate.reason, counted) == (why, COUNTED)


def test_one_person_one_task_and_a_private_prompt_stay_within_all_answers() -> None:
    rule = disclosure_of([mean(plain(0.4))], split=True, public=["p1"])
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
