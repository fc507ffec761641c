"""The plan of a judging run: what will be asked, what one call answers for several rows, what is known.

Nothing is stored and nothing is sent here; the same answers and judges give the same plan.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from django.db.models import Avg
from django.utils.translation import ngettext

from formats.canonical import canonical_sha256
from judging.judges.interface import Judge, JudgeCannotScore
from judging.models import JudgeCall, ScoringRun
from judging.selectors.judging import (
    CountedRow,
    PromptToJudge,
    counted_rows,
    judged_positions,
    prompts_to_judge,
    tasks,
)
from judging.selectors.planned_cost import COMPLETION_TOKENS_PER_VERDICT
from judging.services.running.cache import KnownVerdict, known_verdicts
from judging.services.running.judge_specs import criteria_per_call_of, judge_of, spec_of
from llm.attempts import OK
from presentation.numbers import numbered
from studies.services.refusals import Refused

NAMED_PROMPTS = 5

Progress = Callable[[int, int], None]


class PromptsNotScorable(Refused):
    """This kind of judge cannot score some prompts; found before anything is judged."""


@dataclass(frozen=True, slots=True)
class PlannedRow:
    """One verdict to get; `known` is one that an equal request got before."""

    answer_id: int
    revision: int
    criterion_id: int | None
    place: int
    known: KnownVerdict | None


@dataclass(slots=True)
class PlannedCall:
    """One request, and the rows that its reply decides: its own first, then those of equal requests."""

    request_sha256: str
    prompt_tokens: int
    own: list[PlannedRow]
    shared: list[PlannedRow] = field(default_factory=list)


@dataclass
class JudgePlan:
    """What one judge will be asked, in order, and the rows that an earlier run has decided already."""

    run: ScoringRun
    calls: list[PlannedCall]
    cached: list[tuple[str, PlannedRow]]

    @property
    def rows(self) -> int:
        return sum(len(call.own) + len(call.shared) for call in self.calls) + len(self.cached)

    @property
    def shared(self) -> int:
        return sum(len(call.shared) for call in self.calls)

    def sha256(self) -> str:
        """A hash of everything that is planned for this judge."""
        rows = [
            [call.request_sha256, [(row.answer_id, row.revision, row.criterion_id) for row in call.own]]
            for call in self.calls
        ]
        known = [(key, row.answer_id, row.revision, row.criterion_id) for key, row in self.cached]
        return canonical_sha256(
            {"judge": self.run.judge_sha256, "replicate": self.run.replicate, "rows": rows, "known": known}
        )


def judge_plan(run: ScoringRun, *, progress: Progress, only: Collection[int] | None = None) -> JudgePlan:
    """Plan everything that counts and has no score of its newest revision (`only`: of these answers).

    `progress` is told (answers planned, answers in all). Raises PromptsNotScorable.
    """
    rows = [row for row in counted_rows(run) if not row.scored]
    if only is not None:
        rows = [row for row in rows if row.answer_id in only]
    prompts = prompts_to_judge({row.prompt_pk for row in rows})
    with judge_of(run.study, spec_of(run)) as judge:
        _require_scorable(prompts, judge)
        calls = _merged(_planned_calls(run, judge, prompts, rows, progress))
    return _with_known(run, calls)


def _require_scorable(prompts: Mapping[int, PromptToJudge], judge: Judge) -> None:
    """Raise PromptsNotScorable naming the prompts this judge has no way to score."""
    problems = []
    for prompt in prompts.values():
        try:
            judge.check(prompt.task)
        except JudgeCannotScore as error:
            problems.append(str(error))
    if problems:
        left = len(problems) - NAMED_PROMPTS
        more = (
            [
                numbered(
                    ngettext("… and %(left)d more question.", "… and %(left)d more questions.", left),
                    {"left": left},
                )
            ]
            if left > 0
            else []
        )
        raise PromptsNotScorable("\n".join([*problems[:NAMED_PROMPTS], *more]))


def _planned_calls(
    run: ScoringRun,
    judge: Judge,
    prompts: Mapping[int, PromptToJudge],
    rows: Sequence[CountedRow],
    progress: Progress,
) -> Iterator[PlannedCall]:
    judged = judged_positions(run)
    for number, (answer, task) in enumerate(tasks(rows, prompts), start=1):
        ids = prompts[answer.prompt_pk].criterion_ids
        left = ids.keys() - judged.get((answer.answer_id, answer.revision), set())
        for positions in judge.judge_calls(task):
            # A call is asked again as a whole: parts of it would be another request.
            if left.isdisjoint(positions):
                continue
            request = judge.request(task, positions)
            own = [
                PlannedRow(answer.answer_id, answer.revision, ids[position], place, None)
                for place, position in enumerate(positions)
                if position in left
            ]
            name, tokens = (request.sha256, request.prompt_tokens_estimate) if request else ("", 0)
            yield PlannedCall(name, tokens, own)
        progress(number, len(rows))


def _merged(calls: Iterator[PlannedCall]) -> list[PlannedCall]:
    """Equal requests as one call: two people may well give the same answer."""
    first: dict[str, PlannedCall] = {}
    kept = []
    for call in calls:
        same = first.setdefault(call.request_sha256, call) if call.request_sha256 else call
        if same is call:
            kept.append(call)
        else:
            same.shared += call.own
    return kept


def _with_known(run: ScoringRun, calls: Sequence[PlannedCall]) -> JudgePlan:
    """Take out the calls whose verdicts the same judge has given before, in any study, for this replicate."""
    known = known_verdicts(run, [call.request_sha256 for call in calls if call.request_sha256])
    plan = JudgePlan(run, [], [])
    for call in calls:
        found = known.get(call.request_sha256, {})
        rows = [*call.own, *call.shared]
        if not all(row.place in found for row in rows):
            plan.calls.append(call)
            continue
        for row in rows:
            verdict = found[row.place]
            told = PlannedRow(row.answer_id, row.revision, row.criterion_id, row.place, verdict)
            plan.cached.append((call.request_sha256, told))
    return plan


def estimate(plan: JudgePlan) -> dict[str, object]:
    """What the plan is expected to take; the cost is None where the judge's prices are not known."""
    config = plan.run.config
    verdicts = sum(len(call.own) for call in plan.calls)
    prompt_tokens = sum(call.prompt_tokens for call in plan.calls)
    completion_tokens = _completion_tokens_of(plan, verdicts) if config else 0
    cost = config.price_of(prompt_tokens, completion_tokens) if config else Decimal(0)
    return {
        "judge": config.slug if config else plan.run.judge_kind,
        "replicate": plan.run.replicate,
        "criteria_per_call": criteria_per_call_of(plan.run),
        "judge_sha256": plan.run.judge_sha256,
        "rows": plan.rows,
        "calls": len(plan.calls) if config else 0,
        "cached": len(plan.cached),
        "shared": plan.shared,
        "prompt_tokens": prompt_tokens,
        "completion_tokens": completion_tokens,
        "cost": None if cost is None else str(round(cost, 4)),
    }


def _completion_tokens_of(plan: JudgePlan, verdicts: int) -> int:
    """By what the judge's replies took on average so far, else by the usual length of a verdict."""
    calls = JudgeCall.objects.filter(run__judge_sha256=plan.run.judge_sha256, outcome=OK)
    seen = calls.aggregate(mean=Avg("completion_tokens"))["mean"]
    return verdicts * COMPLETION_TOKENS_PER_VERDICT if seen is None else round(len(plan.calls) * float(seen))
