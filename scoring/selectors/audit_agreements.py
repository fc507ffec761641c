"""How far each judge of an audit sample agrees with people, computed."""

import numpy as np

from formats.canonical import JsonValue
from psychometrics.agreement.audit import Ratings, audit_agreement
from scoring.selectors.audit_results import RESAMPLES, AuditFacts


def judges_beside_people(facts: AuditFacts) -> dict[str, JsonValue]:
    """By the key of each judge's run; the bootstrap's seed is that of the draw."""
    ratings = Ratings(
        strata=facts.strata,
        answers=facts.answers,
        human=np.array(facts.human, dtype=np.float64),
        judged=np.array(facts.judged, dtype=np.float64).reshape(len(facts.human), len(facts.judges)),
    )
    seed = facts.sample.seed
    return {
        str(judge.pk): audit_agreement(ratings, column, facts.frame, seed=seed, resamples=RESAMPLES).as_json()
        for column, judge in enumerate(facts.judges)
    }
