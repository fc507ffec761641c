"""What results rest on, and its hash: equal inputs give equal numbers."""

from collections.abc import Iterable, Mapping, Sequence

from formats.canonical import canonical_sha256
from judging.models import ScoringRun
from judging.selectors.answers import result_answers
from psychometrics.data.answers import ResultAnswer
from psychometrics.data.cohort import PUBLIC
from psychometrics.inference.measure import Block, Scope
from scoring.models import ResultSet
from scoring.selectors.bank_items import study_prompts
from scoring.selectors.runs import newest_results
from studies.models import Study


def results_are_current(run: ScoringRun) -> bool:
    """Whether the run's newest results rest on its scores, and on who counts, as both are now."""
    results = newest_results(run)
    if results is None:
        return False
    hashes = inputs_hashes(list(result_answers(run)), run.study, places_asked(run.study))
    return has_hashes(results, hashes) and not is_carried_over(results)


def has_hashes(results: ResultSet, hashes: Mapping[Scope, str]) -> bool:
    """Whether results were computed from what these hashes are of."""
    stored = (results.inputs_sha256, results.inputs_sha256_public)
    return stored == (hashes[Scope.ALL], hashes.get(Scope.PUBLIC, ""))


def is_carried_over(results: ResultSet) -> bool:
    """Whether its headlines are estimates of a version that stored no rows: columns are missing in them."""
    return results.measures.filter(block=Block.RESULTS, name="participants", people=None).exists()


def places_asked(study: Study) -> dict[Scope, dict[str, str]]:
    """The prompts of the study's batches with the prompt bank's category of each, by scope."""
    rows = list(study_prompts(study).values_list("prompt_id", "category", "split"))
    everything = {name: category for name, category, _ in rows}
    public = {name: category for name, category, split in rows if split == PUBLIC}
    return {Scope.ALL: everything} | ({Scope.PUBLIC: public} if len(public) < len(everything) else {})


def inputs_hashes(
    answers: Sequence[ResultAnswer], study: Study, asked: Mapping[Scope, Mapping[str, str]]
) -> dict[Scope, str]:
    return {scope: inputs_sha256(answers, study, prompts) for scope, prompts in asked.items()}


def inputs_sha256(answers: Iterable[ResultAnswer], study: Study, prompts: Mapping[str, str]) -> str:
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
