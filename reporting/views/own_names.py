"""Names and texts that others gave and a page may show within its own words, which no plain word changes.

Of models, judges, prompts, categories, profiles, banks and studies; what the team wrote into the protocol.
"""

from collections.abc import Iterable, Iterator

from presentation.agreement import judge_name
from presentation.plain import names_at_risk
from reporting.selectors.report_records import StudyRecords
from reporting.views.agreement.tables import PanelShown
from scoring.selectors.measures import BlockMeasures
from studies.models import Study
from studies.selectors.names import code_names

GIVEN = ("model", "judge", "study_judge", "source", "compared_with")  # details of a row that are names
CODES = ("category", "profile")
KINDS = (
    "category", "profile", "cell", "subcategory", "label", "modality", "arm", "arms", "judge", "task",
    "model",
)  # fmt: skip


def own_names(*names: Iterable[object]) -> frozenset[str]:
    """Those of all these that hold a term."""
    return names_at_risk({str(name) for some in names for name in some})


def names_of_study(study: Study) -> Iterator[object]:
    """Its own, those of its banks, and those of the codes that its numbers are split by."""
    names = code_names(study)
    yield from (study.name, study.slug, study.bank_version, study.item_bank or "", *study.protocol.arm_slugs)
    yield from (*names.categories, *names.categories.values())
    yield from (*names.profiles, *names.profiles.values())


def names_in(block: BlockMeasures) -> Iterator[object]:
    """As pages write them; the same one may come often."""
    names = block.names
    yield from (*names.categories.values(), *names.profiles.values(), *block.labels, *block.labels.values())
    for row in block.rows:
        yield from (row.details[name] for name in GIVEN if row.details.get(name))
        for kind in CODES:
            if code := row.details.get(kind):
                yield names.part(kind, str(code))
        yield from _names_in_subset(block, row.subset)


def _names_in_subset(block: BlockMeasures, subset: str) -> Iterator[object]:
    """Of "category:QR", or of "profile:stem-phd/category:QR;se.batch"; a name may hold such marks itself."""
    kind, _colon, name = subset.partition(":")
    if kind not in KINDS:
        return
    yield name
    for part in name.partition(";")[0].split("/"):
        own, colon, code = part.rpartition(":")
        yield from (code, block.names.part(own if colon else kind, code))


def names_of_judges(panels: Iterable[PanelShown]) -> Iterator[object]:
    for panel in panels:
        for pair in panel.pairs:
            yield from (pair.x, pair.y)


def names_in_report(records: StudyRecords) -> Iterator[object]:
    """What a report's sentences may hold of what the team wrote."""
    protocol = records.protocol
    yield from names_of_study(records.study)
    yield from (protocol.payment_note.strip(), protocol.allowed_tools.strip())
    for profile in protocol.profiles:
        yield from (profile.name, profile.description)
    for amendment in records.amendments:
        yield amendment.reason
    yield from records.resources
    if records.results:
        yield judge_name(records.results.run)
        yield records.results.run.config.slug if records.results.run.config else ""
    for block in records.blocks.values():
        yield from names_in(block)
