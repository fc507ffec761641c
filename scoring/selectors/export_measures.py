"""Measures as export rows: no private prompt by its id, nobody who withdrew, nobody's private answers."""

from collections.abc import Iterator

from django.db.models import Q, QuerySet

from psychometrics.inference.measure import Block
from scoring.export.rows.results import MeasurementRow
from scoring.models import MeasureRow, ResultSet
from scoring.selectors.export_answers import public_labels, run_numbers
from scoring.selectors.export_results import numbered_results, scopes_to_leave
from scoring.selectors.measures import scope_to_show
from scoring.selectors.scopes import scope_to_leave
from screening.selectors.participants import screened_participants
from studies.models import Prompt, Study

TEXTS = ("group", "subset", "participant", "prompt_id", "reason")  # empty in the database, absent in a file
COLUMNS = [name for name in MeasurementRow.model_fields if name not in ("run", "label")]
CHUNK = 2000


def measure_rows(study: Study) -> Iterator[MeasurementRow]:
    """The measurement of the newest results of every run."""
    numbers, labels = run_numbers(study), public_labels(study)
    for number, results in numbered_results(study):
        rows = exported(results, MeasureRow.objects.filter(measurement__result_set=results))
        for values in rows.order_by("pk").values(*COLUMNS).iterator(CHUNK):
            values |= {name: values[name] or None for name in TEXTS}
            if (other := values["details"].get("run")) is not None:  # of another judge
                values["details"]["run"] = numbers[other]
            yield MeasurementRow(run=number, label=labels.get(values["prompt_id"]), **values)


def exported(results: ResultSet, rows: QuerySet[MeasureRow]) -> QuerySet[MeasureRow]:
    """Those of the measures of these results that may leave the site.

    What is about one person, one prompt or one task must not rest on answers to private prompts, either.
    """
    study = results.run.study
    public = Prompt.objects.filter(version=study.bank_version, split="public").values("prompt_id")
    people = screened_participants(study).values("code")
    aggregate = Q(prompt_id="", participant="")
    return (
        rows.filter(scope__in=scopes_to_leave(results))
        .filter(aggregate | Q(scope=scope_to_show(results)))
        .filter(~Q(block=Block.BENCHMARK) | Q(scope=scope_to_leave(study)))
        .filter(Q(prompt_id="") | Q(prompt_id__in=public))
        .filter(Q(participant="") | Q(participant__in=people))
    )
