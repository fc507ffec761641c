"""Matrix sampling: a cut of the bank for every place of a prompt."""

from collections import Counter

import numpy as np
import pytest

from batches.rules.assembly import AssemblyRefused, assemble_matrix
from batches.rules.coverage import PromptTraits, coverage_lines
from batches.rules.covering import coverage_report
from psychometrics.planning.designs import design_of, linkage
from psychometrics.planning.records import MATRIX, Linkage


def bank_of(prompts: int) -> list[PromptTraits]:
    rng = np.random.default_rng(7)
    a, b = np.exp(rng.normal(0.0, 0.59, prompts)), 2.0 * rng.standard_t(3, prompts)
    return [
        PromptTraits(
            f"p{j:04}", float(a[j]), float(b[j]), ("LR", "QR", "SI")[j % 3], ("text", "image")[j % 2]
        )
        for j in range(prompts)
    ]


def matrix(prompts: int = 120, *, batch_size: int = 20, cuts: int = 6, seed: int = 1) -> list[list[str]]:
    rng = np.random.default_rng(seed)
    return assemble_matrix(bank_of(prompts), batch_size=batch_size, cuts=cuts, rng=rng)


def test_every_cut_holds_every_prompt_once_and_no_batch_a_prompt_twice() -> None:
    batches = matrix(130)
    assert [len(batch) for batch in batches] == [20, 20, 20, 20, 20, 20, 10] * 6
    assert all(len(set(batch)) == len(batch) for batch in batches)
    for start in range(0, len(batches), 7):
        cut = [prompt for batch in batches[start : start + 7] for prompt in batch]
        assert sorted(cut) == [prompt.prompt_id for prompt in bank_of(130)]


def test_with_a_person_a_batch_every_prompt_is_asked_of_as_many_people_as_there_are_cuts() -> None:
    asked = Counter(prompt for batch in matrix() for prompt in batch)
    assert set(asked.values()) == {6}


def test_cuts_are_independent_so_that_prompts_hang_together() -> None:
    report = coverage_report(matrix(), bank_of(120))
    nested = coverage_report(matrix()[:6], bank_of(120), people_per_batch=6)
    assert (report.linkage.components, report.linkage.fewest_people) == (1, 6)
    assert report.linkage.fewest_neighbours > 60
    assert nested.linkage == Linkage(components=6, fewest_people=6, fewest_neighbours=19, asked=120)


def test_every_cut_is_balanced() -> None:
    spread = coverage_report(matrix(), bank_of(120)).spread
    assert spread.expected_raw_sd[0] is not None
    assert spread.expected_raw_sd[0] < 0.02
    assert spread.category_sd < 1.0


def test_the_seed_repeats_the_cuts() -> None:
    assert matrix(seed=3) == matrix(seed=3)
    assert matrix(seed=3) != matrix(seed=4)


def test_the_planner_counts_on_what_is_assembled() -> None:
    planned = design_of(MATRIX, people=36, prompts=120, per_person=20, rng=np.random.default_rng(2)).linkage()
    assembled = coverage_report(matrix(), bank_of(120)).linkage
    assert (planned.components, planned.fewest_people) == (assembled.components, assembled.fewest_people)
    assert assembled.fewest_neighbours == pytest.approx(planned.fewest_neighbours, rel=0.1)


@pytest.mark.parametrize(
    ("prompts", "batch_size", "cuts", "sentence"),
    [
        (20, 20, 6, "A set of 20 holds every question there is"),
        (40, 1, 6, "Sets of one question link no questions"),
        (40, 20, 1, "needs two people or more for every question"),
        (40, 0, 6, "Questions per person: 0"),
    ],
)
def test_a_size_that_makes_no_matrix_is_refused_with_one_sentence(
    prompts: int, batch_size: int, cuts: int, sentence: str
) -> None:
    with pytest.raises(AssemblyRefused, match=sentence):
        matrix(prompts, batch_size=batch_size, cuts=cuts)


def test_linkage_of_a_tiny_design_by_hand() -> None:
    # Two people share prompt 1; a third is alone with prompt 3; prompt 4 is asked of nobody.
    person, prompt = np.array([0, 0, 1, 1, 2]), np.array([0, 1, 1, 2, 3])
    assert linkage(person, prompt, people=3, prompts=5) == Linkage(2, 1, 0, 4)


def test_a_design_without_a_row_links_nothing() -> None:
    nobody = np.zeros(0, dtype=np.int64)
    assert linkage(nobody, nobody, people=0, prompts=3) == Linkage(0, 0, 0, 0)


def test_the_report_says_in_how_many_batches_each_prompt_is() -> None:
    lines = coverage_lines(coverage_report(matrix(40, cuts=3), bank_of(40)), per_batch=False)
    assert lines[0] == "6 batches (6 of 20), 40 prompts, each in 3 batches."
    assert lines[1].startswith("Linkage: 1 component; a prompt is asked of at least 3 people and shares")
