"""Results of models as they are read from files: scores of single responses, or only a published theta."""

import math
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import AfterValidator, Field, ValidationError
from pydantic_core import PydanticCustomError

from formats.problems import Problem, grouped
from formats.sentences import error_sentence, field_path
from formats.texts import FilledText

SCORE_COLUMNS = ("model", "question", "score", "epoch")  # of a table of scores
MAX_NAME_CHARACTERS = 190  # "model:" before it fits into the subset of a measure
MAX_SOURCE_CHARACTERS = 300
MAX_FAMILY_CHARACTERS = 100
MAX_JUDGE_CHARACTERS = 200
MAX_EPOCH = 1_000_000
MAX_RESPONSES = 5_000_000
MAX_EPOCHS = 256  # of one model; the scores of all models are held as prompts x epochs
MAX_PROBLEMS = 1_000


def at_most(characters: int) -> AfterValidator:
    """Refuse longer texts. A pydantic `max_length` behind other validators would speak of "items"."""

    def checked(text: str) -> str:
        if len(text) > characters:
            raise PydanticCustomError(
                "string_too_long", "at most {max_length} characters", {"max_length": characters}
            )
        return text

    return AfterValidator(checked)


def control_fault(text: str) -> str | None:
    """What keeps a text from being printed in a line of a figure or a terminal, in words, or None."""
    for character in text:
        if unicodedata.category(character) in {"Cc", "Zl", "Zp"}:
            return f"contains the control character U+{ord(character):04X}; remove it"
    return None


def _without_control(text: str) -> str:
    if fault := control_fault(text):
        raise PydanticCustomError("control_character", "{fault}", {"fault": fault})
    return text


LineText = Annotated[FilledText, AfterValidator(str.strip), AfterValidator(_without_control)]
ConfigurationName = Annotated[LineText, at_most(MAX_NAME_CHARACTERS)]
JudgeName = Annotated[LineText, at_most(MAX_JUDGE_CHARACTERS)]
Family = Annotated[LineText, at_most(MAX_FAMILY_CHARACTERS)]
Source = Annotated[LineText, at_most(MAX_SOURCE_CHARACTERS)]
Epoch = Annotated[int, Field(ge=0, le=MAX_EPOCH)]


@dataclass(frozen=True, slots=True)
class ModelResponse:
    """One response of a model to one prompt. `score` is in [0, 1]; NaN is missing, never zero.

    `judge` names the model that gave the score, "" where that is not known.
    """

    model: str
    prompt_id: str
    epoch: int
    score: float
    family: str = ""
    judge: str = ""


@dataclass(frozen=True, slots=True)
class PublishedAbility:
    """A theta that somebody published; `epochs` is the number of responses per prompt it rests on."""

    model: str
    theta: float
    se: float | None = None
    epochs: int | None = None
    source: str = ""
    family: str = ""


@dataclass(frozen=True)
class ModelResults:
    """What a file holds. `missing` counts the responses without a score by why they have none; `notices` are
    sentences of what whoever imports it should know.
    """

    responses: tuple[ModelResponse, ...] = ()
    published: tuple[PublishedAbility, ...] = ()
    missing: dict[str, int] = field(default_factory=dict)
    notices: tuple[str, ...] = ()


class ModelResultsRefused(Exception):
    """The file cannot be used; carries every problem found, each one sentence with its line or sample."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(sorted(problems, key=lambda problem: problem.line or MAX_RESPONSES))
        super().__init__("\n".join(map(str, grouped(self.problems))))


class Collector:
    """Gathers what is usable and every problem; `results` refuses unless there is none."""

    def __init__(self) -> None:
        self._responses: dict[tuple[str, str, int], ModelResponse] = {}
        self._published: dict[str, PublishedAbility] = {}
        self._facts: dict[str, dict[str, str]] = {}
        self._epochs: defaultdict[str, set[int]] = defaultdict(set)
        self._missing: Counter[str] = Counter()
        self._problems: list[Problem] = []
        self.notices: list[str] = []

    def add_problem(self, problem: Problem) -> None:
        """Keep a problem; after MAX_PROBLEMS the reading stops."""
        self._problems.append(problem)
        if len(self._problems) == MAX_PROBLEMS:
            message = f"more than {MAX_PROBLEMS} problems; the rest of the file was not read"
            raise ModelResultsRefused([*self._problems, Problem(None, None, "", message)])

    def add_errors(
        self, error: ValidationError, line: int | None = None, prompt_id: object = None, file: str = ""
    ) -> None:
        """Keep what is wrong with one line or sample, field by field."""
        shown = prompt_id if isinstance(prompt_id, str) else None
        for detail in error.errors(include_url=False):
            self.add_problem(Problem(line, shown, field_path(detail["loc"]), error_sentence(detail), file))

    def add_response(
        self, response: ModelResponse, *, why_missing: str = "", line: int | None = None, file: str = ""
    ) -> None:
        model, key = response.model, (response.model, response.prompt_id, response.epoch)
        facts = {"family": response.family, "judge": response.judge}
        # What the model's first response says of it holds for all.
        known = self._facts.setdefault(model, facts)
        other = next((name for name, value in facts.items() if known[name] != value), "")
        if key in self._responses:
            message = f"{model} has two responses to this prompt in epoch {response.epoch}; keep one"
            self.add_problem(Problem(line, response.prompt_id, "epoch", message, file))
        elif other:
            message = f"is another {other} than in an earlier line of {model}; write the same one, or none"
            self.add_problem(Problem(line, response.prompt_id, other, message, file))
        elif len(self._responses) == MAX_RESPONSES:
            message = f"the file holds more than {MAX_RESPONSES} responses; import it in parts"
            raise ModelResultsRefused([Problem(line, None, "", message, file)])
        elif response.epoch not in self._epochs[model] and len(self._epochs[model]) == MAX_EPOCHS:
            message = f"{model} has more than {MAX_EPOCHS} epochs; is this number one of an epoch?"
            raise ModelResultsRefused([Problem(line, response.prompt_id, "epoch", message, file)])
        else:
            self._responses[key] = response
            self._epochs[model].add(response.epoch)
            if math.isnan(response.score):
                self._missing[why_missing] += 1

    def add_published(self, ability: PublishedAbility, line: int) -> None:
        if ability.model in self._published:
            self.add_problem(Problem(line, None, "model", f"{ability.model} has a theta already; keep one"))
        else:
            self._published[ability.model] = ability

    def results(self) -> ModelResults:
        if not (self._responses or self._published or self._problems):
            self._problems.append(Problem(None, None, "", "the file holds no results; is it the right file?"))
        if self._problems:
            raise ModelResultsRefused(self._problems)
        return ModelResults(
            responses=tuple(self._responses.values()),
            published=tuple(self._published.values()),
            missing=dict(sorted(self._missing.items())),
            notices=tuple(self.notices),
        )
