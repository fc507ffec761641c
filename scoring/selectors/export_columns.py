"""Stored rows as rows of an export: their columns, and the numbers and labels that stand for ids."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from django.db.models import Case, CharField, F, QuerySet, Value, When

from batches.rules.statuses import VOID
from scoring.export.rows.base import Row
from scoring.selectors.runs import runs_of
from studies.models import Prompt, Study
from studies.selectors.private_questions import of_public

CHUNK = 1000
# Where a row is of an answer: whose, and to which prompt.
OF_ANSWER = {
    "participant": "answer__session__participant__code",
    "prompt_id": "answer__prompt__prompt_id",
    "label": "answer__prompt__label",
}


def stored_columns(
    row_type: type[Row],
    stored: QuerySet[Any],
    paths: Mapping[str, str] | None = None,
    *,
    computed: Collection[str] = (),
    empty_as_none: Collection[str] = (),
) -> Iterator[dict[str, Any]]:
    """The columns of a kind of rows by name, read a few rows at a time.

    `paths` lead to what is stored under another name, and to what is needed beside the columns. `computed`
    columns are not stored; an empty text of `empty_as_none` means absent.
    """
    columns = {name: name for name in row_type.model_fields if name not in computed} | dict(paths or {})
    for values in stored.values_list(*columns.values()).iterator(CHUNK):
        found = dict(zip(columns, values, strict=True))
        for name in empty_as_none:
            found[name] = found[name] or None
        yield found


def session_status(session: str = "") -> Case:
    """The status of a session as files have it; `session` leads to it. What the team voided is `void`: the
    person did not withdraw.
    """
    return Case(
        When(**{f"{session}voided_at__isnull": False}, then=Value(VOID)),
        default=F(f"{session}status"),
        output_field=CharField(null=True),
    )


def named(record: object, *names: str) -> dict[str, Any]:
    """These attributes of a record, which are columns or entries of the same name."""
    return {name: getattr(record, name) for name in names}


def run_numbers(study: Study) -> Mapping[int, int]:
    """The number of each run in the export, from 1."""
    return {pk: number for number, pk in enumerate(runs_of(study).values_list("pk", flat=True), start=1)}


def judging_run_numbers(study: Study) -> Mapping[int, int]:
    """The number of each judging run in the export, from 1."""
    runs = study.judging_runs.order_by("pk").values_list("pk", flat=True)
    return {pk: number for number, pk in enumerate(runs, start=1)}


def public_labels(study: Study) -> dict[str, str]:
    """The label of every public prompt of the study's bank, by prompt id."""
    prompts = Prompt.objects.filter(of_public(), version=study.bank_version_id)
    return dict(prompts.values_list("prompt_id", "label"))
