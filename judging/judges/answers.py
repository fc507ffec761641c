"""From verdicts on criteria to the score of an answer."""

from math import fsum

from judging.judges.interface import AnswerVerdict, CriterionVerdict


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
