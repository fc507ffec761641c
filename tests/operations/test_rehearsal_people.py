"""What simulated people write is decided by the criteria they were drawn to meet."""

from pathlib import Path

import numpy as np
import pytest

from batches.rules.statuses import AnswerState
from judging.matching.checks import is_equal, passes
from operations.rehearsal.answers import PromptKey, chance_of_success, compose, right_or_wrong, write_answer
from operations.rehearsal.mailbox import CodeNotReceived, Mailbox
from operations.rehearsal.people import OFF_TASK_TEXTS, Behaviour, draw_people
from screening.offtask.facts import AnswerFacts, PromptFacts, ReasonCode
from screening.offtask.rules import DEFAULT_RULES, flag_answer
from studies.bank.records import (
    ContainsCheck,
    CriterionRecord,
    ExcludesCheck,
    NumberCheck,
    WordCountCheck,
)

CRITERIA = (
    CriterionRecord(text="Names the river.", check=ContainsCheck(any_of=("Oder",))),
    CriterionRecord(text="Computes the span.", check=NumberCheck(value=12.5)),
    CriterionRecord(text="Does not name the sea.", check=ExcludesCheck(none_of=("Baltic",))),
    CriterionRecord(text="Stays short.", check=WordCountCheck(minimum=5, maximum=40)),
)


@pytest.mark.parametrize("pattern", range(16))
def test_an_answer_meets_exactly_the_criteria_it_was_drawn_to_meet(pattern: int) -> None:
    met = [bool(pattern >> n & 1) for n in range(4)]
    text = compose(CRITERIA, met)
    assert [passes(c.check, text) for c in CRITERIA if c.check] == met


def test_an_exact_answer_is_right_or_wrong_as_drawn() -> None:
    rng = np.random.default_rng(1)
    assert is_equal(right_or_wrong("pen", right=True, rng=rng), "pen")
    assert not is_equal(right_or_wrong("pen", right=False, rng=rng), "pen")


def test_the_chance_of_success_rises_with_ability_and_falls_with_difficulty() -> None:
    easy = PromptKey("e", "x", (), "", a=1.0, b=-1.0)
    hard = PromptKey("h", "x", (), "", a=1.0, b=1.0)
    assert chance_of_success(0, easy) > 0.5 > chance_of_success(0, hard)
    assert chance_of_success(1, hard) == 0.5
    assert chance_of_success(500, easy) == 0.98


def test_the_same_seed_writes_the_same_answers() -> None:
    key = PromptKey("p", "pen", CRITERIA, "")
    first, second = (write_answer(key, theta=0.2, rng=np.random.default_rng(7)) for _ in range(2))
    assert first == second


@pytest.mark.parametrize("behaviour", list(OFF_TASK_TEXTS))
def test_off_task_people_write_what_the_filter_is_for(behaviour: Behaviour) -> None:
    prompt = PromptFacts("p", "Which bridge spans the river, and how long is it?", "rubric", None)
    for text in OFF_TASK_TEXTS[behaviour]:
        flags = flag_answer(AnswerFacts(1, "p", text, AnswerState.ANSWERED), prompt, rules=DEFAULT_RULES)
        minimal = ReasonCode.MINIMAL_CONTENT in {flag.reason for flag in flags}
        assert flags, text
        assert minimal == (behaviour == Behaviour.MINIMAL), text


def test_behaviours_of_given_people_are_fixed_and_the_rest_is_diligent() -> None:
    people = draw_people(
        ["a", "b", "c"], mean=0, spread=1, seed=3, off_task_share=0, behaviours={1: Behaviour.WITHDRAWS}
    )
    assert [person.behaviour for person in people] == ["diligent", "withdraws", "diligent"]
    assert len({person.seed for person in people}) == 3


def test_a_code_that_never_comes_is_reported_without_the_address(tmp_path: Path) -> None:
    mailbox = Mailbox(tmp_path)
    with pytest.raises(CodeNotReceived) as missing:
        mailbox.code_for("someone@example.org", timeout=0.05)
    assert "someone" not in str(missing.value)
