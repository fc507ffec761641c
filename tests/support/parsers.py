"""Every parser of files, replies and requests, with examples of what it reads."""

import io
import json
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
from pydantic import ValidationError

from batches.api import body_error_message
from batches.schemas import SaveBody
from formats.files import FileRefused
from formats.item_parameters import ItemParametersRefused, read_item_parameters
from judging.judges.schemas import ExactJudgment, RubricJudgment, rubric_judgments
from llm.error_replies import error_status
from llm.errors import LLMError, Received
from llm.replies import parse, reply_text, require_json
from psychometrics.benchmark.accuracy_table import AccuracyTableRefused
from psychometrics.data.response_matrix_files import ResponseMatrixRefused
from psychometrics.data.score_table import ScoreTableRefused, read_score_table
from reporting.forms.audit_file import read_ratings
from scoring.readers.accuracy_tables import read_accuracy_table
from scoring.readers.model_results.reading import read_model_results
from scoring.readers.model_results.records import ModelResultsRefused
from scoring.readers.response_matrices import read_response_matrix
from studies.bank.big_bench_formats import read_bbeh, read_bbh
from studies.bank.chiron_format import read_chiron
from studies.bank.gim_format import read_gim
from studies.forms.people_file import read_people

NOW = datetime(2030, 5, 1, tzinfo=UTC)
PROMPT = {"id": "p1", "text": "How many?", "gold_answer": "12", "category": "QR", "labels": ["a"]}
CRITERION = {"text": "Says 12.", "weight": 1, "check": {"kind": "contains", "any_of": ["12"]}}
GIM_ROW: dict[str, object] = {
    "prompt_id": "g1",
    "labels": "math",
    "prompt": "x?",
    "attachments": [],
    "answer_gtfa": "1",
    "rubrics": None,
}
TASK = {"examples": [{"input": "1+1", "target": "2"}], "canary": "EXAMPLE"}
BANK = {
    "version": 1,
    "transform": {"squeeze_scale": 0.998, "squeeze_offset": 0.001},
    "calibration": {"sigma_hat": 1.5, "n_models": 3},
    "items": {"p1": {"a": 1.0, "b": -0.5, "subcategory": "X", "prompt_set": "Y"}},
}
RESPONSE = {"model": "A", "prompt_id": "p1", "epoch": 1, "score": 0.5, "family": "F", "judge": "J"}
SAMPLE = {"id": "p1", "epoch": 1, "scores": {"s": {"value": 1}}, "output": {"model": "m"}}
JUDGMENT = {"explanation": "so", "grade": "CORRECT", "score": 0.5, "confidence": 0.5}
CHOICE = {"message": {"content": json.dumps(JUDGMENT)}, "finish_reason": "stop"}
REPLY = {"model": "m", "choices": [CHOICE], "usage": {"prompt_tokens": 1, "completion_tokens": 2}}
SAVE = {"text": "x", "base_revision": 0, "tab": "a", "sequence": 1}


def jsonl(*values: object) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


def parquet(rows: list[dict[str, Any]]) -> bytes:
    out = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), out)
    return out.getvalue()


def inspect_log() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("samples/p1_epoch_1.json", json.dumps(SAMPLE))
        archive.writestr(
            "header.json", json.dumps({"version": 2, "status": "success", "eval": {"model": "m"}})
        )
    return out.getvalue()


def judged(content: bytes) -> None:
    """A reply of a judge on its whole way."""
    received = Received(status=200, raw=content.decode("utf-8", "replace").replace("\0", "\ufffd"))
    kind = received.raw[:40].encode("ascii", "ignore").decode()
    require_json(received, {"content-type": "application/json" if "{" in kind else kind}, endpoint="e")
    reply = reply_text(received, endpoint="e")
    for schema in (ExactJudgment, RubricJudgment, rubric_judgments(2)):
        try:
            parse(reply, schema, endpoint="e", plain=True)
        except LLMError:
            continue


def refused(content: bytes) -> None:
    """A reply with an error status, with headers made of it, too."""
    received = Received(status=500 + len(content) % 60, raw=content.decode("utf-8", "replace"))
    header = content[:60].decode("latin-1")
    raise error_status(
        received, {"retry-after": header, "date": header}, endpoint="e", now=NOW, with_schema=True
    )


def saved(content: bytes) -> None:
    try:
        SaveBody.model_validate_json(content)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise ValueError(body_error_message({**first, "loc": ("body", *first["loc"])})) from None


@dataclass(frozen=True)
class Parser:
    """`read` takes a file called `name` if that is given, else the bytes; `seed` is what it takes gladly."""

    read: Callable[[Any], object]
    seed: bytes
    name: str = ""
    refusals: tuple[type[Exception], ...] = ()

    def __call__(self, content: bytes) -> None:
        """Read it; a refusal must say something, and be fit to be printed and stored."""
        try:
            if not self.name:
                self.read(content)
                return
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / self.name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
                # A bank of task files is a folder.
                self.read(path.parents[len(Path(self.name).parts) - 1] if "/" in self.name else path)
        except self.refusals as refusal:
            sentence = str(refusal)
            assert sentence.strip()
            assert len(sentence) < 100_000
            sentence.encode()


def score_table(path: Path) -> object:
    return read_score_table(path, {"p1": 0})


PARSERS = {
    "bank chiron": Parser(
        read_chiron, jsonl(PROMPT, {**PROMPT, "id": "p2", "criteria": [CRITERION]}), "b.jsonl"
    ),
    "bank gim jsonl": Parser(read_gim, jsonl(GIM_ROW), "gim.jsonl", (FileRefused,)),
    "bank gim parquet": Parser(
        read_gim, parquet([GIM_ROW | {"attachments": ["a"]}]), "gim.parquet", (FileRefused,)
    ),
    "bank bbeh": Parser(
        read_bbeh, json.dumps(TASK).encode(), "benchmark_tasks/bbeh_sums/task.json", (FileRefused,)
    ),
    "bank bbh": Parser(read_bbh, json.dumps(TASK).encode(), "folder/sums.json", (FileRefused,)),
    "item bank": Parser(
        read_item_parameters, json.dumps(BANK).encode(), "items.json", (ItemParametersRefused,)
    ),
    "people": Parser(
        read_people, b"email,profile,status,is_test\na@example.org,stem,approved,no\n", "people.csv"
    ),
    "audit sheet": Parser(read_ratings, b"sample,number,score,comment\nabc,1,0.5,why\n"),
    "matrix csv": Parser(
        read_response_matrix, b"configuration,p1,p2\nm,0.5,\n", "m.csv", (ResponseMatrixRefused,)
    ),
    "matrix jsonl": Parser(
        read_response_matrix, jsonl({"configuration": "m", "p1": 0.5}), "m.jsonl", (ResponseMatrixRefused,)
    ),
    "matrix parquet": Parser(
        read_response_matrix, parquet([{"c": "m", "p1": 0.5}]), "m.parquet", (ResponseMatrixRefused,)
    ),
    "scores": Parser(score_table, b"prompt_id,score,group\np1,0.5,g\n", "s.csv", (ScoreTableRefused,)),
    "models jsonl": Parser(read_model_results, jsonl(RESPONSE), "r.jsonl", (ModelResultsRefused,)),
    "models csv": Parser(
        read_model_results, b"model,theta,se,epochs\nA,1.5,0.2,3\n", "r.csv", (ModelResultsRefused,)
    ),
    "models inspect": Parser(read_model_results, inspect_log(), "log.eval", (ModelResultsRefused,)),
    "task table": Parser(
        read_accuracy_table,
        b'{"tasks": ["a"], "models": ["m"], "accuracy": [[0.5]]}',
        "t.json",
        (AccuracyTableRefused, FileRefused),
    ),
    "judge reply": Parser(judged, json.dumps(REPLY).encode(), refusals=(LLMError,)),
    "judge error": Parser(refused, b"Wed, 21 Oct 2030 07:28:00 GMT", refusals=(LLMError,)),
    "save body": Parser(saved, json.dumps(SAVE).encode(), refusals=(ValueError,)),
}
