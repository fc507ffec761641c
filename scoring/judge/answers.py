"""From verdicts on criteria to the score of an answer."""

from collections.abc import Callable, Mapping
from math import fsum

from scoring.judge.interface import AnswerVerdict, CriterionVerdict, Judge, JudgeTask

NONE_ACCEPTED: Mapping[int | None, CriterionVerdict] = {}


def sample_score(criteria: tuple[CriterionVerdict, ...]) -> AnswerVerdict:
    """Combine the verdicts on all criteria of one answer (GIM paper, D.8).

    Rubric:  (1/n) sum_i score_i * confidence_i over all n criteria. Exact answers are the case n = 1 with
    score 1 for CORRECT and 0 for INCORRECT: the confidence if correct, else 0.
    One unscored criterion leaves the answer unscored: it is neither a zero nor left out of n.
    """
    reasons = [verdict.reason for verdict in criteria if verdict.reason is not None]
    if reasons:
        return AnswerVerdict(score=None, reason=reasons[0], criteria=criteria)
    weighted = [(verdict.score or 0.0) * (verdict.confidence or 0.0) for verdict in criteria]
    return AnswerVerdict(score=fsum(weighted) / len(weighted), reason=None, criteria=criteria)


def ignore_verdict(verdict: CriterionVerdict) -> None:
    """Do nothing; for callers who store the answer's verdict as a whole."""


def judge_answer(
    judge: Judge,
    task: JudgeTask,
    *,
    accepted: Mapping[int | None, CriterionVerdict] = NONE_ACCEPTED,
    on_verdict: Callable[[CriterionVerdict], None] = ignore_verdict,
) -> AnswerVerdict:
    """Judge what is not in `accepted` (verdicts of an earlier pass, by position) and score the answer.

    `on_verdict` gets each new verdict as soon as it is there, so that a stop loses at most one. Once a
    verdict says that every request would fail, the remaining criteria get its reason without being asked.

    Raises:
        ValueError: the answer is blank; a blank answer is missing and is never judged.
    """
    verdicts: list[CriterionVerdict] = []
    failed: CriterionVerdict | None = None
    for position in task.positions:
        verdict = accepted.get(position)
        if verdict is None or verdict.reason is not None:
            verdict = _not_asked(position, failed) if failed else judge.verdict(task, position)
            on_verdict(verdict)
        if verdict.reason is not None and verdict.reason.fails_all:
            failed = verdict
        verdicts.append(verdict)
    return sample_score(tuple(verdicts))


def _not_asked(position: int | None, failed: CriterionVerdict) -> CriterionVerdict:
    return CriterionVerdict(
        position,
        None,
        None,
        "Not asked, because an earlier request failed in a way that fails all.",
        failed.reason,
    )
