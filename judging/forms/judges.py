"""A judge as staff describe it."""

import json
from typing import Any

from django import forms
from django.utils.translation import gettext as _, gettext_lazy
from pydantic import JsonValue

from formats.files import FileRefused, parsed_json
from judging.models import JudgeConfig
from judging.selectors.judges import shortest
from judging.services.judge_rules import (
    MAX_PARAMETERS_CHARACTERS,
    JudgeInvalid,
    JudgeSettings,
    require_key_name,
)
from judging.services.judges import DECIDES_SCORES, settings_of
from llm.providers import Provider
from studies.forms.texts import LinesField

PROVIDERS = [
    (Provider.OPENAI.value, "OpenAI"),
    (Provider.GEMINI.value, gettext_lazy("Gemini's OpenAI endpoint")),
    (Provider.VLLM.value, "vLLM"),
    (Provider.OLLAMA.value, "Ollama"),
    (Provider.LLAMA_CPP.value, gettext_lazy("llama.cpp server")),
    (Provider.GENERIC.value, gettext_lazy("another OpenAI-compatible endpoint")),
]
WHOLE = gettext_lazy("Write a whole number above 0.")
NUMBER = gettext_lazy("Write a number, such as 0.25.")


def _whole(label: Any, help_text: Any = "", *, required: bool = False) -> forms.IntegerField:
    messages = {"invalid": WHOLE, "min_value": WHOLE, "required": WHOLE}
    return forms.IntegerField(
        label=label, help_text=help_text, min_value=1, required=required, error_messages=messages
    )


def _price(label: Any) -> forms.DecimalField:
    attributes = forms.NumberInput(attrs={"step": "any"})
    return forms.DecimalField(
        label=label, required=False, widget=attributes, error_messages={"invalid": NUMBER}
    )


def _line(label: Any, help_text: Any = "", *, sentence: Any = "", required: bool = True) -> forms.CharField:
    widget = forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "off", "spellcheck": "false"})
    messages = {"required": sentence} if sentence else {}
    return forms.CharField(
        label=label, help_text=help_text, required=required, widget=widget, error_messages=messages
    )


class JudgeForm(forms.Form):
    """The settings of a judge; the rules are the service's. `seen` is the newest change on the page."""

    base_url = _line(
        gettext_lazy("Address"),
        gettext_lazy("Up to and with the version, such as https://host/v1"),
        sentence=gettext_lazy("Write the address of the endpoint, such as https://host/v1"),
    )
    model = _line(
        gettext_lazy("Model"), sentence=gettext_lazy("Write the model's name as the endpoint has it.")
    )
    provider = forms.ChoiceField(
        label=gettext_lazy("Kind of endpoint"),
        choices=PROVIDERS,
        initial=Provider.GENERIC.value,
        help_text=gettext_lazy("Decides how requests are written, not what they mean."),
        error_messages={"invalid_choice": gettext_lazy("Choose one of the kinds of endpoint.")},
    )
    key_variable = _line(
        gettext_lazy("Environment variable of the key"),
        gettext_lazy(
            "Its name, never the key: such as CHIRON_JUDGE_KEY_MAIN. It must be set for the workers and for "
            "this site. Empty where no key is needed."
        ),
        required=False,
    )
    reasoning_effort = _line(
        gettext_lazy("Reasoning effort"),
        gettext_lazy("Such as low, medium or high; empty leaves it to the model."),
        required=False,
    )
    max_output_tokens = _whole(
        gettext_lazy("Most tokens of a reply"),
        gettext_lazy("Thinking included; empty leaves it to the endpoint."),
    )
    parameters = LinesField(
        label=gettext_lazy("Further parameters"),
        help_text=gettext_lazy('JSON, sent with every request, such as {"temperature": 0}'),
        required=False,
        max_length=MAX_PARAMETERS_CHARACTERS,
        initial="{}",
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false", "class": "code"}),
    )
    input_price = _price(gettext_lazy("Price of a million tokens read"))
    output_price = _price(gettext_lazy("Price of a million tokens written"))
    requests_per_minute = _whole(gettext_lazy("Requests per minute, at most"))
    tokens_per_minute = _whole(gettext_lazy("Tokens per minute, at most"))
    concurrency = _whole(
        gettext_lazy("Calls at a time, at most"), gettext_lazy("No more than 256 are made."), required=True
    )
    timeout_seconds = forms.FloatField(
        label=gettext_lazy("Seconds for a reply"),
        error_messages={"invalid": NUMBER, "required": NUMBER},
    )
    seen = forms.IntegerField(required=False, min_value=1, widget=forms.HiddenInput)

    def __init__(self, *args: Any, fixed: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in DECIDES_SCORES if fixed else ():
            self.fields[name].disabled = True

    def clean_key_variable(self) -> str:
        """What may be a key does not come back with the page."""
        variable: str = self.cleaned_data["key_variable"]
        try:
            require_key_name(variable)
        except JudgeInvalid as error:
            self.data = {**self.data, self.add_prefix("key_variable"): ""}
            raise forms.ValidationError(str(error)) from None
        return variable

    def clean_parameters(self) -> dict[str, JsonValue]:
        text: str = self.cleaned_data["parameters"]
        try:
            value: Any = parsed_json((text.strip() or "{}").encode(), file=_("What was written"))
        except FileRefused as error:
            raise forms.ValidationError(str(error)) from None
        if not isinstance(value, dict):
            raise forms.ValidationError(_('Parameters are a JSON object, such as {"temperature": 0}.'))
        return value

    def settings(self) -> JudgeSettings:
        """What a valid form says."""
        named = {name: self.cleaned_data[name] for name in JudgeSettings.__dataclass_fields__}
        return JudgeSettings(**named)

    def refuse(self, error: JudgeInvalid) -> None:
        """Show the service's refusal at the field it is about."""
        self.add_error(error.field if error.field in self.fields else None, str(error))


class NewJudgeForm(JudgeForm):
    """A judge that is added has a name, too."""

    slug = _line(
        gettext_lazy("Name"),
        gettext_lazy("Small letters, digits and hyphens; it stays."),
        sentence=gettext_lazy("Give the judge a name."),
    )
    field_order = ("slug",)


def initial_of(judge: JudgeConfig) -> dict[str, object]:
    """The settings as a form shows them."""
    settings = settings_of(judge)
    shown: dict[str, object] = {name: getattr(settings, name) for name in JudgeSettings.__dataclass_fields__}
    shown |= {name: shortest(getattr(settings, name)) for name in ("input_price", "output_price")}
    shown["timeout_seconds"] = f"{settings.timeout_seconds:g}"
    shown["parameters"] = json.dumps(settings.parameters, ensure_ascii=False)
    shown["seen"] = judge.history.order_by("-pk").values_list("pk", flat=True).first()
    return shown
