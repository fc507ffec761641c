"""The kinds of judge: all that settings, pages, reports and the check of a bank know of them.

A new one is an entry here and the class that it names (docs/extending/judge.md).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from formats.wording import gettext_noop


class BankNeeds(StrEnum):
    """What the questions of a bank must have so that a judge can score the answers to them."""

    GOLD = "a gold answer for every prompt"
    CHECKS_OR_GOLD = "a machine check on every criterion, or a gold answer"
    RUBRIC_OR_GOLD = "a rubric or a gold answer for every prompt"


@dataclass(frozen=True)
class JudgeKind:
    """`name`, of ten characters at most, is what protocols and files have.

    `words` say what scores answers, `choice` says it where a study lead chooses, and `methods` in the report,
    filled in from what the judge describes itself by. `judge` is the class. `setting` is the protocol's own
    setting of this kind: needed with it, refused with others. `needs_audit`: only people can say how well it
    judges.
    """

    name: str
    words: str
    choice: str
    methods: str
    judge: str
    needs: BankNeeds | None = None
    setting: str = ""
    needs_audit: bool = False


JUDGE_KINDS: Mapping[str, JudgeKind] = {
    kind.name: kind
    for kind in (
        JudgeKind(
            "llm",
            words=gettext_noop("a language model"),
            choice=gettext_noop("A language model, under the judge texts below"),
            methods=gettext_noop("by the judge %(judge)s, a language model"),
            judge="judging.judges.llm_judge.LLMJudge",
            needs_audit=True,
        ),
        JudgeKind(
            "match",
            words=gettext_noop("comparison with the expected answer"),
            choice=gettext_noop("A benchmark's own comparison with the expected answer"),
            methods=gettext_noop("by matching them with the reference answer (%(rules)s rules)"),
            judge="judging.judges.local_judges.MatchJudge",
            needs=BankNeeds.GOLD,
            setting="match_rules",
        ),
        JudgeKind(
            "checks",
            words=gettext_noop("machine checks"),
            choice=gettext_noop("The machine checks in the bank"),
            methods=gettext_noop(
                "by the checks that the bank gives with each question, without a language model"
            ),
            judge="judging.judges.local_judges.ChecksJudge",
            needs=BankNeeds.CHECKS_OR_GOLD,
        ),
        JudgeKind(
            "command",
            words=gettext_noop("a program of the site"),
            choice=gettext_noop("A program that the operator of this site has set up"),
            methods=gettext_noop("by the program %(name)s of the study's site"),
            judge="judging.judges.command.CommandJudge",
            needs=BankNeeds.RUBRIC_OR_GOLD,
            setting="judge_command",
            needs_audit=True,
        ),
    )
}
