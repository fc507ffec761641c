"""What leaves with results of a study that asked private prompts: nothing that their scores follow from."""

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from batches.models import Session
from formats.item_parameters import ItemParameter, ItemParameters
from judging.models import AnswerScore
from psychometrics.inference.measure import Scope
from reporting.report.parts import Facts
from reporting.views.report.parts import study_document
from scoring.coordinator import Scoring, results_bring_up
from scoring.models import ResultSet
from scoring.selectors.runs import changes_since, newest_study_results
from scoring.services.exports import study_export
from scoring.services.results import results_compute
from studies.bank.records import PromptRecord
from studies.models import Participant, Study
from studies.services.banks import item_bank_import
from tests.support.measuring import only_blocks
from tests.support.report_parts import sentences_of

pytestmark = pytest.mark.django_db
NAMES = [f"p{n}" for n in range(1, 9)]
PRIVATE = NAMES[1:8:2]
RIGHT = ({"p1", "p2", "p3"}, {"p2", "p5", "p6"}, {"p1", "p7", "p8"})
Scored = Callable[..., ResultSet]


def scopes_to_leave(results: ResultSet) -> set[str]:
    """The scopes of which Average leaves the site."""
    leaving = results.measures.filter(may_leave=True, group="average", name="theta.pool", subset="")
    return set(leaving.values_list("scope", flat=True))


@pytest.fixture
def scored(
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    score: Callable[..., Scoring],
    now: datetime,
) -> Scored:
    """Make a study of eight prompts, score it and compute its results."""

    def make(
        private: list[str],
        *,
        answered: list[str] = NAMES,
        in_bank: list[str] = NAMES,
        measures: bool = False,
    ) -> ResultSet:
        items = tuple(ItemParameter(name, a=1.0, b=n / 5) for n, name in enumerate(in_bank))
        bank, _ = item_bank_import(
            slug="items", parameters=ItemParameters(items, 0.998, 0.001, sigma_hat=2.5), now=now
        )
        prompts = [
            PromptRecord(
                prompt_id=name, text=f"Question {name}?", gold_answer=f"It is {name}.", category="QR",
                split="private" if name in private else "public",
            )
            for name in NAMES
        ]  # fmt: skip
        study = make_study(
            prompts=prompts, slug="split", batch_size=8, judge_kind="checks", top_size=2, item_bank=bank,
            replicates_per_profile=4,
        )  # fmt: skip
        for right in RIGHT:
            texts = {name: f"It is {name}." if name in right else "It is not." for name in answered}
            work(make_person(study), texts)
        return score(study, measures=measures).judges[0].results

    return make


def exported_hash(study: Study, folder: Path, now: datetime) -> str:
    with only_blocks():
        results_bring_up(study=study, clock=lambda: now)
    study_export(study=study, target=folder, replace=False, software="chiron test", now=now)
    [run] = json.loads((folder / "manifest.json").read_text())["runs"]
    return str(run["inputs_sha256"])


def reported_facts(study: Study) -> dict[str, str]:
    return {
        name: value
        for part in study_document(study).parts
        if isinstance(part, Facts)
        for name, value in part.rows
    }


def sentences(study: Study) -> list[str]:
    return sentences_of(study_document(study).parts)


def test_the_hash_that_leaves_says_nothing_of_private_scores(
    scored: Scored, tmp_path: Path, now: datetime
) -> None:
    first = scored(["p2"])
    study, whole, public = first.run.study, [first.inputs_sha256], []
    for number, changed in enumerate(("p2", "p1")):
        public.append(exported_hash(study, tmp_path / str(number), now))
        assert reported_facts(study)["Fingerprint of the inputs on public questions"] == public[-1]
        AnswerScore.objects.filter(answer__prompt__prompt_id=changed).update(score=0.5)
        whole.append(results_compute(run=first.run, now=now).inputs_sha256)
    public.append(exported_hash(study, tmp_path / "last", now))
    assert len(set(whole)) == 3
    assert public[0] == public[1] != public[2]
    assert not set(whole) & set(public)


def test_without_private_prompts_the_whole_hash_leaves(scored: Scored, tmp_path: Path, now: datetime) -> None:
    results = scored([])
    study = results.run.study
    assert results.inputs_sha256_public == ""
    assert exported_hash(study, tmp_path / "out", now) == results.inputs_sha256
    assert reported_facts(study)["Fingerprint of the inputs"] == results.inputs_sha256


def test_the_report_counts_no_private_answers_among_what_changed(scored: Scored, now: datetime) -> None:
    results = scored(PRIVATE, measures=True)
    study, later = results.run.study, results.computed_at + timedelta(hours=1)
    AnswerScore.objects.filter(answer__prompt__split="private").update(judged_at=later)
    assert "12 judged answers" in changes_since(results)
    assert not [text for text in sentences(study) if "judged answer" in text]
    AnswerScore.objects.filter(answer__prompt__prompt_id="p1").update(judged_at=later)
    [said] = [text for text in sentences(study) if text.startswith("Since the results were computed: ")]
    assert ", 3 judged answers. " in said


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (1, "Public questions only. The numbers of the public questions stand first"),
        (4, "All questions. The protocol has the numbers of all questions stand first"),
    ],
)
def test_the_report_says_over_which_questions_its_numbers_are_and_why(
    scored: Scored, number: int, words: str
) -> None:
    [said] = [
        text for text in sentences(scored(PRIVATE[:number], measures=True).run.study) if "stand first" in text
    ]
    assert said.startswith(words)


PUBLIC = [name for name in NAMES if name not in PRIVATE]


@pytest.mark.parametrize(
    ("answered", "in_bank", "leaves"),
    [
        (NAMES, NAMES, True),
        (PUBLIC, NAMES, True),
        ([*PUBLIC, "p2"], NAMES, False),
        ([*PUBLIC, "p2"], PUBLIC, False),
        (NAMES, PUBLIC, True),
        (NAMES, [*PUBLIC, *PRIVATE[1:]], False),
    ],
    ids=["all", "no private answer", "one", "one that the bank lacks", "four that it lacks", "it lacks one"],
)  # fmt: skip
def test_one_private_prompt_holds_the_whole_back_in_the_item_bank_or_not(
    scored: Scored, answered: list[str], in_bank: list[str], leaves: bool
) -> None:
    assert (Scope.ALL in scopes_to_leave(scored(PRIVATE, answered=answered, in_bank=in_bank))) == leaves


def test_what_may_leave_is_counted_when_results_are_computed(scored: Scored, now: datetime) -> None:
    results = scored(PRIVATE, in_bank=PUBLIC)
    others = AnswerScore.objects.filter(answer__prompt__prompt_id__in=PRIVATE[1:])
    kept = list(others.values_list("pk", "score"))
    others.update(score=None, unscored_reason="timed_out")
    results_compute(run=results.run, now=now)
    for pk, score in kept:
        AnswerScore.objects.filter(pk=pk).update(score=score, unscored_reason="")
    stored = newest_study_results(results.run.study)
    assert stored
    assert scopes_to_leave(stored) == {Scope.PUBLIC}
    assert scopes_to_leave(results) == {Scope.ALL, Scope.PUBLIC}
