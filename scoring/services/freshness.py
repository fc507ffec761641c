"""What is missing, or older than the answers and verdicts it rests on, of a study's results."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Q

from judging.models import CriterionScore, RunPurpose, ScoringRun
from scoring.selectors.runs import newest_results, runs_of
from scoring.services.agreement_inputs import agreements_are_current
from scoring.services.measured_inputs import measurement_is_current
from scoring.services.result_inputs import results_are_current
from studies.models import Study


@dataclass(frozen=True)
class OutOfDate:
    """Runs without right results, runs to be measured after that, and whether agreement is to be computed."""

    results: Sequence[ScoringRun]
    measurements: Sequence[ScoringRun]
    agreement: bool

    def __bool__(self) -> bool:
        return bool(self.results or self.measurements or self.agreement)

    def __str__(self) -> str:
        named = {"results": len(self.results), "measurement": len(self.measurements)}
        parts = [f"{name} of {number} of the runs" for name, number in named.items() if number]
        return ", ".join(parts + ["agreement of the judges"] * self.agreement)


def out_of_date(study: Study) -> OutOfDate:
    """Told by hashes of what results, agreement and measurements were computed from, not by times."""
    runs = runs_to_keep(study)
    results = [run for run in runs if not results_are_current(run)]
    measurements = [run for run in runs if run in results or not is_measured(run)]
    return OutOfDate(results, measurements, agreement=not agreements_are_current(study))


def runs_to_keep(study: Study) -> list[ScoringRun]:
    """Those asked for scores under the present design; results under earlier ones stay as they are."""
    asked = CriterionScore.objects.filter(run=OuterRef("pk"), judging_run__purpose=RunPurpose.SCORES)
    runs = runs_of(study).filter(design_hash=study.design_hash).select_related("study__item_bank", "config")
    return list(runs.filter(Exists(asked) | Q(result_sets__isnull=False)).distinct())


def is_measured(run: ScoringRun) -> bool:
    results = newest_results(run)
    return results is not None and measurement_is_current(results)
