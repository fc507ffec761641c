"""What became of the places of a cohort, and whether Top left more of them than others.

An answer is *absent* where the person gave none that counts: skipped, not reached or not submitted. An answer
without a valid verdict is *unscored*: that is the judge's doing and is kept apart. Theta leaves out both.

Which answers are absent is told by a logistic regression on difficulty, position and modality:

    logit Pr(absent_ij) = c + beta_b b_j + beta_position position_ij + gamma_modality(j)

over all places on prompts with item parameters; unscored answers are there, so they are not absent. Errors
are clustered by person. The most frequent modality is what others are compared with. A modality in which all
or no answers are absent has no finite odds ratio; its places say nothing about the others and are left out.
Exponentials of the coefficients are odds ratios: per logit of difficulty, per place further back.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import bdtrc

from psychometrics.agreement.coefficients import ratio
from psychometrics.data.cohort import Cohort, Mask
from psychometrics.data.places import ABSENT, Outcome
from psychometrics.inference.clusters import Array, Codes
from psychometrics.inference.estimates import Estimate, Reason, unknown
from psychometrics.inference.logistic import logistic_regression
from psychometrics.inference.measure import plain

NUMERIC = ("b", "position")


def is_absent(cohort: Cohort) -> Mask:
    """(n,): the person gave no answer that counts."""
    return np.isin(cohort.outcome, [str(outcome) for outcome in ABSENT])


def outcome_counts(cohort: Cohort) -> Mapping[Outcome, int]:
    """Places by what became of them, in the order of `Outcome`."""
    return {outcome: int((cohort.outcome == str(outcome)).sum()) for outcome in Outcome}


def answered_shares(cohort: Cohort) -> Array:
    """Share of each person's places with an answer, judged or not, shape (P,); NaN without a place."""
    number = len(cohort.people)
    places = np.bincount(cohort.person, minlength=number).astype(np.float64)
    answered = np.bincount(cohort.person[~is_absent(cohort)], minlength=number).astype(np.float64)
    return ratio(answered, places)


@dataclass(frozen=True)
class AbsenceTest:
    """One-sided test that a part leaves more places than the whole does; `p` is its probability."""

    absent: int
    places: int
    share_of_whole: float
    p: Estimate


def absence_test(part: Cohort, whole: Cohort) -> AbsenceTest:
    """Pr(X >= absent of the part), X binomial with the share of the whole.

    The whole includes the part, and absences of one person are taken as independent: of people who skip in
    runs, the test finds a difference too easily. Read it as a hint.
    """
    absent, places = int(is_absent(part).sum()), len(part)
    share = float(is_absent(whole).mean()) if len(whole) else np.nan
    if places == 0:
        return AbsenceTest(absent, places, share, unknown(Reason.TOO_FEW_PEOPLE))
    if share in {0.0, 1.0}:
        return AbsenceTest(absent, places, share, unknown(Reason.NO_VARIATION))
    return AbsenceTest(absent, places, share, plain(float(bdtrc(absent - 1, places, share))))


@dataclass(frozen=True)
class OddsRatio:
    """How the odds of being absent change with one term; `log_odds` has the coefficient and its error."""

    term: str
    ratio: Estimate
    log_odds: Estimate
    n: int
    clusters: int
    compared_with: str = ""


def missing_model(cohort: Cohort) -> Iterator[OddsRatio]:
    """An odds ratio for b, position and each modality but the most frequent one."""
    kept = cohort.known[cohort.prompt]
    absent = is_absent(cohort)[kept].astype(np.float64)
    named = np.array([prompt.modality for prompt in cohort.prompts], dtype=np.str_)
    modality = named[cohort.prompt[kept]]
    # Compared with the most frequent modality of which some but not all are absent.
    names, codes, counts = np.unique(modality, return_inverse=True, return_counts=True)
    missing = np.bincount(codes, absent, minlength=len(names))
    levels = {str(name): bool(0 < k < n) for name, k, n in zip(names, missing, counts, strict=True)}
    order = sorted(range(len(names)), key=lambda at: (not levels[str(names[at])], -counts[at], names[at]))
    reference = str(names[order[0]]) if order else ""
    levels.pop(reference, None)
    used: Mask = np.isin(modality, [reference, *(name for name, varies in levels.items() if varies)])
    columns = {"b": cohort.b[cohort.prompt[kept]], "position": cohort.position[kept].astype(np.float64)}
    columns |= {
        f"modality:{name}": (modality == name).astype(np.float64) for name, varies in levels.items() if varies
    }
    yield from _odds_ratios(
        {name: column[used] for name, column in columns.items()}, absent[used], cohort.person[kept][used],
        reference,
    )  # fmt: skip
    alone = unknown(Reason.SEPARATED)
    for name in (name for name, varies in levels.items() if not varies):
        yield OddsRatio(f"modality:{name}", alone, alone, int((modality == name).sum()), 0, reference)


def _odds_ratios(
    columns: dict[str, Array], absent: Array, person: Codes, reference: str
) -> Iterator[OddsRatio]:
    varying = [name for name, column in columns.items() if len(column) and np.ptp(column) > 0]
    x = np.stack([np.ones(len(absent)), *(columns[name] for name in varying)], axis=1)
    regression = logistic_regression(x, absent, person)
    at = dict(zip(varying, regression.coefficients[1:], strict=True))
    for name in columns:
        log_odds = at.get(name, unknown(Reason.NO_VARIATION))
        compared = "" if name in NUMERIC else reference
        # The odds ratio with its interval; its error by the delta method.
        odds = float(np.exp(min(log_odds.value, 700.0)))
        low, high = float(np.exp(log_odds.low)), float(np.exp(min(log_odds.high, 700.0)))
        odds_ratio = Estimate(odds, odds * log_odds.se, low, high, log_odds.reason)
        yield OddsRatio(name, odds_ratio, log_odds, regression.n, regression.clusters, compared)
