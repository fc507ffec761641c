"""Agreement in words: what each statistic is called and means, and what is warned about."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _, gettext_lazy, ngettext

from presentation.catalogue import label_of
from presentation.measures import why_absent
from presentation.numbers import Text, decimals, numbered
from psychometrics.agreement.reference import Level
from psychometrics.agreement.warnings import WarningCode

# In the order of a table: how alike the scores are, how they differ, and what both call met.
STATISTICS = (
    "pearson", "spearman", "alpha_interval", "alpha_nominal", "ccc", "icc", "offset", "sd_of_differences",
    "lower_limit", "upper_limit", "slope", "near_exact", "same_side", "kappa", "pabak", "ac1", "met_x",
    "met_y", "partial_x", "partial_y", "mean_x", "mean_y",
)  # fmt: skip
LEVEL_TEXTS: Mapping[str, Text] = {
    "criterion": gettext_lazy("Rubric criteria"),
    "answer": gettext_lazy("Answers"),
    "people": gettext_lazy("People's mean scores"),
}
# What the paper reports of thetas and item parameters, by level and statistic.
PUBLISHED_ONLY: Mapping[tuple[Level, str], Text] = {
    (Level.ABILITY, "pearson"): gettext_lazy("Pearson's r of the abilities"),
    (Level.ABILITY, "spearman"): gettext_lazy("Spearman's ρ of the abilities"),
    (Level.ABILITY, "sd_of_differences"): gettext_lazy("SD of the abilities' differences, logits"),
    (Level.ABILITY, "ratio_of_sds"): gettext_lazy("SD of the abilities by y, in SDs by x"),
    (Level.ABILITY, "ccc"): gettext_lazy("Lin's CCC of the abilities"),
    (Level.ITEM, "pearson_of_difficulty"): gettext_lazy("Pearson's r of the questions' difficulties"),
    (Level.ITEM, "pearson_of_discrimination"): gettext_lazy("Pearson's r of their discriminations"),
}
THETA_SUBJECTS: Mapping[str, Text] = {
    "average": gettext_lazy("Average (by question means)"),
    "average_pool": gettext_lazy("Average (pooled)"),
    "top": gettext_lazy("Top (picked by these same scores, by question means)"),
    "top_pool": gettext_lazy("Top (picked by these same scores, pooled)"),
}


WARNINGS: Mapping[str, Text] = {
    WarningCode.ALPHA_LOW.value: gettext_lazy(
        "Krippendorff's α is %(value)s, below %(threshold)s: conclusions may hang on the judge."
    ),
    WarningCode.OFFSET_LARGE.value: gettext_lazy(
        "The judges are %(value)s score points apart on average, more than %(threshold)s."
    ),
    WarningCode.KAPPA_LOW.value: gettext_lazy(
        "Cohen's κ is %(value)s, below %(threshold)s: they often differ on met or not."
    ),
    WarningCode.THETA_MOVED.value: gettext_lazy(
        "Ability of %(subject)s changes by %(value)s cluster standard errors with the judge, more than "
        "%(threshold)s."
    ),
}


def statistic_name(name: str) -> str:
    """What the catalogue calls a statistic of two judges."""
    return label_of(f"agreement.{name}")


def warning_text(warning: Mapping[str, Any]) -> str:
    """A stored warning as a sentence with its number and its threshold."""
    code, subject = warning["code"], warning["subject"]
    if code == WarningCode.FEW_CLUSTERS:
        return few_clusters(warning)
    places, of_threshold = (2, 0) if code == WarningCode.THETA_MOVED else (3, 2)
    facts = {
        "value": decimals(warning["value"], places),
        "threshold": decimals(warning["threshold"], of_threshold),
        "subject": statistic_name(subject) if subject in STATISTICS else THETA_SUBJECTS.get(subject, subject),
        "reason": why_absent(warning["reason"]),
    }
    if code in WARNINGS:
        return str(WARNINGS[code]) % facts
    if facts["reason"]:
        return _("%(subject)s could not be measured (%(reason)s).") % facts
    return _("%(subject)s could not be measured.") % facts


def few_clusters(warning: Mapping[str, Any]) -> str:
    """That intervals rest on too few independent sources."""
    number = int(warning["value"])
    return numbered(
        ngettext(
            "The scores come from only %(number)d independent source; below %(threshold)d the intervals "
            "are too narrow.",
            "The scores come from only %(number)d independent sources; below %(threshold)d the intervals "
            "are too narrow.",
            number,
        ),
        {"number": number, "threshold": int(warning["threshold"])},
    )


def judges_sentence(scored: Sequence[Mapping[str, Any]]) -> str:
    """How many models the study's own judge has scored, as far as the details of their thetas say."""
    same = [details["same_judge"] for details in scored]
    return numbered(
        _(
            "Models scored by the judge of the people (%(judge)s): %(same)d; by another: %(other)d; "
            "without a "
            "judge's name: %(unknown)d. Where the judge or its texts differ, a difference can be one of "
            "judges."
        ),
        {
            "judge": scored[0]["study_judge"],
            "same": same.count(True),
            "other": same.count(False),
            "unknown": same.count(None),
        },
    )
