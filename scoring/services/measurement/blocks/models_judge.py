"""Whether a model's responses were scored by the judge that scored the people."""

from pydantic import JsonValue

from judging.models import ScoringRun
from scoring.models import ModelConfiguration


def judge_facts(configuration: ModelConfiguration, run: ScoringRun) -> dict[str, JsonValue]:
    """Both judges' names; `same_judge` is None where nothing names the model's."""
    names = [run.config.model, run.config.slug] if run.config else [run.judge_kind]
    same = bare(configuration.judge) in map(bare, names) if configuration.judge else None
    return {"judge": configuration.judge, "study_judge": names[0], "same_judge": same}


def bare(name: str) -> str:
    """A model's name without its provider, in small letters."""
    return name.rpartition("/")[2].casefold()
