"""One request in the dialect of each kind of endpoint: what may be sent, and that it means the same."""

import json
from collections.abc import Iterator
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, JsonValue

from llm.client import ChatClient
from llm.providers import PROFILES, EffortUnsupported, Provider, response_format, schema_in_words
from llm.requests import Encoder, Message, RequestMaker

ASK = [Message("system", "You judge."), Message("user", "Is it met?")]


class Verdict(BaseModel):
    """A verdict."""

    model_config = ConfigDict(extra="forbid", title="Something else")

    why: str = Field(description="Why.", min_length=1)
    kind: Literal["one"]
    grade: Annotated[float, Field(ge=0, le=1)]
    tags: list[str] = Field(default=[], max_length=3)


class Several(BaseModel):
    verdicts: list[Verdict]


class Looped(BaseModel):
    inside: list["Looped"]


def sent(
    provider: Provider, *, plain: bool = False, added: tuple[Message, ...] = (), **settings: Any
) -> dict[str, Any]:
    values: dict[str, Any] = {
        "model": "m", "parameters": {}, "reasoning_effort": "", "max_output_tokens": None, **settings,
    }  # fmt: skip
    maker = RequestMaker(**values)
    body = Encoder(provider, maker).body(maker.request(ASK, Verdict), plain=plain, added=added)
    decoded: dict[str, Any] = json.loads(body)
    return decoded


def keywords(schema: dict[str, Any]) -> Iterator[str]:
    yield from schema.keys()
    for field in schema.get("properties", {}).values():
        yield from keywords(field)
    if "items" in schema:
        yield from keywords(schema["items"])


def asked(provider: Provider, model: type[BaseModel] = Verdict) -> dict[str, Any]:
    asked_for: Any = response_format(model, provider)
    assert asked_for["type"] == "json_schema"
    inside: dict[str, Any] = asked_for["json_schema"]
    return inside


@pytest.mark.parametrize("provider", Provider)
def test_a_schema_holds_only_the_keywords_of_its_provider_and_keeps_the_order_of_its_fields(
    provider: Provider,
) -> None:
    schema = asked(provider, Several)["schema"]
    assert set(keywords(schema)) <= PROFILES[provider].keywords
    fields = schema["properties"]["verdicts"]["items"]["properties"]
    assert list(fields) == ["why", "kind", "grade", "tags"]
    assert fields["kind"] == {"type": "string", "enum": ["one"]}
    assert (fields["grade"]["minimum"], fields["grade"]["maximum"]) == (0, 1)
    assert "$ref" not in json.dumps(schema)


def test_openai_is_asked_strictly_for_closed_objects_with_every_field() -> None:
    inside = asked(Provider.OPENAI, Several)
    item = inside["schema"]["properties"]["verdicts"]["items"]
    assert inside["strict"] is True
    assert inside["schema"]["additionalProperties"] is item["additionalProperties"] is False
    assert item["required"] == ["why", "kind", "grade", "tags"]


@pytest.mark.parametrize("provider", [Provider.GEMINI, Provider.OLLAMA, Provider.GENERIC])
def test_these_are_never_told_that_an_object_is_closed(provider: Provider) -> None:
    assert "additionalProperties" not in json.dumps(sent(provider))
    assert "strict" not in asked(provider)


@pytest.mark.parametrize("provider", [Provider.VLLM, Provider.LLAMA_CPP])
def test_these_are_told_that_an_object_is_closed(provider: Provider) -> None:
    assert asked(provider)["schema"]["additionalProperties"] is False


def test_a_schema_without_an_end_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^Looped holds itself"):
        response_format(Looped)


@pytest.mark.parametrize(
    ("provider", "name"),
    [
        (Provider.OPENAI, "max_completion_tokens"),
        (Provider.GEMINI, "max_tokens"),
        (Provider.VLLM, "max_completion_tokens"),
        (Provider.OLLAMA, "max_tokens"),
        (Provider.LLAMA_CPP, "max_tokens"),
        (Provider.GENERIC, "max_tokens"),
    ],
)
def test_the_limit_of_a_reply_has_the_name_the_provider_knows(provider: Provider, name: str) -> None:
    limits = {key: value for key, value in sent(provider, max_output_tokens=700).items() if "max" in key}
    assert limits == {name: 700}
    assert not [key for key in sent(provider) if "max" in key]


@pytest.mark.parametrize(
    ("provider", "effort", "fields"),
    [
        (Provider.OPENAI, "xhigh", {"reasoning_effort": "xhigh"}),
        (Provider.GEMINI, "low", {"reasoning_effort": "low"}),
        (Provider.VLLM, "none", {"reasoning_effort": "none"}),
        (Provider.OLLAMA, "medium", {"reasoning_effort": "medium"}),
        (Provider.LLAMA_CPP, "low", {"chat_template_kwargs": {"reasoning_effort": "low"}}),
        (Provider.LLAMA_CPP, "none", {"chat_template_kwargs": {"enable_thinking": False}}),
    ],
)
def test_a_reasoning_effort_is_asked_for_in_the_providers_way(
    provider: Provider, effort: str, fields: dict[str, JsonValue]
) -> None:
    with_it, without = sent(provider, reasoning_effort=effort), sent(provider)
    assert {key: value for key, value in with_it.items() if key not in without} == fields


@pytest.mark.parametrize(
    ("provider", "effort", "named"),
    [
        (Provider.GENERIC, "low", "Choose another provider"),
        (Provider.GEMINI, "xhigh", "none, minimal, low, medium, high"),
    ],
)
def test_an_effort_that_cannot_be_asked_for_is_refused_when_the_client_is_made(
    provider: Provider, effort: str, named: str
) -> None:
    with pytest.raises(EffortUnsupported, match=named) as caught:
        ChatClient(base_url="http://h/v1", model="m", provider=provider, reasoning_effort=effort)
    assert f'the reasoning effort "{effort}"' in str(caught.value)


def test_a_generic_endpoints_own_field_may_be_given_as_a_parameter() -> None:
    assert sent(Provider.GENERIC, parameters={"reasoning_effort": "low"})["reasoning_effort"] == "low"


@pytest.mark.parametrize("name", ["max_tokens", "max_completion_tokens", "reasoning_effort"])
def test_a_parameter_cannot_contradict_a_setting(name: str) -> None:
    with pytest.raises(ValueError, match=f"^Leave {name} out"):
        sent(Provider.OPENAI, parameters={name: 1}, reasoning_effort="low")


@pytest.mark.parametrize("provider", Provider)
def test_plain_mode_sends_no_schema_and_describes_the_reply_in_the_last_message(provider: Provider) -> None:
    body = sent(provider, plain=True)
    expected = None if provider is Provider.GENERIC else {"type": "json_object"}
    assert body.get("response_format") == expected
    assert body["messages"] == [
        {"role": "system", "content": "You judge."},
        {"role": "user", "content": f"Is it met?\n\n{schema_in_words(Verdict)}"},
    ]
    line = schema_in_words(Verdict)
    assert "\n" not in line
    assert "JSON" in line
    assert all(name in line for name in Verdict.model_fields)


@pytest.mark.parametrize("plain", [False, True])
def test_a_re_ask_follows_the_messages_and_roles_take_turns(plain: bool) -> None:
    added = (Message("assistant", 'so "far"'), Message("user", "no"))
    messages = sent(Provider.OPENAI, plain=plain, added=added)["messages"]
    assert [message["role"] for message in messages] == ["system", "user", "assistant", "user"]
    assert [message["content"] for message in messages[2:]] == ['so "far"', "no"]
    assert messages[:2] == sent(Provider.OPENAI, plain=plain)["messages"]


def test_one_request_has_one_hash_for_all_endpoints() -> None:
    hashes = {
        ChatClient(base_url=f"http://{provider}/v1", model="m", provider=provider)
        .request(ASK, Verdict)
        .sha256
        for provider in Provider
    }
    assert len(hashes) == 1
