"""What is too few to be told: one rule over a whole table of parts, with the reason of each."""

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from psychometrics.data.cohort import Mask
from psychometrics.inference.disclosure import Answers, Whole, withheld
from psychometrics.inference.estimates import Reason

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
