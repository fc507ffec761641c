"""What is too few to be told: one rule over a whole table of parts, with the reason of each."""

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import pytest

from psychometrics.data.cohort import Cohort, Mask, cohort_of
from psychometrics.data.places import AskedPrompt, Person
from psychometrics.inference.disclosure import Answers, Whole, answers_of, withheld
from psychometrics.inference.estimates import Reason
from psychometrics.slices.parts import SliceKind, slices_of
from psychometrics.slices.suppression import withheld_parts

PEOPLE, PROMPTS, NEIGHBOUR = Reason.TOO_FEW_PEOPLE, Reason.TOO_FEW_PROMPTS, Reason.COMPLEMENT
PRIVATE = Reason.TOO_FEW_PRIVATE
Row = tuple[int, int, bool]  # person, prompt, whether it is private


def withheld_of(parts: Mapping[str, Sequence[Row]], rest: Sequence[Row] = ()) -> dict[str, Reason]:
    """What of these parts of a whole, with a rest that is in none, must not be told."""
    rows = [(name, *row) for name, own in {**parts, "": rest}.items() for row in own]
    names, people, prompts, private = (np.array(column) for column in zip(*rows, strict=True))
    everything = np.ones(len(rows), dtype=bool)
    answers = Answers(people, prompts, private.astype(bool), everything)
    of_parts: dict[str, Mask] = {name: names == name for name in parts}
    return withheld(answers, [Whole("whole", everything, of_parts)])


def answers_to(prompts: range, *, private: int = 0, people: int = 3) -> list[Row]:
    """Of everybody to each prompt, the first so many of which are private."""
    return [(i, j, place < private) for i in range(people) for place, j in enumerate(prompts)]


@pytest.mark.parametrize(
    ("people", "prompts", "private", "reason"),
    [
        (1, 20, 0, PEOPLE),
        (9, 1, 0, PROMPTS),
        (1, 1, 1, PEOPLE),
        (9, 30, 1, PRIVATE),
        (9, 30, 2, PRIVATE),
        (9, 1, 1, PRIVATE),
        (9, 30, 3, None),
        (2, 2, 0, None),
    ],
)
def test_no_number_is_one_persons_one_prompts_or_two_private_prompts_own(
    people: int, prompts: int, private: int, reason: Reason | None
) -> None:
    own = answers_to(range(prompts), private=private, people=people)
    others = answers_to(range(100, 130), people=9)
    assert withheld_of({"A": own}, others) == ({"A": reason} if reason else {})


@pytest.mark.parametrize(
    ("private", "rest", "hidden"),
    [
        ({"A": 0, "B": 3, "C": 9}, 0, {}),
        ({"A": 1, "B": 3, "C": 9}, 0, {"A": PRIVATE, "B": NEIGHBOUR}),  # the whole less B and C would be A
        ({"A": 1, "B": 2, "C": 9}, 0, {"A": PRIVATE, "B": PRIVATE}),  # together they rest on three
        ({"A": 1, "B": 0}, 0, {"A": PRIVATE}),  # the whole rests on one, too, and is not told
        ({"A": 4, "B": 5}, 2, {"A": NEIGHBOUR}),  # two private prompts are in no part
        ({"A": 1, "B": 5}, 2, {"A": PRIVATE}),
    ],
)
def test_no_part_is_told_that_gives_one_or_two_private_prompts_away(
    private: dict[str, int], rest: int, hidden: dict[str, Reason]
) -> None:
    parts = {
        name: answers_to(range(20 * place, 20 * place + 12), private=number)
        for place, (name, number) in enumerate(private.items())
    }
    assert withheld_of(parts, answers_to(range(200, 200 + rest), private=rest)) == hidden


def test_a_profile_of_one_person_hides_the_next_smallest() -> None:
    """Everybody less the others would be that person."""
    rows = answers_to(range(8), people=9)
    parts = {"one": rows[:8], "three": rows[8:32], "five": rows[32:]}
    assert withheld_of(parts) == {"one": PEOPLE, "three": NEIGHBOUR}


def test_a_category_of_one_prompt_hides_the_next_smallest_unless_another_is_hidden_anyway() -> None:
    one, two, many = answers_to(range(1)), answers_to(range(10, 12)), answers_to(range(20, 30))
    assert withheld_of({"A": one, "B": many, "C": two}) == {"A": PROMPTS, "C": NEIGHBOUR}
    other = answers_to(range(40, 41))
    assert withheld_of({"A": one, "B": many, "C": other}) == {"A": PROMPTS, "C": PROMPTS}


def test_people_who_share_prompts_hide_no_more_than_these() -> None:
    """Two arms with the same two private prompts: all that is hidden rests on two, until another arm is."""

    def arm(first: int, private: int) -> list[Row]:
        return [(first + i, j, j < private) for i in range(3) for j in (*range(private), 50, 51)]

    shared = {"A": arm(0, 2), "B": arm(10, 2), "C": arm(20, 3), "D": arm(30, 4)}
    assert withheld_of(shared) == {"A": PRIVATE, "B": PRIVATE, "C": NEIGHBOUR}


def test_what_splits_a_hidden_neighbour_is_hidden_with_it() -> None:
    rows = answers_to(range(8), people=6)
    person = np.array([row[0] for row in rows])
    prompt = np.array([row[1] for row in rows])
    everything = np.ones(len(rows), dtype=bool)
    answers = Answers(person, prompt, np.zeros(len(rows), dtype=bool), everything)
    profiles = {"one": person == 0, "two": (person == 1) | (person == 2), "three": person > 2}
    cells = {f"two/{half}": profiles["two"] & (prompt // 4 == half) for half in range(2)}
    table = [Whole("all", everything, profiles), Whole("two", profiles["two"], cells)]
    hidden = {"one": PEOPLE, "two": NEIGHBOUR, "two/0": NEIGHBOUR, "two/1": NEIGHBOUR}
    assert withheld(answers, table) == hidden


def asked(prompts: Sequence[tuple[str, str, bool]], people: Sequence[tuple[str, str]]) -> Cohort:
    """Everybody, by profile and arm, on every prompt, by category, modality and whether it is private."""
    return cohort_of(
        people=[Person(f"P{i}", profile=profile, arm=arm) for i, (profile, arm) in enumerate(people)],
        prompts=[
            AskedPrompt(f"p{j}", category=category, modality=modality, split="private" if own else "public")
            for j, (category, modality, own) in enumerate(prompts)
        ],
        bank=None,
        rows=[(i, j, 1, j + 1, 0.5, 0.5, "scored") for i in range(len(people)) for j in range(len(prompts))],
    )


def hidden_of(cohort: Cohort, top: Sequence[int] = ()) -> set[str]:
    """Parts that are withheld; those of Top begin with "top "."""
    rows, everything = np.isin(cohort.person, top), np.ones(len(cohort), dtype=bool)
    found = withheld_parts(cohort, list(slices_of(cohort)), rows, everything)
    return {f"{group} {subset}".removeprefix("average ") for group, subset in found}


ONE_KIND = [("stem", "")] * 4


@pytest.mark.parametrize(
    ("images", "texts", "hidden"),
    [
        ([True] * 4, [True, False, False], {"category:A", "category:B"}),  # A less the images would be one
        ([True] * 4, [False] * 3, set()),  # the rest of A is public
        ([True] * 4, [True] * 3, set()),
    ],
)
def test_a_modality_within_a_category_leaves_no_private_prompt_by_itself(
    images: list[bool], texts: list[bool], hidden: set[str]
) -> None:
    prompts = [("A", "image", own) for own in images] + [("A", "text", own) for own in texts]
    prompts += [("B", "text", True)] * 9
    found = hidden_of(asked(prompts, ONE_KIND))
    assert {name for name in found if not name.startswith("cell:")} == hidden


def test_a_profile_and_an_arm_that_differ_by_one_person_are_not_both_told() -> None:
    people = [("stem", "alone")] * 4 + [("arts", "alone")] + [("arts", "with")] * 5
    prompts = [("A", "text", False)] * 6
    assert hidden_of(asked(prompts, people)) & {"profile:stem", "arm:alone"}


def told_alone(cohort: Cohort, top: Sequence[int]) -> list[tuple[int, ...]]:
    """Single people, and one or two private prompts, that a sum of told parts is of, by rank alone."""
    hidden, answers = hidden_of(cohort, top), answers_of(cohort, np.ones(len(cohort), dtype=bool))
    of_top, everything = np.isin(cohort.person, top), np.ones(len(cohort), dtype=bool)
    named = {"": everything} | {one.subset: one.rows for one in slices_of(cohort)}
    named |= {
        f"top {name}": rows & of_top for name, rows in named.items() if not name.startswith(SliceKind.CELL)
    }
    told = [
        rows for name, rows in named.items()
        if name not in hidden and rows.any() and not answers.why_untold(rows)
    ]  # fmt: skip
    found: list[tuple[int, ...]] = []
    private = sorted(set(cohort.prompt[answers.private].tolist()))
    pairs = [*((one,) for one in private), *combinations(private, 2)]
    people = [(one,) for one in range(len(cohort.people))]
    for codes, units, seen in ((cohort.prompt, pairs, answers.private), (cohort.person, people, everything)):
        sums = np.array(told, dtype=np.float64)[:, seen]
        rank = np.linalg.matrix_rank(sums)
        found += [one for one in units if np.linalg.matrix_rank(sums[:, ~np.isin(codes[seen], one)]) < rank]
    return found


@pytest.mark.parametrize("seed", range(12))
def test_no_sum_of_what_is_told_is_of_one_person_or_of_one_or_two_private_prompts(seed: int) -> None:
    chance = np.random.default_rng(seed)
    prompts = [
        ("ABC"[chance.integers(3)], ("image", "text")[chance.integers(2)], bool(chance.random() < 0.4))
        for _ in range(14)
    ]
    people = [(("stem", "arts")[chance.integers(2)], "xy"[chance.integers(2)]) for _ in range(7)]
    assert told_alone(asked(prompts, people), top=(0, 3, 4)) == []
