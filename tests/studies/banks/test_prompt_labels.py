"""Short labels of prompts."""

import re

from hypothesis import given, strategies as st

from studies.bank.digest import prompt_labels

DIGEST = "0" * 64
IDS = st.sets(st.text(min_size=1, max_size=20), max_size=50)
MANY = [f"prompt-{number:04}" for number in range(7000)]


def test_labels_are_short_distinct_and_hard_to_misread_in_a_large_bank() -> None:
    labels = prompt_labels(MANY, digest=DIGEST, kept={})
    assert list(labels) == MANY
    assert len(set(labels.values())) == len(MANY)
    assert all(re.fullmatch("Q-[2-9CDFGHJKMNPQRTVWX]{3,6}", label) for label in labels.values())
    lengths = [len(label) for label in labels.values()]
    assert min(lengths) == 5 < max(lengths)


@given(IDS)
def test_the_order_of_prompts_changes_no_label(ids: set[str]) -> None:
    ordered = sorted(ids)
    assert prompt_labels(ordered, digest=DIGEST, kept={}) == prompt_labels(
        ordered[::-1], digest=DIGEST, kept={}
    )


def test_labels_are_not_in_the_order_of_the_prompts_and_differ_between_banks() -> None:
    labels = list(prompt_labels(MANY[:20], digest=DIGEST, kept={}).values())
    assert labels not in (sorted(labels), sorted(labels, reverse=True))
    assert not set(labels) & set(prompt_labels(MANY[:20], digest="1" * 64, kept={}).values())


def test_a_label_that_was_given_out_is_kept_and_never_given_to_another_prompt() -> None:
    before = prompt_labels(MANY[:3000], digest=DIGEST, kept={})
    after = prompt_labels(MANY[1000:], digest="1" * 64, kept=before)
    assert all(after[prompt_id] == before[prompt_id] for prompt_id in MANY[1000:3000])
    fresh = {after[prompt_id] for prompt_id in MANY[3000:]}
    assert len(fresh) == 4000
    assert not fresh & set(before.values())
