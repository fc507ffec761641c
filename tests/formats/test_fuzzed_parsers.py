"""Whatever bytes arrive, a parser returns something valid or refuses in words, in bounded memory.

Each parser starts from a valid file, which is then broken in ways that files and people do.
"""

import io
import json
import tempfile
import tracemalloc
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from pydantic import ValidationError

from batches.error_messages import body_error_message
from batches.schemas import SaveBody
from formats.files import FileRefused
from formats.item_parameters import ItemParametersRefused, read_item_parameters
from judging.judges.schemas import ExactJudgment, RubricJudgment, rubric_judgments
from llm.errors import LLMError, Received
from llm.parsing import parse
from llm.replies import error_status, reply_text, require_json
from psychometrics.benchmark.accuracy_table import AccuracyTableRefused
from psychometrics.data.response_matrix_rows import ResponseMatrixRefused
from psychometrics.data.score_table import ScoreTableRefused, read_score_table
from reporting.forms.audit_file import read_ratings
from scoring.readers.accuracy_tables import read_accuracy_table
from scoring.readers.model_results.reading import read_model_results
from scoring.readers.model_results.records import ModelResultsRefused
from scoring.readers.response_matrices import read_response_matrix
from studies.bank.bbeh_format import read_bbeh
from studies.bank.bbh_format import read_bbh
from studies.bank.chiron_format import read_chiron
from studies.bank.gim_format import read_gim
from studies.forms.people_file import read_people

NOW = datetime(2030, 5, 1, tzinfo=UTC)
EXAMPLES = 100
MIB = 1024**2
# What breaks parsers: in JSON, in CSV, in numbers, in text.
SPLINTERS = [
    b"null", b"NaN", b"-Infinity", b"1e999", b"1e-999", b"9" * 400, b"-0", b"1_0", b"0x1F", b"true", b"{}",
    b"[]", b'""', b'"', b"'", b",", b";", b"\t", b"\n", b"\r", b"\r\n", b"\0", b"\\u0000", b"\\ud800", b"\\",
    b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\xfe\xff", "٣".encode(), "\u2028".encode(),
    "\u202e".encode(), "🦉".encode(), b"=HYPERLINK(1)", b"[" * 200, b'{"a":' * 200, b"../../etc/passwd",
    b" " * 300, b"x" * 5_000, b'{"id": 1, "id": 2}', b"}", b"]", b":", b"#", b"\x1b[2J",
]  # fmt: skip
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


@st.composite
def broken(draw: st.DrawFn, seed: bytes) -> bytes:
    """The valid file after up to six accidents; now and then something else altogether."""
    if draw(st.integers(0, 9)) == 0:
        return draw(st.binary(max_size=2_000))
    content = seed
    for _ in range(draw(st.integers(0, 6))):
        start = draw(st.integers(0, len(content)))
        end = min(len(content), start + draw(st.sampled_from([0, 0, 1, 2, 5, 20, 100])))
        middle = draw(st.sampled_from([*SPLINTERS, content[start:end] * 2, content]) | st.binary(max_size=8))
        content = (content[:start] + middle + content[end:])[:200_000]
    return content


@st.composite
def rewritten(draw: st.DrawFn, seed: bytes) -> bytes:
    """Valid JSON in which some values are of another kind, some fields gone and some strange ones there."""
    scalars = (
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
        | st.sampled_from(["", " ", "\0", "\ud800", "p1", "../x", 10**30, -1, 1e308, 2**31, "0.5"])
    )  # fmt: skip
    values = st.recursive(
        scalars,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    )

    def changed(value: object) -> object:
        if draw(st.integers(0, 7)) == 0:
            return draw(values)
        if isinstance(value, dict):
            kept = {name: changed(one) for name, one in value.items() if draw(st.integers(0, 15))}
            return kept | ({draw(st.text(max_size=5)): draw(values)} if draw(st.integers(0, 7)) == 0 else {})
        return [changed(one) for one in value] if isinstance(value, list) else value

    return b"\n".join(json.dumps(changed(json.loads(line))).encode() for line in seed.splitlines())


fuzzed = partial(settings, suppress_health_check=list(HealthCheck))


@pytest.mark.parametrize("name", PARSERS)
def test_a_broken_file_is_read_or_refused_in_words(name: str) -> None:
    parser = PARSERS[name]
    parser(parser.seed)
    fuzzed(max_examples=EXAMPLES)(given(broken(parser.seed))(lambda content: parser(content)))()


@pytest.mark.parametrize("name", [name for name, parser in PARSERS.items() if parser.seed.startswith(b"{")])
def test_json_of_another_shape_is_read_or_refused_in_words(name: str) -> None:
    parser = PARSERS[name]
    fuzzed(max_examples=EXAMPLES)(given(rewritten(parser.seed))(lambda content: parser(content)))()


HEAVY = {
    "brackets": b"[" * 300_000,
    "objects": b'{"a":' * 100_000,
    "digits": b"9" * 300_000,
    "one line": b"a," * 150_000,
    "lines": b"\n" * 300_000,
    "quotes": b'"' * 300_001,
    "commas and lines": b",\n" * 150_000,
    "escapes": b'"' + b"\\u0041" * 50_000 + b'"',
    "entities": b"&amp;" * 60_000,
    "keys": b"{" + b",".join(b'"k%d":1' % n for n in range(30_000)) + b"}",
}


@pytest.mark.parametrize("name", PARSERS)
def test_a_heavy_file_takes_bounded_memory(name: str) -> None:
    parser = PARSERS[name]
    for kind, content in HEAVY.items():
        tracemalloc.start()
        parser(content)
        parser(parser.seed[: len(parser.seed) // 2] + content + parser.seed[len(parser.seed) // 2 :])
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 150 * MIB, kind


def repeated(name: str, value: object, rows: int, others: dict[str, Any]) -> bytes:
    """A small file of many rows that all refer to one value."""
    indices = pyarrow.array([0]).take(pyarrow.repeat(0, rows)).cast("int32")
    column = pyarrow.DictionaryArray.from_arrays(indices, pyarrow.array([value]))
    out = io.BytesIO()
    columns = {name: column, **{other: pyarrow.repeat(one, rows) for other, one in others.items()}}
    pyarrow.parquet.write_table(pyarrow.table(columns), out, compression="zstd")
    return out.getvalue()


GIM_OTHERS: dict[str, Any] = {"prompt_id": "g", "labels": "math", "answer_gtfa": "1"}
HEAVY_PARQUET: dict[str, tuple[str, str, object, int, dict[str, Any]]] = {
    "matrix of many rows": ("matrix parquet", "c", "m", 17_000_000, {}),
    "matrix of a long name": ("matrix parquet", "c", "m" * 300 * MIB, 1, {}),
    "matrix of one name often": ("matrix parquet", "c", "m" * MIB, 1_000, {"p1": 0.5}),
    "bank of many rows": ("bank gim parquet", "prompt", "x", 4_500_000, GIM_OTHERS),
    "bank of a long text": ("bank gim parquet", "prompt", "x" * 300 * MIB, 1, GIM_OTHERS),
    "bank of one text often": ("bank gim parquet", "prompt", "x" * MIB, 1_000, GIM_OTHERS),
}


@pytest.mark.parametrize("kind", HEAVY_PARQUET)
def test_a_small_parquet_that_unpacks_to_much_is_refused_in_bounded_memory(kind: str, tmp_path: Path) -> None:
    name, column, value, rows, others = HEAVY_PARQUET[kind]
    path = tmp_path / PARSERS[name].name
    path.write_bytes(repeated(column, value, rows, others))
    assert path.stat().st_size < MIB
    former = pyarrow.default_memory_pool()
    pool = pyarrow.proxy_memory_pool(former)  # counts its own most
    pyarrow.set_memory_pool(pool)
    try:
        reading = ""
        try:
            read = PARSERS[name].read(path)
            reading = str(getattr(read, "problems", ""))
        except PARSERS[name].refusals as refusal:
            reading = str(refusal)
    finally:
        pyarrow.set_memory_pool(former)
    assert "above the limit" in reading or "more than the limit" in reading
    assert pool.max_memory() < 900 * MIB
