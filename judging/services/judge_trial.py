"""One tiny real question to a judge, and in words what works. No study's call, so it is on no record.

The question and the answer are this project's own, and the answer is right.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from functools import partial

from django.utils.translation import gettext, gettext as _, gettext_noop

from judging.judges.course import Course
from judging.judges.interface import Asking, JudgeResult, JudgeTask
from judging.judges.llm_judge import LLMJudge
from judging.models import JudgeConfig
from judging.services.judge_keys import JudgeNotConfigured, judge_key
from judging.services.judge_rules import client_of
from llm.egress import EndpointInvalid
from llm.requests import OK, Attempt, SchemaUse
from presentation.numbers import decimals, numbered
from studies.protocol.judge_texts import DEFAULT_JUDGE_TEXTS

MAX_TRIAL_SECONDS = 60.0
QUESTION = JudgeTask(
    prompt_id="trial",
    question="Mira puts 3 red and 4 blue marbles into an empty bag. How many marbles are in the bag?",
    gold_answer="7",
    criteria=(),
    answer="3 + 4 = 7, so there are 7 marbles in the bag.",
)


class FindingState(StrEnum):
    """How good a finding is; the value is the class of its badge."""

    GOOD = "good"
    WARN = "warn"
    BAD = "bad"


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at."""

    state: FindingState
    name: str
    sentence: str


good = partial(Finding, FindingState.GOOD)
warn = partial(Finding, FindingState.WARN)
bad = partial(Finding, FindingState.BAD)


@dataclass(frozen=True)
class Trial:
    """What a trial found, in the order in which things must work."""

    findings: tuple[Finding, ...]

    @property
    def works(self) -> bool:
        return all(finding.state != FindingState.BAD for finding in self.findings)


def judge_probe(config: JudgeConfig) -> Trial:
    """Ask the judge one question with a known answer, once, for at most a minute."""
    try:
        key = judge_key(config)
    except JudgeNotConfigured as error:
        return Trial((bad(_("Key"), str(error)),))
    sentence = _("No key is sent.")
    if config.key_variable:
        sentence = _("The environment variable %(variable)s is set here. The workers need it as well.")
        sentence %= {"variable": config.key_variable}
    of_key = good(_("Key"), sentence)
    try:
        results = _ask_once(config, key)
    except (EndpointInvalid, ValueError) as error:  # a key with a line break in it, say
        return Trial((of_key, bad(_("Settings"), str(error))))
    return Trial((of_key, *_findings_of(config, results)))


def _ask_once(config: JudgeConfig, key: str | None) -> list[JudgeResult]:
    """What came of it: of the request, and of those that ask at once in another way after its reply."""
    results: list[JudgeResult] = []
    how, course = Asking(plain=config.plain_json_at is not None), Course()
    with client_of(config, key=key, timeout=min(config.timeout_seconds, MAX_TRIAL_SECONDS)) as client:
        judge = LLMJudge(client=client, texts=DEFAULT_JUDGE_TEXTS)
        while True:
            result = judge.ask(QUESTION, (None,), how)
            results.append(result)
            before, course = course, course.after(attempt_of(result).outcome)
            if (course.plain, course.reask) == (before.plain, before.reask) or course.rounds:
                return results
            how = Asking(
                plain=how.plain or course.plain,
                unusable=attempt_of(result).raw_reply if course.reask else "",
            )


def attempt_of(result: JudgeResult) -> Attempt:
    """The request of a language model's result."""
    if result.attempt is None:
        raise TypeError("A language model's result has the request it came by.")
    return result.attempt


def _findings_of(config: JudgeConfig, results: Sequence[JudgeResult]) -> Iterator[Finding]:
    """Address, model, reply, verdict, tokens and cost: up to the first that fails."""
    verdict, attempts = results[-1].verdicts[0], [attempt_of(result) for result in results]
    last = attempts[-1]
    if verdict.reason is not None:
        place = PLACES.get(verdict.reason, gettext_noop("Reply"))
        yield bad(gettext(place), verdict.explanation)
        return
    answered = _("The endpoint answered in %(seconds)s s.")
    yield good(_("Address"), answered % {"seconds": decimals(last.latency_ms / 1000)})
    if last.model == config.model:
        yield good(_("Model"), _("The reply is by %(model)s.") % {"model": last.model})
    else:
        sentence = _("The endpoint was asked for %(asked)s and says that %(model)s replied.")
        yield warn(_("Model"), sentence % {"asked": config.model, "model": last.model})
    yield _schema_finding(last)
    if verdict.score == 1.0:
        yield good(_("Verdict"), _("A right answer to a small question was called right."))
    else:
        yield warn(_("Verdict"), _("A right answer to a small question was called wrong. Judge with care."))
    if last.prompt_tokens is None or last.completion_tokens is None:
        sentence = _("The reply does not say how many tokens it took, so no cost can be counted.")
        yield warn(_("Tokens"), sentence)
    else:
        numbers = {"read": last.prompt_tokens, "written": last.completion_tokens}
        sentence = numbered(_("Tokens it counts: read %(read)d, written %(written)d."), numbers)
        yield good(_("Tokens"), sentence)
    yield _cost_finding(config, attempts)


# Where a fault shows; the others show in the reply.
PLACES: dict[str, str] = {
    **dict.fromkeys(
        ("address_refused", "connection_failed", "connection_lost", "timed_out"), gettext_noop("Address")
    ),
    "access_denied": gettext_noop("Key or model"),
}


def _schema_finding(last: Attempt) -> Finding:
    if last.asked_again:
        return warn(
            _("Reply"), _("The first reply did not have the form that was asked for; the second did.")
        )
    if last.plain_json:
        return warn(
            _("Reply"),
            _("The endpoint takes no JSON schema. Described in words, the form of the reply was kept."),
        )
    if last.schema_use is SchemaUse.UNHELD:
        return warn(
            _("Reply"),
            _(
                "The endpoint takes a JSON schema and does not hold the model to it: the reply stands in a "
                "fence. It is read; in a run the form is described in words."
            ),
        )
    return good(_("Reply"), _("The endpoint takes a JSON schema, and the reply keeps to it."))


def _cost_finding(config: JudgeConfig, calls: Sequence[Attempt]) -> Finding:
    if config.input_price is None:
        return warn(_("Cost"), _("No prices are set: costs are not counted, and no budget can be kept."))
    costs = [
        config.price_of(call.prompt_tokens, call.completion_tokens) for call in calls if call.outcome == OK
    ]
    known = [cost for cost in costs if cost is not None]
    if not known:
        return warn(_("Cost"), _("Without the number of tokens the cost is not known."))
    return good(
        _("Cost"), _("This trial cost %(cost)s.") % {"cost": decimals(float(sum(known, Decimal(0))), 6)}
    )
