"""The bytes of a request, its hash, its schema, and the endpoints it may go to."""

import hashlib
import json

import pytest
from pydantic import BaseModel, ConfigDict, Field, JsonValue

from llm.endpoints import Endpoint, EndpointInvalid
from llm.requests import ChatRequest, Message, chat_request
from llm.schema import response_format


class Verdict(BaseModel):
    """A verdict."""

    model_config = ConfigDict(extra="forbid", title="Something else")

    why: str = Field(description="Why.")
    grade: float = Field(ge=0, le=1, title="The grade")
    tags: list[str] = Field(default=[], max_length=3)


class Nested(BaseModel):
    verdict: Verdict


def request(text: str = "hello", *, model: str = "m", **parameters: JsonValue) -> ChatRequest:
    return chat_request(
        model=model, messages=[Message("user", text)], response_schema=None, parameters=parameters
    )


def test_equal_requests_have_equal_bytes_and_hashes() -> None:
    assert request(seed=1, temperature=0) == request(temperature=0, seed=1)
    assert request().sha256 == hashlib.sha256(request().body).hexdigest()


def test_every_part_of_a_request_changes_its_hash() -> None:
    hashes = {request().sha256, request("hi").sha256, request(model="n").sha256, request(seed=1).sha256}
    assert len(hashes) == 4


def test_any_text_can_be_sent() -> None:
    text = 'line\u2028 "quoted" \ud800 \0 é 🦊'
    assert json.loads(request(text).body)["messages"][0]["content"] == text


def test_a_schema_keeps_only_keywords_that_every_provider_takes_and_its_order() -> None:
    schema = response_format(Verdict)["json_schema"]
    assert json.dumps(schema) == json.dumps(
        {
            "name": "verdict",
            "schema": {
                "description": "A verdict.",
                "properties": {
                    "why": {"description": "Why.", "type": "string"},
                    "grade": {"maximum": 1, "minimum": 0, "type": "number"},
                    "tags": {"items": {"type": "string"}, "type": "array"},
                },
                "required": ["why", "grade"],
                "type": "object",
            },
        }
    )


def test_a_schema_that_nests_models_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^Nested nests another model"):
        response_format(Nested)


@pytest.mark.parametrize(
    "base_url",
    [
        "", "judge", "ftp://host/v1", "http://", "http://host:99999/v1", "http://[::1/v1", "http://host:0/v1",
        "http://host/v1?key=abc", "http://host/v1#x",
    ],
)  # fmt: skip
def test_an_address_that_cannot_work_is_refused(base_url: str) -> None:
    with pytest.raises(EndpointInvalid, match=r"base URL"):
        Endpoint(base_url)


def test_an_address_with_a_password_is_refused_without_showing_it() -> None:
    with pytest.raises(EndpointInvalid) as caught:
        Endpoint("https://me:hunter2@host/v1")
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("key", ["two words", "line\nbreak", "ключ"])
def test_a_key_that_cannot_be_sent_is_refused_without_showing_it(key: str) -> None:
    with pytest.raises(EndpointInvalid) as caught:
        Endpoint("http://host/v1", key)
    assert key not in str(caught.value)


def test_a_placeholder_key_of_a_local_server_masks_nothing() -> None:
    assert Endpoint("http://host/v1", "x").without_key("exactly") == "exactly"
