"""The public item-parameter file of a calibrated prompt bank, in and out.

The file is JSON as GIM publishes it (GIM paper, section 5.1 and appendix B): `transform.squeeze_scale` and
`transform.squeeze_offset`, `calibration.sigma_hat`, and `items`, which maps each prompt id to its
discrimination `a` (above 0) and difficulty `b` (logits) with an optional sub-category and prompt set.
`model` says how the items were fitted; without it, as GIM fits its own. Other keys describe the file to
people and are ignored.
"""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from formats.canonical import canonical_sha256
from formats.checked_objects import CheckedObject
from formats.file_kinds import ITEM_PARAMETERS, JSON, document_fault, kind_fault
from formats.problems import Problem, grouped
from formats.sentences import TOO_MANY_DIGITS, field_path, sentence_of
from formats.text_faults import MAX_SET_NAME_CHARACTERS, id_fault, label_fault

MAX_MODELS = 2**31 - 1  # what a 32-bit database column holds
MAX_PARAMETER = 1e6  # no calibration comes near it, and sums of squares stay finite
_POSITIVE = {"gt": 0.0, "le": MAX_PARAMETER}


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
        items = {item.prompt_id: asdict(item) for item in self.items}
        return canonical_sha256(asdict(self) | {"items": items})


class ItemParametersRefused(Exception):
    """The file is no usable item bank; carries every problem found, not only the first."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(map(str, grouped(self.problems))))


def read_item_parameters(path: Path) -> ItemParameters:
    """Read and check a whole file; raises ItemParametersRefused with all its problems."""
    repeated: list[str] = []
    content = _parsed(path, repeated)
    if fault := document_fault(content, ITEM_PARAMETERS):
        _refuse(fault)
    problems = [Problem(None, None, "", f"the key {key!r} occurs twice; keep one") for key in repeated]
    if not isinstance(content, dict):
        _refuse(sentence_of("model_type", content, {}) or "")
    file = CheckedObject(content)
    parameters = _parameters_in(file)
    for place, sentence in file.problems:
        if len(place) > 1 and place[0] == "items":
            problems.append(Problem(None, place[1], field_path(place[2:]), sentence))
        else:
            problems.append(Problem(None, None, field_path(place), sentence))
    if problems:
        raise ItemParametersRefused(problems)
    return parameters


def _parameters_in(file: CheckedObject) -> ItemParameters:
    """What the file holds; it means something only where `file.problems` stays empty."""
    file.choice("version", 1)
    model = file.choice("model", *(model.value for model in ResponseModel))
    transform = file.part("transform")
    scale = transform.number("squeeze_scale", **_POSITIVE)
    offset = transform.number("squeeze_offset", **_POSITIVE)
    if scale + offset >= 1:
        transform.refuse("squeeze_scale + squeeze_offset must be below 1, or a score of 1 has no logit")
    calibration = file.part("calibration")
    sigma_hat = calibration.number("sigma_hat", **_POSITIVE)
    n_models = calibration.whole_number_or_none("n_models", ge=1, le=MAX_MODELS)
    r_squared = calibration.number_or_none("r_squared", le=1)
    items, of_file = [], file.part("items", fewest=1)
    for prompt_id in of_file.content:
        if fault := id_fault(prompt_id):
            of_file.refuse(fault, prompt_id)
        item = of_file.part(prompt_id)
        parameter = ItemParameter(
            prompt_id=prompt_id,
            a=item.number("a", **_POSITIVE),
            b=item.number("b", ge=-MAX_PARAMETER, le=MAX_PARAMETER),
            subcategory=item.text("subcategory", label_fault),
            prompt_set=item.text("prompt_set", partial(label_fault, most=MAX_SET_NAME_CHARACTERS)),
        )
        items.append(parameter)
    return ItemParameters(
        squeeze_scale=scale,
        squeeze_offset=offset,
        sigma_hat=sigma_hat,
        n_models=n_models,
        r_squared=r_squared,
        items=tuple(items),
        response_model=ResponseModel(model),
    )


def write_item_parameters(path: Path, parameters: ItemParameters, *, description: str) -> None:
    """Write the public format; reading it back gives equal parameters (floats are written in full)."""
    content = {
        "version": 1,
        "model": parameters.response_model,
        "description": description,
        "transform": {"squeeze_scale": parameters.squeeze_scale, "squeeze_offset": parameters.squeeze_offset},
        "calibration": {
            "n_models": parameters.n_models,
            "n_prompts_calibrated": len(parameters.items),
            "r_squared": parameters.r_squared,
            "sigma_hat": parameters.sigma_hat,
        },
        "items": {
            item.prompt_id: {name: getattr(item, name) for name in ("a", "b", "subcategory", "prompt_set")}
            for item in parameters.items
        },
    }
    text = json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    path.write_text(text, encoding="utf-8")


def _parsed(path: Path, repeated: list[str]) -> Any:
    """The file's content; keys that occur twice in one object go to `repeated`."""
    try:
        content = path.read_bytes()
        if fault := kind_fault(content, JSON):
            _refuse(fault)
        text = content.decode("utf-8-sig")
    except OSError as error:
        _refuse(f"cannot read {path}: {error.strerror}; name a readable item-parameter file")
    except UnicodeDecodeError as error:
        _refuse(f"{path} is not UTF-8 (byte {error.start + 1}); save it as UTF-8")

    def as_dict(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        times = Counter(key for key, _value in pairs)
        repeated.extend(key for key, number in times.items() if number > 1)
        return dict(pairs)

    try:
        return json.loads(text, object_pairs_hook=as_dict)
    except json.JSONDecodeError as error:
        _refuse(f"not JSON ({error.msg}); correct the file", line=error.lineno)
    except RecursionError:
        _refuse("nested too deeply to be an item-parameter file")
    except ValueError:  # Python converts no whole number of more than 4,300 digits
        _refuse(TOO_MANY_DIGITS)


def _refuse(message: str, line: int | None = None) -> NoReturn:
    raise ItemParametersRefused([Problem(line, None, "", message)]) from None
