"""Stored measures as pages, reports and exports read them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db.models import Max, QuerySet
from django.utils.translation import gettext as _

from scoring.models import Measurement, MeasureRow, ResultSet
from scoring.stats.measures import Block, Scope

# A block that this program has and the one that measured had not.
NEVER = {"state": "refused", "template": "", "facts": {}, "seconds": 0.0}


@dataclass(frozen=True)
class BlockMeasures:
    """What one block came to: its rows in the order they were computed, and how it ended."""

    block: Block
    state: str
    sentence: str
    seconds: float
    rows: tuple[MeasureRow, ...]

    @cached_property
    def _by_name(self) -> dict[tuple[str, str, str], MeasureRow]:
        return {(row.name, row.group, row.subset): row for row in self.rows}

    def get(self, name: str, group: str = "", subset: str = "") -> MeasureRow | None:
        """The one row of this name, or None."""
        return self._by_name.get((name, group, subset))

    def named(self, *names: str, group: str | None = None) -> Iterator[MeasureRow]:
        """The rows of these names, in the order they were computed."""
        return (row for row in self.rows if row.name in names and group in {None, row.group})


def scope_to_show(results: ResultSet) -> Scope:
    """What leaves the site in full: where private prompts were asked, what the public ones say alone."""
    told_apart = results.estimates.filter(scope=Scope.PUBLIC).exists()
    return Scope.PUBLIC if told_apart else Scope.ALL


def measurement_of(results: ResultSet) -> Measurement | None:
    """The measurement of these results, once there is one."""
    return Measurement.objects.filter(result_set=results).first()


def block_measures(measurement: Measurement, block: Block, scope: Scope = Scope.ALL) -> BlockMeasures:
    """One block, in one query."""
    ended = measurement.ended(scope).get(block, NEVER)
    rows = tuple(measurement.rows.filter(block=block, scope=scope).order_by("pk"))
    return ended_block(block, ended, rows)


def ended_block(block: Block, ended: Mapping[str, Any], rows: tuple[MeasureRow, ...]) -> BlockMeasures:
    """The block with its sentence in the reader's language."""
    template, facts = ended["template"], ended["facts"]
    # The empty text would be translated into the header of the catalogue.
    sentence = _(template) % facts if template else ""
    return BlockMeasures(block, ended["state"], sentence, ended["seconds"], rows)


def all_blocks(measurement: Measurement, scope: Scope) -> dict[Block, BlockMeasures]:
    """Every block, in one query."""
    rows: dict[str, list[MeasureRow]] = {block: [] for block in Block}
    for row in measurement.rows.filter(scope=scope).order_by("pk"):
        rows[row.block].append(row)
    return {
        block: ended_block(block, ended, tuple(rows[block]))
        for block, ended in ((Block(name), ended) for name, ended in measurement.ended(scope).items())
    }


def results_to_measure() -> QuerySet[ResultSet]:
    """The newest results of every run, where they are not measured yet; the oldest first."""
    newest = ResultSet.objects.order_by().values("run").annotate(newest=Max("pk")).values("newest")
    return ResultSet.objects.filter(pk__in=newest, measurement=None).order_by("pk")
