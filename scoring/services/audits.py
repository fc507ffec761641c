"""What people say beside the judges of audit samples; replaced where ratings or scores have changed."""

from datetime import datetime

import numpy as np

from formats.canonical import JsonValue
from psychometrics.agreement.audit import Ratings, audit_agreement
from scoring.models import AuditComparison
from scoring.selectors.audit_results import RESAMPLES, AuditFacts, study_audit_facts
from studies.models import Study


def audits_compute(*, study: Study, now: datetime) -> int:
    """Bring every sample's agreement up to ratings and scores as they are now; how many were computed."""
    missing = [facts for facts in study_audit_facts(study) if not facts.is_stored]
    found: dict[str, dict[str, JsonValue]] = {}
    for facts in missing:
        if facts.sha256 not in found:  # without private verdicts both scopes of a sample rest on the same
            found[facts.sha256] = _judges_of(facts)
        AuditComparison.objects.update_or_create(
            sample=facts.sample,
            scope=facts.scope,
            defaults={"inputs_sha256": facts.sha256, "judges": found[facts.sha256], "computed_at": now},
        )
    return len(missing)


def _judges_of(facts: AuditFacts) -> dict[str, JsonValue]:
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
