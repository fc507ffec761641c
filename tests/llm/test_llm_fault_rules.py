"""The rules of the faults: one for each reason code, said in words in docs/judging-faults.md."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from judging.judges.reasons import UnscoredReason
from llm import errors
from llm.errors import FAULT_RULES, FaultRule, RetryAction

DOC = Path(__file__).resolve().parents[2] / "docs" / "judging-faults.md"
YES_NO = {True: "yes", False: "no"}


def leaves(error: type[errors.LLMError]) -> Iterator[type[errors.LLMError]]:
    children = error.__subclasses__()
    yield from (leaf for child in children for leaf in leaves(child)) if children else (error,)


def rows() -> dict[str, list[str]]:
    """The cells of the table of faults, by code."""
    table = DOC.read_text().partition("| code |")[2].partition("\n\n")[0].splitlines()[2:]
    cells = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in table]
    assert len({row[0] for row in cells}) == len(cells), "a code stands there twice"
    return {row[0].strip("`"): row[1:] for row in cells}


def in_words(rule: FaultRule) -> str:
    return {
        RetryAction.NEVER: "ends",
        RetryAction.WAIT: f"up to {rule.tries} tries",
        RetryAction.PLAIN: "once more without it",
        RetryAction.REASK: "one re-ask",
    }[rule.again]


def test_every_fault_has_one_rule_and_no_rule_is_left_over() -> None:
    codes = [error.reason for error in leaves(errors.LLMError)]
    assert sorted(codes) == sorted(FAULT_RULES)


def test_the_documentation_has_every_fault_with_its_rule() -> None:
    documented = rows()
    assert list(documented) == list(FAULT_RULES)
    for code, rule in FAULT_RULES.items():
        assert documented[code][1:] == [
            in_words(rule),
            YES_NO[rule.counts_against_endpoint],
            YES_NO[rule.fails_all],
            YES_NO[rule.worth_another_round],
        ], code


@pytest.mark.parametrize("code", FAULT_RULES)
def test_an_unscored_reason_has_the_rule_of_its_fault(code: str) -> None:
    reason, rule = UnscoredReason(code), FAULT_RULES[code]
    assert (reason.rule.fails_all, reason.rule.counts_against_endpoint, reason.rule.worth_another_round) == (
        rule.fails_all,
        rule.counts_against_endpoint,
        rule.worth_another_round,
    )


def test_only_a_dead_or_refused_address_and_a_refused_key_fail_every_request() -> None:
    assert {code for code, rule in FAULT_RULES.items() if rule.fails_all} == {
        "address_refused",
        "connection_failed",
        "access_denied",
    }


def test_what_a_participant_may_bring_about_by_an_answer_never_counts_against_the_endpoint() -> None:
    blameless = {code for code, rule in FAULT_RULES.items() if not rule.counts_against_endpoint}
    assert blameless == {
        "prompt_too_long", "reply_truncated", "token_limit_spent", "reply_refused", "reply_empty",
        "reply_only_reasoning", "reply_tool_call", "reply_off_schema", "reply_out_of_range",
    }  # fmt: skip


def test_a_try_is_a_try_only_where_the_same_request_is_sent_again() -> None:
    for code, rule in FAULT_RULES.items():
        assert (rule.tries > 1) == (rule.again is RetryAction.WAIT), code
