"""Person fit, DIF and judge effects of a small study: from sessions to stored rows, pages and figures."""

import re
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.test import Client
from django.urls import reverse

from batches.models import Answer, Session
from formats.item_parameters import ItemParameter, ItemParameters
from judging.models import AnswerScore, CriterionScore, ScoringRun
from psychometrics.inference.measure import Block
from psychometrics.measures.catalogue import Need, entries_of
from reporting.views.measurement.blocks_shown import PAGES
from scoring.coordinator import Scoring
from scoring.models import Measurement, MeasureRow
from scoring.selectors.export_measures import exported
from scoring.selectors.measures import BlockMeasures, block_measures
from scoring.services.measurement import measurement_compute
from scoring.services.results import results_compute
from studies.bank.records import PromptRecord
from studies.models import Participant, Prompt, Study
from studies.services.banks import item_bank_import
from tests.support.headlines import estimate

pytestmark = pytest.mark.django_db
NUMBERS = range(1, 13)
# Private ids are long: three letters stand in the random tokens of a page now and then.
SPLITS = {n: "private" if n % 4 == 0 else "public" for n in NUMBERS}
IDS = {n: f"p{n:02}{'-private' if SPLITS[n] == 'private' else ''}" for n in NUMBERS}
PROMPTS = [
    PromptRecord(
        prompt_id=IDS[n], text=f"Question {n}?", gold_answer=str(40 + n), category=("QR", "LR")[n % 2],
        split=SPLITS[n],
    )
    for n in NUMBERS
]  # fmt: skip
BLOCKS = (Block.FIT, Block.DIF, Block.JUDGE)
PEOPLE = 8


@pytest.fixture(scope="module")
def scored(
    kept: None,
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    score_at: Callable[..., Scoring],
    now: datetime,
) -> Callable[..., ScoringRun]:
    """Eight people on twelve prompts from easy to hard; the last one knows the hard ones only."""

    def run(slug: str, *, items: bool = True, people: int = PEOPLE) -> ScoringRun:
        bank = None
        if items:
            parameters = tuple(ItemParameter(IDS[n], a=0.8 + n / 20, b=n - 6.0) for n in NUMBERS)
            bank, _ = item_bank_import(
                slug="items", parameters=ItemParameters(parameters, 0.998, 0.001, sigma_hat=2.5), now=now
            )
        study = make_study(
            prompts=PROMPTS, slug=slug, batch_size=12, judge_kind="checks", top_size=3, item_bank=bank,
            replicates_per_profile=50,
        )  # fmt: skip
        for i in range(people):
            right = {n for n in NUMBERS if (n > 6 if i == PEOPLE - 1 else n <= 4 + i % 4 or n == 7 + i % 3)}
            person = make_person(study, profile=("stem-phd", "stem-undergraduate")[i % 2])
            work(person, {IDS[n]: str(40 + n if n in right else 0) for n in NUMBERS})
        return score_at(study, clock=lambda: now + timedelta(days=1)).judges[0].run

    return run


@pytest.fixture(scope="module")
def run(scored: Callable[..., ScoringRun]) -> ScoringRun:
    return scored("effects")


@pytest.fixture(scope="module")
def measurement(run: ScoringRun, now: datetime) -> Measurement:
    return measured(run, now)


def measured(run: ScoringRun, now: datetime) -> Measurement:
    return measurement_compute(results=results_compute(run=run, now=now), now=now, resamples=100)


def row(measurement: Measurement, block: Block, name: str, group: str = "", subset: str = "") -> MeasureRow:
    return measurement.result_set.measures.get(
        scope="all", block=block, name=name, group=group, subset=subset
    )


def content(client: Client, block: Block, study: str = "effects") -> str:
    response = client.get(reverse("staff_measurement", kwargs={"slug": study, "block": block}))
    assert response.status_code == 200
    return re.sub(r"\s+", " ", response.content.decode())


def second_judge(run: ScoringRun, now: datetime, digest: str = "f") -> ScoringRun:
    """Another run of the same protocol: equal to the first but for one answer, and one it failed on."""
    judging_run = CriterionScore.objects.filter(run=run).first()
    assert judging_run is not None
    other = ScoringRun.objects.create(
        study=run.study, judge_kind="checks", judge={}, judge_sha256=digest * 64, replicate=2,
        protocol_hash=run.protocol_hash, design_hash=run.design_hash, started_at=now,
    )  # fmt: skip
    for own in AnswerScore.objects.filter(run=run).order_by("pk"):
        AnswerScore.objects.create(
            run=other, answer=own.answer, revision=own.revision, score=own.score, judged_at=now
        )
    CriterionScore.objects.create(
        judging_run=judging_run.judging_run, run=other, answer=judging_run.answer, revision=1,
        criterion=judging_run.criterion, available_at=now, decided_at=now, score=1.0, state="scored",
        confidence=1.0, origin="asked",
    )  # fmt: skip
    return other


def changed_answer(run: ScoringRun, prompt_id: str) -> Answer:
    """The first right answer to a prompt."""
    found = AnswerScore.objects.filter(run=run, answer__prompt__prompt_id=prompt_id, score=1.0)
    return found.order_by("answer__session__participant__code")[0].answer


def test_all_three_blocks_are_computed_and_shown(measurement: Measurement, staff: Client) -> None:
    for block in BLOCKS:
        found = block_measures(measurement, block)
        assert (found.state, found.sentence) == ("computed", "")
        content(staff, block)
        for name, figure in PAGES[block].figures.items():
            assert figure.draw(found) is not None, name


def test_who_knows_only_the_hard_prompts_is_for_review_and_stays_in_the_results(
    measurement: Measurement, run: ScoringRun, staff: Client
) -> None:
    odd = Participant.objects.filter(study=run.study).order_by("pk").last()
    assert odd is not None

    fit = measurement.result_set.measures.get(scope="all", name="fit.correlation", participant=odd.code)
    assert fit.value is not None
    assert fit.value < 0
    assert fit.details["flagged"]
    assert row(measurement, Block.FIT, "fit.flagged", subset="statistic:correlation").people == PEOPLE
    page = content(staff, Block.FIT)
    assert odd.code in page
    assert "For review only. In simulations with 20 prompts a person" in page
    assert estimate(measurement.result_set, "average").participants == PEOPLE
    assert not measurement.result_set.measures.filter(
        scope="all", block=Block.FIT, details__has_key="theta"
    ).exists()


def test_nobody_has_a_row_who_is_not_flagged(measurement: Measurement) -> None:
    people = measurement.result_set.measures.filter(scope="all", block=Block.FIT).exclude(participant="")
    flagged = row(measurement, Block.FIT, "fit.flagged", subset="statistic:any").details["flagged"]
    grid = row(measurement, Block.FIT, "fit.grid")
    assert len({one.participant for one in people}) == flagged < PEOPLE
    assert people.count() == 2 * flagged
    assert sum(n for cell in grid.details["cells"] for n in cell[2:]) == grid.people == PEOPLE
    assert sum(cell[3] for cell in grid.details["cells"]) == flagged


def test_of_very_many_flagged_people_those_with_the_smallest_p_are_shown() -> None:
    details = {"flagged": True, "misfit": 20.0, "extremity": 1.0}
    rows = [
        MeasureRow(
            name=name, participant=f"P{number:03}", value=0.1, n=20, details={**details, "p": number / 300}
        )
        for number in reversed(range(150))
        for name in ("fit.correlation", "fit.outfit")
    ]

    table = PAGES[Block.FIT].tables(BlockMeasures(Block.FIT, "computed", "", 1.0, tuple(rows), {}))[1]

    assert [cells[0] for cells in table.rows] == [f"P{number:03}" for number in range(100)]
    assert table.notes[-1] == "These are the 100 with the smallest p of 150 flagged people; exports hold all."


def test_figures_name_nobody(measurement: Measurement, staff: Client) -> None:
    address = reverse(
        "staff_measurement_figure",
        kwargs={
            "slug": "effects", "results_id": measurement.result_set_id, "block": "fit", "figure": "people",
            "extension": "svg",
        },
    )  # fmt: skip

    image = staff.get(address).content.decode()

    assert "<svg" in image
    assert not any(code in image for code in Participant.objects.values_list("code", flat=True))


def test_dif_has_its_spread_its_groups_and_theta_without(measurement: Measurement, staff: Client) -> None:
    assert row(measurement, Block.DIF, "dif.sd").prompts == 12
    groups = {
        one.subset: one for one in measurement.result_set.measures.filter(scope="all", name="dif.group")
    }
    assert {"category:LR", "category:QR"} <= set(groups)
    assert groups["category:QR"].reason == "one_cluster"
    assert any(subset.startswith("profile:") for subset in groups)
    for group in ("average", "top"):
        whole = row(measurement, Block.DIF, "dif.theta.pool", group, "prompts:all")
        stored = estimate(measurement.result_set, group)
        assert whole.value == pytest.approx(stored.theta_pool)
    found = measurement.result_set.measures.filter(
        name="dif.theta.pool", group="average", subset="prompts:without-extreme"
    )
    assert found.get(scope="public").details["left_out"] == 1  # p11
    without = found.get(scope="all")  # p12 is private, and all less this would be its own
    assert (without.value, without.reason, without.n) == (None, "too_few_prompts", None)
    assert without.details == {"left_out": None, "nothing_flagged": False}
    assert row(measurement, Block.DIF, "dif.theta.pool", "top", "prompts:all").reason == "selected"
    assert measurement.result_set.measures.filter(scope="all", name="dif.item").count() == 10
    assert "For content review" in content(staff, Block.DIF)


def test_the_page_says_which_process_of_responding_the_flags_rest_on(
    measurement: Measurement, staff: Client
) -> None:
    details = row(measurement, Block.DIF, "dif.sd").details

    page = content(staff, Block.DIF)
    sd = f"SD of {details['deviation_sd']:.2f} logits"
    assert f"{sd}, fitted" in page if details["deviation_fitted"] else f"assumed to have an {sd}" in page
    assert f"1 in {100 * details['certain_share']:.0f} % of the answers" in page


def test_private_prompts_are_named_on_no_page_and_in_no_export(
    measurement: Measurement, staff: Client
) -> None:
    private = {one.prompt_id for one in PROMPTS if one.split == "private"}
    assert measurement.result_set.measures.filter(
        scope="all", prompt_id__in=private, name="dif.item"
    ).exists()

    labels = dict(Prompt.objects.values_list("prompt_id", "label"))

    for block in BLOCKS:
        page = content(staff, block)
        assert not any(prompt_id in page or labels[prompt_id] in page for prompt_id in private), block
        for shift in (
            measurement.result_set.measures.filter(scope="all", name="dif.item") if block == Block.DIF else ()
        ):
            name = f"{labels[shift.prompt_id]} ({shift.prompt_id})"
            assert (name in page) == (shift.prompt_id not in private)
    for measure in exported(
        measurement.result_set.run.study, measurement.result_set.measures.filter(block__in=BLOCKS)
    ):
        text = f"{measure.subset} {measure.prompt_id} {measure.details}"
        assert not any(prompt_id in text for prompt_id in private)


def test_confidence_and_failures_are_counted(run: ScoringRun, staff: Client, now: datetime) -> None:
    one = AnswerScore.objects.filter(run=run).order_by("pk")[0]
    AnswerScore.objects.filter(pk=one.pk).update(score=None, unscored_reason="timed_out")

    measurement = measured(run, now)

    confidence = row(measurement, Block.JUDGE, "judge.confidence")
    assert (confidence.value, confidence.details["counts"]) == (1.0, [[1.0, 12 * PEOPLE]])
    unscored = row(measurement, Block.JUDGE, "judge.unscored")
    assert (unscored.details["unscored"], unscored.details["reasons"]) == (1, {"timed_out": 1})
    assert unscored.value == pytest.approx(1 / (12 * PEOPLE))
    assert "No reply began in the time allowed." in content(staff, Block.JUDGE)


def test_theta_at_confidence_one_and_its_change(run: ScoringRun, now: datetime) -> None:
    answer = changed_answer(run, "p03")
    CriterionScore.objects.filter(run=run, answer=answer).update(confidence=0.9)
    AnswerScore.objects.filter(run=run, answer=answer).update(score=0.9)

    measurement = measured(run, now)

    judged, certain = (
        row(measurement, Block.JUDGE, "judge.theta.pool", "average", f"scores:{name}")
        for name in ("judge", "certain")
    )
    change = row(measurement, Block.JUDGE, "theta.change", "average", "scores:certain")
    assert judged.value is not None
    assert certain.value is not None
    assert change.value == pytest.approx(certain.value - judged.value)
    assert certain.value > judged.value
    largest = measurement.result_set.measures.filter(scope="all", name="influence.other", group="average")
    assert [(one.participant, one.prompt_id) for one in largest] == [(answer.session.participant.code, "p03")]
    assert row(measurement, Block.JUDGE, "judge.theta.pool", "top", "scores:certain/reselected").people == 3


def test_another_judge_of_the_same_protocol_is_compared_on_the_same_answers(
    run: ScoringRun, staff: Client, now: datetime
) -> None:
    other = second_judge(run, now)
    answer = changed_answer(run, "p02")
    AnswerScore.objects.filter(run=other, answer=answer).update(score=0.0)
    failed = AnswerScore.objects.filter(run=other).exclude(answer=answer).order_by("pk")[0]
    AnswerScore.objects.filter(pk=failed.pk).update(score=None, unscored_reason="timed_out")

    measurement = measured(run, now)

    subset = "judge:checks#2"
    change = row(measurement, Block.JUDGE, "theta.change", "average", subset)
    assert change.n == 12 * PEOPLE - 1
    assert change.value is not None
    assert change.value < 0
    assert change.low is not None
    first = measurement.result_set.measures.filter(
        scope="all", name="influence.other", group="average", subset=subset
    ).first()
    assert first is not None
    assert (first.participant, first.prompt_id) == (answer.session.participant.code, "p02")
    assert first.value == pytest.approx(change.value)
    assert row(measurement, Block.JUDGE, "theta.change", "top", subset).reason in {"selected", "no_spread"}
    assert "judge checks#2" in content(staff, Block.JUDGE)


def test_judges_of_one_name_are_told_apart(run: ScoringRun, now: datetime) -> None:
    for digest in "de":
        second_judge(run, now, digest)

    measurement = measured(run, now)

    changes = measurement.result_set.measures.filter(
        scope="all", name="theta.change", group="average", subset__startswith="judge:"
    )
    assert [one.subset for one in changes] == ["judge:checks#2@dddddddd", "judge:checks#2@eeeeeeee"]
    assert {(one.value, one.reason) for one in changes} == {(0.0, "no_spread")}


def test_the_ten_most_influential_answers_carry_no_text(measurement: Measurement, staff: Client) -> None:
    found = list(
        measurement.result_set.measures.filter(scope="all", name="influence.answer", group="average")
    )

    assert len(found) == 10
    sizes = [abs(one.value or 0) for one in found]
    assert sizes == sorted(sizes, reverse=True)
    assert set(found[0].details) == {"p", "category", "public"}
    shown = [
        one.details["public"]
        for one in measurement.result_set.measures.filter(scope="all", name="influence.answer")
    ]
    note = f"{shown.count(False)} of these {len(shown)} answers are on private prompts"
    assert note in content(staff, Block.JUDGE)


def test_a_missing_interval_of_the_dif_sd_is_told_in_words() -> None:
    rows = (
        MeasureRow(name="dif.sd", value=0.0, reason="chance_only"),
        MeasureRow(name="dif.slope.excess", value=0.0, reason="too_few_prompts"),
    )
    found = BlockMeasures(Block.DIF, "computed", "", 1.0, rows, {})

    sentences = PAGES[Block.DIF].summary(found)

    assert sentences[1] == "DIF SD over prompts, logits: 0.00 (no interval: prompts differ by chance only)."
    assert "by 0.00 (too few prompts): below 0" in sentences[3]


def test_without_item_parameters_fit_and_dif_refuse_and_the_judge_is_still_described(
    scored: Callable[..., ScoringRun], staff: Client, now: datetime
) -> None:
    measurement = measured(scored("itemless", items=False), now)

    assert measurement.blocks["fit"]["state"] == measurement.blocks["dif"]["state"] == "refused"
    assert "item parameters" in measurement.blocks["fit"]["sentence"]
    names = {one.name for one in measurement.result_set.measures.filter(scope="all", block=Block.JUDGE)}
    assert names == {one.name for one in entries_of(Block.JUDGE) if Need.ITEMS not in one.needs}
    assert {"judge.confidence", "judge.certain", "judge.unscored"} <= names
    for block in BLOCKS:
        content(staff, block, "itemless")


def test_one_person_alone_has_a_fit_and_no_theta(
    scored: Callable[..., ScoringRun], staff: Client, now: datetime
) -> None:
    measurement = measured(scored("alone", people=1), now)

    for block in BLOCKS:
        assert block_measures(measurement, block).state == "computed"
        content(staff, block, "alone")
    names = [f"{block}.theta.{by}" for block in ("dif", "judge") for by in ("prompt", "pool", "ql")]
    thetas = measurement.result_set.measures.filter(scope="all", name__in=names)
    assert thetas.exists()
    assert not thetas.exclude(value=None).exists()


def test_where_prompts_differ_by_chance_only_shifts_have_no_interval_and_keep_an_order(
    measurement: Measurement,
) -> None:
    """Shrunken shifts are then one number; the order is that of the evidence."""
    items = list(measurement.result_set.measures.filter(scope="all", name="dif.item"))

    assert row(measurement, Block.DIF, "dif.sd").value == 0
    assert {(one.se, one.low, one.high, one.reason) for one in items} == {(None, None, None, "chance_only")}
    assert abs(items[0].details["z"]) > abs(items[-1].details["z"])
