"""Which bank's word holds for a prompt's category and sub-category, and when two banks disagree."""

from typing import get_args

import pytest

from psychometrics.data.categories import (
    Categories,
    CategorySource,
    categories_of,
    disagree,
    item_categories,
    items_by_category,
)

NONE = Categories("", "")


@pytest.mark.parametrize(
    ("item", "question", "by_items", "by_questions"),
    [
        ("PR-EX", ("LR", "LR-IF"), ("PR", "PR-EX"), ("LR", "LR-IF")),
        ("LR-DD", ("LR", "LR-IF"), ("LR", "LR-DD"), ("LR", "LR-IF")),
        ("LR-DD", ("LR", ""), ("LR", "LR-DD"), ("LR", "LR-DD")),  # the one says more than the other
        ("PR-EX", ("LR", ""), ("PR", "PR-EX"), ("LR", "")),  # and nothing of another category
        ("", ("LR", "LR-IF"), ("LR", "LR-IF"), ("LR", "LR-IF")),
        ("PR-EX", ("", ""), ("PR", "PR-EX"), ("PR", "PR-EX")),
        ("", ("", ""), ("", ""), ("", "")),
    ],
)
def test_the_source_holds_and_the_other_fills_what_it_leaves_open(
    item: str, question: tuple[str, str], by_items: tuple[str, str], by_questions: tuple[str, str]
) -> None:
    items, questions = item_categories(item), Categories(*question)
    assert categories_of(items, questions, source="item_bank") == by_items
    assert categories_of(items, questions, source="question_bank") == by_questions


@pytest.mark.parametrize(
    ("item", "question", "differ"),
    [
        ("PR-EX", ("LR", ""), True),
        ("LR-DD", ("LR", "LR-IF"), True),
        ("LR-DD", ("LR", "LR-DD"), False),
        ("LR-DD", ("LR", ""), False),
        ("LR", ("LR", "LR-IF"), False),
        ("", ("LR", "LR-IF"), False),
        ("LR-DD", ("", ""), False),
    ],
)
def test_banks_disagree_where_both_name_something_and_not_the_same(
    item: str, question: tuple[str, str], differ: bool
) -> None:
    assert disagree(item_categories(item), Categories(*question)) is differ
    if not differ:  # then it does not matter whom one asks
        found = {categories_of(item_categories(item), Categories(*question), source=one).category
                 for one in get_args(CategorySource)}  # fmt: skip
        assert len(found) == 1


def test_sizes_of_categories_go_by_what_holds_for_the_questions_that_are_asked() -> None:
    items = [("asked", "PR-EX"), ("nameless", ""), ("never asked", "PR-EX")]
    assert items_by_category(items, {"asked": "LR", "nameless": "LR"}) == {"LR": 2, "PR": 1}
