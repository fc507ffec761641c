"""What results and measurements rest on, its hashes, and what of a study's results is missing or older."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from django.db.models import Exists, OuterRef, Q

from formats.canonical import canonical_sha256
from judging.models import CriterionScore, ScoringRun
from judging.selectors.answers import result_answers
from judging.selectors.runs import scores_runs
from psychometrics.data.cohort import Cohort
from psychometrics.data.places import PUBLIC, ResultAnswer
from psychometrics.inference.measure import Block, Scope
from psychometrics.measures.catalogue import CATALOGUE
from psychometrics.measures.methods import METHODS
from scoring.models import ResultSet
from scoring.selectors.audit_results import audits_are_current
from scoring.selectors.cohorts import study_cohort
from scoring.selectors.judges import confidence_counts, current_scores, other_runs, unscored_reasons
from scoring.selectors.leaderboards import models_of
from scoring.selectors.measures import measurement_of
from scoring.selectors.runs import newest_results, runs_of
from scoring.selectors.scopes import study_prompts
from scoring.selectors.task_tables import has_newer_table
from scoring.services.agreement_inputs import agreements_are_current
from screening.selectors.exclusion_facts import exclusion_facts
from screening.selectors.screening import decisions_by_rater, excluded_by_reason
from studies.models import Study

# A database sums a mean in the order it finds the rows: its last digits may differ the next time.
DECIMALS = 9
ROWS = ("person", "prompt", "batch", "position", "p", "p_certain")


@dataclass(frozen=True)
class OutOfDate:
    """Runs without right results, runs to be measured after that, and whether agreement of judges with each
    other, and with people, is to be computed.
    """

    results: Sequence[ScoringRun]
    measurements: Sequence[ScoringRun]
    agreement: bool
    audits: bool

    def __bool__(self) -> bool:
        return self.beside_audits or self.audits

    @property
    def beside_audits(self) -> bool:
        """Anything that an export cannot compute by itself: people may rate all day long."""
        return bool(self.results or self.measurements or self.agreement)

    def __str__(self) -> str:
        named = {"results": len(self.results), "measurement": len(self.measurements)}
        parts = [f"{name} of {number} of the runs" for name, number in named.items() if number]
        parts += ["agreement of the judges"] * self.agreement + ["audits of the judges"] * self.audits
        return ", ".join(parts)


def out_of_date(study: Study) -> OutOfDate:
    """Told by hashes of what results, agreement and measurements were computed from, not by times."""
    runs = runs_to_keep(study)
    results = [run for run in runs if not results_are_current(run)]
    measurements = []
    for run in runs:
        stored = None if run in results else newest_results(run)
        measurement = None if stored is None else measurement_of(stored)
        # Of everything that a measurement looks at, as that is now.
        if measurement is None or measurement.inputs_sha256 != measured_sha256(run, study_cohort(run)):
            measurements.append(run)
    return OutOfDate(
        results,
        measurements,
        agreement=not agreements_are_current(study),
        audits=not audits_are_current(study),
    )


def runs_to_keep(study: Study) -> list[ScoringRun]:
    """Those asked for scores under the present design; results under earlier ones stay as they are."""
    asked = CriterionScore.objects.filter(run=OuterRef("pk"), judging_run__in=scores_runs())
    runs = runs_of(study).filter(design_hash=study.design_hash).select_related("study__item_bank", "config")
    return list(runs.filter(Exists(asked) | Q(result_sets__isnull=False)).distinct())


def results_are_current(run: ScoringRun) -> bool:
    """Whether the run's newest results rest on its scores, on who counts, and on the table of published
    models beside them, as all are now.
    """
    results = newest_results(run)
    if results is None:
        return False
    hashes = inputs_hashes(list(result_answers(run)), run.study)
    if has_newer_table(results, run.study):
        return False
    return has_hashes(results, hashes) and not is_carried_over(results)


def has_hashes(results: ResultSet, hashes: Mapping[Scope, str]) -> bool:
    """Whether results were computed from what these hashes are of."""
    stored = (results.inputs_sha256, results.inputs_sha256_public)
    return stored == (hashes[Scope.ALL], hashes.get(Scope.PUBLIC, ""))


def is_carried_over(results: ResultSet) -> bool:
    """Whether its headlines are estimates of a version that stored no rows: columns are missing in them."""
    return results.measures.filter(block=Block.RESULTS, name="participants", people=None).exists()


def inputs_hashes(answers: Sequence[ResultAnswer], study: Study) -> dict[Scope, str]:
    """The hash of each scope, over the prompts of the study's batches that are in it."""
    rows = list(study_prompts(study).values_list("prompt_id", "category", "split"))
    asked = {name: category for name, category, _ in rows}
    public = {name: category for name, category, split in rows if split == PUBLIC}
    hashes = {Scope.ALL: _inputs_sha256(answers, study, asked)}
    if len(public) < len(asked):
        hashes[Scope.PUBLIC] = _inputs_sha256(answers, study, public)
    return hashes


def _inputs_sha256(answers: Iterable[ResultAnswer], study: Study, prompts: Mapping[str, str]) -> str:
    """A hash of everything a result on these prompts depends on: equal inputs give equal numbers.

    It names people and prompts as an export does, so that it can be formed again from one. A place that does
    not count is missing; one that counts and has no score is unscored.
    """
    return canonical_sha256(
        {
            "places": sorted(
                [answer.participant, answer.prompt_id, answer.task, answer.batch, answer.counts, answer.score]
                for answer in answers
                if answer.prompt_id in prompts
            ),
            "prompts": sorted(prompts.items()),
            "item_bank": study.item_bank.digest if study.item_bank else None,
            "top_size": study.protocol.top_size,
            "match_rules": study.protocol.match_rules,
        }
    )


def measured_sha256(run: ScoringRun, everyone: Cohort) -> str:
    """Sha256 (hex) over everybody's places and scores, the excluded included, over what exclusion rules and
    the judge's effects are read from, over the study's models, and over the methods and the names
    of all measures.
    """
    study, people = run.study, everyone.people
    facts = exclusion_facts(study, [person.code for person in people])
    columns = (*(getattr(everyone, name) for name in ROWS), *asdict(facts).values())
    parts = (
        METHODS,
        sorted(CATALOGUE),
        [[asdict(person) for person in people], [asdict(prompt) for prompt in everyone.prompts]],
        *(np.round(column.astype(np.float64), DECIMALS).tobytes() for column in columns),
        everyone.outcome.astype(np.bytes_).tobytes(),
        sorted((code, list(own.items())) for code, own in decisions_by_rater(study).items()),
        excluded_by_reason(study),
        sorted(confidence_counts(run).items()),
        unscored_reasons(run),
        [(other.pk, sorted(current_scores(other).items())) for other in other_runs(run)],
        list(models_of(study).order_by("name").values_list("name", "sha256")),
    )
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part if isinstance(part, bytes) else json.dumps(part, sort_keys=True).encode())
    return digest.hexdigest()
