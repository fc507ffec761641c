"""Protocols that compare arms."""

from studies.protocol.settings import PILOT_PROFILES

ARMS = (
    {"slug": "human-only", "instructions": "Work **without** any model."},
    {"slug": "centaur", "instructions": "Use every model you like."},
)
INSTRUCTIONS = {
    "human-only": "Work <strong>without</strong> any model.",
    "centaur": "Use every model you like.",
}
ONE_PROFILE = [PILOT_PROFILES[1].model_dump()]
