"""The GIM paper's check of its judge, to be read beside one's own figures.

Judge x is the paper's default judge (Gemini 3 Flash), judge y an independent one (GPT 5.4); five models,
first epoch, 820 prompts. Differences are y - x, shares are ratios. `statistic` is a field of Agreement where
there is one. Figures that the paper does not print are marked as computed, with how.
"""

from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """What one pair of the comparison is."""

    CRITERION = "criterion"
    PROMPT = "prompt"  # one model's response to one prompt
    ABILITY = "ability"  # one model's theta
    ITEM = "item"  # one prompt's parameter, calibrated under each judge


@dataclass(frozen=True)
class ReferenceFigure:
    """A figure of the paper or, where `computed`, one that follows from its figures as `source` says."""

    level: Level
    statistic: str
    value: float
    n: int
    source: str
    computed: bool = False


@dataclass(frozen=True)
class PublishedAbility:
    """A row of the paper's Table 3: theta of one model under each judge, in logits."""

    model: str
    theta_x: float
    theta_y: float


CRITERIA, RESPONSES, MODELS, PROMPTS = 18_395, 3_865, 5, 820

_F2 = "GIM paper, F.2"
_F3 = "GIM paper, F.3"
_F4 = "GIM paper, F.4, number of prompts by F.1"
_F5 = "GIM paper, F.5"
_LIMITS = "offset ± 1.96 sd of differences (GIM paper, F.3)"
_EQUAL_SPREAD = "from r, offset and sd of differences (GIM paper, F.3), if both judges spread scores alike"
_TABLE_3 = "from the five pairs of GIM paper, Table 3"

REFERENCE_FIGURES: tuple[ReferenceFigure, ...] = (
    ReferenceFigure(Level.CRITERION, "pearson", 0.845, CRITERIA, _F2),
    ReferenceFigure(Level.CRITERION, "kappa", 0.815, CRITERIA, _F2),
    ReferenceFigure(Level.CRITERION, "near_exact", 0.856, CRITERIA, _F2),
    ReferenceFigure(Level.CRITERION, "partial_x", 0.042, CRITERIA, _F2),
    ReferenceFigure(Level.CRITERION, "partial_y", 0.106, CRITERIA, _F2),
    ReferenceFigure(Level.PROMPT, "pearson", 0.922, RESPONSES, _F3),
    ReferenceFigure(Level.PROMPT, "same_side", 0.931, RESPONSES, f"{_F3}, its directional agreement"),
    ReferenceFigure(Level.PROMPT, "offset", -0.045, RESPONSES, _F3),
    ReferenceFigure(Level.PROMPT, "sd_of_differences", 0.154, RESPONSES, _F3),
    ReferenceFigure(Level.PROMPT, "lower_limit", -0.347, RESPONSES, _LIMITS, computed=True),
    ReferenceFigure(Level.PROMPT, "upper_limit", 0.257, RESPONSES, _LIMITS, computed=True),
    ReferenceFigure(Level.PROMPT, "ccc", 0.916, RESPONSES, _EQUAL_SPREAD, computed=True),
    ReferenceFigure(Level.PROMPT, "alpha_interval", 0.916, RESPONSES, _EQUAL_SPREAD, computed=True),
    ReferenceFigure(Level.ABILITY, "pearson", 0.987, MODELS, _F5),
    ReferenceFigure(Level.ABILITY, "spearman", 0.900, MODELS, _F5),
    ReferenceFigure(Level.ABILITY, "sd_of_differences", 0.198, MODELS, _TABLE_3, computed=True),
    ReferenceFigure(Level.ABILITY, "ratio_of_sds", 0.81, MODELS, _TABLE_3, computed=True),
    ReferenceFigure(Level.ABILITY, "ccc", 0.966, MODELS, _TABLE_3, computed=True),
    ReferenceFigure(Level.ITEM, "pearson_of_difficulty", 0.910, PROMPTS, _F4),
    ReferenceFigure(Level.ITEM, "pearson_of_discrimination", 0.892, PROMPTS, _F4),
)

PUBLISHED_ABILITIES: tuple[PublishedAbility, ...] = (
    PublishedAbility("Gemini 3.1 Pro / High", 0.854, 0.628),
    PublishedAbility("GPT 5.4 / High", 0.487, 0.445),
    PublishedAbility("Muse Spark / X-High", 0.441, 0.374),
    PublishedAbility("Claude 4.6 Opus / High", -0.822, -0.815),
    PublishedAbility("Gemini 3.1 FL / High", -0.960, -0.645),
)


def reference_figures(level: Level) -> dict[str, ReferenceFigure]:
    """The figures of one level by the name of their statistic."""
    return {figure.statistic: figure for figure in REFERENCE_FIGURES if figure.level is level}
