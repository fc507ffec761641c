"""Stored measures as pages, reports and exports read them."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from django.db.models import OuterRef, Q, QuerySet, Subquery

from presentation.catalogue import plain_reason
from presentation.codes import CodeNames
from psychometrics.benchmark.accuracy_table import TableColumn
from psychometrics.inference.measure import Block, Scope
from scoring.models import Measurement, MeasureRow, ResultSet
from scoring.selectors.task_tables import published_columns
from studies.models import Prompt, Study
from studies.roles import Can
from studies.selectors.names import code_names
from studies.selectors.private_questions import private_prompts

# What of other blocks the page of a block shows beside its own.
OF_CATEGORIES = ("dif.group", "models.category.theta.pool", "models.category.theta.ql")
BESIDE: Mapping[Block, Callable[[MeasureRow], bool]] = {
    Block.COHORT: lambda row: (
        row.block == Block.RESULTS and not row.subset and not row.name.startswith("benchmark.")
    ),
    Block.BENCHMARK: lambda row: (
        row.block == Block.RESULTS and row.name.startswith(("task.accuracy", "benchmark."))
    ),
    Block.SLICES: lambda row: row.name in OF_CATEGORIES,
}
# A block that this program has and the one that measured had not.
NEVER = {"state": "refused", "template": "", "facts": {}, "seconds": 0.0}


@dataclass(frozen=True)
class BlockMeasures:
    """What one block came to: its rows in the order they were computed, and how it ended.

    `labels` are those of the prompts that rows are about, by prompt id; `names` are those of codes. A
    benchmark has the `published` accuracies of models on its tasks beside it; `has_arms` is of the study.
    """

    block: Block
    state: str
    sentence: str
    seconds: float
    rows: tuple[MeasureRow, ...]
    labels: Mapping[str, str]
    names: CodeNames = field(default_factory=CodeNames)
    published: Sequence[TableColumn] = ()
    has_arms: bool = False

    @cached_property
    def _by_name(self) -> dict[tuple[str, str, str], MeasureRow]:
        return {(row.name, row.group, row.subset): row for row in self.rows}

    def get(self, name: str, group: str = "", subset: str = "") -> MeasureRow | None:
        """The one row of this name, or None."""
        return self._by_name.get((name, group, subset))

    @cached_property
    def _by_answer(self) -> dict[tuple[str, ...], MeasureRow]:
        return {(row.name, row.group, row.subset, row.participant, row.prompt_id): row for row in self.rows}

    def beside(self, row: MeasureRow, name: str) -> MeasureRow | None:
        """The row of this name about the same answer, of whom and under which scores; or None."""
        return self._by_answer.get((name, row.group, row.subset, row.participant, row.prompt_id))

    def named(self, *names: str, group: str | None = None) -> Iterator[MeasureRow]:
        """The rows of these names, in the order they were computed."""
        return (row for row in self.rows if row.name in names and group in {None, row.group})


def scope_to_show(results: ResultSet) -> Scope:
    """What leaves the site in full: where private prompts were asked, what the public ones say alone."""
    known = getattr(results, "has_public_scope", None)  # of those that `newest_study_results` gave
    if known is None:
        known = results.measures.filter(scope=Scope.PUBLIC, block=Block.RESULTS).exists()
    return Scope.PUBLIC if known else Scope.ALL


def measurement_of(results: ResultSet) -> Measurement | None:
    """The measurement of these results, once there is one."""
    found: Measurement | None = getattr(results, "measurement", None)
    return found


def block_measures(
    measurement: Measurement, block: Block, scope: Scope = Scope.ALL, rights: Collection[Can] = ()
) -> BlockMeasures:
    """One block as somebody with these rights in the study sees it, in one query."""
    rows = list(measure_rows(measurement.result_set, (block,), scope, rights))
    return blocks_of(measurement, (block,), scope, rows)[block]


def all_blocks(measurement: Measurement, scope: Scope) -> dict[Block, BlockMeasures]:
    """Every block, in one query."""
    return blocks_of(measurement, tuple(map(Block, measurement.ended(scope))), scope)


def measure_rows(
    results: ResultSet, wanted: Collection[Block], scope: Scope, rights: Collection[Can] = ()
) -> QuerySet[MeasureRow]:
    """The rows of these blocks and the headlines, in the order they were computed, each with the `label` of
    the prompt that it is about; about a private prompt for whoever may see it by their `rights` in the study.
    """
    of_study = Prompt.objects.filter(version=results.run.study.bank_version_id)
    label = of_study.filter(prompt_id=OuterRef("prompt_id")).values("label")
    shown = Q(block__in={*wanted, Block.RESULTS})
    if Block.SLICES in wanted:
        shown |= Q(name__in=OF_CATEGORIES)
    rows = results.measures.filter(shown, scope=scope)
    if Can.SEE_PRIVATE not in rights:
        rows = rows.exclude(prompt_id__in=private_prompts(results.run.study).values("prompt_id"))
    return rows.annotate(label=Subquery(label)).order_by("pk")


def blocks_of(
    measurement: Measurement,
    wanted: Collection[Block],
    scope: Scope,
    stored: Sequence[Any] | None = None,
) -> dict[Block, BlockMeasures]:
    """These blocks, in one query, each with its sentence in the reader's language. Whoever has read the
    `measure_rows` already gives them as `stored`.
    """
    if stored is None:
        stored = list(measure_rows(measurement.result_set, wanted, scope))
    labels = {row.prompt_id: row.label for row in stored if row.label is not None}
    study, ends, blocks = measurement.result_set.run.study, measurement.ended(scope), {}
    for block in wanted:
        ended = ends.get(block, NEVER)
        is_computed = ended["state"] == "computed"
        # Rows of other blocks stand beside its own.
        beside = BESIDE.get(block) if is_computed else None
        blocks[block] = BlockMeasures(
            block,
            ended["state"],
            plain_reason(ended),
            ended["seconds"],
            tuple(row for row in stored if row.block == block or (beside and beside(row))),
            labels,
            code_names(study),
            published_columns(measurement.result_set) if block == Block.BENCHMARK and is_computed else (),
            has_arms=bool(study.protocol.arms),
        )
    return blocks


@dataclass(frozen=True)
class RuleCount:
    """One declared rule set, by its key, and the people who count under it."""

    rule: str
    counted: int


def rule_counts(study: Study) -> list[RuleCount]:
    """How many people count under each declared rule set, by the newest measurement, in the order they are
    declared; empty before there is one. Rules that look at scores are left out.
    """
    rows = MeasureRow.objects.filter(
        results__run__study=study, block=Block.EXCLUSIONS, scope=Scope.ALL, name="rule.removed"
    )
    newest = rows.order_by("-results").values("results")[:1]
    return [
        RuleCount(row.details["rule"]["key"], (row.people or 0) - round(row.value))
        for row in rows.filter(results=Subquery(newest)).order_by("pk")
        if row.value is not None and not row.details["score_based"]
    ]
