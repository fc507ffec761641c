"""What results rest on, and its hash: equal inputs give equal numbers."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from batches.models import BatchPrompt
from formats.canonical import canonical_sha256
from judging.models import ScoringRun
from judging.selectors.answers import result_answers
from psychometrics.data.answers import ResultAnswer
from psychometrics.data.cohort import PUBLIC
from psychometrics.inference.measure import Scope
from psychometrics.measures.aggregates import Scale
from scoring.selectors.runs import newest_results
from studies.models import Study
from studies.selectors.item_banks import item_arrays


def results_are_current(run: ScoringRun) -> bool:
    """Whether the run's newest results rest on its scores, and on who counts, as both are now."""
    results = newest_results(run)
    if results is None:
        return False
    hashes = inputs_hashes(list(result_answers(run)), run.study, study_scales(run.study))
    stored = (results.inputs_sha256, results.inputs_sha256_public)
    return stored == (hashes[Scope.ALL], hashes.get(Scope.PUBLIC, ""))


def study_scales(study: Study) -> dict[Scope, Scale]:
    """The study's item bank and the prompts of its batches: all, and if some are private, the public ones."""
    places = BatchPrompt.objects.filter(batch__plan__study=study)
    categories = dict(places.values_list("prompt__prompt_id", "prompt__category"))
    private = frozenset(places.exclude(prompt__split=PUBLIC).values_list("prompt__prompt_id", flat=True))
    everything = Scale(item_arrays(study.item_bank) if study.item_bank else None, categories, private)
    if not private:
        return {Scope.ALL: everything}
    return {Scope.ALL: everything, Scope.PUBLIC: replace(everything, left_out=private)}


def inputs_hashes(
    answers: Sequence[ResultAnswer], study: Study, scales: Mapping[Scope, Scale]
) -> dict[Scope, str]:
    return {scope: inputs_sha256(answers, study, scale) for scope, scale in scales.items()}


def inputs_sha256(answers: Iterable[ResultAnswer], study: Study, scale: Scale) -> str:
    """A hash of everything a result on this scale depends on: equal inputs give equal numbers.

    It names people and prompts as an export does, so that it can be formed again from one. A place that does
    not count is missing; one that counts and has no score is unscored.
    """
    return canonical_sha256(
        {
            "places": sorted(
                [answer.participant, answer.prompt_id, answer.task, answer.batch, answer.counts, answer.score]
                for answer in answers
                if answer.prompt_id in scale.asked
            ),
            "prompts": sorted((name, scale.prompt_categories[name]) for name in scale.asked),
            "item_bank": study.item_bank.digest if study.item_bank else None,
            "top_size": study.protocol.top_size,
            "match_rules": study.protocol.match_rules,
        }
    )
