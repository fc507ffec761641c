"""What the methods of a report come from."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from psychometrics.inference.measure import Block
from reporting.report.parts import Facts, Heading, Part
from reporting.selectors.report_records import StudyRecords
from studies.protocol.judge_kinds import JUDGE_KINDS

GIM = (
    "Patel, Rezende and McClain. GIM: Evaluating models via tasks that integrate multiple cognitive domains. "
    "2026: section 4, appendices D.8, G and I."
)
BBEH = "Kazemi et al. BIG-Bench Extra Hard. 2025, arXiv 2502.19187: section 4."
BBH = (
    "Suzgun et al. Challenging BIG-Bench Tasks and Whether Chain-of-Thought Can Solve Them. 2022, arXiv "
    "2210.09261."
)
CHECKLIST = "Wei et al. 2025, arXiv 2506.13776: appendix B."


def reference_parts(records: StudyRecords) -> Iterator[Part]:
    yield Heading(_("References"))
    yield Facts(_("What the methods come from"), list(_references(records)))


def _references(records: StudyRecords) -> Iterator[tuple[str, str]]:
    """Of what this report uses, in the order in which it does."""
    if records.study.item_bank:
        yield _("Design of the pilot, scale and ability"), GIM
        yield (
            _("Ability on the QL scale"),
            "Papke and Wooldridge. Journal of Applied Econometrics 11 (1996), 619–632.",
        )
    if records.computed(Block.BENCHMARK):
        yield _("Accuracy per task and its summaries"), f"{BBEH} {BBH}"
    yield (
        _("Intervals by people and question sets"),
        "Bell and McCaffrey. Survey Methodology 28 (2002), 169–181. Cameron, Gelbach and Miller. Journal of "
        "Business & Economic Statistics 29 (2011), 238–249.",
    )
    if records.computed(Block.TOP):
        yield (
            _("Top, free of the choice"),
            "Chernozhukov et al. The Econometrics Journal 21 (2018), C1–C68, for cross-fitting.",
        )
    if records.compared:
        yield _("Several comparisons at once"), "Holm. Scandinavian Journal of Statistics 6 (1979), 65–70."
    if records.computed(Block.EXCLUSIONS):
        yield (
            _("Analysis choices"),
            "Del Giudice and Gangestad. Advances in Methods and Practices in Psychological Science 4 (2021).",
        )
    if JUDGE_KINDS[records.protocol.judge_kind].needs_audit:
        yield (
            _("Agreement of judge and people"),
            "Cohen. Educational and Psychological Measurement 20 (1960), 37–46.",
        )
    yield _("Human-baseline checklist"), CHECKLIST
