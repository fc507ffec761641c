"""The public item-parameter file of a calibrated prompt bank, in and out.

The file is JSON as GIM publishes it (GIM paper, section 5.1 and appendix B): `transform.squeeze_scale` and
`transform.squeeze_offset`, `calibration.sigma_hat`, and `items`, which maps each prompt id to its
discrimination `a` (above 0) and difficulty `b` (logits) with an optional sub-category and prompt set.
`model` says how the items were fitted; without it, as GIM fits its own. Other keys describe the file to
people and are ignored.
"""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal, NoReturn, Self

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, ValidationError, model_validator
from pydantic_core import ErrorDetails, PydanticCustomError

from formats.canonical import canonical_sha256
from formats.problems import Problem
from formats.sentences import error_sentence, field_path
from formats.texts import Label, PromptId, SetName

MAX_MODELS = 2**31 - 1  # what a 32-bit database column holds
MAX_PARAMETER = 1e6  # no calibration comes near it, and sums of squares stay finite


class ResponseModel(StrEnum):
    """How scores depend on ability, which decides the estimator that is on the scale of the bank."""

    LOGIT_NORMAL = "2PL_logit_normal"  # logit of a score = a (theta - b) + e: theta by equation 2
    LOGISTIC = "2PL_logistic"  # P(right) = logistic(a (theta - b)), single right-or-wrong responses: theta_QL


@dataclass(frozen=True)
class ItemParameter:
    """One calibrated prompt: discrimination `a` > 0, difficulty `b` in logits."""

    prompt_id: str
    a: float
    b: float
    subcategory: str = ""
    prompt_set: str = ""


@dataclass(frozen=True)
class ItemParameters:
    """A calibrated bank: q = squeeze_scale p + squeeze_offset, residual standard deviation sigma_hat."""

    items: tuple[ItemParameter, ...]
    squeeze_scale: float
    squeeze_offset: float
    sigma_hat: float
    n_models: int | None = None
    r_squared: float | None = None
    response_model: ResponseModel = ResponseModel.LOGIT_NORMAL

    @property
    def digest(self) -> str:
        """Hash of the content as canonical JSON; the order of the items does not enter."""
        return canonical_sha256(
            asdict(self) | {"items": {item.prompt_id: asdict(item) for item in self.items}}
        )


class ItemParametersRefused(Exception):
    """The file is no usable item bank; carries every problem found, not only the first."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


_Positive = Annotated[FiniteFloat, Field(gt=0, le=MAX_PARAMETER)]


class _Part(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore")


class _Item(_Part):
    a: _Positive
    b: Annotated[FiniteFloat, Field(ge=-MAX_PARAMETER, le=MAX_PARAMETER)]
    subcategory: Label = ""
    prompt_set: SetName = ""


class _Transform(_Part):
    squeeze_scale: _Positive
    squeeze_offset: _Positive

    @model_validator(mode="after")
    def _leaves_room_below_one(self) -> Self:
        if self.squeeze_scale + self.squeeze_offset >= 1:
            raise PydanticCustomError(
                "squeeze", "squeeze_scale + squeeze_offset must be below 1, or a score of 1 has no logit"
            )
        return self


class _Calibration(_Part):
    sigma_hat: _Positive
    n_models: Annotated[int, Field(ge=1, le=MAX_MODELS)] | None = None
    r_squared: Annotated[FiniteFloat, Field(le=1)] | None = None


class _File(_Part):
    version: Literal[1] = 1
    model: Literal["2PL_logit_normal", "2PL_logistic"] = "2PL_logit_normal"
    transform: _Transform
    calibration: _Calibration
    items: Annotated[dict[PromptId, _Item], Field(min_length=1)]


def read_item_parameters(path: Path) -> ItemParameters:
    """Read and check a whole file; raises ItemParametersRefused with all its problems."""
    repeated: list[str] = []
    content = _parse(_text_of(path), repeated)
    problems = [Problem(None, None, "", f"the key {key!r} occurs twice; keep one") for key in repeated]
    try:
        file = _File.model_validate(content)
    except ValidationError as error:
        problems += [_problem_of(detail) for detail in error.errors(include_url=False)]
        raise ItemParametersRefused(problems) from None
    if problems:
        raise ItemParametersRefused(problems)
    return ItemParameters(
        items=tuple(
            ItemParameter(prompt_id=prompt_id, **item.model_dump()) for prompt_id, item in file.items.items()
        ),
        squeeze_scale=file.transform.squeeze_scale,
        squeeze_offset=file.transform.squeeze_offset,
        sigma_hat=file.calibration.sigma_hat,
        n_models=file.calibration.n_models,
        r_squared=file.calibration.r_squared,
        response_model=ResponseModel(file.model),
    )


def write_item_parameters(path: Path, parameters: ItemParameters, *, description: str) -> None:
    """Write the public format; reading it back gives equal parameters (floats are written in full)."""
    content = {
        "version": 1,
        "model": parameters.response_model,
        "description": description,
        "transform": {
            "squeeze_scale": parameters.squeeze_scale,
            "squeeze_offset": parameters.squeeze_offset,
        },
        "calibration": {
            "n_models": parameters.n_models,
            "n_prompts_calibrated": len(parameters.items),
            "r_squared": parameters.r_squared,
            "sigma_hat": parameters.sigma_hat,
        },
        "items": {item.prompt_id: _described(item) for item in parameters.items},
    }
    path.write_text(
        json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8"
    )


def _described(item: ItemParameter) -> dict[str, Any]:
    return {"a": item.a, "b": item.b, "subcategory": item.subcategory, "prompt_set": item.prompt_set}


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        _refuse(f"cannot read {path}: {error.strerror}; name a readable item-parameter file")
    except UnicodeDecodeError as error:
        _refuse(f"{path} is not UTF-8 (byte {error.start + 1}); save it as UTF-8")


def _parse(text: str, repeated: list[str]) -> Any:
    def as_dict(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        content = dict(pairs)
        if len(content) < len(pairs):
            keys = [key for key, _ in pairs]
            repeated.extend(key for key in content if keys.count(key) > 1)
        return content

    try:
        return json.loads(text, object_pairs_hook=as_dict)
    except json.JSONDecodeError as error:
        _refuse(f"not JSON ({error.msg}); correct the file", line=error.lineno)
    except RecursionError:
        _refuse("nested too deeply to be an item-parameter file")
    except ValueError as error:  # a number of thousands of digits
        _refuse(f"cannot be used: {error}")


def _refuse(message: str, line: int | None = None) -> NoReturn:
    raise ItemParametersRefused([Problem(line, None, "", message)]) from None


def _problem_of(detail: ErrorDetails) -> Problem:
    place = tuple(part for part in detail["loc"] if part != "[key]")
    if len(place) > 1 and place[0] == "items":
        return Problem(None, str(place[1]), field_path(place[2:]), error_sentence(detail))
    return Problem(None, None, field_path(place), error_sentence(detail))
