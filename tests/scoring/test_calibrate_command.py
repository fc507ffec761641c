"""manage.py calibrate: a matrix in, a bank and a report out. No test here may touch a database."""

import fcntl
import json
import os
import signal
import sys
import termios
import threading
import time
from contextlib import suppress
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from formats.item_parameters import read_item_parameters
from psychometrics.irt.transform import Transform

PUBLISHED = Transform(scale=0.998, offset=0.001)


def matrix_file(path: Path, *, persons: int = 22, items: int = 12) -> Path:
    rng = np.random.default_rng(1)
    y = rng.standard_normal((persons, 1)) - rng.normal(0, 2, items) + rng.standard_normal((persons, items))
    p = PUBLISHED.to_score(y)
    header = ["configuration", *(f"p{j}" for j in range(items))]
    rows = [[f"m{i}", *(f"{score:.6f}" for score in row)] for i, row in enumerate(p)]
    rows[0][1] = ""
    path.write_text("\n".join(",".join(row) for row in [header, *rows]) + "\n")
    return path


def run(*arguments: Any) -> dict[str, Any]:
    out = StringIO()
    call_command("calibrate", *map(str, arguments), stdout=out)
    report = json.loads(out.getvalue(), parse_constant=pytest.fail)
    assert isinstance(report, dict)
    return report


def refusal_of(*arguments: Any) -> str:
    out = StringIO()
    with pytest.raises(CommandError) as refusal:
        call_command("calibrate", *map(str, arguments), stdout=out)
    assert out.getvalue() == ""
    return str(refusal.value)


def test_the_bank_is_written_and_the_report_printed(tmp_path: Path) -> None:
    out = tmp_path / "bank.json"

    report = run(matrix_file(tmp_path / "m.csv"), "--out", out)

    assert {"loss", "sweeps", "gradient", "r_squared", "sigma_hat", "seconds"} <= report.keys()
    assert (report["configurations"], report["items"], report["responses"]) == (22, 12, 263)
    assert (report["model"], report["bank"]) == ("logit-normal 2PL", str(out))
    bank = read_item_parameters(out)
    assert [item.prompt_id for item in bank.items] == [f"p{j}" for j in range(12)]
    assert bank.sigma_hat == report["sigma_hat"]
    assert bank.n_models == 22
    assert sorted(path.name for path in tmp_path.glob("*bank*")) == ["bank.json"]


def test_an_existing_bank_stays_unless_it_is_to_be_replaced(tmp_path: Path) -> None:
    matrix, out = matrix_file(tmp_path / "m.csv"), tmp_path / "bank.json"
    out.write_text("precious")

    assert refusal_of(matrix, "--out", out) == (
        f"{out} exists; name another file, or overwrite it with --replace."
    )
    assert out.read_text() == "precious"
    run(matrix, "--out", out, "--replace")
    assert len(read_item_parameters(out).items) == 12


def test_weights_solver_and_difficulty_only_reach_the_fit(tmp_path: Path) -> None:
    matrix = matrix_file(tmp_path / "m.csv")

    plain = run(matrix, "--out", tmp_path / "1.json")
    stiff = run(matrix, "--out", tmp_path / "2.json", "--lambda", 50, "--mu", 1)
    additive = run(matrix, "--out", tmp_path / "3.json", "--difficulty-only")
    adam = run(matrix, "--out", tmp_path / "4.json", "--solver", "adam")

    spreads = [
        np.std([item.a for item in read_item_parameters(tmp_path / f"{n}.json").items]) for n in (1, 2, 3)
    ]
    assert spreads[0] > 3 * spreads[1] > spreads[2] == 0
    assert additive["model"] == "logit-normal 1PL"
    assert adam["solver"] == "adam"
    assert adam["loss"] == pytest.approx(plain["loss"], abs=1e-4)
    assert stiff["loss"] > plain["loss"]


def test_what_cannot_be_read_or_calibrated_leaves_no_file(tmp_path: Path) -> None:
    out, bad = tmp_path / "bank.json", tmp_path / "bad.csv"
    bad.write_text("model,p1\na,2\n")

    assert refusal_of(bad, "--out", out).splitlines() == [
        f"The response matrix {bad} cannot be read:",
        "line 2: the score of 'p1' is 2.0, outside 0 to 1; divide percentages by 100",
    ]
    few = matrix_file(tmp_path / "few.csv", persons=7)
    assert refusal_of(few, "--out", out).splitlines()[0] == (
        f"The response matrix {few} cannot be calibrated:"
    )
    assert not out.exists()


def test_impossible_options_are_refused(tmp_path: Path) -> None:
    matrix, out = matrix_file(tmp_path / "m.csv"), tmp_path / "bank.json"

    assert "'x' is no number" in refusal_of(matrix, "--out", out, "--lambda", "x")
    for value in ("0", "-1"):
        assert "write a number above 0" in refusal_of(matrix, "--out", out, "--lambda", value)
    for value in ("nan", "inf", "0_5"):
        assert f"{value!r} is no number" in refusal_of(matrix, "--out", out, "--lambda", value)
    assert "invalid choice" in refusal_of(matrix, "--out", out, "--model", "3PL")
    assert "'-1' is no weight; write a number from 0" in refusal_of(matrix, "--out", out, "--mu=-1")
    assert "invalid choice" in refusal_of(matrix, "--out", out, "--solver", "sgd")
    assert f"There is no folder {tmp_path / 'none'}" in refusal_of(
        matrix, "--out", tmp_path / "none" / "b.json"
    )
    assert "is a folder" in refusal_of(matrix, "--out", tmp_path)
    assert "File name too long" in refusal_of(matrix, "--out", tmp_path / ("x" * 300))


def test_neither_the_matrix_nor_a_pipe_is_overwritten_by_the_bank(tmp_path: Path) -> None:
    matrix, pipe = matrix_file(tmp_path / "m.csv"), tmp_path / "pipe"
    before = matrix.read_bytes()
    os.mkfifo(pipe)

    refusal = refusal_of(matrix, "--out", tmp_path / "." / "m.csv", "--replace")

    assert refusal == f"{matrix} is the matrix itself; name another file for the bank."
    assert matrix.read_bytes() == before
    assert "is a device or a pipe" in refusal_of(matrix, "--out", pipe, "--replace")
    assert pipe.is_fifo()


def test_a_bank_that_could_not_be_read_back_is_not_written(tmp_path: Path) -> None:
    path, out = matrix_file(tmp_path / "m.csv"), tmp_path / "bank.json"
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], *(line.rpartition(",")[0] + ",0" for line in lines[1:])]))

    refusal = refusal_of(path, "--out", out, "--lambda", "1e-300")

    assert "p11 (a = " in refusal
    assert "more of --lambda" in refusal
    assert not out.exists()


def unread_bytes(pipe: int) -> int:
    """How much of what was written into the pipe nobody has read yet."""
    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder)


def test_a_calibration_that_is_interrupted_leaves_nothing(tmp_path: Path) -> None:
    matrix = tmp_path / "m.csv"
    os.mkfifo(matrix)  # opening it for writing waits until the command reads

    def interrupt() -> None:
        with matrix.open("w") as pipe:
            pipe.write("person,p1\n")
            pipe.flush()
            while unread_bytes(pipe.fileno()):
                time.sleep(0.01)
            signal.pthread_kill(command, signal.SIGINT)
            with suppress(BrokenPipeError):  # wakes a read that had not begun when the signal came
                os.write(pipe.fileno(), b"one,0.5\n")
            stopped.wait()

    stopped, command = threading.Event(), threading.get_ident()
    person = threading.Thread(target=interrupt)
    # A shell's background job, as this run may be one, ignores the signal.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    person.start()
    try:
        with pytest.raises(CommandError, match="Stopped; no bank was written") as refusal:
            call_command("calibrate", str(matrix), "--out", str(tmp_path / "bank.json"))
    finally:
        stopped.set()
        signal.signal(signal.SIGINT, before)
    person.join()

    assert refusal.value.returncode == 130
    assert not (tmp_path / "bank.json").exists()


def test_theta_on_the_bank_that_was_written_is_the_ability_in_the_report(tmp_path: Path) -> None:
    matrix, bank, scores = matrix_file(tmp_path / "m.csv"), tmp_path / "bank.json", tmp_path / "scores.csv"
    report = run(matrix, "--out", bank)
    header, *rows = (line.split(",") for line in matrix.read_text().splitlines())
    lines = [
        f"{row[0]},{item},{cell}" for row in rows for item, cell in zip(header[1:], row[1:], strict=True)
    ]
    scores.write_text("\n".join(["group,prompt_id,score", *lines]))
    out = StringIO()

    call_command("theta", str(scores), "--item-bank", str(bank), stdout=out)

    found = {line["group"]: line["theta"] for line in map(json.loads, out.getvalue().splitlines())}
    assert found == pytest.approx(report["abilities"], abs=1e-9)
