"""Results computed by hand from tiny studies."""

from collections.abc import Callable
from datetime import datetime
from math import exp, log, sqrt
from typing import Any

import pytest

from batches.models import Answer, Session
from formats.item_parameters import ItemParameter, ItemParameters
from judging.models import AnswerScore, ScoringRun
from reporting.selectors.reports import report_of
from scoring.coordinator import Scoring
from scoring.models import ResultSet
from scoring.services.results import results_compute
from screening.models import VerdictDecision
from screening.services.screening import study_screen
from screening.services.verdicts import verdict_record
from studies.bank.records import ContainsCheck, CriterionRecord, PromptRecord
from studies.models import ItemBank, Participant, Prompt, Study, User
from studies.services.banks import item_bank_import
from tests.support.headlines import estimate, estimates

pytestmark = pytest.mark.django_db
Work = Callable[..., Session]
Person = Callable[..., Participant]
LOGIT_OF_1 = log(0.999 / 0.001)


def prompt(number: int, category: str, **more: object) -> PromptRecord:
    criteria = [CriterionRecord(text=f"Says {w}.", check=ContainsCheck(any_of=(w,))) for w in ("red", "blue")]
    text = f"Name a colour and say why, question {number}."
    return PromptRecord.model_validate(
        {"prompt_id": f"p{number}", "text": text, "criteria": criteria, "category": category, **more}
    )


PROMPTS = [prompt(1, "maths"), prompt(2, "logic"), prompt(3, "SI"), prompt(4, "maths")]
FULL = "it should be red and blue together because both are needed"
HALF = "it should be red alone because nothing else is needed here"
NONE = "it should be green alone because nothing else is needed here"
SETTINGS: dict[str, Any] = {"judge_kind": "checks", "top_size": 1, "replicates_per_profile": 50}


@pytest.fixture(scope="module")
def kept_item_bank(kept: None, now: datetime) -> ItemBank:
    """Prompt 3 has no parameters; sub-categories name other categories than the prompt bank does."""
    items = (
        ItemParameter("p1", a=1.0, b=0.0, subcategory="QR-DA"),
        ItemParameter("p2", a=2.0, b=1.0, subcategory="LR-IF"),
        ItemParameter("p4", a=1.0, b=0.0, subcategory="QR-WP"),
    )
    parameters = ItemParameters(items, squeeze_scale=0.998, squeeze_offset=0.001, sigma_hat=2.0)
    return item_bank_import(slug="items", parameters=parameters, now=now)[0]


@pytest.fixture(scope="module")
def kept_results(
    kept_item_bank: ItemBank,
    make_study: Callable[..., Study],
    make_person: Person,
    work: Work,
    score_at: Callable[..., Scoring],
    now: datetime,
) -> ResultSet:
    """Two people. The first never reached prompt 4, the second's answer to it could not be judged."""
    study = make_study(prompts=PROMPTS, category_source="item_bank", item_bank=kept_item_bank, **SETTINGS)
    first, second = make_person(study), make_person(study)
    work(first, {"p1": FULL, "p2": HALF, "p3": FULL})
    work(second, {"p1": NONE, "p2": HALF, "p3": NONE, "p4": FULL})
    scoring = score_at(study, clock=lambda: now)
    unjudged = AnswerScore.objects.filter(answer__session__participant=second, answer__prompt__prompt_id="p4")
    unjudged.update(score=None, unscored_reason="timed_out")
    return results_compute(run=scoring.judges[0].run, now=now)


@pytest.fixture
def results(kept_results: ResultSet, db: None) -> ResultSet:
    return ResultSet.objects.get(pk=kept_results.pk)


@pytest.fixture
def of_four(
    make_study: Callable[..., Study], item_bank: ItemBank, make_person: Person, work: Work,
    score: Callable[..., Scoring],
) -> ResultSet:  # fmt: skip
    """Four people, who answered as the two did; the better two are Top."""
    study = make_study(
        prompts=PROMPTS, category_source="item_bank", item_bank=item_bank, **{**SETTINGS, "top_size": 2}
    )
    for _ in range(2):
        work(make_person(study), {"p1": FULL, "p2": HALF, "p3": FULL})
        work(make_person(study), {"p1": NONE, "p2": HALF, "p3": NONE, "p4": FULL})
    return score(study).judges[0].results


@pytest.fixture
def item_bank(kept_item_bank: ItemBank, db: None) -> ItemBank:
    return ItemBank.objects.get(pk=kept_item_bank.pk)


@pytest.fixture
def study(make_study: Callable[..., Study], item_bank: ItemBank) -> Study:
    """Another one than that of `results`, on the same bank: nobody is in it."""
    return make_study(prompts=PROMPTS, category_source="item_bank", item_bank=item_bank, **SETTINGS)


@pytest.fixture
def person(study: Study, make_person: Callable[..., Participant]) -> Person:
    return lambda **how: make_person(study, **how)


def test_average_takes_the_mean_score_of_each_prompt_first(results: ResultSet) -> None:
    average = estimate(results, "average")
    # Means 0.5 on p1 and p2: y = 0, so theta = (1 * 0 + 2 * (0 + 2 * 1)) / (1 + 4).
    assert average.theta == pytest.approx(0.8, abs=1e-12)
    assert average.se == pytest.approx(2 / sqrt(5), abs=1e-12)
    assert average.ci_low == pytest.approx(0.8 - 1.96 * 2 / sqrt(5), abs=1e-12)
    assert average.ci_high == pytest.approx(0.8 + 1.96 * 2 / sqrt(5), abs=1e-12)


def test_average_over_pooled_pairs_counts_every_pair(results: ResultSet) -> None:
    average = estimate(results, "average")
    assert average.theta_pool == pytest.approx((LOGIT_OF_1 - LOGIT_OF_1 + 4 + 4) / 10, abs=1e-12)
    # One batch: by people. Residuals a e of p1 and p2 are +-LOGIT_OF_1 - 0.8 and 2 (2 - 1.6), so the sums of
    # the two people are +-LOGIT_OF_1, and V = 2 / (2 - 1) * 2 LOGIT_OF_1^2 / 10^2.
    assert (average.interval, average.clusters, average.batches) == ("se.participant", 2, 1)
    assert average.se_pool == pytest.approx(2 * LOGIT_OF_1 / 10, abs=1e-12)
    half = 12.7062047 * 2 * LOGIT_OF_1 / 10  # Student's t of one degree of freedom
    assert [average.ci_low_pool, average.ci_high_pool] == pytest.approx([0.8 - half, 0.8 + half], abs=1e-6)


def test_a_category_of_one_prompt_has_its_counts_and_the_reason_for_no_number(results: ResultSet) -> None:
    for category in ("QR", "LR"):
        row = estimate(results, "average", category)
        assert (row.withheld, row.reason_pool, row.reason_ql) == ("too_few_prompts",) * 3
        assert {row.theta, row.theta_pool, row.theta_ql, row.raw_mean, row.ci_low, row.ci_low_ql} == {None}
        assert (row.pairs, row.prompts, row.coverage is None) == (2, 1, False)
    unknown = estimate(results, "average", "SI")
    assert (unknown.theta_ql, unknown.reason_ql, unknown.withheld) == (None, "nothing_scored", "")
    assert estimate(results, "top", "QR").withheld == "too_few_people"


def test_theta_ql_of_top_has_the_reason_for_no_interval(of_four: ResultSet) -> None:
    top = estimate(of_four, "top")
    assert top.theta_ql is not None
    reached = 1 / (1 + exp(-top.theta_ql)) + 2 / (1 + exp(-2 * (top.theta_ql - 1)))
    assert reached == pytest.approx(1 * 1 + 2 * 0.5)
    assert (top.se_ql, top.ci_low_ql, top.reason_ql) == (None, None, "selected")


def test_a_category_counts_the_people_who_answered_in_it(
    study: Study,
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    score: Callable[..., Scoring],
) -> None:
    work(make_person(study), {"p1": "x", "p2": "x"})
    work(make_person(study), {"p2": "x"})
    found = score(study).judges[0].results
    assert [estimate(found, "average", one).participants for one in ("", "QR", "LR")] == [2, 1, 2]


def test_every_expected_answer_is_accounted_for_and_none_is_a_zero(results: ResultSet) -> None:
    average = estimate(results, "average")
    assert (average.participants, average.expected) == (2, 8)
    assert (average.pairs, average.missing, average.unscored, average.unknown_items) == (4, 1, 1, 2)
    assert (average.prompts, average.responses_per_prompt) == (2, 2.0)
    assert average.raw_mean == 0.5
    assert average.coverage == pytest.approx(2 / 3)


def test_top_is_whoever_has_the_highest_mean_of_what_they_answered(of_four: ResultSet) -> None:
    top = estimate(of_four, "top")
    assert (top.participants, top.pairs, top.expected, top.missing, top.unknown_items) == (2, 4, 8, 2, 2)
    assert top.theta == pytest.approx((LOGIT_OF_1 + 4) / 5, abs=1e-12)
    assert top.raw_mean == 0.75


def test_categories_come_from_the_item_bank_and_else_from_the_prompt_bank(results: ResultSet) -> None:
    categories = [row for row in estimates(results, group="average") if row.category]
    assert [row.category for row in categories] == ["LR", "QR", "SI"]
    logic, maths, unknown = categories
    assert [logic.coverage, maths.coverage] == pytest.approx([1.0, 0.5])
    assert (maths.expected, maths.pairs, maths.missing, maths.unscored) == (4, 2, 1, 1)
    assert (unknown.theta, unknown.se, unknown.raw_mean, unknown.coverage) == (None, None, None, None)
    assert (unknown.pairs, unknown.unknown_items) == (0, 2)


def test_equal_inputs_have_an_equal_hash(results: ResultSet, now: datetime) -> None:
    assert results_compute(run=results.run, now=now).inputs_sha256 == results.inputs_sha256


def settings_change(**changes: object) -> int:
    return Study.objects.update(settings={**Study.objects.get().settings, **changes})


@pytest.mark.parametrize(
    "change",
    [
        lambda: AnswerScore.objects.filter(score=0.5).update(score=0.25),
        lambda: AnswerScore.objects.filter(score=0.5).update(score=None, unscored_reason="timed_out"),
        lambda: Answer.objects.filter(prompt__prompt_id="p4", has_text=True).update(has_text=False),
        lambda: Prompt.objects.filter(prompt_id="p3").update(category="maths"),
        lambda: Prompt.objects.filter(prompt_id="p3").update(task="navigate"),
        lambda: ItemBank.objects.update(digest="0" * 64),
        lambda: settings_change(top_size=2),
        lambda: settings_change(judge_kind="match", match_rules="bbh"),
    ],
    ids=["score", "unscored", "missing", "category", "task", "item bank", "top_size", "match_rules"],
)
def test_whatever_a_result_depends_on_changes_the_hash(
    change: Callable[[], int], results: ResultSet, now: datetime
) -> None:
    assert change() > 0
    run = ScoringRun.objects.get()
    assert results_compute(run=run, now=now).inputs_sha256 != results.inputs_sha256


def test_only_retained_people_count(
    study: Study, person: Person, work: Work, score: Callable[..., Scoring], now: datetime
) -> None:
    everything = {f"p{n}": FULL for n in range(1, 5)}
    for _ in range(2):
        work(person(), {"p1": HALF, "p2": HALF})
    work(person(), everything, end="withdrawn")
    work(person(), everything, end="active")
    work(person(is_test=True), everything)
    off_task = person()
    work(off_task, {"p1": "red blue"})
    study_screen(study=study, now=now)
    lead = User.objects.create_superuser("lead@example.org")
    verdict_record(
        participant=off_task, decision=VerdictDecision.CONFIRM, reason="Off-task.", actor=lead, now=now
    )
    average = estimate(score(study).judges[0].results, "average")
    assert (average.participants, average.pairs, average.raw_mean, average.expected) == (2, 4, 0.5, 8)


def test_somebody_excluded_after_judging_leaves_the_results(
    study: Study, person: Person, work: Work, score: Callable[..., Scoring], now: datetime
) -> None:
    work(person(), {"p1": HALF, "p2": HALF, "p3": HALF})
    off_task = person()
    work(off_task, {"p1": "red blue"})
    assert estimate(score(study).judges[0].results, "average").participants == 2
    lead = User.objects.create_superuser("lead@example.org")
    verdict_record(
        participant=off_task, decision=VerdictDecision.CONFIRM, reason="Off-task.", actor=lead, now=now
    )
    average = estimate(score(study).judges[0].results, "average")
    assert (average.participants, average.pairs) == (1, 2)
    assert AnswerScore.objects.filter(answer__session__participant=off_task).count() == 1


def test_without_enough_people_there_is_no_top_and_a_sentence_says_so(
    make_study: Callable[..., Study],
    make_person: Person,
    item_bank: ItemBank,
    work: Work,
    score: Callable[..., Scoring],
) -> None:
    study = make_study(
        prompts=PROMPTS, category_source="item_bank", item_bank=item_bank, judge_kind="checks", top_size=3
    )
    work(make_person(study), {"p1": FULL})
    work(make_person(study), {"p2": FULL})
    results = score(study).judges[0].results
    top = estimate(results, "top")
    assert (top.participants, top.expected, top.theta, top.raw_mean) == (0, 0, None, None)
    assert (top.theta_ql, top.reason_ql) == (None, "too_few_people")
    assert "Top needs 3 counted participants with a scored answer; there are 2." in report_of(results).notes


def test_equal_means_go_by_code(
    study: Study, person: Person, work: Work, score: Callable[..., Scoring]
) -> None:
    people = [person() for _ in range(4)]
    best = min(people, key=lambda participant: participant.code)
    for participant in people:
        work(participant, {"p1": HALF} if participant == best else {"p2": HALF})
    results = score(study).judges[0].results
    top = estimate(results, "top")
    assert (top.participants, top.pairs) == (1, 1)
    assert estimate(results, "top", "QR").pairs == 1


def test_a_study_without_an_item_bank_has_raw_means_and_no_theta(
    make_study: Callable[..., Study], make_person: Person, work: Work, score: Callable[..., Scoring]
) -> None:
    study = make_study(prompts=PROMPTS, judge_kind="checks", top_size=1)
    for _ in range(2):
        work(make_person(study), {"p1": FULL, "p2": HALF})
    results = score(study).judges[0].results
    average = estimate(results, "average")
    assert (average.theta, average.se, average.theta_pool, average.ci_low_pool) == (None, None, None, None)
    assert (average.raw_mean, average.pairs, average.unknown_items, average.coverage) == (0.75, 4, 0, 0.5)
    assert estimate(results, "average", "maths").coverage == 0.5
    assert "The study has no item bank, so there is no ability." in report_of(results).notes


def test_nothing_scored_is_absent_and_not_zero(
    study: Study, person: Person, score: Callable[..., Scoring]
) -> None:
    person()
    average = estimate(score(study).judges[0].results, "average")
    assert (average.participants, average.pairs, average.expected) == (0, 0, 0)
    assert (average.theta, average.raw_mean, average.responses_per_prompt, average.coverage) == (
        None,
        None,
        None,
        0.0,
    )
