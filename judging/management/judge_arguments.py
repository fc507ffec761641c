"""A judge on the command line: what add_judge and change_judge have in common."""

from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Mapping
from dataclasses import fields
from decimal import Decimal, InvalidOperation
from typing import Any

from django.core.management.base import CommandError, OutputWrapper

from judging.models import JudgeConfig
from judging.services.judge_rules import JudgeSettings
from judging.services.judge_trial import judge_probe
from llm.providers import Provider
from studies.management.operators import json_object

NOTHING = "none"
NULLABLE = frozenset(
    {"max_output_tokens", "input_price", "output_price", "requests_per_minute", "tokens_per_minute"}
)


def add_settings(parser: ArgumentParser, *, required: bool) -> None:
    """The settings of a judge. What is not given is None; the word "none" takes a setting away."""
    parser.add_argument("--url", dest="base_url", required=required, help="such as https://host/v1")
    parser.add_argument("--model", required=required, help="as the endpoint names it")
    parser.add_argument("--provider", choices=list(Provider), help="the kind of endpoint (default generic)")
    parser.add_argument(
        "--key-env",
        dest="key_variable",
        metavar="VARIABLE",
        help="the environment variable that holds the key: its name (CHIRON_JUDGE_KEY_…), never the key",
    )
    parser.add_argument("--effort", dest="reasoning_effort", metavar="EFFORT", help="such as low or high")
    parser.add_argument(
        "--max-output-tokens", type=_number_or_none, metavar="N", help="of a reply, thinking included"
    )
    parser.add_argument(
        "--parameters", metavar="JSON", help='sent with every request: {"temperature": 0}, or a file of it'
    )
    parser.add_argument("--input-price", type=_price_or_none, metavar="P", help="of a million tokens read")
    parser.add_argument(
        "--output-price", type=_price_or_none, metavar="P", help="of a million tokens written"
    )
    parser.add_argument(
        "--rpm", dest="requests_per_minute", type=_number_or_none, metavar="N", help="requests per minute"
    )
    parser.add_argument(
        "--tpm", dest="tokens_per_minute", type=_number_or_none, metavar="N", help="tokens per minute"
    )
    parser.add_argument("--concurrency", type=int, metavar="N", help="calls at a time (default 16)")
    parser.add_argument(
        "--timeout", dest="timeout_seconds", type=float, metavar="SECONDS", help="for a reply (default 120)"
    )
    parser.add_argument("--by", default="", metavar="EMAIL", help="the member of staff whom the trail names")
    parser.add_argument("--try", dest="trial", action="store_true", help="ask it one small question")


def given(options: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that were given, as JudgeSettings has them."""
    found = {one.name: options[one.name] for one in fields(JudgeSettings) if options[one.name] is not None}
    if "parameters" in found:
        found["parameters"] = json_object(found["parameters"])
    if found.get("key_variable") == NOTHING:
        found["key_variable"] = ""
    # A model may be called "none", and some endpoints know that effort; there an empty text takes it away.
    return {name: None if name in NULLABLE and value == NOTHING else value for name, value in found.items()}


def _number_or_none(text: str) -> int | str:
    if text == NOTHING:
        return NOTHING
    if not text.isdecimal() or int(text) < 1:
        raise ArgumentTypeError("is not a whole number above 0, nor the word none")
    return int(text)


def _price_or_none(text: str) -> Decimal | str:
    if text == NOTHING:
        return NOTHING
    try:
        price = Decimal(text)
    except InvalidOperation:
        price = Decimal("NaN")
    if not price.is_finite():
        raise ArgumentTypeError("is not a price such as 0.25, nor the word none")
    return price


def try_out(judge: JudgeConfig, out: OutputWrapper) -> None:
    """Ask the judge one small question and print what works. Raises CommandError where it does not."""
    trial = judge_probe(judge)
    for finding in trial.findings:
        out.write(f"  {finding.state.value:<5} {finding.name}: {finding.sentence}")
    if not trial.works:
        raise CommandError(f'The judge "{judge.slug}" does not work as it is; see change_judge.')
    out.write(f'The judge "{judge.slug}" works.')
