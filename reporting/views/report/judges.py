"""What a report says of the judge: how far judges agree, and what an audit by people found."""

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _, gettext_lazy, ngettext

from judging.selectors.audits import study_samples
from presentation.catalogue import QL_ABILITY
from presentation.numbers import Text, counted, numbered
from presentation.tables import ABSENT, Table, Term, table_of
from psychometrics.inference.measure import Scope
from reporting.report.parts import Heading, Paragraph, Part, Tone
from reporting.views.agreement.pairs import StatisticShown
from reporting.views.agreement.tables import ThetaShown, panels_shown
from reporting.views.audits.tables import JudgeShown, judges_shown
from scoring.selectors.audit_results import audit_result
from scoring.selectors.judges import panels as judges_of, study_agreements
from studies.models import Study

# What stands above the numbers on judges of a study that asked private prompts.
PUBLIC_ONLY = gettext_lazy(
    "These numbers rest on the answers to public questions alone, by which Top is chosen as well, so that "
    "each can be computed again from the public export."
)


def judge_parts(study: Study, scope: Scope) -> Iterator[Part]:
    """What is stored of agreement and audit in this scope."""
    yield Heading(_("Agreement of judges"))
    panels = panels_shown(study_agreements(study).filter(scope=scope))
    if panels and scope == Scope.PUBLIC:
        yield Paragraph(str(PUBLIC_ONLY))
    if not panels:
        text = _("One judge has scored the study once, so there is no agreement to report.")
        if judges_of(study):
            text = _(
                "Agreement of the judges has not been computed yet: it is when the results are recomputed."
            )
        yield Paragraph(text)
    for panel in panels:
        for pair in panel.pairs:
            yield Heading(_("%(x)s and %(y)s") % {"x": pair.x, "y": pair.y}, 2)
            yield Paragraph(_("In the tables x is %(x)s and y is %(y)s.") % {"x": pair.x, "y": pair.y})
            for warning in pair.warnings:
                yield Paragraph(f"{warning.level}: {warning.sentence}", Tone.WARNING)
            for level in (*pair.scores, pair.people):
                pairs, clusters = level.values["n"], level.values["clusters"]
                answers = ngettext("%(number)d scored answer", "%(number)d scored answers", pairs)
                within = ngettext("in %(number)d cluster", "in %(number)d clusters", clusters)
                rests_on = f"{numbered(answers, {'number': pairs})} {numbered(within, {'number': clusters})}"
                yield _statistics_table(f"{level.name}: {rests_on}", level.statistics)
        for alpha in panel.alphas:
            yield _statistics_table(_("All judges at once: %(of)s") % {"of": alpha.level}, alpha.statistics)
        if panel.thetas:
            yield from _thetas_tables(panel.thetas)
    yield from _audit_parts(study, scope)


def _statistics_table(caption: str, statistics: Sequence[StatisticShown]) -> Table:
    return table_of(
        caption,
        statistics,
        (
            (_("Statistic"), lambda statistic: statistic.name),
            (_("Value"), lambda statistic: statistic.value),
            (
                _("95 % interval"),
                lambda statistic: _interval(
                    statistic.interval, "" if statistic.is_told else statistic.reason
                ),
            ),
            (_("In the paper"), lambda statistic: statistic.published_value),
        ),
        [f"{statistic.name}: {statistic.reason}" for statistic in statistics if statistic.is_told],
    )


def _interval(interval: str, reason: Text) -> Text:
    """The interval, or why there is none."""
    return reason if interval == ABSENT and reason else interval


def _thetas_tables(thetas: Sequence[ThetaShown]) -> Iterator[Table]:
    """By the pooled pairs and by prompt means; then by theta_QL."""
    caption = _("Ability under every judge, on the same item bank")
    yield table_of(
        caption,
        thetas,
        (
            (_("Group and judge"), _group_and_judge),
            (_("People"), lambda theta: counted(theta.people)),
            ("θ", lambda theta: theta.theta),
            (_("θ, pooled"), lambda theta: theta.pooled.value),
            (_("SE"), lambda theta: theta.pooled.se),
            (_("95 % interval"), lambda theta: theta.pooled.interval),
            (_("Change"), lambda theta: theta.change.value),
        ),
    )
    yield table_of(
        f"{caption}: {_('ability on the QL scale')}",
        thetas,
        (
            (_("Group and judge"), _group_and_judge),
            (QL_ABILITY, lambda theta: theta.quasi.value),
            (_("SE"), lambda theta: theta.quasi.se),
            (_("95 % interval"), lambda theta: _interval(theta.quasi.interval, theta.quasi.reason)),
            (
                Term(_("Change of ability on the QL scale"), _("Change of theta_QL")),
                lambda theta: theta.quasi_change.value,
            ),
        ),
    )


def _group_and_judge(theta: ThetaShown) -> str:
    return f"{theta.group}, {theta.judge}"


def _audit_parts(study: Study, scope: Scope) -> Iterator[Part]:
    """The newest sample of which people have rated anything in this scope."""
    yield Heading(_("Audit of the judge by people"))
    for sample in study_samples(study):
        result = audit_result(sample, scope)
        if result.rated:
            if scope == Scope.PUBLIC:
                yield Paragraph(
                    _(
                        "Only verdicts on public questions count here: those drawn of private questions "
                        "are left out like those of people who withdrew, so that each number can be "
                        "computed again from the public export."
                    )
                )
            yield Paragraph(
                numbered(
                    _("Drawn verdicts that are rated: %(rated)d of %(drawn)d; people who rated: %(raters)d."),
                    {"rated": result.rated, "drawn": result.drawn, "raters": result.raters},
                )
            )
            if not result.is_current:
                yield Paragraph(
                    _(
                        "Ratings or scores are newer than what follows, which is computed again before a "
                        "report or an export is made."
                    ),
                    Tone.WARNING,
                )
            for judge in judges_shown(result):
                yield _audited_table(judge)
            return
    yield Paragraph(_("No verdict of the judge has been rated by people yet."))


def _audited_table(judge: JudgeShown) -> Table:
    return table_of(
        numbered(
            ngettext(
                "%(judge)s beside people: %(pairs)d scored answer",
                "%(judge)s beside people: %(pairs)d scored answers",
                judge.pairs,
            ),
            {"judge": judge.name, "pairs": judge.pairs},
        ),
        judge.statistics,
        (
            (_("Statistic"), lambda statistic: statistic.name),
            (_("Weighted to all verdicts"), lambda statistic: statistic.weighted.value),
            (
                _("95 % interval"),
                lambda statistic: _interval(statistic.weighted.interval, statistic.weighted.reason),
            ),
            (_("In the sample"), lambda statistic: statistic.sample.value),
        ),
    )
