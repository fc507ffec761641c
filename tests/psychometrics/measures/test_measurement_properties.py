"""No estimate depends on the order of rows, on how tables were split, on unknown prompts or on empty people.

Blocks run as the measurement runs them, with streams of random numbers that start alike. Those that also read
the database are tested by all of their functions that compute from the cohort.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple, dataclass, replace
from functools import cache

import numpy as np
import pytest

from psychometrics.data.cohort import cohort_of
from psychometrics.data.places import AskedPrompt, Outcome, Person
from psychometrics.inference.first_error import THETAS
from psychometrics.inference.measure import Measure
from psychometrics.inference.standard_errors import is_nested
from psychometrics.irt.bank import ItemBank
from psychometrics.irt.transform import Transform
from psychometrics.measures.blocks.cohort import cohort_measures
from psychometrics.measures.blocks.dif import dif_measures
from psychometrics.measures.blocks.fit import fit_measures
from psychometrics.measures.blocks.missing import missing_measures
from psychometrics.measures.blocks.results import result_measures
from psychometrics.measures.blocks.slices import slice_measures
from psychometrics.measures.blocks.top import top_measures
from psychometrics.measures.blocks.uncertainty import uncertainty_measures
from psychometrics.measures.inputs import Facts, Inputs
from tests.support.cohort_blocks import (
    EMPTY,
    TOP,
    benchmark_estimates,
    exclusion_estimates,
    judge_estimates,
    model_estimates,
)

PEOPLE, BATCHES, LENGTH, RESAMPLES = 18, 3, 8, 60
TASKS = ("boolean", "sorting", "zebra")
UNKNOWN = "a-unknown"  # it and EMPTY come first where people and prompts are sorted
Row = tuple[str, str, int, int, float, float, str]
Measures = Callable[[Inputs], Iterator[Measure]]
Keep = Callable[[Measure], bool]
Found = dict[tuple[str, ...], tuple[float, ...]]


@dataclass(frozen=True, eq=False)
class Table:
    """What a cohort is made from; rows name person and prompt."""

    people: tuple[Person, ...]
    prompts: tuple[AskedPrompt, ...]
    rows: tuple[Row, ...]
    bank: ItemBank

    def inputs(self) -> Inputs:
        """People and prompts sorted, as the selector of the cohort sorts them."""
        people = sorted(self.people, key=lambda one: one.code)
        prompts = sorted(self.prompts, key=lambda one: one.prompt_id)
        person = {one.code: place for place, one in enumerate(people)}
        prompt = {one.prompt_id: place for place, one in enumerate(prompts)}
        rows = [(person[code], prompt[name], *others) for code, name, *others in self.rows]
        everyone = cohort_of(people=people, prompts=prompts, bank=self.bank, rows=rows)  # type: ignore[arg-type]
        return Inputs(
            facts=Facts(top_size=TOP), everyone=everyone, items=self.bank,
            rng=np.random.default_rng(7), resamples=RESAMPLES, progress=lambda done, of: None,
        )  # fmt: skip


@cache
def study_table(*, nested: bool, tasks: bool = False) -> Table:
    """Three batches of eight prompts of their own or dealt from sixteen; a fifth has no score."""
    rng = np.random.default_rng(11)
    number = BATCHES * LENGTH if nested else 2 * LENGTH
    names = tuple(f"p{j:02}" for j in range(number))
    dealt = [rng.permutation(number)[:LENGTH] for _ in range(BATCHES)]
    if nested:
        dealt = [np.arange(LENGTH) + LENGTH * batch for batch in range(BATCHES)]
    a, b = np.exp(rng.normal(0, 0.4, number)), rng.normal(0, 1.5, number)
    bank = ItemBank(names, a, b, ("",) * number, Transform(0.998, 0.001), 2.5)
    if tasks:
        bank = replace(bank, prompt_ids=TASKS, a=a[:3], b=b[:3], subcategories=("",) * 3)
    people = tuple(Person(f"P{i:02}", ("lay", "expert")[i % 2], retained=i % 6 != 5) for i in range(PEOPLE))
    rows = [
        row_of(people[i], names[j], i % BATCHES + 1, place + 1, float(a[j] * (ability - b[j])), rng, tasks)
        for i, ability in enumerate(rng.normal(0, 1.2, PEOPLE))
        for place, j in enumerate(rng.permutation(dealt[i % BATCHES]).tolist())
    ]
    return Table(people, tuple(map(prompt_of, names)), tuple(rows), bank)


def row_of(
    person: Person, name: str, batch: int, place: int, logit: float, rng: np.random.Generator, tasks: bool
) -> Row:
    share = rng.random()
    if share < 0.2:
        outcome = Outcome.SKIPPED if share < 0.15 else Outcome.UNSCORED
        return person.code, name, batch, place, np.nan, np.nan, outcome
    logit, criteria = (logit - 2, 1) if tasks else (logit, 4)  # at tasks nobody is right throughout by chance
    p = float(rng.binomial(criteria, 1 / (1 + np.exp(-logit - rng.normal()))) / criteria)
    return person.code, name, batch, place, p * float(rng.choice([1, 0.9], p=[0.9, 0.1])), p, Outcome.SCORED


def prompt_of(name: str) -> AskedPrompt:
    j = int(name[1:])
    return AskedPrompt(
        name, category=("QR", "IE")[j % 2], subcategory=f"s{j % 3}", modality=("text", "image")[j % 3 == 0],
        split="private" if j % 4 == 0 else "public", task=TASKS[j % 3], labels=("long",), criteria=j % 4 + 1,
    )  # fmt: skip


BLOCKS: dict[str, Measures] = {
    "cohort": cohort_measures,
    "top": top_measures,
    "uncertainty": uncertainty_measures,
    "missing": missing_measures,
    "exclusions": exclusion_estimates,
    "judge": judge_estimates,
    "fit": fit_measures,
    "dif": dif_measures,
    "slices": slice_measures,
    "benchmark": benchmark_estimates,
    "models": model_estimates,
}
each_block = pytest.mark.parametrize("block", BLOCKS)
OF_ABILITY = {"results": result_measures} | {name: BLOCKS[name] for name in BLOCKS if name != "benchmark"}
ANALYTIC = {("judge", "theta.prompt"), ("dif", "theta.prompt")}  # as published, and said to be so
both_designs = pytest.mark.parametrize("nested", [True, False], ids=["nested", "crossed"])


def measured(block: str, table: Table, *, keep: Keep = lambda one: True) -> Found:
    """Every measure by name, with what must not change."""
    rows = [one for one in all_of(block, table) if keep(one)]
    found: Found = {
        (one.name, one.group, one.subset, one.participant, one.prompt_id, str(one.estimate.reason)): (
            one.estimate.value, one.estimate.se, one.estimate.low, one.estimate.high,
        )
        for one in rows
    }  # fmt: skip
    assert len(found) == len(rows) > 0
    return found


@cache
def all_of(block: str, table: Table) -> list[Measure]:
    return list(BLOCKS[block](table.inputs()))


def same(found: Found, expected: Found) -> None:
    assert found.keys() == expected.keys()
    np.testing.assert_allclose(
        [found[key] for key in expected], list(expected.values()), rtol=1e-9, atol=1e-9, equal_nan=True
    )


def table_for(block: str, nested: bool) -> Table:
    return study_table(nested=nested, tasks=block == "benchmark")


def parts_put_together(table: Table, first: Sequence[bool]) -> Table:
    """The rows of one part, then those of the other."""
    one = tuple(row for row, own in zip(table.rows, first, strict=True) if own)
    other = tuple(row for row, own in zip(table.rows, first, strict=True) if not own)
    return replace(table, rows=other + one)


@both_designs
@each_block
def test_the_order_of_rows_and_the_split_of_a_table_change_nothing(block: str, nested: bool) -> None:
    table, rng = table_for(block, nested), np.random.default_rng(3)
    expected = measured(block, table)
    shuffled = replace(table, rows=tuple(table.rows[i] for i in rng.permutation(len(table.rows))))
    same(measured(block, shuffled), expected)
    by_person = parts_put_together(table, [int(row[0][1:]) % 4 == 1 for row in table.rows])
    same(measured(block, by_person), expected)
    by_row = parts_put_together(table, (rng.random(len(table.rows)) < 0.5).tolist())
    same(measured(block, by_row), expected)


@both_designs
@each_block
def test_an_empty_person_and_a_prompt_that_nobody_was_asked_change_nothing(block: str, nested: bool) -> None:
    table = table_for(block, nested)
    expected = measured(block, table)
    same(measured(block, replace(table, people=(*table.people, Person(EMPTY, "lay")))), expected)
    unknown = replace(prompt_of("p01"), prompt_id=UNKNOWN)
    same(measured(block, replace(table, prompts=(*table.prompts, unknown))), expected)


def with_unknown(table: Table, *, answered: bool, task: str = "") -> Table:
    """The table with a prompt without parameters that a third of the people, in all batches, were asked."""
    prompt = replace(prompt_of("p01"), prompt_id=UNKNOWN)
    outcome = Outcome.SCORED if answered else Outcome.SKIPPED
    scores = {place: float(place % 8 == 0) if answered else np.nan for place in range(0, PEOPLE, 4)}
    rows = tuple(
        (table.people[place].code, UNKNOWN, place % BATCHES + 1, LENGTH + 1, p, p, outcome)
        for place, p in scores.items()
    )
    prompt = replace(prompt, task=task) if task else prompt
    return replace(table, prompts=(*table.prompts, prompt), rows=table.rows + rows)


def canceling(table: Table) -> Table:
    """The study with nobody left out, of people who differ within each batch, and batches alike."""
    ability = {one.code: (-1.5, 1.5)[place // BATCHES % 2] for place, one in enumerate(table.people)}
    a, b = (dict(zip(table.bank.prompt_ids, column, strict=True)) for column in (table.bank.a, table.bank.b))
    rows: list[Row] = []
    for code, name, batch, place, p, _, outcome in table.rows:
        p = p if np.isnan(p) else 1 / (1 + np.exp(-a[name] * (ability[code] - b[name])))
        rows.append((code, name, batch, place, p, p, outcome))
    return replace(table, people=tuple(replace(one, retained=True) for one in table.people), rows=tuple(rows))


def told_of_average(table: Table) -> Iterator[tuple[tuple[str, str], str, Measure]]:
    """What is said of theta.pool, theta_QL and theta.prompt of Average: of which part, by which block."""
    as_it_is = ("", "as-missing", "prompts:all", "scores:judge")
    for block, measures in OF_ABILITY.items():
        rows = {(one.name, one.subset): one for one in measures(table.inputs()) if one.group == "average"}
        for (name, subset), one in rows.items():
            estimator = name.removeprefix(f"{block}.").removeprefix("itt.")
            part = subset if subset.startswith("category:") else ""
            serves = block == "uncertainty" and one.details.get("serves") and one.details["target"] == "T2"
            if estimator in THETAS and ";" not in subset and (part or serves or subset in as_it_is):
                used = str(one.details.get("at_least", subset)) if serves else subset
                yield (estimator, part), block, rows[name, used]


@both_designs
def test_one_theta_has_one_interval_in_every_block(nested: bool) -> None:
    """Where chance has batches, or prompts, less apart than people in them: the interval by people stands."""
    found: dict[tuple[str, str], dict[str, Measure]] = {}
    for key, block, one in told_of_average(canceling(study_table(nested=nested))):
        if (block, key[0]) not in ANALYTIC:
            found.setdefault(key, {})[block] = one
    for key, by_block in found.items():
        numbers = [astuple(one.estimate)[:4] for one in by_block.values()]
        assert numbers == [pytest.approx(numbers[0], rel=1e-9, nan_ok=True)] * len(numbers), key
    assert {key: len(by_block) for key, by_block in found.items()} == {
        **dict.fromkeys([("theta.pool", ""), ("theta.ql", "")], 7), ("theta.prompt", ""): 5,
        **dict.fromkeys([(of, f"category:{one}") for of in THETAS[1:] for one in ("IE", "QR")], 2),
        **dict.fromkeys([("theta.prompt", f"category:{one}") for one in ("IE", "QR")], 1),
    }  # fmt: skip
    if nested:
        assert found["theta.pool", ""]["results"].details["at_least"] == "se.participant"


def rests_on_parameters(one: Measure) -> bool:
    """Whether a measure is one of ability, of people who are not chosen by their raw means.

    A score on a prompt without parameters counts for the raw mean, as published, and so for who is Top and
    for the rule that leaves out the lowest means. Shares of places are on every prompt that was asked.
    """
    by_raw_mean = one.group == "top" or one.name.startswith("top.") or one.name == "judge.unscored"
    of_lowest = one.name.startswith("multiverse") and (
        "lowest_scores" in one.subset or one.subset == ""  # the spread with the score-based rule in it
    )
    return not (by_raw_mean or of_lowest or one.name.startswith(("share.", "absence.")))


@both_designs
@pytest.mark.parametrize("answered", [False, True], ids=["unanswered", "answered"])
@pytest.mark.parametrize("block", [name for name in BLOCKS if name not in ("top", "benchmark")])
def test_a_prompt_without_parameters_changes_no_ability(block: str, answered: bool, nested: bool) -> None:
    table = table_for(block, nested)
    expected = measured(block, table, keep=rests_on_parameters)
    same(measured(block, with_unknown(table, answered=answered), keep=rests_on_parameters), expected)


@both_designs
@pytest.mark.parametrize(
    "block", ["top", "cohort", "uncertainty", "judge", "dif", "slices", "missing", "models"]
)
def test_top_is_the_same_where_the_prompt_without_parameters_keeps_the_choice(
    block: str, nested: bool
) -> None:
    """Unanswered, it moves no raw mean; it does change shares of places, and who has answered most."""

    def keep(one: Measure) -> bool:
        return (
            not one.name.startswith(("share.", "absence."))
            and not one.subset.startswith("floor:")
            and (
                "as-zero" not in one.subset  # zeros for what was left count for the raw mean, too
            )
        )

    table = table_for(block, nested)
    same(measured(block, with_unknown(table, answered=False), keep=keep), measured(block, table, keep=keep))


@both_designs
def test_a_task_without_parameters_changes_no_theta_and_no_other_task(nested: bool) -> None:
    """Accuracies need no parameters: means over tasks and over answers do count its answers."""

    def keep(one: Measure) -> bool:
        of_task = one.subset.startswith("task:") and one.subset != "task:another"
        return one.group != "top" and (of_task or one.name.startswith("theta."))

    table = study_table(nested=nested, tasks=True)
    more = with_unknown(table, answered=True, task="another")
    same(measured("benchmark", more, keep=keep), measured("benchmark", table, keep=keep))


def test_a_design_is_nested_by_its_prompts_with_parameters() -> None:
    for nested in (True, False):
        table = with_unknown(study_table(nested=nested), answered=True)
        assert is_nested(table.inputs().everyone) == nested
