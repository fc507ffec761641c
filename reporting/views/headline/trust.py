"""Whether the numbers can be trusted: four checks, each in a few words with the way to all of it."""

import math
from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext as _, ngettext

from judging.selectors.audits import newest_rater_agreement
from presentation.numbers import counted, decimals, percent, span
from psychometrics.inference.measure import Block, Scope
from reporting.selectors.headline import AVERAGE, NO_SCORES, Headline
from studies.models import Study
from studies.protocol.judge_kinds import JUDGE_KINDS

GOOD, WARN, UNKNOWN = "good", "warn", ""
ENOUGH_KAPPA = 0.6  # below it conclusions may hang on the judge
LITTLE_RANGE = 1.0  # standard errors by people that choices may move Average by


@dataclass(frozen=True)
class Check:
    """`state` is how it looks: good, warn, or nothing where there is no verdict; `term` the exact name."""

    label: str
    state: str
    text: str
    address: str
    term: str


def checks(study: Study, headline: Headline, query: str) -> list[Check]:
    """What of it applies to this study. One query."""
    every = [_missing(study, headline, query)]
    if headline.ability is not None:
        every = [_off_task(study, headline, query), *every, _unequal(study, headline, query)]
    every.append(_judge(study, headline.report.scope, query))
    return every


def _address(study: Study, block: Block, query: str) -> str:
    return reverse("staff_measurement", args=[study.slug, block]) + query


def _off_task(study: Study, headline: Headline, query: str) -> Check:
    low, high, ratio = (
        headline.get(name, AVERAGE, NO_SCORES)
        for name in ("multiverse.low", "multiverse.high", "multiverse.range_in_se")
    )
    state, text = UNKNOWN, _("not computed")
    if low is not None and high is not None and low.value is not None and high.value is not None:
        little = ratio is not None and ratio.value is not None and ratio.value <= LITTLE_RANGE
        state = GOOD if little else WARN
        text = _("%(ends)s; choices: %(number)s") % {
            "ends": span(low.value, high.value),
            "number": counted(low.n),
        }
    term = _("Average under every declared rule of exclusion that looks at no score (multiverse)")
    return Check(_("Off-task rules"), state, text, _address(study, Block.EXCLUSIONS, query), term)


def _missing(study: Study, headline: Headline, query: str) -> Check:
    scored = headline.get("share.scored", AVERAGE)
    low, high = (
        headline.get(f"missing.theta.{headline.scale}", AVERAGE, f"bound:{end}") for end in ("low", "high")
    )
    state, text = UNKNOWN, _("not computed")
    if scored is not None and scored.value is not None:
        text = percent(1 - scored.value)
        if low is not None and high is not None and low.value is not None and high.value is not None:
            text = _("%(share)s, bounds %(ends)s") % {"share": text, "ends": span(low.value, high.value)}
            ends = headline.interval
            state = GOOD if ends and ends[0] <= low.value and high.value <= ends[1] else WARN
        elif scored.value == 1:
            state = GOOD
    term = _("Places without a score, and where Average lies whatever they would have scored")
    return Check(_("Missing answers"), state, text, _address(study, Block.MISSING, query), term)


def _unequal(study: Study, headline: Headline, query: str) -> Check:
    row = headline.get("dif.items_flagged.holm")
    state, text = UNKNOWN, _("not computed")
    if row is not None and row.value is not None:
        flagged = int(row.details.get("flagged", 0))
        state = WARN if flagged else GOOD
        text = ngettext(
            "%(flagged)s of %(number)s question differs",
            "%(flagged)s of %(number)s questions differ",
            row.prompts or 0,
        ) % {"flagged": counted(flagged), "number": counted(row.prompts)}
    elif row is not None:
        text = _("too few answers to tell")
    term = _("Questions that are harder or easier for people than for models (DIF, Holm, 5 %)")
    return Check(_("Unequal questions"), state, text, _address(study, Block.DIF, query), term)


def _judge(study: Study, scope: Scope, query: str) -> Check:
    label = _("Judge and people")
    if not JUDGE_KINDS[study.protocol.judge_kind].needs_audit:
        text = _("no judge: answers are checked by rule")
        term = _("Machine checks and exact matches need no audit")
        return Check(label, GOOD, text, _address(study, Block.JUDGE, query), term)
    audited = newest_rater_agreement(study, scope)
    term = _("Cohen's kappa of the judge and people on the audited verdicts as they were drawn")
    if audited is None:
        return Check(label, WARN, _("not audited yet"), reverse("staff_judging", args=[study.slug]), term)
    address = reverse("staff_audit", args=[study.slug, audited.run])
    if math.isnan(audited.kappa):
        text = _("κ unknown, %(number)s audited") % {"number": counted(audited.rated)}
        return Check(label, WARN, text, address, term)
    state = GOOD if audited.kappa >= ENOUGH_KAPPA else WARN
    text = _("κ %(kappa)s, %(number)s audited") % {
        "kappa": decimals(audited.kappa),
        "number": counted(audited.rated),
    }
    return Check(label, state, text, address, term)
