"""Quantiles of Student's t."""

from scipy.special import stdtrit


def t_quantile(probability: float, df: float) -> float:
    """The t that |T| does not exceed with this probability, in (0, 1): 12.706 for 0.95 and one degree."""
    if not 0 < probability < 1 or df < 1:
        raise ValueError(f"no quantile of t for probability {probability} and {df} degrees of freedom")
    return float(stdtrit(df, (1 + probability) / 2))
