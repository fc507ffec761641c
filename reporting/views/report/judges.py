"""What a report says of the judge: how far judges agree, and what an audit by people found."""

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _, ngettext

from judging.selectors.audits import study_samples
from presentation.columns import ABSENT
from presentation.numbers import Text, counted
from presentation.tables import Table
from psychometrics.inference.measure import Scope
from reporting.report.parts import Heading, Paragraph, Part, Tone
from reporting.views.agreement.pairs import PairShown, StatisticShown
from reporting.views.agreement.tables import PanelShown, panels_shown
from reporting.views.agreement.theta import ThetaShown
from reporting.views.audits.tables import JudgeShown, judges_shown
from reporting.views.report.sections import public_sentence
from scoring.selectors.agreements import panels as judges_of, study_agreements
from scoring.selectors.audit_results import audit_result
from studies.models import Study


def judge_parts(study: Study, scope: Scope) -> Iterator[Part]:
    """What is stored of agreement and audit in this scope."""
    yield Heading(_("Agreement of judges"))
    panels = panels_shown(study_agreements(study).filter(scope=scope))
    if panels and scope == Scope.PUBLIC:
        yield Paragraph(public_sentence())
    if not panels:
        yield Paragraph(no_agreement_sentence(study))
    for panel in panels:
        yield from panel_parts(panel)
    yield from audit_parts(study, scope)


def no_agreement_sentence(study: Study) -> str:
    """Why nothing is stored of this scope, and what to do where something could be."""
    if judges_of(study):
        return _("Agreement of the judges has not been computed yet: %(command)s computes it.") % {
            "command": f"manage.py judge_agreement {study.slug}"
        }
    return _("One judge has scored the study once, so there is no agreement to report.")


def panel_parts(panel: PanelShown) -> Iterator[Part]:
    """Every pair of judges under one protocol, then all of them together."""
    for pair in panel.pairs:
        yield from pair_parts(pair)
    for alpha in panel.alphas:
        yield statistics_table(_("All judges at once: %(of)s") % {"of": alpha.level}, alpha.statistics)
    if panel.thetas:
        yield thetas_table(panel.thetas)
        yield quasi_table(panel.thetas)


def pair_parts(pair: PairShown) -> Iterator[Part]:
    yield Heading(_("%(x)s and %(y)s") % {"x": pair.x, "y": pair.y}, 2)
    yield Paragraph(_("In the tables x is %(x)s and y is %(y)s.") % {"x": pair.x, "y": pair.y})
    for warning in pair.warnings:
        yield Paragraph(f"{warning.level}: {warning.sentence}", Tone.WARNING)
    for level in (*pair.scores, pair.people):
        caption = _("%(level)s: %(n)s pairs in %(clusters)s clusters") % {
            "level": level.name,
            "n": counted(level.values["n"]),
            "clusters": counted(level.values["clusters"]),
        }
        yield statistics_table(caption, level.statistics)


def statistics_table(caption: str, statistics: Sequence[StatisticShown]) -> Table:
    return Table(
        caption,
        [_("Statistic"), _("Value"), _("95 % interval"), _("In the paper")],
        [
            [
                str(one.name), one.value, interval_or_reason(one.interval, "" if one.is_told else one.reason),
                one.published_value,
            ]
            for one in statistics
        ],
        [f"{one.name}: {one.reason}" for one in statistics if one.is_told],
    )  # fmt: skip


def interval_or_reason(interval: str, reason: Text) -> str:
    """The interval, or why there is none."""
    return str(reason) if interval == ABSENT and reason else interval


def thetas_table(thetas: Sequence[ThetaShown]) -> Table:
    return Table(
        _("Theta under every judge, on the same item bank"),
        [_("Group and judge"), _("People"), "θ", _("θ, pooled"), _("SE"), _("95 % interval"), _("Change")],
        [
            [
                f"{one.group}, {one.judge}", str(one.people), one.theta, one.pooled, one.se, one.interval,
                one.change,
            ]
            for one in thetas
        ],
    )  # fmt: skip


def quasi_table(thetas: Sequence[ThetaShown]) -> Table:
    return Table(
        f"{_('Theta under every judge, on the same item bank')}: {_('theta_QL')}",
        [_("Group and judge"), _("theta_QL"), _("SE"), _("95 % interval"), _("Change of theta_QL")],
        [
            [
                f"{one.group}, {one.judge}", one.quasi, one.quasi_se,
                interval_or_reason(one.quasi_interval, one.quasi_reason), one.quasi_change,
            ]
            for one in thetas
        ],
    )  # fmt: skip


def audit_parts(study: Study, scope: Scope) -> Iterator[Part]:
    """The newest sample of which people have rated anything in this scope."""
    yield Heading(_("Audit of the judge by people"))
    for sample in study_samples(study):
        result = audit_result(sample, scope)
        if result.rated:
            if scope == Scope.PUBLIC:
                yield Paragraph(
                    _(
                        "Only verdicts on public prompts count here: those drawn of private prompts are left "
                        "out like those of people who withdrew, so that each number can be computed again "
                        "from the public export."
                    )
                )
            yield Paragraph(
                ngettext(
                    "%(rated)d of %(drawn)d drawn verdicts are rated, by %(raters)d person.",
                    "%(rated)d of %(drawn)d drawn verdicts are rated, by %(raters)d people.",
                    result.raters,
                )
                % {"rated": result.rated, "drawn": result.drawn, "raters": result.raters}
            )
            for judge in judges_shown(result):
                yield audited_table(judge)
            return
    yield Paragraph(_("No verdict of the judge has been rated by people yet."))


def audited_table(judge: JudgeShown) -> Table:
    return Table(
        _("%(judge)s beside people: %(pairs)d pairs") % {"judge": judge.name, "pairs": judge.pairs},
        [_("Statistic"), _("Weighted to all verdicts"), _("95 % interval"), _("In the sample")],
        [
            [
                str(one.name), one.weighted.value,
                interval_or_reason(one.weighted.interval, one.weighted.reason), one.sample.value,
            ]
            for one in judge.statistics
        ],
    )  # fmt: skip
