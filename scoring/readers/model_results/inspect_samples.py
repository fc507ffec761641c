"""One sample of an Inspect AI log as a response: its score, or why it has none.

A response that failed, that is empty or that the judge could not score is missing and never zero
(GIM paper, appendix I.9.5); so is one that somebody invalidated or cancelled. The public GIM harness records
a judge that failed as the score 0 and marks it in the metadata of the score; these marks are honoured.
Format: https://inspect.aisi.org.uk/eval-logs.html, read with the fields that are needed and no others.
"""

import math
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from formats.csv_rows import strict_number
from scoring.readers.model_results.records import Epoch

SAMPLE_FAILED = "the sample failed"
NO_OUTPUT = "the response is empty"
INVALIDATED = "the sample was invalidated"
CANCELLED = "the sample was cancelled"
NOT_SCORED = "the scorer gave no score"
JUDGE_FAILED = "the judge failed"
# Inspect's letters for scores. "N" is no answer, which is missing here.
LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": math.nan}
WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
LEGACY_SCORER = "scorer"  # of logs of version 1, whose samples have one `score` without a name
FAILED_MARKS = {"parse_error": JUDGE_FAILED, "skipped": NOT_SCORED, "generation_error": NO_OUTPUT}
JUDGE_ERROR = "Judge error:"


class ScoreRefused(Exception):
    """The sample has a score that is no number from 0 to 1; `str()` reads on after the sample's name."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class GenerateConfig(_Part):
    """How the model was asked, as far as it names a configuration."""

    reasoning_effort: str | None = None
    reasoning_tokens: int | None = None


class EvalSpec(_Part):
    """What was evaluated."""

    model: str
    model_generate_config: GenerateConfig = GenerateConfig()

    @property
    def configuration(self) -> str:
        """The model, with its thinking level where the log names one."""
        asked = self.model_generate_config
        level = asked.reasoning_effort or (asked.reasoning_tokens and f"{asked.reasoning_tokens} tokens")
        return f"{self.model}, {level}" if level else self.model


class LogHeader(_Part):
    """The head of a log."""

    eval: EvalSpec


class Score(_Part):
    """What one scorer gave."""

    value: object = None
    metadata: dict[str, object] | None = None


class Output(_Part):
    """What the model wrote: the completion, or else the text of the first choice. Any text, also one that no
    database stores.
    """

    completion: object = None
    choices: object = None


class Error(_Part):
    """What ended a sample early."""

    message: str = ""


class Limit(_Part):
    """A bound that ended a sample; of the type "operator", somebody did."""

    type: str = ""


class Sample(_Part):
    """One response of the model. Logs of version 1 have one `score` in the place of `scores`."""

    id: Annotated[int | str, Field(union_mode="left_to_right")]
    epoch: Epoch
    error: Error | None = None
    invalidation: object = None
    limit: Limit | None = None
    score: Score | None = None
    scores: dict[str, Score] | None = None
    output: Output | None = None

    @property
    def has_no_text(self) -> bool:
        if self.output is None:
            return False
        completion, choices = self.output.completion, self.output.choices
        if completion is None and not isinstance(choices, list):
            return False  # the log does not say
        first = choices[0] if isinstance(choices, list) and choices else None
        return not (_text(completion) or _text(inner(first, "message", "content")))

    @property
    def was_stopped(self) -> bool:
        return self.limit is not None and self.limit.type == "operator"

    @property
    def values(self) -> dict[str, tuple[Score, object]]:
        """Each score by its name; those of a scorer of several as `scorer.name`."""
        scores = self.scores or ({LEGACY_SCORER: self.score} if self.score else {})
        named: dict[str, tuple[Score, object]] = {}
        for scorer, score in scores.items():
            if isinstance(score.value, dict):
                named |= {f"{scorer}.{name}": (score, value) for name, value in score.value.items()}
            else:
                named[scorer] = score, score.value
        return named


def sample_score(sample: Sample, scorer: str = "") -> tuple[float, str]:
    """The score, and "" or why it is NaN. `scorer` names which where there are several.

    Raises ScoreRefused for a value that is no score, and where there are several scores and none is named.
    """
    if sample.invalidation is not None:
        return math.nan, INVALIDATED
    if sample.error is not None:
        return math.nan, CANCELLED if "cancelled" in sample.error.message.lower() else SAMPLE_FAILED
    named = sample.values
    if not scorer and len(named) > 1:
        names = ", ".join(sorted(map(repr, named)))
        raise ScoreRefused(f"has scores of several scorers ({names}); name one with --scorer")
    score, value = named.get(scorer or next(iter(named), ""), (None, None))
    if score is None or value is None:
        return math.nan, NO_OUTPUT if sample.has_no_text else NOT_SCORED
    metadata = score.metadata or {}
    for mark, why in FAILED_MARKS.items():
        if metadata.get(mark) is True:
            return math.nan, why
    grades = metadata.get("rubric_grades")
    parts = [grade for grade in grades if isinstance(grade, dict)] if isinstance(grades, list) else []
    if any(str(part.get("explanation")).startswith(JUDGE_ERROR) for part in parts):
        return math.nan, JUDGE_FAILED
    number = _number(value)
    return number, NOT_SCORED if math.isnan(number) else ""


def _number(value: object) -> float:
    """Letters, words and numbers in text are read as Inspect reads them."""
    if isinstance(value, str):
        number = LETTERS.get(value, WORDS.get(value.lower(), strict_number(value)))
        value = value if number is None else number
    if not isinstance(value, int | float):
        raise ScoreRefused(f"has the score {str(value)[:40]!r}, which is no number from 0 to 1")
    if value < 0 or value > 1:
        raise ScoreRefused(f"has the score {value}, which is outside 0 to 1")
    return float(value)


def judge_named(head: object, scorer: str) -> str:
    """The model that the scorer was given, else the one whose role is to grade; "" if the log names none.

    `scorer` "" is the log's only one.
    """
    scorers = inner(head, "eval", "scorers")
    names = (scorer, scorer.rpartition(".")[0])
    named = [
        one
        for one in (scorers if isinstance(scorers, list) else [])
        if not scorer or inner(one, "name") in names
    ]
    given = inner(named[0], "options", "model") if len(named) == 1 else None
    judge = given or inner(head, "eval", "model_roles", "grader", "model")
    return judge.strip() if isinstance(judge, str) else ""


def _text(content: object) -> str:
    """Of a message: a text, or a list of parts of which some are texts."""
    if isinstance(content, list):
        return "".join(_text(inner(part, "text")) for part in content if inner(part, "type") == "text")
    return content.strip() if isinstance(content, str) else ""


def inner(value: object, *names: str) -> object:
    """What stands under these names, one in the other; None where there is nothing."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value
