"""How precise a study will be, before it is done: the pooled theta of a group on a fixed item bank.

    Var = t^2 (1 + cv^2) / n  +  s1^2 / (n k (1 - m) A)  +  d^2 / (J' A)

t      SD of ability between people, on the scale of theta (about 1.1 times that of a process of responses)
cv     coefficient of variation of the information of batches: people with more of it weigh more
s1     residual SD of a single response (4.85 on the published bank; 2.53 is that of a mean of five)
k, m   prompts per person, share of them without a score;      n people;      A mean a^2 of the bank
d, J'  SD of shifts of difficulty that people have and models have not, and prompts asked. This part is
       sum_j (sum a)^2 d^2 / A2^2 with equal numbers of answers; it does not fall with n, and it belongs to
       statements about prompts like these.

Half-width t_{n-1}(.975) sqrt(Var). Smallest difference found with a chance of 80 % at two-sided 5 %:
(t_{n-1}(.975) + t_{n-1}(.80)) sqrt(Var) from a known value; between two halves of the group the same with
n - 2 degrees and sqrt(Var_1 + Var_2). Student's t, as in the interval of the study itself; that of a nested
study of few batches has batches - 1 degrees and is wider. NaN where there are no degrees of freedom.
All in logits; the form of Var is the ordinary one of a two-stage sample.
"""

import math
from dataclasses import dataclass, replace
from statistics import NormalDist

from psychometrics.inference.estimates import CONFIDENCE
from psychometrics.planning.student_t import t_quantile

POWER = 0.8
PUBLISHED_RESIDUAL_SD = 4.85
PUBLISHED_MEAN_SQUARE = 2.08
CV_RANDOM, CV_BALANCED = 0.32, 0.064
PROMPT_SCORE_SD = 0.45  # of single scores of one prompt, between people


@dataclass(frozen=True)
class Plan:
    """A study to be: how many people answer how many prompts each, and what is assumed about both."""

    people: int
    prompts_per_person: int
    bank_prompts: int = 820
    missing: float = 0.066
    between_sd: float = 0.9
    balanced: bool = False
    human_item_sd: float = 0.0
    residual_sd: float = PUBLISHED_RESIDUAL_SD
    mean_square: float = PUBLISHED_MEAN_SQUARE

    @property
    def batches(self) -> int:
        """Batches of one partition of the bank; the last may be shorter."""
        return math.ceil(self.bank_prompts / self.prompts_per_person)

    @property
    def asked(self) -> int:
        """Different prompts that are asked, where batches are handed out in turn."""
        return min(self.bank_prompts, self.people * self.prompts_per_person)

    @property
    def answers(self) -> float:
        """Expected answers with a score."""
        return self.people * self.prompts_per_person * (1 - self.missing)

    @property
    def answers_per_prompt(self) -> float:
        return self.answers / self.asked


@dataclass(frozen=True)
class Precision:
    """What a plan gives, in logits. All but the standard error are NaN for one person."""

    se: float
    half_width: float
    detectable: float
    detectable_halves: float


def _person_variance(plan: Plan) -> float:
    """The part of Var that falls with n, times n."""
    cv = CV_BALANCED if plan.balanced else CV_RANDOM
    return plan.between_sd**2 * (1 + cv**2) + _response_variance(plan)


def _response_variance(plan: Plan) -> float:
    """The error variance of one person's theta."""
    return plan.residual_sd**2 / (plan.prompts_per_person * (1 - plan.missing) * plan.mean_square)


def _prompt_variance(plan: Plan) -> float:
    """The part that does not fall with n."""
    return plan.human_item_sd**2 / (plan.asked * plan.mean_square)


def precision(plan: Plan) -> Precision:
    """Standard error, half-widths and smallest detectable differences of a plan.

    Between two halves the shifts of difficulty cancel: both answer the same prompts.
    """
    se = math.sqrt(_person_variance(plan) / plan.people + _prompt_variance(plan))
    halves = math.sqrt(4 * _person_variance(plan) / plan.people)
    half_width = _t_of(CONFIDENCE, plan.people - 1) * se
    return Precision(se, half_width, _found_with(se, plan.people - 1), _found_with(halves, plan.people - 2))


def _found_with(se: float, df: int) -> float:
    """The smallest difference with this error that a test at two-sided 5 % finds with a chance of POWER."""
    return (_t_of(CONFIDENCE, df) + _t_of(2 * POWER - 1, df)) * se


def _t_of(probability: float, df: int) -> float:
    return t_quantile(probability, df) if df > 0 else math.nan


def people_for(half_width: float, plan: Plan) -> int | None:
    """The smallest n with at most this half-width; None where prompts alone leave more than that."""
    normal = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
    left = (half_width / normal) ** 2 - _prompt_variance(replace(plan, people=plan.bank_prompts))
    if left <= 0:
        return None
    people = max(math.ceil(_person_variance(plan) / left * (1 - 1e-12)), 2)
    while precision(replace(plan, people=people)).half_width > half_width * (1 + 1e-9):
        people += 1  # t is wider than the normal, and few people do not meet all prompts
    return people


def batch_half_width(people: int, plan: Plan) -> float:
    """Half-width of the theta of one batch: `people` people on the same prompts, so without cv."""
    return _t_of(CONFIDENCE, people - 1) * math.sqrt((plan.between_sd**2 + _response_variance(plan)) / people)


def prompt_half_width(people: int) -> float:
    """Half-width of the mean score of one prompt, at most 0.5: the interval ends at 0 and 1."""
    return min(_t_of(CONFIDENCE, people - 1) * PROMPT_SCORE_SD / math.sqrt(people), 0.5)


@dataclass(frozen=True)
class Prices:
    """What one person and one call of the judge cost, in any one currency."""

    pay: float = 0.0
    overhead: float = 0.0
    judge_call: float = 0.0
    calls_per_answer: float = 1.0


@dataclass(frozen=True)
class Cost:
    people: float
    judge: float

    @property
    def total(self) -> float:
        return self.people + self.judge


def cost_of(plan: Plan, prices: Prices) -> Cost:
    """People x (pay + overhead) + judge calls x price; answers without a text are not judged."""
    calls = plan.answers * prices.calls_per_answer
    return Cost(plan.people * (prices.pay + prices.overhead), calls * prices.judge_call)
