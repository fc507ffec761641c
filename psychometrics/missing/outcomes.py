"""What became of the places of a cohort, and whether Top left more of them than others.

An answer is *absent* where the person gave none that counts: skipped, not reached or not submitted. An answer
without a valid verdict is *unscored*: that is the judge's doing and is kept apart. Theta leaves out both.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import bdtrc

from psychometrics.data.cohort import Cohort, Mask, Outcome
from psychometrics.inference.clusters import Array
from psychometrics.inference.estimates import Estimate, Reason, unknown
from psychometrics.inference.measure import plain

ABSENT = (Outcome.SKIPPED, Outcome.NOT_REACHED, Outcome.NOT_SUBMITTED)


def is_absent(cohort: Cohort) -> Mask:
    """(n,): the person gave no answer that counts."""
    return np.isin(cohort.outcome, [str(one) for one in ABSENT])


def outcome_counts(cohort: Cohort) -> Mapping[Outcome, int]:
    """Places by what became of them, in the order of `Outcome`."""
    return {outcome: int((cohort.outcome == str(outcome)).sum()) for outcome in Outcome}


def answered_shares(cohort: Cohort) -> Array:
    """Share of each person's places with an answer, judged or not, shape (P,); NaN without a place."""
    number = len(cohort.people)
    places = np.bincount(cohort.person, minlength=number).astype(np.float64)
    answered = np.bincount(cohort.person[~is_absent(cohort)], minlength=number)
    shares: Array = np.divide(answered, places, out=np.full(number, np.nan), where=places > 0)
    return shares


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
