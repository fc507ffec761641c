"""The five parts of the results, and which blocks of the measurement each holds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from presentation.numbers import Text
from psychometrics.inference.measure import Block
from reporting.views.measurement.blocks_shown import PAGES
from studies.models import Study

TABS: Sequence[tuple[str, Text, tuple[Block, ...]]] = (
    ("models", _("Models"), (Block.MODELS, Block.BENCHMARK)),
    ("breakdowns", _("Breakdowns"), (Block.SLICES, Block.COHORT)),
    ("robustness", _("Robustness"), (Block.EXCLUSIONS, Block.MISSING, Block.DIF, Block.JUDGE)),
    ("diagnostics", _("Diagnostics"), (Block.TOP, Block.UNCERTAINTY, Block.FIT)),
)
TITLES: Mapping[Block, Text] = {
    Block.COHORT: _("People"),
    Block.SLICES: _("By part"),
    Block.DIF: _("Unequal questions"),
    Block.FIT: _("Unusual answer patterns"),
    Block.EXCLUSIONS: _("Who is left out"),
    Block.JUDGE: _("The judge"),
    Block.TOP: _("Top and luck"),
}


@dataclass(frozen=True)
class Tab:
    """A link; `is_here` where its page is shown."""

    label: Text
    address: str
    is_here: bool


def block_title(block: Block) -> Text:
    """What a page calls a block; the exact term is in `PAGES`."""
    return TITLES.get(block, PAGES[block].title)


def results_tabs(study: Study, query: str, shown: Block | None = None) -> list[Tab]:
    """Headline first; each other tab leads to the first of its blocks."""
    headline = Tab(_("Headline"), reverse("staff_results", args=[study.slug]) + query, shown is None)
    others = [Tab(label, _address(study, blocks[0], query), shown in blocks) for _name, label, blocks in TABS]
    return [headline, *others]


def blocks_beside(study: Study, query: str, shown: Block) -> list[Tab]:
    """The blocks of the tab that holds this one."""
    blocks = next(blocks for _name, _label, blocks in TABS if shown in blocks)
    return [Tab(block_title(block), _address(study, block, query), block == shown) for block in blocks]


def _address(study: Study, block: Block, query: str) -> str:
    return reverse("staff_measurement", args=[study.slug, block]) + query
