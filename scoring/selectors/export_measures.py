"""Measures as export rows: no private prompt by its id, nobody who withdrew, nobody's private answers."""

from collections.abc import Iterator

from django.db.models import Q, QuerySet

from scoring.export.rows.results import MeasurementRow
from scoring.models import MeasureRow
from scoring.selectors.export_answers import public_labels, run_numbers
from scoring.selectors.export_results import numbered_results
from screening.selectors.participants import screened_participants
from studies.models import Study

TEXTS = ("group", "subset", "participant", "prompt_id", "reason")  # empty in the database, absent in a file
COLUMNS = [name for name in MeasurementRow.model_fields if name not in ("run", "label")]
CHUNK = 2000


def measure_rows(study: Study) -> Iterator[MeasurementRow]:
    """The measurement of the newest results of every run."""
    numbers, labels = run_numbers(study), public_labels(study)
    for number, results in numbered_results(study):
        rows = exported(study, results.measures.all())
        for values in rows.order_by("pk").values(*COLUMNS).iterator(CHUNK):
            values |= {name: values[name] or None for name in TEXTS}
            if (other := values["details"].get("run")) is not None:  # of another judge
                values["details"]["run"] = numbers[other]
            yield MeasurementRow(run=number, label=labels.get(values["prompt_id"]), **values)


def exported(study: Study, rows: QuerySet[MeasureRow]) -> QuerySet[MeasureRow]:
    """Those of a study's measures that may leave the site: nobody's who withdrew is among them."""
    people = screened_participants(study).values("code")
    return rows.filter(Q(participant="") | Q(participant__in=people), may_leave=True)
