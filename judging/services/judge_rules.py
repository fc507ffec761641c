"""What a judge may be: its settings, and every rule about them in a sentence."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal

from django.conf import settings as django_settings
from django.utils.translation import gettext as _
from pydantic import JsonValue

from judging.models import JudgeConfig
from judging.services.judge_keys import KEY_NAME, KEY_PREFIX
from llm.client import ChatClient
from llm.egress import EndpointInvalid, is_encrypted
from llm.providers import EffortUnsupported, Provider
from studies.services.refusals import Refused

SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
# A name is made of words; a key runs on without a seam.
MAX_WORD_CHARACTERS = 24
MAX_WORD_CHARACTERS_WITH_DIGITS = 15
# Where a key would be sent, and so stored, with the parameters.
CREDENTIALS = re.compile(r"(?i).*(api.?key|authorization|password|secret|access.?token|headers)")
KEY_AS_TEXT = re.compile(r"(sk|gsk|hf|xai)[-_]\S{12,}|AIza\S{20,}|Bearer .*")
MAX_SLUG_CHARACTERS = 50
MAX_URL_CHARACTERS = 500
MAX_MODEL_CHARACTERS = 200
MAX_VARIABLE_CHARACTERS = 100
MAX_PARAMETERS_CHARACTERS = 10_000
MAX_TIMEOUT_SECONDS = 3_600
MAX_CONCURRENCY = 1_000
MAX_WHOLE_NUMBER = 2_000_000_000
PRICES_BELOW = Decimal(1_000_000)


class JudgeInvalid(Refused):
    """A judge cannot be as it was described. `field` is the setting at fault."""

    def __init__(self, sentence: str, *, field: str) -> None:
        super().__init__(sentence)
        self.field = field


@dataclass(frozen=True)
class JudgeSettings:
    """Everything about a judge but its name. Prices are for a million tokens."""

    base_url: str
    model: str
    provider: str = Provider.GENERIC.value
    key_variable: str = ""
    reasoning_effort: str = ""
    parameters: Mapping[str, JsonValue] = field(default_factory=dict)
    max_output_tokens: int | None = None
    timeout_seconds: float = 120.0
    input_price: Decimal | None = None
    output_price: Decimal | None = None
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    concurrency: int = 16


def require_slug(slug: str) -> None:
    if len(slug) > MAX_SLUG_CHARACTERS or not SLUG.fullmatch(slug):
        raise JudgeInvalid(
            _("The name has small letters, digits and single hyphens, at most 50 of them: such as my-judge."),
            field="slug",
        )


def checked(settings: JudgeSettings) -> JudgeSettings:
    """The settings as they are stored. Raises JudgeInvalid with the first rule that they break."""
    settings = replace(
        settings,
        base_url=settings.base_url.strip().rstrip("/"),
        model=settings.model.strip(),
        key_variable=settings.key_variable.strip(),
        reasoning_effort=settings.reasoning_effort.strip(),
    )
    require_key_name(settings.key_variable)
    model = settings.model
    if not model or len(model) > MAX_MODEL_CHARACTERS or not model.isprintable():
        raise JudgeInvalid(
            _("Write the model's name as the endpoint has it, at most 200 characters."), field="model"
        )
    _require_numbers(settings)
    _require_parameters(settings.parameters)
    _require_client(settings)
    return settings


def require_key_name(variable: str) -> None:
    """The name of an environment variable. What may be a key is refused and said nowhere."""
    if not variable:
        return
    runs_on = any(
        len(word) > (MAX_WORD_CHARACTERS_WITH_DIGITS if re.search("[0-9]", word) else MAX_WORD_CHARACTERS)
        for word in variable.split("_")
    )
    if len(variable) > MAX_VARIABLE_CHARACTERS or not KEY_NAME.fullmatch(variable) or runs_on:
        raise JudgeInvalid(
            _(
                "Write the name of the environment variable that holds the key, such as %(prefix)sMAIN: "
                "%(prefix)s, then capital letters, digits and underscores. The key itself belongs neither "
                "here nor into the database. What was written is not repeated here; if it was a key, make a "
                "new one."
            )
            % {"prefix": KEY_PREFIX},
            field="key_variable",
        )


def _require_numbers(settings: JudgeSettings) -> None:
    for name in ("max_output_tokens", "requests_per_minute", "tokens_per_minute"):
        number = getattr(settings, name)
        if number is not None and not 1 <= number <= MAX_WHOLE_NUMBER:
            raise JudgeInvalid(_("Write a whole number above 0, or nothing for no limit."), field=name)
    if not 1 <= settings.concurrency <= MAX_CONCURRENCY:
        raise JudgeInvalid(_("Between 1 and 1,000 calls may be made at a time."), field="concurrency")
    if not 0 < settings.timeout_seconds <= MAX_TIMEOUT_SECONDS:  # NaN, too, is between nothing
        raise JudgeInvalid(_("A reply may take up to 3,600 seconds, and some."), field="timeout_seconds")
    prices = {"input_price": settings.input_price, "output_price": settings.output_price}
    for name, price in prices.items():
        if price is not None and not (price.is_finite() and 0 <= price < PRICES_BELOW):
            raise JudgeInvalid(_("A price lies between 0 and 999,999 for a million tokens."), field=name)
        if price is not None and round(price, 6) != price:
            raise JudgeInvalid(_("A price has at most six decimal places."), field=name)
    missing = [name for name, price in prices.items() if price is None]
    if len(missing) == 1:
        raise JudgeInvalid(
            _("Give both prices or none: with one alone no cost can be computed. Free tokens cost 0."),
            field=missing[0],
        )


def _require_parameters(parameters: object) -> None:
    if not isinstance(parameters, Mapping):
        raise JudgeInvalid(_('Parameters are a JSON object, such as {"temperature": 0}.'), field="parameters")
    try:
        text = json.dumps(parameters, ensure_ascii=False, allow_nan=False)
        text.encode()
    except ValueError:
        raise JudgeInvalid(_("The parameters hold something that is no JSON."), field="parameters") from None
    if "\\u0000" in text:
        raise JudgeInvalid(_("The parameters hold a NUL character; remove it."), field="parameters")
    if len(text) > MAX_PARAMETERS_CHARACTERS:
        raise JudgeInvalid(_("The parameters have at most 10,000 characters."), field="parameters")
    if _holds_key(parameters):
        raise JudgeInvalid(
            _(
                "The parameters seem to hold a key or headers. They are stored and exported: name the "
                "environment variable that holds the key instead. If it was a key, make a new one."
            ),
            field="parameters",
        )


def _holds_key(value: object) -> bool:
    """Whether a credential seems to be anywhere in `value`."""
    if isinstance(value, Mapping):
        return any(CREDENTIALS.fullmatch(str(name)) or _holds_key(inner) for name, inner in value.items())
    if isinstance(value, list):
        return any(_holds_key(inner) for inner in value)
    return isinstance(value, str) and KEY_AS_TEXT.fullmatch(value) is not None


def _require_client(settings: JudgeSettings) -> None:
    """What only the client knows: addresses, efforts, and the fields that it sets itself."""
    url = settings.base_url
    if len(url) > MAX_URL_CHARACTERS or not url.isascii() or not url.isprintable() or " " in url:
        raise JudgeInvalid(
            _("The address has at most 500 characters of plain ASCII, such as https://host/v1."),
            field="base_url",
        )
    if settings.provider not in list(Provider):
        said = _("This kind of endpoint is not known; there are: %(kinds)s.")
        raise JudgeInvalid(said % {"kinds": ", ".join(Provider)}, field="provider")
    try:
        client_of(settings, key=None, timeout=1.0).close()
    except EndpointInvalid as error:
        raise JudgeInvalid(str(error), field="base_url") from None
    except EffortUnsupported as error:
        raise JudgeInvalid(str(error), field="reasoning_effort") from None
    except ValueError as error:
        raise JudgeInvalid(str(error), field="parameters") from None
    if not is_encrypted(url):
        raise JudgeInvalid(
            _("Write an address that starts with https: answers and the key must not travel in the clear."),
            field="base_url",
        )


def client_of(judge: JudgeSettings | JudgeConfig, *, key: str | None, timeout: float) -> ChatClient:
    """The client that asks a judge. Raises EndpointInvalid, EffortUnsupported, ValueError."""
    return ChatClient(
        base_url=judge.base_url,
        model=judge.model,
        api_key=key,
        provider=Provider(judge.provider),
        reasoning_effort=judge.reasoning_effort,
        max_output_tokens=judge.max_output_tokens,
        parameters=judge.parameters,
        timeout=timeout,
        egress=django_settings.JUDGING_EGRESS,
    )
