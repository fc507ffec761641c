"""Whether a model's responses were scored by the judge that scored the people."""

from collections.abc import Sequence

from formats.canonical import JsonValue
from psychometrics.models.leaderboard import Configuration


def judge_facts(configuration: Configuration, names: Sequence[str]) -> dict[str, JsonValue]:
    """Both judges' names; `same_judge` is None where nothing names the model's."""
    same = bare(configuration.judge) in map(bare, names) if configuration.judge else None
    return {"judge": configuration.judge, "study_judge": names[0], "same_judge": same}


def bare(name: str) -> str:
    """A model's name without its provider, in small letters."""
    return name.rpartition("/")[2].casefold()
