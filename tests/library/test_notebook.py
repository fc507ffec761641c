"""What a notebook has at hand: criteria and confidences, lists, arrays and frames; and its mistakes."""

import csv
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import psychometrics as pm
from psychometrics.inference.measure import Block

pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
EXAMPLES = Path(__file__).resolve().parents[2] / "psychometrics" / "examples"


@pytest.fixture(scope="module")
def bank() -> pm.ItemBank:
    return pm.load_item_bank(EXAMPLES / "bank.json")


@pytest.fixture(scope="module")
def answers() -> dict[str, Any]:
    """The example's answers, each of three criteria, and every fifth that met any judged at 0.8."""
    with (EXAMPLES / "answers.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    columns: dict[str, Any] = {name: [row[name] for row in rows] for name in ("person", "prompt_id")}
    met = [None if not row["score"] else round(3 * float(row["score"])) for row in rows]
    sure = [0.8 if place % 5 == 0 else 1.0 for place in range(len(rows))]
    columns["score"] = [
        math.nan if one is None else round(one / 3 * own, 4) for one, own in zip(met, sure, strict=True)
    ]
    return columns | {"criteria": [3] * len(rows), "confidence": list(sure)}


def test_dif_and_fit_are_refused_where_nobody_said_how_many_criteria_there_are(
    bank: pm.ItemBank, answers: dict[str, Any]
) -> None:
    cohort = pm.cohort_from_columns(answers["person"], answers["prompt_id"], answers["score"], bank)

    found = pm.measure(cohort, bank, blocks=["dif", "fit"])

    assert set(found.refused) == {Block.DIF, Block.FIT}
    assert not len(found)
    for sentence in found.refused.values():
        assert "number of criteria" in sentence
        assert "give the columns criteria and confidence" in sentence


def test_with_criteria_and_confidences_both_are_measured_alike_from_columns_and_from_a_file(
    bank: pm.ItemBank, answers: dict[str, Any], tmp_path: Path
) -> None:
    cohort = pm.cohort_from_columns(**answers, bank=bank)
    path = tmp_path / "answers.csv"
    pandas.DataFrame(answers).to_csv(path, index=False)

    found = pm.measure(cohort, bank, blocks=["dif", "fit"])

    assert not found.refused
    details = found.find("dif.sd").details
    assert details["uncertain_confidence"] == pytest.approx(0.8)
    assert details["certain_share"] == pytest.approx(0.8, abs=0.03)
    assert (details["criteria_correlation_low"], details["criteria_correlation_high"]) == (0.1, 0.7)
    again = pm.measure(pm.load_cohort(path, bank), bank, blocks=["dif", "fit"])
    assert again.find("dif.slope.excess").estimate == found.find("dif.slope.excess").estimate
    frame = pandas.DataFrame(answers)
    of_frame = pm.cohort_from_columns(**{name: frame[name] for name in frame}, bank=bank)
    assert np.array_equal(of_frame.p_certain, cohort.p_certain, equal_nan=True)


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"confidence": [0.5, 1.0]}, "P1 on 'q1': the score 0.6 is above the confidence 0.5"),
        ({"confidence": [0.0, 1.0]}, "the confidence 0 is not above 0 and at most 1"),
        ({"criteria": [0, 2]}, "0 criteria; write 1 where an answer is right or wrong"),
        ({"criteria": [3, 2]}, "the score 0.6 is no whole number of 3 criteria; give the judge's confidence"),
        ({"criteria": [5]}, "columns have different lengths: person 2, prompt_id 2, score 2, criteria 1"),
    ],
)
def test_criteria_and_confidences_that_contradict_the_scores_are_refused(
    changed: dict[str, list[float]], sentence: str
) -> None:
    with pytest.raises(pm.CohortRefused) as refused:
        pm.cohort_from_columns(["P1", "P2"], ["q1", "q2"], [0.6, 0.5], **changed)
    assert sentence in str(refused.value)


def test_a_prompt_has_one_number_of_criteria() -> None:
    with pytest.raises(pm.CohortRefused, match="'q1' has 2 criteria in one row and 3 in another"):
        pm.cohort_from_columns(["P1", "P2"], ["q1", "q1"], [0.0, 1.0], criteria=[2, 3])


def test_a_file_with_criteria_that_are_none_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    path.write_text("person,prompt_id,score,criteria,confidence\nP1,q1,0.5,two,1\nP2,q1,0.5,2,sure\n")
    with pytest.raises(pm.CohortRefused) as refused:
        pm.load_cohort(path)
    assert "line 2: the criteria 'two' are no whole number" in str(refused.value)
    assert "line 3: the confidence 'sure' is no number from 0 to 1" in str(refused.value)


@pytest.mark.parametrize("frame_of", [dict, pandas.DataFrame, polars.DataFrame])
def test_a_bank_and_scores_may_be_tables(bank: pm.ItemBank, frame_of: type) -> None:
    table = frame_of({"prompt_id": list(bank.prompt_ids), "a": bank.a.tolist(), "b": bank.b.tolist()})
    p = np.random.default_rng(2).random(len(bank)).round(2)
    scores = frame_of({"prompt_id": list(bank.prompt_ids), "score": p.tolist()})

    expected = pm.quasi_likelihood(pm.scores_of(bank.prompt_ids, p, bank), bank)

    assert pm.quasi_likelihood(scores, table) == expected
    assert repr(pm.ability(scores, table)).split(",")[0].startswith("theta")
    assert pm.scores_of(scores["prompt_id"], scores["score"], table).p == pytest.approx(p)
    with_bank = pm.cohort_from_columns(["P1"] * len(p), scores["prompt_id"], scores["score"], table)
    assert with_bank.a == pytest.approx(bank.a)


def test_a_matrix_may_be_a_frame_or_rows_of_scores() -> None:
    p = np.random.default_rng(3).random((24, 12)).round(2)
    p[3, 4] = np.nan
    names, items = [f"m{i}" for i in range(24)], [f"q{j}" for j in range(12)]
    expected = pm.calibrate(pm.response_matrix(names, items, p))

    of_pandas = pm.calibrate(pandas.DataFrame(p, index=names, columns=items))
    columns = {"model": names} | {item: p[:, j] for j, item in enumerate(items)}
    of_polars = pm.calibrate(polars.DataFrame(columns))
    of_lists = pm.calibrate(p.tolist())

    for found in (of_pandas, of_polars):
        assert found.abilities == pytest.approx(expected.abilities)
        assert found.matrix.items == tuple(items)
    assert list(of_lists.abilities) == [str(number) for number in range(1, 25)]
    assert pm.item_bank_of(expected).prompt_ids == tuple(items)


def test_a_mistake_names_the_functions_own_argument(bank: pm.ItemBank) -> None:
    for table, sentence in (
        ({"prompt_id": ["q1"], "a": [1.0]}, "bank has no column 'b'; it has prompt_id, a"),
        (3, "bank is no table with columns by name, but a int"),
        ({"prompt_id": ["q1"], "a": ["steep"], "b": [0.0]}, "a holds something that is no number"),
        ({"prompt_id": ["q1"], "a": [0.0], "b": [0.0]}, "a must be finite and above 0"),
    ):
        with pytest.raises(ValueError, match=sentence):
            pm.scores_of(["q1"], [0.5], table)
    with pytest.raises(ValueError, match=r"p has shape \(2, 3\); expected 2 configurations x 2 items"):
        pm.response_matrix(["m1", "m2"], ["q1", "q2"], np.zeros((2, 3)))
    with pytest.raises(ValueError, match="prompt_ids has 2 prompts, p 1 scores"):
        pm.scores_of(["q1", "q2"], [0.5], bank)


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        ({"score": ["good", 1.0]}, "score holds something that is no number"),
        ({"score": [[1.0, 0.0], [1.0, 0.0]]}, r"score has shape \(2, 2\); expected one number a row"),
        ({"criteria": [2.5, 2.5]}, "criteria holds 2.5; expected whole numbers"),
        ({"criteria": [math.inf, 1]}, "criteria holds inf; expected whole numbers"),
        ({"confidence": ["high", 1]}, "confidence holds something that is no number"),
        ({"person": [None, "p2"]}, "person is empty in row 1"),
        ({"prompt_id": ["q1", math.nan]}, "prompt_id is empty in row 2"),
        ({"batch": "b1"}, "batch is no column, but a str"),
    ],
)
def test_a_column_that_is_none_is_named(bank: pm.ItemBank, columns: dict[str, Any], sentence: str) -> None:
    good: dict[str, Any] = {"person": ["p1", "p2"], "prompt_id": ["q1", "q1"], "score": [1.0, 0.0]}
    with pytest.raises(ValueError, match=sentence):
        pm.cohort_from_columns(**good | columns, bank=bank)


def test_what_is_absent_in_a_frame_is_absent() -> None:
    frame = pandas.DataFrame(
        {"person": ["p1", "p1", "p2", "p2"], "prompt_id": ["q1", "q2"] * 2, "batch": [None, None, "b", "b"]}
    )
    frame["category"] = [math.nan, "QR"] * 2
    frame["score"] = pandas.array([1, None, 0, 1], dtype="Int64")
    cohort = pm.cohort_from_columns(**{name: frame[name] for name in frame.columns})
    assert [one.category for one in cohort.prompts] == ["", "QR"]
    assert np.isnan(cohort.p).tolist() == [False, True, False, False]
    alone = pm.cohort_from_columns(["p1", "p2"], ["q1", "q1"], [1, 0], batch=[None, None])
    assert len(set(alone.batch.tolist())) == 2


def test_a_matrix_of_whatever_kind_is_read_or_named() -> None:
    p = np.random.default_rng(3).integers(0, 2, (12, 8)).astype(object)
    p[0, 0], p[1, 1] = None, pandas.NA
    items = [f"q{j}" for j in range(8)]
    of_frame = pm.calibrate(pandas.DataFrame(p, columns=items))
    of_mapping = pm.calibrate({item: p[:, j].tolist() for j, item in enumerate(items)})
    assert of_mapping.abilities == {str(int(name) + 1): one for name, one in of_frame.abilities.items()}
    assert of_frame.matrix.responses == 94
    for matrix, sentence in (
        ([["x", 0.0], [1.0, 0.0]], "matrix holds something that is no number"),
        ([[1.0, 0.0], [1.0]], "matrix has rows of different lengths"),
        ([1.0, 0.0], "matrix has one dimension; expected configurations x items"),
        (None, "matrix holds no rows of scores, but is a NoneType"),
    ):
        with pytest.raises(ValueError, match=sentence):
            pm.calibrate(matrix)


def test_a_matrix_that_does_not_say_what_its_scores_are_names_fit_options_and_no_command() -> None:
    rng = np.random.default_rng(4)
    p = (rng.random((25, 60)) < 0.5).astype(float)
    p[:, :6] = np.linspace(0.2, 0.6, 6)
    with pytest.raises(pm.NotCalibratable) as refused:
        pm.calibrate(p)
    assert "FitOptions(model=" in str(refused.value)
    assert "--" not in str(refused.value)
    chosen = pm.FitOptions(model=pm.ResponseModel.LOGISTIC)
    assert pm.calibrate(p, chosen).model == "logistic 2PL"
