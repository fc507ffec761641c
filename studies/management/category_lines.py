"""Where question bank and item bank disagree on categories, line by line for the terminal."""

from collections.abc import Iterator, Sequence

from presentation.numbers import counted
from studies.models import Study
from studies.selectors.categories import Disagreement
from studies.services.readiness import disagreement_line


def disagreement_lines(found: Sequence[Disagreement]) -> Iterator[str]:
    """How many there are, and each of them."""
    yield (
        "Questions that the question bank and the item bank put into different categories: "
        f"{counted(len(found))}"
    )
    yield from (f"  {disagreement_line(one)}" for one in found)


def undecided_lines(study: Study, found: Sequence[Disagreement]) -> Iterator[str]:
    """With how the study's protocol says whose hold."""
    yield from disagreement_lines(found)
    yield "Say whose hold before the batches are built, item_bank or question_bank:"
    yield f"""  update_study {study.slug} --protocol '{{"category_source": "item_bank"}}'"""
