"""The plan of a judging run: what will be asked, what one call answers for several rows, what is known.

Nothing is sent here, and nothing stored but in a file of the plan's own; the same answers and judges give the
same plan.
"""

import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import count
from typing import Any

from django.db.models import Avg
from django.utils.translation import ngettext

from batches.models import Answer
from formats.canonical import canonical_json
from judging.judges.interface import Judge, JudgeCannotScore
from judging.models import JudgeCall, ScoringRun
from judging.selectors.judging import (
    PromptToJudge,
    counted_rows,
    has_judged_criteria,
    judged_criteria,
    prompts_to_judge,
)
from judging.selectors.planned_cost import COMPLETION_TOKENS_PER_VERDICT
from judging.services.running.deciding import KEYS_AT_ONCE, has_known_verdicts, known_verdicts
from judging.services.running.judge_specs import criteria_per_call_of, judge_of, spec_of
from judging.services.running.plan_file import PlanFile
from llm.requests import OK
from presentation.numbers import numbered
from studies.services.database import slices
from studies.services.refusals import Refused

NAMED_PROMPTS = 5
ANSWERS_AT_ONCE = 1000

Progress = Callable[[int, int], None]
# The criteria of one call by place (None is an exact answer), and what names it for an answer.
PlannedCall = tuple[Sequence[int | None], Callable[[str], tuple[bytes, int]] | None]


class PromptsNotScorable(Refused):
    """This kind of judge cannot score some prompts; found before anything is judged."""


@dataclass(frozen=True)
class JudgePlan:
    """What one judge will be asked, in order, and the rows that an earlier run has decided already."""

    run: ScoringRun
    file: PlanFile

    @cached_property
    def calls(self) -> int:
        """How many calls are to be made."""
        return self.file.calls()[0]

    @property
    def rows(self) -> int:
        return sum(self.counted)

    @cached_property
    def counted(self) -> tuple[int, int, int]:
        """How many rows calls decide for themselves, how many they share, how many are known."""
        return self.file.rows()

    @cached_property
    def sha256(self) -> str:
        """A hash of everything that is planned for this judge: of its canonical JSON, piece by piece."""
        digest = hashlib.sha256(b'{"judge":' + canonical_json(self.run.judge_sha256) + b',"known":[')
        known = (
            f'["{request.hex()}",{answer},{revision},{"null" if criterion is None else criterion}]'
            for request, answer, revision, criterion, *_ in self.file.known_rows()
        )
        # The elements of a list, many at a time: a comma before each piece but the first.
        for number, some in enumerate(slices(known, ANSWERS_AT_ONCE)):
            digest.update((("," if number else "") + ",".join(some)).encode("ascii"))
        digest.update(b'],"replicate":' + canonical_json(self.run.replicate) + b',"rows":[')
        for some in slices(self.file.own_json(), ANSWERS_AT_ONCE):
            digest.update("".join(some).encode("ascii"))
        digest.update(b"]}")
        return digest.hexdigest()


def judge_plan(run: ScoringRun, *, progress: Progress, only: Collection[int] | None = None) -> JudgePlan:
    """Plan everything that counts and has no score of its newest revision (`only`: of these answers).

    `progress` is told (answers planned, answers in all). Raises PromptsNotScorable.
    """
    file = PlanFile()
    answers = file.answers_add(
        (row.answer_id, row.prompt_pk, row.revision)
        for row in counted_rows(run)
        if not row.scored and (only is None or row.answer_id in only)
    )
    prompts = prompts_to_judge(file.prompts())
    with judge_of(run.study, spec_of(run)) as judge:
        _require_scorable(prompts, judge)
        calls_of: dict[int, list[PlannedCall]] = {pk: [] for pk in prompts}
        for pk, prompt in prompts.items():
            for positions in judge.judge_calls(prompt.task):
                ids = tuple(prompt.criterion_ids[position] for position in positions)
                calls_of[pk].append((ids, judge.names(prompt.task, positions)))
    numbers = count(1)
    is_new = not has_judged_criteria(run)
    for number, some in enumerate(slices(file.answers(), ANSWERS_AT_ONCE)):
        _calls_plan(run, file, calls_of, some, numbers, is_new=is_new)
        progress(min((number + 1) * ANSWERS_AT_ONCE, answers), answers)
    file.merge()
    if has_known_verdicts(run):
        # Take out the calls whose verdicts the judge gave before, in any study, for this replicate.
        for requests in slices(file.requests(), KEYS_AT_ONCE):
            known = known_verdicts(run, [request.hex() for request in requests])
            file.verdicts_add(
                (bytes.fromhex(request), place, *verdict)
                for request, verdicts in known.items()
                for place, verdict in verdicts.items()
            )
        file.settle()
    return JudgePlan(run, file)


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


def _calls_plan(
    run: ScoringRun,
    file: PlanFile,
    calls_of: Mapping[int, Sequence[PlannedCall]],
    answers: Sequence[tuple[int, int, int]],
    numbers: Iterator[int],
    *,
    is_new: bool,
) -> None:
    """Plan what these answers need, all where nothing has a verdict; one that changed since is left out."""
    pks = [answer for answer, _, _ in answers]
    texts = {
        (pk, revision): text
        for pk, revision, text in Answer.objects.filter(pk__in=pks).values_list("pk", "revision", "text")
    }
    judged = {} if is_new else judged_criteria(run, pks)
    calls: list[tuple[Any, ...]] = []
    rows: list[tuple[Any, ...]] = []
    for answer, prompt, revision in answers:
        text, done = texts.get((answer, revision)), judged.get((answer, revision), ())
        for ids, named in calls_of[prompt] if text is not None else ():
            # A call is asked again as a whole: parts of it would be another request.
            left = [(place, pk) for place, pk in enumerate(ids) if pk not in done]
            if not left:
                continue
            number, (request, tokens) = next(numbers), named(text) if named and text else (None, 0)
            # SQLite is given numbers: for a truth value it looks for an adapter each time.
            calls.append((number, request, tokens, number, int(len(left) > 1)))
            rows += [(number, int(pk == left[0][1]), answer, revision, pk, place) for place, pk in left]
    file.calls_add(calls, rows)


def estimate(plan: JudgePlan) -> dict[str, object]:
    """What the plan is expected to take; the cost is None where the judge's prices are not known."""
    config = plan.run.config
    calls, prompt_tokens = plan.file.calls()
    verdicts, shared, known = plan.counted
    completion_tokens = 0
    if config:
        # By what the judge's replies took on average so far, else by the usual length of a verdict.
        replies = JudgeCall.objects.filter(run__judge_sha256=plan.run.judge_sha256, outcome=OK)
        mean = replies.aggregate(mean=Avg("completion_tokens"))["mean"]
        usual = verdicts * COMPLETION_TOKENS_PER_VERDICT
        completion_tokens = usual if mean is None else round(calls * float(mean))
    cost = config.price_of(prompt_tokens, completion_tokens) if config else Decimal(0)
    return {
        "judge": config.slug if config else plan.run.judge_kind,
        "replicate": plan.run.replicate,
        "criteria_per_call": criteria_per_call_of(plan.run),
        "judge_sha256": plan.run.judge_sha256,
        "rows": plan.rows,
        "calls": calls if config else 0,
        "cached": known,
        "shared": shared,
        "prompt_tokens": prompt_tokens,
        "completion_tokens": completion_tokens,
        "cost": None if cost is None else str(round(cost, 4)),
    }
