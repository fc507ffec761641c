"""Audit samples by hand, by property, and against a population whose truth is known."""

import math
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from judging.audit_sheet import BYTE_ORDER_MARK, CONFIDENTIAL, EXACT, SheetRow, audit_sheet
from psychometrics.agreement.audit import WeightedAgreement, weighted_agreement
from psychometrics.agreement.audit_sample import (
    MIN_PER_STRATUM,
    Band,
    Draw,
    JudgedVerdict,
    SizeRefused,
    Standing,
    Stratum,
    StratumKind,
    allocated,
    draw_sample,
    stratum_of,
)
from psychometrics.agreement.paired import ScoresRefused
from psychometrics.inference.estimates import Reason
from reporting.forms.audit_file import MAX_BYTES, read_ratings

AGREED = StratumKind(Band.FULL, Standing.AGREE)
DIFFERING = StratumKind(Band.FULL, Standing.DIFFER)
RARE = StratumKind(Band.LOW, Standing.NEAR)
SCORES = st.sampled_from([0.0, 0.2, 0.495, 0.5, 0.7, 0.999, 1.0])


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.mark.parametrize(
    ("score", "others", "confidence", "name"),
    [
        (0.0, (), 1.0, "none/sure"),
        (0.0, (), 0.94, "none/unsure"),
        (0.0, (0.005,), 0.1, "none/agree"),
        (0.0, (0.01,), 1.0, "none/near"),
        (0.49, (0.495, 0.5), 1.0, "low/differ"),
        (0.5, (0.5, 0.9), 1.0, "high/near"),
        (0.999, (1.0,), 1.0, "high/agree"),
        (1.0, (1.0, 1.0), 0.2, "full/agree"),
        (1.0, (0.0,), 1.0, "full/differ"),
        (0.1 + 0.2 + 0.2, (0.5,), 1.0, "high/agree"),
        (1.0, (), 0.95, "full/sure"),
    ],
)
def test_a_verdict_belongs_to_one_stratum(
    score: float, others: tuple[float, ...], confidence: float, name: str
) -> None:
    assert str(stratum_of(JudgedVerdict(1, score, confidence, others))) == name


def test_disagreement_is_drawn_more_often_than_it_occurs() -> None:
    """By hand, after 5 of each: the next goes to where leaning x N / (2 n + 1) is largest."""
    assert allocated({AGREED: 80, DIFFERING: 20}, 20) == {AGREED: 10, DIFFERING: 10}
    assert allocated({AGREED: 90, DIFFERING: 10}, 20) == {AGREED: 14, DIFFERING: 6}


def test_a_small_stratum_is_drawn_whole_and_the_others_take_what_it_leaves() -> None:
    assert allocated({AGREED: 1000, RARE: 2, DIFFERING: 1}, 30) == {AGREED: 27, RARE: 2, DIFFERING: 1}
    assert allocated({AGREED: 3, RARE: 2, DIFFERING: 1}, 6) == {AGREED: 3, RARE: 2, DIFFERING: 1}
    assert allocated({AGREED: 1000, RARE: 2, DIFFERING: 1}, 3) == {AGREED: 1, RARE: 1, DIFFERING: 1}


@pytest.mark.parametrize("size", [-1, 0, 2, 7])
def test_a_size_that_cannot_be_drawn_is_refused_with_what_can(size: int) -> None:
    with pytest.raises(SizeRefused, match="between 3 and 6") as refused:
        allocated({AGREED: 3, RARE: 2, DIFFERING: 1}, size)
    assert (refused.value.least, refused.value.most) == (3, 6)


def test_nothing_can_be_drawn_from_nothing() -> None:
    with pytest.raises(SizeRefused) as refused:
        draw_sample([], size=1, rng=rng())
    assert refused.value.most == 0


@st.composite
def populations(draw: st.DrawFn) -> list[JudgedVerdict]:
    facts = st.tuples(SCORES, SCORES, st.lists(SCORES, max_size=2))
    found = draw(st.lists(facts, min_size=1, max_size=60))
    return [
        JudgedVerdict(key, score, confidence, tuple(others))
        for key, (score, confidence, others) in enumerate(found)
    ]


@settings(max_examples=150, deadline=None)
@given(population=populations(), share=st.floats(0, 1), seed=st.integers(0, 2**63 - 1))
def test_every_stratum_is_represented_and_the_numbers_add_up(
    population: list[JudgedVerdict], share: float, seed: int
) -> None:
    there = Counter(str(stratum_of(verdict)) for verdict in population)
    size = len(there) + round(share * (len(population) - len(there)))
    draw = draw_sample(population, size=size, rng=rng(seed))
    assert {one.name: one.verdicts for one in draw.strata} == there
    assert Counter(name for _key, name in draw.drawn) == {one.name: one.drawn for one in draw.strata}
    assert len({key for key, _name in draw.drawn}) == size == len(draw.drawn)
    by_key = {verdict.key: str(stratum_of(verdict)) for verdict in population}
    assert all(by_key[key] == name for key, name in draw.drawn)
    few = min(MIN_PER_STRATUM, size // len(there))
    assert all(min(few, one.verdicts) <= one.drawn <= one.verdicts for one in draw.strata)


@settings(max_examples=50, deadline=None)
@given(population=populations(), seed=st.integers(0, 1000), order=st.randoms())
def test_the_same_seed_draws_the_same_in_whatever_order_the_rows_come(
    population: list[JudgedVerdict], seed: int, order: random.Random
) -> None:
    size = max(len(population) // 2, len({stratum_of(verdict) for verdict in population}))
    first = draw_sample(population, size=size, rng=rng(seed))
    mixed = list(population)
    order.shuffle(mixed)
    assert draw_sample(mixed, size=size, rng=rng(seed)) == first


def test_seeds_draw_differently_and_the_order_says_nothing_of_the_stratum() -> None:
    population = [JudgedVerdict(key, float(key % 2), 1.0) for key in range(400)]
    draws = [draw_sample(population, size=40, rng=rng(seed)) for seed in range(20)]
    assert len({draw.drawn for draw in draws}) == 20
    firsts = Counter(draw.drawn[0][1] for draw in draws)
    assert set(firsts) == {"none/sure", "full/sure"}


def test_every_verdict_of_a_stratum_is_drawn_with_the_probability_that_is_kept() -> None:
    population = [JudgedVerdict(key, 1.0, 1.0) for key in range(20)]
    hits: Counter[int] = Counter()
    for seed in range(2000):
        hits.update(key for key, _name in draw_sample(population, size=5, rng=rng(seed)).drawn)
    (stratum,) = draw_sample(population, size=5, rng=rng()).strata
    assert stratum.probability == 0.25
    # Binomial(2000, 1/4): sd 19.4; five of them either way.
    assert all(abs(hits[key] - 500) < 97 for key in range(20))


FRAME = (Stratum("full/agree", verdicts=90, drawn=3), Stratum("full/differ", verdicts=10, drawn=2))
STRATA = ["full/agree"] * 3 + ["full/differ"] * 2
NAN = float("nan")


def weighted(
    human: Sequence[float],
    judge: Sequence[float],
    strata: Sequence[str] = STRATA,
    frame: Sequence[Stratum] = FRAME,
) -> WeightedAgreement:
    return weighted_agreement(human, judge, strata, frame, seed=1, resamples=200)


def test_weights_take_the_leaning_back_by_hand() -> None:
    """Each agreed one stands for 30 verdicts, each differing one for 5; of these the judge is wrong twice."""
    found = weighted([1, 1, 0, 0, 0], [1, 1, 0, 1, 1])
    assert found.same_side.value == pytest.approx(0.9)
    assert found.near_exact.value == pytest.approx(0.9)
    assert found.offset.value == pytest.approx(0.1)
    assert found.mean_human.value == pytest.approx(0.6)
    assert found.mean_judge.value == pytest.approx(0.7)
    # po = .9, pe = .6 x .7 + .4 x .3 = .54
    assert found.kappa.value == pytest.approx((0.9 - 0.54) / (1 - 0.54))
    assert found.pabak.value == pytest.approx(0.8)
    assert found.covered == 1.0


def test_what_is_not_rated_yet_is_stood_for_by_the_rest_of_its_stratum() -> None:
    """One agreed one is not rated: the other two stand for 45 each."""
    found = weighted([1, NAN, 0, 0, 0], [1, 1, 0, 1, 1])
    assert found.pairs == 4
    assert found.mean_human.value == pytest.approx(0.45)
    assert found.same_side.value == pytest.approx(0.9)


def test_what_counts_no_more_stands_for_nobody_and_makes_its_stratum_smaller() -> None:
    """One of two differing ones has gone, with 5 of the 10 it was drawn from: 95 verdicts are left."""
    found = weighted([1, 1, 0, 0], [1, 1, 0, 1], STRATA[:4])
    assert found.offset.value == pytest.approx(5 / 95)


def test_verdicts_without_a_score_of_the_judge_are_left_out_and_nobody_speaks_for_them() -> None:
    """30 of 100 verdicts have no score of this judge; agreement is about the other 70."""
    found = weighted([1, 1, 0, 0, 0], [1, NAN, 0, 1, 1])
    assert found.pairs == 4
    assert found.same_side.value == pytest.approx(60 / 70)


def test_nothing_is_said_of_all_verdicts_while_a_stratum_of_weight_is_not_rated() -> None:
    found = weighted([1, 1, 1, NAN, NAN], [1, 1, 1, 1, 1])
    assert found.covered == pytest.approx(0.9)
    assert np.isnan(found.kappa.value)
    assert found.kappa.reason == Reason.TOO_FEW_PAIRS
    small = (FRAME[0], replace(FRAME[1], verdicts=2))
    assert weighted([1, 0, 1, NAN, NAN], [1, 0, 1, 1, 1], frame=small).same_side.value == 1.0


def test_nothing_rated_is_not_zero() -> None:
    found = weighted([NAN] * 5, [1.0] * 5)
    assert np.isnan(found.offset.value)
    assert found.offset.reason == Reason.NO_PAIRS
    assert (found.pairs, found.covered) == (0, 0.0)
    empty = weighted([], [], [])
    assert empty.pairs == 0
    assert empty.kappa.reason == Reason.NO_PAIRS


def test_kappa_has_a_reason_where_everything_is_met() -> None:
    found = weighted([1, 1, 1, 1, 1], [1, 1, 1, 1, 0.9])
    assert np.isnan(found.kappa.value)
    assert found.kappa.reason == Reason.NO_VARIATION
    assert found.same_side.value == 1.0
    assert found.same_side.reason == Reason.NO_SPREAD
    assert weighted([1, 0], [1, 0], ["full/agree"] * 2, FRAME[:1]).kappa.reason == Reason.TOO_FEW_PAIRS


def test_a_sample_of_everything_has_no_error_of_drawing() -> None:
    frame = (Stratum("full/agree", verdicts=3, drawn=3), Stratum("full/differ", verdicts=2, drawn=2))
    found = weighted([1, 1, 0, 0, 1], [1, 1, 0, 1, 1], frame=frame)
    assert found.same_side.value == pytest.approx(0.8)
    assert found.same_side.reason == Reason.NO_SPREAD


def test_the_interval_of_a_mean_is_that_of_the_textbook() -> None:
    """Stratified mean: V = sum W_h^2 (1 - f_h) s_h^2 / n_h. Its error is what the resamples scatter by."""
    draws = np.random.default_rng(7)
    sizes, drawn = (400, 60), (60, 30)
    frame = [Stratum(f"s{h}", sizes[h], drawn[h]) for h in range(2)]
    human = [draws.integers(0, 2, size=n).astype(float) for n in drawn]
    names = [f"s{h}" for h in range(2) for _ in range(drawn[h])]
    found = weighted_agreement(np.concatenate(human), np.ones(90), names, frame, seed=1, resamples=4000)
    variance = sum(
        (sizes[h] / 460) ** 2 * (1 - drawn[h] / sizes[h]) * human[h].var(ddof=1) / drawn[h] for h in range(2)
    )
    assert found.mean_human.se == pytest.approx(variance**0.5, rel=0.05)


def test_a_single_rating_for_many_verdicts_still_has_an_error() -> None:
    frame = (Stratum("full/agree", verdicts=30, drawn=3), Stratum("full/differ", verdicts=30, drawn=1))
    found = weighted([1, 1, 1, 0], [1, 1, 1, 1], STRATA[:4], frame)
    assert found.offset.value == pytest.approx(0.5)
    assert found.offset.se > 0


def test_the_same_seed_gives_the_same_interval() -> None:
    first, second = (weighted([1, 1, 0, 0, 1], [1, 0, 0, 1, 1]) for _ in range(2))
    assert first == second


def test_a_stratum_nobody_drew_from_is_refused() -> None:
    with pytest.raises(ScoresRefused, match="none/sure"):
        weighted([1], [1], ["none/sure"])


def test_weighted_estimates_recover_what_is_true_of_all_verdicts() -> None:
    """4,000 verdicts; people contradict the judge in 45 % of what judges differ on, and in 3 % of the rest.

    The mean over draws is right, the sample's own kappa far too low, and intervals of 95 % hold the truth.
    """
    first, second, human = population()
    truth = kappa_of(human, first)
    verdicts = [JudgedVerdict(key, first[key], 1.0, (second[key],)) for key in range(len(first))]
    found, naive, held = [], [], 0
    for seed in range(60):
        draw = draw_sample(verdicts, size=200, rng=rng(seed))
        keys = [key for key, _name in draw.drawn]
        estimate = estimated(draw, human[keys], first[keys], seed)
        found.append(estimate.kappa.value)
        naive.append(kappa_of(human[keys], first[keys]))
        held += estimate.kappa.low <= truth <= estimate.kappa.high
    error = np.std(found, ddof=1) / 60**0.5
    assert abs(np.mean(found) - truth) < 3 * error + 0.005  # kappa is a ratio: a small bias is its own
    assert np.mean(naive) < truth - 0.1
    assert held >= 51  # of 60; 57 expected, and 51 is 3.5 sd below


def test_the_public_part_of_a_draw_tells_of_the_public_verdicts() -> None:
    """Most of what judges differ on is private; weights and intervals are those of the public part."""
    first, second, human = population()
    chance = np.random.default_rng(5).random(len(first))
    public = chance < np.where(first == second, 0.6, 0.2)
    truth = float((first - human)[public].mean())
    verdicts = [
        JudgedVerdict(key, first[key], 1.0, (second[key],), bool(public[key])) for key in range(len(first))
    ]
    found, held = [], 0
    for seed in range(60):
        draw = draw_sample(verdicts, size=200, rng=rng(seed))
        drawn = [(key, name) for key, name in draw.drawn if public[key]]
        keys, names = [key for key, _ in drawn], [name for _, name in drawn]
        frame = [one.public for one in draw.strata if one.public_verdicts]
        assert sum(one.verdicts for one in frame) == public.sum()
        assert sum(one.drawn for one in frame) == len(keys)
        offset = weighted_agreement(human[keys], first[keys], names, frame, seed=seed, resamples=300).offset
        if offset.reason is None:
            found.append(offset.value)
            held += offset.low <= truth <= offset.high
    assert len(found) > 40
    assert abs(np.mean(found) - truth) < 3 * np.std(found, ddof=1) / len(found) ** 0.5
    assert held >= 0.85 * len(found)


def test_a_stratum_of_which_nothing_was_drawn_is_not_covered() -> None:
    human, judge = [1, 1, 0, 0, 0], [1, 1, 0, 1, 1]
    few, many = (Stratum("none/agree", verdicts=number, drawn=0) for number in (5, 6))
    found = weighted(human, judge, frame=(*FRAME, few))
    assert found.covered == pytest.approx(100 / 105)
    assert found.offset.value == pytest.approx(0.1)
    found = weighted(human, judge, frame=(*FRAME, many))
    assert found.covered == pytest.approx(100 / 106)
    assert math.isnan(found.offset.value)


def population() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    draws = np.random.default_rng(3)
    first = draws.choice([0.0, 0.3, 0.6, 1.0], size=4000, p=[0.3, 0.05, 0.1, 0.55])
    differs = draws.random(4000) < 0.08
    second = np.where(differs, 1 - first, first)
    contradicted = draws.random(4000) < np.where(differs, 0.45, 0.03)
    return first, second, np.where(contradicted, 1 - first, first)


def kappa_of(human: np.ndarray, judge: np.ndarray) -> float:
    x, y = human >= 0.5, judge >= 0.5
    observed = (x == y).mean()
    by_chance = x.mean() * y.mean() + (1 - x.mean()) * (1 - y.mean())
    return float((observed - by_chance) / (1 - by_chance))


def estimated(draw: Draw, human: np.ndarray, judge: np.ndarray, seed: int) -> WeightedAgreement:
    names = [name for _key, name in draw.drawn]
    return weighted_agreement(human, judge, names, draw.strata, seed=seed, resamples=300)


# The sheet on its way out and back.

FORMULAS = ["=1+1", "+cmd|' /C calc'!A0", "-2", "@SUM(A1)", "\t=1", "'quoted", "  =1", "＝1", "\r\n=1"]


@pytest.mark.parametrize("text", FORMULAS)
def test_no_text_of_the_sheet_is_a_formula(text: str) -> None:
    row = SheetRow(1, prompt=text, attachments=(text,), gold_answer=text, criterion=text, answer=text)
    line = audit_sheet(7, [row], canaries=[]).partition("\r\n")[2]
    assert line == ("7,1," + ",".join([quoted("'" + text)] * 5) + f",,,{CONFIDENTIAL}\r\n")


def quoted(cell: str) -> str:
    return f'"{cell}"' if set(cell) & set(',"\r\n') else cell


def test_the_sheet_opens_as_utf_8_and_carries_the_canaries_in_every_line() -> None:
    rows = [SheetRow(n, "Größe?", ("plan.png", "map.pdf"), None, None, "groß") for n in (1, 2)]
    sheet = audit_sheet(3, rows, canaries=["canary-1", "canary-2"])
    assert sheet.startswith(
        BYTE_ORDER_MARK + "sample,number,prompt,attachments,gold_answer,criterion,answer,"
    )
    lines = sheet.removesuffix("\r\n").split("\r\n")[1:]
    assert lines == [
        f"3,{n},Größe?,plan.png; map.pdf,,{EXACT},groß,,,{CONFIDENTIAL} canary-1 canary-2" for n in (1, 2)
    ]


HEADER = "sample,number,human_score,comment\n"


def problems(text: str | bytes) -> list[str]:
    content = text.encode() if isinstance(text, str) else text
    return [str(problem) for problem in read_ratings(content).problems]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_sheet_is_read_however_a_spreadsheet_program_separates_it(delimiter: str, newline: str) -> None:
    lines = ["sample,number,human_score,comment", "7,1,0.5,fine", "7,2,,", "7,3,1,"]
    reading = read_ratings(newline.join(lines).replace(",", delimiter).encode("utf-8-sig"))
    assert reading.problems == ()
    assert [(row.number, row.score, row.comment) for row in reading.rows] == [
        (1, 0.5, "fine"),
        (2, None, ""),
        (3, 1.0, ""),
    ]


@pytest.mark.parametrize(
    ("cell", "score"),
    [
        ("0", 0.0),
        ("1", 1.0),
        ("0,5", 0.5),
        ('"0,25"', 0.25),
        (" .5 ", 0.5),
        ("1.", 1.0),
        ("1,0", 1.0),
        ("", None),
    ],
)
def test_scores_are_read_with_point_or_comma(cell: str, score: float | None) -> None:
    (row,) = read_ratings(f"sample;number;human_score\n7;1;{cell}\n".encode()).rows
    assert row.score == score


@pytest.mark.parametrize(
    "cell",
    ["1.01", "-0.1", "2", "50%", "nan", "inf", "1e-3", "yes", "0x1", "٠", "0.5.", "=1", "'1", "1 0", "TRUE"],
)
def test_what_is_no_share_is_refused_in_a_sentence(cell: str) -> None:
    (problem,) = problems(f"{HEADER}7,1,{cell},\n")
    assert problem == (
        f"line 2, human_score: “{cell}” is no number between 0 and 1, such as 0.5; "
        "nothing means: not rated yet"
    )


def test_every_problem_of_a_sheet_is_listed() -> None:
    text = f"{HEADER}7,1,5,\nx,2,1,\n7,,1,\n7,4,0,5,\n7,5,1,{'c' * 5001}\n7,6,1,a\0b\n"
    found = problems(text)
    assert [problem.partition(":")[0] for problem in found] == [
        "line 2, human_score", "line 3, sample", "line 4, number", "line 5", "line 6, comment",
        "line 7, comment",
    ]  # fmt: skip
    assert "put cells with a delimiter in quotes" in found[3]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "the file is empty"),
        (b"\r\n\r\n", "the file is empty"),
        (HEADER.encode(), "the sheet has no line below its columns"),
        (b"number,score\n1,1\n", "line 1: the columns sample, human_score are missing"),
        (b"sample,number,human_score,judge_score\n", "line 1: only these columns are read"),
        (b"sample,number,human_score,number\n", "line 1: only these columns are read"),
        (HEADER.encode() + b"7,1,1,\xff\n", "line 2: is not UTF-8"),
        (HEADER.encode("utf-16"), "line 1: is not UTF-8"),
        (HEADER.encode() + b'7,1,1,"open\n', "is no CSV"),
        (b"PK\x03\x04 a spreadsheet", "the columns sample, number, human_score are missing"),
        (b"x" * (MAX_BYTES + 1), "the file is larger than 20 MB"),
    ],
)
def test_a_file_that_is_no_sheet_is_refused_in_a_sentence(content: bytes, sentence: str) -> None:
    (problem,) = problems(content)
    assert sentence in problem


def test_cells_that_were_cut_off_or_are_blank_are_not_rated() -> None:
    reading = read_ratings(f"{HEADER}7,1\n\n,,,\n7,2,1\n".encode())
    assert reading.problems == ()
    assert [(row.line, row.number, row.score) for row in reading.rows] == [(2, 1, None), (5, 2, 1.0)]


def test_long_texts_over_many_lines_keep_their_place() -> None:
    answer = "an answer\nof many lines, and long " * 10_000
    text = f'sample,number,answer,human_score\n7,1,"{answer}",1\n7,2,short,3\n'
    (problem,) = problems(text)
    assert problem.startswith("line 10003,")  # line 2 goes on over 10,000 line ends
