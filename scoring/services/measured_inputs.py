"""What a measurement rests on beside the study's frozen design, and its hash."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict

import numpy as np

from judging.models import ScoringRun
from psychometrics.data.cohort import Cohort
from psychometrics.measures.catalogue import CATALOGUE
from psychometrics.measures.methods import METHODS
from scoring.models import ModelConfiguration, ResultSet
from scoring.selectors.cohorts import study_cohort
from scoring.selectors.judge_effects import confidence_counts, current_scores, other_runs, unscored_reasons
from scoring.selectors.measures import measurement_of
from screening.selectors.exclusion_facts import decisions_by_rater, excluded_by_reason, exclusion_facts

# A database sums a mean in the order it finds the rows: its last digits may differ the next time.
DECIMALS = 9
ROWS = ("person", "prompt", "batch", "position", "p", "p_certain")


def measurement_is_current(results: ResultSet) -> bool:
    """Whether there is a measurement of these results, of everything it looks at as that is now."""
    found = measurement_of(results)
    return found is not None and found.inputs_sha256 == measured_sha256(
        results.run, study_cohort(results.run)
    )


def measured_sha256(run: ScoringRun, everyone: Cohort) -> str:
    """Sha256 (hex) over everybody's places and scores, the excluded included, over what exclusion rules and
    the judge's effects are read from, over the models that are imported, and over the methods and the names
    of all measures.
    """
    digest = hashlib.sha256()
    for part in parts(run, everyone):
        digest.update(json.dumps(part, sort_keys=True).encode() if not isinstance(part, bytes) else part)
    return digest.hexdigest()


def parts(run: ScoringRun, everyone: Cohort) -> Iterator[object]:
    yield METHODS
    yield sorted(CATALOGUE)
    study, codes = run.study, [person.code for person in everyone.people]
    yield [[asdict(one) for one in everyone.people], [asdict(one) for one in everyone.prompts]]
    facts = exclusion_facts(study, codes)
    for column in (*(getattr(everyone, name) for name in ROWS), *asdict(facts).values()):
        yield np.round(column.astype(np.float64), DECIMALS).tobytes()
    yield everyone.outcome.astype(np.bytes_).tobytes()
    yield sorted((code, list(own.items())) for code, own in decisions_by_rater(study).items())
    yield excluded_by_reason(study)
    yield sorted(confidence_counts(run).items())
    yield unscored_reasons(run)
    yield [(other.pk, sorted(current_scores(other).items())) for other in other_runs(run)]
    imported = ModelConfiguration.objects.filter(item_bank=study.item_bank_id)
    yield list(imported.order_by("name").values_list("name", "sha256"))
