"""The public interface: what it reads, refuses, shows and hands on."""

import csv
import math
import subprocess
import sys
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

import psychometrics as pm
from psychometrics.data.places import Outcome
from psychometrics.inference.estimates import Estimate, Reason, Share, unknown, without_interval
from psychometrics.measures.computing import block_measures, block_rng
from psychometrics.measures.inputs import Facts, Inputs

EXAMPLES = Path(__file__).resolve().parents[2] / "psychometrics" / "examples"


@pytest.fixture(scope="module")
def bank() -> pm.ItemBank:
    return pm.load_item_bank(EXAMPLES / "bank.json")


@pytest.fixture(scope="module")
def cohort(bank: pm.ItemBank) -> pm.Cohort:
    return pm.load_cohort(EXAMPLES / "answers.csv", bank)


@pytest.fixture
def frames(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place for packages whose DataFrame keeps its columns."""
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("pandas", "polars"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return tmp_path


def install(name: str, folder: Path) -> None:
    (folder / f"{name}.py").write_text(f"class DataFrame(dict):\n    of = {name!r}\n")


def columns_of(path: Path) -> dict[str, list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {name: [row[name] for row in rows] for name in rows[0]}


def number(cell: str) -> float:
    return float(cell or "nan")


def table(folder: Path, text: str) -> Path:
    path = folder / "answers.csv"
    path.write_text(text)
    return path


def test_scores_of_columns_are_those_of_the_file(bank: pm.ItemBank) -> None:
    columns = columns_of(EXAMPLES / "scores.csv")
    people = [place for place, group in enumerate(columns["group"]) if group == "people"]
    given = pm.scores_of(
        [columns["prompt_id"][n] for n in people], [number(columns["score"][n]) for n in people], bank
    )

    read = pm.load_scores(EXAMPLES / "scores.csv", bank)["people"]

    assert pm.ability(given, bank) == pm.ability(read, bank)
    assert pm.quasi_likelihood(given, bank) == pm.quasi_likelihood(read, bank)


def test_theta_is_equation_2_and_unknown_prompts_contribute_nothing() -> None:
    bank = pm.ItemBank(
        ("p1", "p2"), np.array([1.0, 2.0]), np.array([0.5, -0.5]), ("", ""), pm.Transform(0.998, 0.001), 2.0
    )
    scores = pm.scores_of(["p1", "p2", "elsewhere", "p2"], [0.5, 0.5, 1.0, math.nan], bank)

    found = pm.ability(scores, bank)

    assert found.theta == pytest.approx((1 * 0.5 + 2 * 2 * -0.5) / (1 + 4))  # the logit of 0.5 is 0
    assert found.se == pytest.approx(2 / math.sqrt(5))
    assert repr(scores) == "Scores(4 responses, 2 with a score on a prompt of the bank)"


@pytest.mark.parametrize(
    ("prompts", "p", "error"),
    [(["prompt-01"], [1.5], pm.ScoreOutOfRange), (["prompt-01"], [0.5, 1], ValueError)],
)
def test_scores_that_are_none_are_refused(
    prompts: list[str], p: list[float], error: type[Exception], bank: pm.ItemBank
) -> None:
    with pytest.raises(error):
        pm.scores_of(prompts, p, bank)


def test_people_as_clusters_change_the_interval_and_not_theta(bank: pm.ItemBank) -> None:
    columns = columns_of(EXAMPLES / "answers.csv")
    scores = pm.scores_of(columns["prompt_id"], list(map(number, columns["score"])), bank)

    alone, clustered = (pm.quasi_likelihood(scores, bank, one) for one in (None, columns["person"]))

    assert alone.value == clustered.value
    assert alone.se != clustered.se
    with pytest.raises(ValueError, match="1 cluster labels for 480 responses"):
        pm.quasi_likelihood(scores, bank, ["one"])


def test_a_cohort_of_columns_is_that_of_the_file(bank: pm.ItemBank, cohort: pm.Cohort) -> None:
    columns = columns_of(EXAMPLES / "answers.csv")
    given = pm.cohort_from_columns(
        columns["person"], columns["prompt_id"], list(map(number, columns["score"])), bank
    )

    for name in ("person", "prompt", "batch", "position", "p", "outcome", "a", "b"):
        np.testing.assert_array_equal(getattr(given, name), getattr(cohort, name))
    assert given.people == cohort.people


def test_rows_of_a_cohort_keep_their_order_their_batch_and_why_there_is_no_score(tmp_path: Path) -> None:
    text = (
        "score,prompt_id,person,batch,outcome,profile,category,note\n"
        "0.5,p2,ann,A,,stem,QR,x\n,p1,ann,A,skipped,stem,LR,\n1,p2,bob,A,scored,,QR,\n,p9,bob,A,,,,\n"
    )

    cohort = pm.load_cohort(table(tmp_path, text))

    assert [(one.code, one.profile) for one in cohort.people] == [("ann", "stem"), ("bob", "")]
    assert [(one.prompt_id, one.category) for one in cohort.prompts] == [
        ("p2", "QR"), ("p1", "LR"), ("p9", ""),
    ]  # fmt: skip
    assert cohort.position.tolist() == [1, 2, 1, 2]
    assert cohort.batch.tolist() == [0, 0, 0, 0]
    assert cohort.outcome.tolist() == [
        Outcome.SCORED, Outcome.SKIPPED, Outcome.SCORED, Outcome.UNSCORED,
    ]  # fmt: skip


def test_without_batches_everybody_has_one(cohort: pm.Cohort) -> None:
    np.testing.assert_array_equal(cohort.batch, cohort.person)


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("", ["the file is empty; the first line must name the columns person, prompt_id and score"]),
        (
            "person,score\n",
            ["line 1: there is no column 'prompt_id'; name it in the first line (comma-separated)"],
        ),
        (
            "person,prompt_id,score,outcome\n,p1,1,\na,,1,\na,p1,2,\na,p1,x,\na,p1\na,p1,1,lost\na,p1,1,skipped\n",
            [
                "line 2: the person is empty",
                "line 3: the prompt_id is empty",
                "line 4: the score 2 is outside 0 to 1; divide percentages by 100",
                "line 5: the score 'x' is not a number; write 0 to 1 with a decimal point, or nothing",
                "line 6: has 2 where the header has 4 cells",
                "line 7: the outcome 'lost' is none of scored, unscored, skipped, not_reached, not_submitted",
                "line 8: the outcome is skipped, but the score is 1",
            ],
        ),
        ("person,prompt_id,score\na,p1,1\na,p1,0\n", ["a has the prompt 'p1' twice; keep one"]),
    ],
)
def test_a_table_that_is_no_cohort_is_refused_with_every_problem(
    tmp_path: Path, text: str, problems: list[str]
) -> None:
    with pytest.raises(pm.CohortRefused) as refusal:
        pm.load_cohort(table(tmp_path, text))
    assert list(refusal.value.problems) == problems


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(pm.CohortRefused, match="name a readable CSV file"):
        pm.load_cohort(tmp_path / "absent.csv")
    (tmp_path / "latin.csv").write_bytes(b"person,prompt_id,score\nJos\xe9,p1,1\n")
    with pytest.raises(pm.CohortRefused, match="line 2: not UTF-8"):
        pm.load_cohort(tmp_path / "latin.csv")
    with pytest.raises(pm.CohortRefused, match="different lengths: person 2, prompt_id 1, score 1"):
        pm.cohort_from_columns(["a", "b"], ["p1"], [1.0])


def test_measures_are_those_of_the_blocks_with_the_streams_of_the_server(cohort: pm.Cohort) -> None:
    found = pm.measure(cohort, blocks=["top"], top_size=6, seed=7, resamples=200)
    inputs = Inputs(Facts(6), cohort, None, block_rng(7, pm.Block.TOP), 200, lambda *_: None)

    assert list(found) == block_measures(pm.Block.TOP, inputs)
    assert len(found) == len(list(found))


def test_a_block_that_the_data_do_not_allow_says_why_and_keeps_no_other_away(cohort: pm.Cohort) -> None:
    found = pm.measure(cohort, blocks=["results", "top"], top_size=100, resamples=100)

    sentence = "Top would be 100 people, but only 48 people have a score; choose fewer."
    assert found.refused == {pm.Block.TOP: sentence}
    assert repr(found).endswith(f"top: not measured. {sentence}")
    assert found.find("theta.pool", group="average").people == 48


def test_a_measure_that_is_not_there_or_not_the_only_one_is_named(cohort: pm.Cohort) -> None:
    found = pm.measure(cohort, blocks=["results"], top_size=6)

    with pytest.raises(LookupError, match=r"near are: theta\.pool"):
        found.find("theta.pol")
    with pytest.raises(LookupError, match="group='average', subset=''; group='top', subset=''"):
        found.find("theta.pool")
    with pytest.raises(ValueError, match="'everything' is not a valid Block"):
        pm.measure(cohort, blocks=["everything"])


def test_a_saved_bank_is_read_back_and_scores(tmp_path: Path) -> None:
    fit = pm.calibrate(pm.load_response_matrix(EXAMPLES / "matrix.csv"))
    pm.save_item_bank(tmp_path / "bank.json", fit)

    read, direct = pm.load_item_bank(tmp_path / "bank.json"), pm.item_bank_of(fit)

    assert read.prompt_ids == direct.prompt_ids
    assert (read.a.tolist(), read.b.tolist()) == (direct.a.tolist(), direct.b.tolist())


def test_a_plan_on_a_bank_takes_its_size_and_information(bank: pm.ItemBank) -> None:
    found = pm.plan(pm.Plan(people=60, prompts_per_person=20), bank=bank, wanted=(0.5,))

    assert found.plan.bank_prompts == 30
    assert found.plan.mean_square == pytest.approx(float((bank.a**2).mean()))
    assert repr(found).startswith("60 people x 20 prompts of 30 (matrix): half-width ")


@pytest.mark.parametrize(
    ("estimate", "shown"),
    [
        (Estimate(0.12346, 0.1, -0.07255, 0.3194), "0.1235 [-0.07255, 0.3194]"),
        (Estimate(246.0, math.nan, math.nan, math.nan), "246"),
        (Estimate(123456.7, math.nan, math.nan, math.nan), "123,457"),
        (without_interval(2.5, Reason.SELECTED), "2.5 no interval: selected"),
        (unknown(Reason.NOTHING_SCORED), "none (nothing_scored)"),
        (Share(1, 4, Estimate(0.25, 0.1, 0.05, 0.5)), "1 of 4: 0.25 [0.05, 0.5]"),
    ],
)
def test_a_result_shows_its_value_its_interval_or_why_there_is_none(
    estimate: Estimate | Share, shown: str
) -> None:
    assert repr(estimate) == shown


def test_a_long_table_says_how_many_rows_it_leaves_out(cohort: pm.Cohort) -> None:
    found = pm.measure(cohort, blocks=["results", "cohort", "slices", "uncertainty"], top_size=6)
    assert repr(found).splitlines()[41] == f"... and {len(found) - 40} rows more; to_frame() has all of them"


def test_importing_the_library_loads_nothing_until_a_name_is_used() -> None:
    script = (
        "import sys, psychometrics as pm\n"
        "print('numpy' in sys.modules, 'scipy' in sys.modules, 'psychometrics.irt' in sys.modules)\n"
        "pm.ability\nprint('psychometrics.irt' in sys.modules)"
    )
    root = Path(__file__).resolve().parents[2]
    run = subprocess.run([sys.executable, "-c", script], cwd=root, capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["False", "False", "False", "True"]


def test_without_pandas_and_polars_a_frame_is_refused(
    cohort: pm.Cohort, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("pandas", "polars"):
        monkeypatch.setitem(sys.modules, name, None)
    results = pm.measure(cohort, blocks=["cohort"])
    with pytest.raises(ImportError, match="needs pandas or polars; install it"):
        results.to_frame()
    with pytest.raises(ImportError, match="needs polars; install it, for example with: pip install polars"):
        results.to_frame("polars")


@pytest.mark.parametrize("name", ["pandas", "polars"])
def test_a_frame_is_of_the_library_that_is_named(
    name: Literal["pandas", "polars"], cohort: pm.Cohort
) -> None:
    library = pytest.importorskip(name)
    results = pm.measure(cohort, blocks=["cohort", "top"], top_size=6, resamples=50)

    frame = results.to_frame(name)

    assert isinstance(frame, library.DataFrame)
    assert len(frame) == len(results)
    place = [one.name for one in results].index("top.null")
    row = {label: frame[label][place] for label in frame.columns}
    assert (row["block"], row["group"], row["people"], row["reason"]) == ("top", "top", 6, "")
    assert row["value"] == results.find("top.null").estimate.value


def test_agreements_and_fits_are_frames_too(frames: Path) -> None:
    install("pandas", frames)
    found = pm.agreement_of([0, 0.5, 1, 1], [0, 0.5, 1, 0.5], resamples=50)
    fit = pm.calibrate(pm.load_response_matrix(EXAMPLES / "matrix.csv"))

    agreement, items = found.to_frame("pandas"), fit.to_frame()
    assert dict(zip(agreement["statistic"], agreement["value"], strict=True))["same_side"] == 1.0
    assert items["prompt_id"] == list(fit.matrix.items)
    assert items["a"] == fit.fit.a.tolist()
