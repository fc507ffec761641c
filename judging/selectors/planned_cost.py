"""What judging a study will about cost, before anybody has answered."""

from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Count, Sum
from django.db.models.functions import Length

from judging.models import JudgeCall, JudgeConfig
from llm.requests import BYTES_PER_TOKEN, OK
from studies.models import Prompt, Study
from studies.protocol.judge_texts import DEFAULT_JUDGE_TEXTS

# Until the judge's own replies tell: an explanation of a few sentences around two numbers.
COMPLETION_TOKENS_PER_VERDICT = 200
ASSUMED_ANSWER_CHARACTERS = 1_500
RECENT_CALLS = 200


@dataclass(frozen=True)
class PlannedJudging:
    """The answers that are planned, the calls they take one criterion at a time, and the judge that the study
    names. `cost` is None where that judge or its prices are not known; without a language model it is 0.
    """

    answers: int
    calls: int
    judge: JudgeConfig | None
    cost: Decimal | None


def planned_judging(study: Study) -> PlannedJudging:
    """By the length of questions, criteria and judge texts; three queries at most.

    Every place is taken as filled and every question as answered, so it is rather too much than too little.
    """
    protocol = study.protocol
    people = len(protocol.profiles) * protocol.replicates_per_profile
    prompts = Prompt.objects.filter(version=study.bank_version_id).order_by()
    if protocol.judge_kind != "llm":
        return PlannedJudging(prompts.count() * people, 0, None, Decimal(0))
    texts = study.judge_protocol
    exact, rubric = (
        (texts.exact_text, texts.rubric_text)
        if texts
        else (DEFAULT_JUDGE_TEXTS.exact, DEFAULT_JUDGE_TEXTS.rubric)
    )
    sizes = prompts.annotate(
        question=Length("text"), criteria_asked=Count("criteria"), of_criteria=Sum(Length("criteria__text"))
    ).values_list("question", "criteria_asked", "of_criteria")
    answers = calls = characters = 0
    for question, criteria, of_criteria in sizes:
        each = question + ASSUMED_ANSWER_CHARACTERS + len(rubric if criteria else exact)
        answers += people
        calls += people * max(criteria, 1)
        characters += people * (max(criteria, 1) * each + (of_criteria or 0))
    judge = (
        JudgeConfig.objects.filter(slug=protocol.planned_judge).first() if protocol.planned_judge else None
    )
    if judge is None:
        return PlannedJudging(answers, calls, None, None)
    # By the judge's newest replies, thinking included; else by the usual length of a verdict.
    newest = JudgeCall.objects.filter(run__config=judge, outcome=OK).order_by("-pk")[:RECENT_CALLS]
    tokens = [number for number in newest.values_list("completion_tokens", flat=True) if number is not None]
    written = sum(tokens) / len(tokens) if tokens else COMPLETION_TOKENS_PER_VERDICT
    cost = judge.price_of(characters // BYTES_PER_TOKEN, round(calls * written))
    return PlannedJudging(answers, calls, judge, cost)
