"""The five parts of the results, and which blocks of the measurement each holds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from presentation.catalogue import plain_reason
from presentation.numbers import Text
from psychometrics.inference.measure import Block, Scope
from reporting.selectors.reports import NO_ITEM_BANK
from reporting.views.measurement.blocks_shown import PAGES
from scoring.models import Measurement
from studies.models import Study

TABS: Sequence[tuple[str, Text, tuple[Block, ...]]] = (
    ("models", _("Models"), (Block.MODELS,)),
    ("breakdowns", _("Breakdowns"), (Block.SLICES, Block.BENCHMARK)),
    ("robustness", _("Robustness"), (Block.EXCLUSIONS, Block.MISSING, Block.DIF, Block.JUDGE)),
    ("diagnostics", _("Diagnostics"), (Block.UNCERTAINTY, Block.TOP, Block.COHORT, Block.FIT)),
)
# What rests on ability, which only an item bank gives.
OF_ABILITY = (Block.MODELS, Block.SLICES, Block.DIF, Block.UNCERTAINTY, Block.TOP, Block.FIT)
TITLES: Mapping[Block, Text] = {
    Block.COHORT: _("How people differ"),
    Block.BENCHMARK: _("By task"),
    Block.UNCERTAINTY: _("How sure it is"),
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


def results_tabs(
    study: Study,
    query: str,
    measurement: Measurement | None,
    scope: Scope | None,
    current: Block | None = None,
) -> list[Tab]:
    """Headline first; each other tab leads to the first of its blocks that has numbers."""
    headline = Tab(_("Headline"), reverse("staff_results", args=[study.slug]) + query, current is None)
    others = (
        (label, blocks, _with_numbers(blocks, measurement, scope, current)) for _name, label, blocks in TABS
    )
    return [
        headline,
        *(
            Tab(label, _address(study, there[0], query), current in of)
            for label, of, there in others
            if there
        ),
    ]


def blocks_beside(
    study: Study, query: str, measurement: Measurement | None, scope: Scope | None, current: Block
) -> list[Tab]:
    """The blocks with numbers of the tab that holds this one."""
    blocks = next(blocks for _name, _label, blocks in TABS if current in blocks)
    there = _with_numbers(blocks, measurement, scope, current)
    return [Tab(block_title(block), _address(study, block, query), block == current) for block in there]


def why_without_numbers(study: Study, block: Block, sentence: str) -> str:
    """The stored sentence; one for all that a study without an item bank cannot have."""
    return str(NO_ITEM_BANK) if study.item_bank_id is None and block in OF_ABILITY else sentence


def blocks_absent(study: Study, measurement: Measurement, scope: Scope) -> dict[str, list[Text]]:
    """What has no numbers in these results, under the sentence that says why; a benchmark only where the
    study is one.
    """
    absent: dict[str, list[Text]] = {}
    for _name, _label, blocks in TABS:
        for block in blocks:
            ended = measurement.ended(scope).get(block, {})
            template = str(ended.get("template", ""))
            if template and block != Block.BENCHMARK and ended["state"] != "computed":
                why = why_without_numbers(study, block, plain_reason(ended))
                absent.setdefault(why, []).append(block_title(block))
    return absent


def _with_numbers(
    blocks: Sequence[Block], measurement: Measurement | None, scope: Scope | None, current: Block | None
) -> list[Block]:
    """All of them before anything is measured; the one that is shown in any case."""
    ended = measurement.ended(scope) if measurement and scope else {}
    computed = {block for block, how in ended.items() if how["state"] == "computed"}
    return [block for block in blocks if not ended or block == current or block in computed]


def _address(study: Study, block: Block, query: str) -> str:
    return reverse("staff_measurement", args=[study.slug, block]) + query
