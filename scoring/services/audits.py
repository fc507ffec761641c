"""What people say beside the judges of audit samples; replaced where ratings or scores have changed."""

from datetime import datetime

from formats.canonical import JsonValue
from scoring.models import AuditComparison
from scoring.selectors.audit_agreements import judges_beside_people
from scoring.selectors.audit_results import study_audit_facts
from studies.models import Study


def audits_compute(*, study: Study, now: datetime) -> int:
    """Bring every sample's agreement up to ratings and scores as they are now; how many were computed."""
    missing = [facts for facts in study_audit_facts(study) if not facts.is_stored]
    found: dict[str, dict[str, JsonValue]] = {}
    for facts in missing:
        if facts.sha256 not in found:  # without private verdicts both scopes of a sample rest on the same
            found[facts.sha256] = judges_beside_people(facts)
        AuditComparison.objects.update_or_create(
            sample=facts.sample,
            scope=facts.scope,
            defaults={"inputs_sha256": facts.sha256, "judges": found[facts.sha256], "computed_at": now},
        )
    return len(missing)
