"""What the judge server can be told, as a dataclass and as a command line; both from one table."""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any


def _option(default: Any, sentence: str, kind: Callable[[str], Any] = float) -> Any:
    return field(default=default, metadata={"sentence": sentence, "kind": kind})


def _names(text: str) -> tuple[str, ...]:
    return tuple(name for name in text.split(",") if name)


@dataclass(frozen=True, kw_only=True)
class JudgeOptions:
    """How the server behaves. Times are in the unit of their name; shares are between 0 and 1."""

    port: int = _option(8099, "where to listen on loopback; 0 picks a free port", int)
    judge: str = _option("A", "whose verdicts: B, C, … differ from A's", str)
    agreement: float = _option(0.8, "the share of verdicts that another judge takes over from A")
    latency_ms: float = _option(0.0, "time before every reply")
    jitter_ms: float = _option(0.0, "up to so much is added to the latency")
    log: Path | None = _option(None, "a file for one line per arrival and one per reply", Path)  # noqa: RUF009
    seed: int = _option(0, "decides which requests meet a fault, and the jitter", int)
    faults: float = _option(0.0, "the share of requests that meet a passing fault")
    fault_kinds: tuple[str, ...] = _option((), "only these passing faults, separated by commas", _names)
    faults_at_most: int = _option(2, "passing faults in a row that one request can meet", int)
    permanent: float = _option(0.0, "the share of requests that never get a usable reply")
    stall_seconds: float = _option(30.0, "how long a stalled or dripping reply takes")
    wait_seconds: float = _option(1.0, "the wait that a fault with status 429 asks for")
    reject_keyword: tuple[str, ...] = _option((), "400 where a schema uses one of these", _names)
    reject_parameter: tuple[str, ...] = _option((), "400 where a request has one of these", _names)
    dead_after: int | None = _option(None, "401 for everyone from this call on", int)
    dead_until_file: Path | None = _option(None, "503 while this file exists", Path)  # noqa: RUF009
    rpm: int | None = _option(None, "requests allowed per window", int)
    tpm: int | None = _option(None, "tokens allowed per window", int)
    window_seconds: float = _option(60.0, "the length of that window")
    max_in_flight: int | None = _option(None, "requests allowed at the same time", int)
    while_stdin_open: bool = _option(False, "end when standard input closes", bool)


def read_options(arguments: Sequence[str] | None, *, description: str) -> JudgeOptions:
    """The options on the command line."""
    parser = argparse.ArgumentParser(description=description)
    for one in fields(JudgeOptions):
        told: dict[str, Any] = {"default": one.default, "help": one.metadata["sentence"]}
        if one.metadata["kind"] is bool:
            told["action"] = "store_true"
        else:
            told["type"] = one.metadata["kind"]
        parser.add_argument(_flag(one.name), **told)
    return JudgeOptions(**vars(parser.parse_args(arguments)))


def arguments_of(options: JudgeOptions) -> list[str]:
    """The command line that means `options`."""
    defaults = JudgeOptions()
    said: list[str] = []
    for name, value in asdict(options).items():
        if value == getattr(defaults, name):
            continue
        said.append(_flag(name))
        if not isinstance(value, bool):
            said.append(",".join(value) if isinstance(value, tuple) else str(value))
    return said


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")
