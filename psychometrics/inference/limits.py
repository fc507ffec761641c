"""How few is too few: below these limits a number is not told, or not without a word beside it."""

from psychometrics.inference.estimates import Reason

MIN_PEOPLE = MIN_PROMPTS = 2
MIN_PRIVATE = 3
WITHHELD = frozenset(
    {Reason.TOO_FEW_PEOPLE, Reason.TOO_FEW_PROMPTS, Reason.TOO_FEW_PRIVATE, Reason.COMPLEMENT}
)
FEW_CLUSTERS = 15  # below, how wide intervals by clusters come out is largely chance
FEW_BATCHES = 8  # below, the two-way error stands beside the one by batch
MIN_QUESTIONS = 20  # per task; below, a harmonic mean is shown beside models at the same number only


def few_private(number: int) -> bool:
    """Whether so many private prompts would be told of: none is told of nobody's, three are an aggregate."""
    return 0 < number < MIN_PRIVATE
