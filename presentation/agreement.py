"""Agreement in words: what each statistic is called and means, and what is warned about."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Protocol

from django.utils.translation import gettext as _, gettext_lazy, ngettext

from presentation.absence import why_absent
from presentation.numbers import Text, decimals
from psychometrics.agreement.reference import Level
from psychometrics.agreement.warnings import WarningCode


@dataclass(frozen=True)
class StatisticText:
    """What a statistic is called, and what it means in one sentence."""

    name: Text
    sentence: Text


# In the order of a table: how alike the scores are, how they differ, and what both call met.
STATISTIC_TEXTS: Mapping[str, StatisticText] = MappingProxyType(
    {
        "pearson": StatisticText(
            gettext_lazy("Pearson's r"),
            gettext_lazy("How well the scores of one judge follow those of the other on a straight line."),
        ),
        "spearman": StatisticText(
            gettext_lazy("Spearman's ρ"),
            gettext_lazy("The same for ranks: whether both judges put the scores in the same order."),
        ),
        "alpha_interval": StatisticText(
            gettext_lazy("Krippendorff's α (scores)"),
            gettext_lazy(
                "Agreement beyond chance with the size of the differences counted: 1 is full agreement, 0 is "
                "what chance gives."
            ),
        ),
        "alpha_nominal": StatisticText(
            gettext_lazy("Krippendorff's α (met or not)"),
            gettext_lazy("The same for scores taken as met (at least 0.5) or not."),
        ),
        "ccc": StatisticText(
            gettext_lazy("Lin's CCC"),
            gettext_lazy("Like r, but a judge that is stricter or spreads its scores less loses by it."),
        ),
        "icc": StatisticText(
            gettext_lazy("ICC(2,1)"),
            gettext_lazy(
                "The share of the scores' variance that is due to what was judged, not to the judge."
            ),
        ),
        "offset": StatisticText(
            gettext_lazy("Offset, y − x"),
            gettext_lazy(
                "How much more the second judge gives on average, in score points; minus is stricter."
            ),
        ),
        "sd_of_differences": StatisticText(
            gettext_lazy("SD of differences"),
            gettext_lazy("How far single differences scatter around the offset."),
        ),
        "lower_limit": StatisticText(
            gettext_lazy("Lower Bland–Altman limit"),
            gettext_lazy("Offset − 1.96 SD: few differences lie below it."),
        ),
        "upper_limit": StatisticText(
            gettext_lazy("Upper Bland–Altman limit"),
            gettext_lazy("Offset + 1.96 SD: few differences lie above it."),
        ),
        "slope": StatisticText(
            gettext_lazy("Slope of difference on mean"),
            gettext_lazy(
                "Whether the offset grows (+) or shrinks (−) from low to high scores; 0 is neither."
            ),
        ),
        "near_exact": StatisticText(
            gettext_lazy("Near-exact agreement"),
            gettext_lazy("The share of pairs less than 0.01 apart."),
        ),
        "same_side": StatisticText(
            gettext_lazy("Same side of 0.5"),
            gettext_lazy("The share of pairs that both judges call met, or both not."),
        ),
        "kappa": StatisticText(
            gettext_lazy("Cohen's κ"),
            gettext_lazy(
                "Agreement on met or not beyond chance; it sinks where nearly everything, or nearly nothing, "
                "is met."
            ),
        ),
        "pabak": StatisticText(
            gettext_lazy("PABAK"),
            gettext_lazy("The same as if met and not met were equally frequent; it does not sink so."),
        ),
        "ac1": StatisticText(
            gettext_lazy("Gwet's AC1"),
            gettext_lazy("Another companion of κ that holds where nearly everything is met."),
        ),
        "met_x": StatisticText(
            gettext_lazy("Met, by x"),
            gettext_lazy("The share of pairs to which the first judge gives at least 0.5."),
        ),
        "met_y": StatisticText(
            gettext_lazy("Met, by y"),
            gettext_lazy("The share of pairs to which the second judge gives at least 0.5."),
        ),
        "partial_x": StatisticText(
            gettext_lazy("Partial scores, by x"),
            gettext_lazy("The share of pairs to which the first judge gives neither 0 nor 1."),
        ),
        "partial_y": StatisticText(
            gettext_lazy("Partial scores, by y"),
            gettext_lazy("The share of pairs to which the second judge gives neither 0 nor 1."),
        ),
        "mean_x": StatisticText(
            gettext_lazy("Mean, by x"),
            gettext_lazy("The first judge's mean score."),
        ),
        "mean_y": StatisticText(
            gettext_lazy("Mean, by y"),
            gettext_lazy("The second judge's mean score."),
        ),
    }
)
THETA_ORDER_TEXT = StatisticText(
    gettext_lazy("Spearman's ρ of single people's theta"),
    gettext_lazy(
        "One batch cannot rank people. Item parameters are those of the study's bank under every judge: a "
        "bank recalibrated under each judge needs the models' answers judged by it."
    ),
)
LEVEL_TEXTS: Mapping[str, Text] = MappingProxyType(
    {
        "criterion": gettext_lazy("Rubric criteria"),
        "answer": gettext_lazy("Answers"),
        "people": gettext_lazy("People's mean scores"),
    }
)
# What the paper reports of thetas and item parameters, by level and statistic.
PUBLISHED_ONLY: Mapping[tuple[Level, str], Text] = MappingProxyType(
    {
        (Level.ABILITY, "pearson"): gettext_lazy("Pearson's r of the thetas"),
        (Level.ABILITY, "spearman"): gettext_lazy("Spearman's ρ of the thetas"),
        (Level.ABILITY, "sd_of_differences"): gettext_lazy("SD of the thetas' differences, logits"),
        (Level.ABILITY, "ratio_of_sds"): gettext_lazy("SD of the thetas by y, in SDs by x"),
        (Level.ABILITY, "ccc"): gettext_lazy("Lin's CCC of the thetas"),
        (Level.ITEM, "pearson_of_difficulty"): gettext_lazy("Pearson's r of the prompts' difficulties"),
        (Level.ITEM, "pearson_of_discrimination"): gettext_lazy("Pearson's r of their discriminations"),
    }
)
THETA_SUBJECTS: Mapping[str, Text] = MappingProxyType(
    {
        "average": gettext_lazy("Average (by prompt means)"),
        "average_pool": gettext_lazy("Average (pooled)"),
        "top": gettext_lazy("Top (in-sample, by prompt means)"),
        "top_pool": gettext_lazy("Top (in-sample, pooled)"),
    }
)


class ScoringRun(Protocol):
    """What a judge's run is named by."""

    @property
    def config(self) -> Any: ...
    @property
    def judge_kind(self) -> str: ...
    @property
    def judge(self) -> Mapping[str, Any]: ...
    @property
    def replicate(self) -> int: ...


def judge_name(run: ScoringRun) -> str:
    """The judge, with what tells its runs apart: several criteria a call, and which time it was asked."""
    name = run.config.slug if run.config else run.judge_kind
    per_call = run.judge.get("criteria_per_call", 1)
    if per_call > 1:
        name = _("%(judge)s, %(number)d criteria a call") % {"judge": name, "number": per_call}
    if run.replicate > 1:
        name = _("%(judge)s, replicate %(number)d") % {"judge": name, "number": run.replicate}
    return name


def warning_text(warning: Mapping[str, Any]) -> str:
    """A stored warning as a sentence with its number and its threshold."""
    facts = {
        "value": decimals(warning["value"], 3),
        "threshold": decimals(warning["threshold"], 2),
        "subject": subject_text(warning["subject"]),
        "reason": why_absent(warning["reason"]),
    }
    match warning["code"]:
        case WarningCode.ALPHA_LOW:
            return (
                _("Krippendorff's α is %(value)s, below %(threshold)s: conclusions may hang on the judge.")
                % facts
            )
        case WarningCode.OFFSET_LARGE:
            return (
                _("The judges are %(value)s score points apart on average, more than %(threshold)s.") % facts
            )
        case WarningCode.KAPPA_LOW:
            return _("Cohen's κ is %(value)s, below %(threshold)s: they often differ on met or not.") % facts
        case WarningCode.THETA_MOVED:
            return _(
                "Theta of %(subject)s changes by %(value)s cluster standard errors with the judge, more than "
                "%(threshold)s."
            ) % {
                **facts,
                "value": decimals(warning["value"], 2),
                "threshold": decimals(warning["threshold"], 0),
            }
        case WarningCode.FEW_CLUSTERS:
            return few_clusters(warning)
    if facts["reason"]:
        return _("%(subject)s could not be measured (%(reason)s).") % facts
    return _("%(subject)s could not be measured.") % facts


def few_clusters(warning: Mapping[str, Any]) -> str:
    number = int(warning["value"])
    return ngettext(
        "The scores come from only %(number)d independent source; below %(threshold)d the intervals are too "
        "narrow.",
        "The scores come from only %(number)d independent sources; below %(threshold)d the intervals are too "
        "narrow.",
        number,
    ) % {"number": number, "threshold": int(warning["threshold"])}


def judges_sentence(scored: Sequence[Mapping[str, Any]]) -> str:
    """How many models the study's own judge has scored, as far as the details of their thetas say."""
    same = [details["same_judge"] for details in scored]
    return _(
        "Models scored by the judge of the people (%(judge)s): %(same)d; by another: %(other)d; without a "
        "judge's name: %(unknown)d. Where the judge or its texts differ, a difference can be one of judges."
    ) % {
        "judge": scored[0]["study_judge"],
        "same": same.count(True),
        "other": same.count(False),
        "unknown": same.count(None),
    }


def subject_text(subject: str) -> Text:
    if subject in STATISTIC_TEXTS:
        return STATISTIC_TEXTS[subject].name
    return THETA_SUBJECTS.get(subject, subject)
