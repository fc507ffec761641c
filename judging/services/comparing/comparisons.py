"""Several criteria a call beside one a call: the same judge on the same sample of answers."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from random import Random

from judging.models import JudgeConfig, JudgingRun, RunPurpose, ScoringRun
from judging.selectors.comparisons import RubricAnswer, rubric_answers
from judging.services.judge_keys import JudgeNotConfigured
from judging.services.running.compared import compared_for
from judging.services.running.judge_specs import JudgeSpec, scoring_run_open, study_judge_specs
from judging.services.running.planning import Progress
from judging.services.running.runs import RunPlan, run_plan, run_start
from studies.models import Study, User
from studies.services.refusals import Refused

USUAL_ANSWERS = 40


class NothingToCompare(Refused):
    """The study has no answers that could be asked about in both ways."""


@dataclass(frozen=True)
class Comparison:
    """One judge, asked about the same answers by one criterion a call and by several; `seed` drew them."""

    study: Study
    config: JudgeConfig
    criteria_per_call: int
    seed: int
    answers: tuple[RubricAnswer, ...]

    @property
    def specs(self) -> tuple[JudgeSpec, JudgeSpec]:
        return JudgeSpec(self.config), JudgeSpec(self.config, criteria_per_call=self.criteria_per_call)

    @property
    def answer_pks(self) -> list[int]:
        return [answer.pk for answer in self.answers]

    def scoring_runs(self, now: datetime) -> tuple[ScoringRun, ScoringRun]:
        """The scores by one criterion a call, and those by several."""
        single, batched = (scoring_run_open(study=self.study, spec=spec, now=now) for spec in self.specs)
        return single, batched


def comparison_draw(
    *, study: Study, config: JudgeConfig, criteria_per_call: int, answers: int, seed: int
) -> Comparison:
    """Draw the sample; the same answers and seed give the same one, whatever is judged already.

    Fewer than `answers` where there are no more. Raises JudgeNotConfigured, NothingToCompare.
    """
    if criteria_per_call < 2:
        raise JudgeNotConfigured("One criterion a call is what is compared with: give 2 or more a call.")
    study_judge_specs(study=study, configs=[config], criteria_per_call=criteria_per_call)
    there = rubric_answers(study)
    if not there:
        raise NothingToCompare(
            f'The study "{study.slug}" has no answers that count to prompts with two criteria or more; wait '
            "until there are some, or ask one criterion a call."
        )
    drawn = tuple(sample(there, answers, Random(seed)))  # noqa: S311  # a sample, no secret
    return Comparison(study, config, criteria_per_call, seed, drawn)


def sample(answers: Sequence[RubricAnswer], number: int, rng: Random) -> list[RubricAnswer]:
    """`number` of `answers`, from as many prompts as possible: one of each, then a second one of each ….

    In order of their primary keys.
    """
    by_prompt: dict[int, list[RubricAnswer]] = {}
    for answer in answers:
        by_prompt.setdefault(answer.prompt_pk, []).append(answer)
    for own in by_prompt.values():
        rng.shuffle(own)
    drawn: list[RubricAnswer] = []
    while len(drawn) < min(number, len(answers)):
        left = [own for own in by_prompt.values() if own]
        turn = rng.sample(left, min(len(left), number - len(drawn)))
        drawn += [own.pop() for own in turn]
    return sorted(drawn, key=lambda answer: answer.pk)


def comparison_plan(*, comparison: Comparison, now: datetime, progress: Progress) -> RunPlan:
    """What is left to ask of the sample, both ways. Raises what `run_plan` raises."""
    return run_plan(
        study=comparison.study,
        specs=comparison.specs,
        now=now,
        progress=progress,
        only=frozenset(comparison.answer_pks),
    )


def comparison_start(
    *, comparison: Comparison, plan: RunPlan, budget: Decimal | None, actor: User | None, now: datetime
) -> JudgingRun:
    """Freeze the plan; seed and size of the sample go on record with it. Raises RunIsOpen, PlanOutdated.

    A plan without rows makes a run, too, which ends at once: that everything was known is on record then.
    """
    return run_start(
        plan=plan,
        budget=budget,
        actor=actor,
        now=now,
        purpose=RunPurpose.COMPARISON,
        details={"seed": comparison.seed, "answers": len(comparison.answers)},
    )


def comparison_is_needed(comparison: Comparison, plan: RunPlan, now: datetime) -> bool:
    """Whether something is left to ask, or no comparison of these two is on record yet."""
    _, batched = comparison.scoring_runs(now)
    return bool(plan.rows) or not compared_for(batched).finished
