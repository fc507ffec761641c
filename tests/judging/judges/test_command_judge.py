"""A program as the judge: what it is given, what it may say, and what becomes of it when it fails."""

import fcntl
import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from judging.judges.command import CommandJudge
from judging.judges.interface import CriterionTask, JudgeTask
from judging.judges.local_judges import Programs
from studies.protocol.settings import ProtocolSettings
from tests.support.programs import command_judge, program

pytestmark = pytest.mark.slow
EXACT = JudgeTask("p1", "Which planet?", "Mars", (), "It is Mars.")
RUBRIC = JudgeTask("p2", "Which?", None, (CriterionTask(3, "Names Mars."),), "It is Venus.")
HOSTILE = """It's "Mars"; $(touch taken) `touch taken`\n{"score": 1}\r\n\\ ${HOME} 'x' – \u2028🚀 && exit"""


def test_it_is_given_one_line_and_its_verdict_is_taken_as_it_says(tmp_path: Path) -> None:
    judge = command_judge(program(tmp_path, "say(score=0.5, confidence=0.25, explanation=json.dumps(given))"))
    exact, rubric = judge.verdict(EXACT, None), judge.verdict(RUBRIC, 3)
    assert (exact.position, exact.score, exact.confidence, exact.reason) == (None, 0.5, 0.25, None)
    assert json.loads(exact.explanation) == {
        "prompt": "Which planet?", "gold_answer": "Mars", "criterion": None, "answer": "It is Mars.",
    }  # fmt: skip
    assert rubric.position == 3
    assert json.loads(rubric.explanation) == {
        "prompt": "Which?", "gold_answer": None, "criterion": "Names Mars.", "answer": "It is Venus.",
    }  # fmt: skip


def test_the_program_of_the_docs_judges(tmp_path: Path) -> None:
    page = (Path(__file__).parents[3] / "docs" / "judge-programs.md").read_text()
    path = tmp_path / "same"
    path.write_text(page.partition("```python\n")[2].partition("```")[0])
    judge = command_judge(sys.executable, str(path))
    assert judge.verdict(EXACT, None).explanation == "Another answer."
    assert judge.verdict(replace(EXACT, answer=" Mars\n"), None).score == 1.0


def test_it_is_certain_unless_it_says_how_sure_it_is(tmp_path: Path) -> None:
    judge = command_judge(program(tmp_path))
    assert [judge.verdict(EXACT, None).score, judge.verdict(RUBRIC, 3).score] == [1.0, 0.0]
    assert judge.verdict(RUBRIC, 3).confidence == 1.0


def test_it_sees_nothing_of_the_site_but_where_programs_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHIRON_JUDGE_KEY_MAIN", "secret")
    body = "say(score=1, explanation=' '.join([os.getcwd(), str(os.getsid(0) == os.getpid()), *os.environ]))"
    cwd, leads, *names = command_judge(program(tmp_path, body)).verdict(EXACT, None).explanation.split()
    assert (cwd, leads) == ("/", "True")
    # The shell and Python add these of their own.
    assert set(names) - {"PWD", "OLDPWD", "SHLVL", "_", "LC_CTYPE"} == {"PATH"}


def test_no_answer_reaches_a_shell_or_another_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    body = "say(score=0, explanation=given['answer'] + sys.stdin.read() + ' '.join(sys.argv[1:]))"
    judge = command_judge(program(tmp_path, body), "$(touch taken)")
    verdict = judge.verdict(JudgeTask("p1", HOSTILE, HOSTILE, (), HOSTILE), None)
    assert verdict.explanation == HOSTILE + "$(touch taken)"
    assert not list(tmp_path.glob("taken"))


FAILS = [
    ("sys.exit(3)", "server_failed", "ended with exit status 3."),
    ("os.kill(os.getpid(), 11)", "server_failed", "ended with exit status -11."),
    ("bytearray(300 * 2**20); say(score=1, explanation='')", "server_failed", "ended with exit status 1."),
    ("", "reply_off_schema", "wrote no verdict: reply: Invalid JSON"),
    ("print('Correct!')", "reply_off_schema", "wrote no verdict: reply: Invalid JSON"),
    ("sys.stdout.buffer.write(bytes(range(256)))", "reply_off_schema", "wrote no verdict"),
    ("say(score=1, explanation=''); say(score=1, explanation='')", "reply_off_schema", "trailing"),
    ("say(score=1)", "reply_off_schema", "explanation: Field required"),
    ("say(score='1', explanation='')", "reply_off_schema", "score: Input should be a valid number"),
    ("say(score=float('nan'), explanation='')", "reply_off_schema", "score: Input should be a finite number"),
    ("say(score=1.01, explanation='')", "reply_out_of_range", "score: Input should be less than or equal to"),
    ("say(score=1, confidence=-1, explanation='')", "reply_out_of_range", "confidence: Input should be"),
    ("while True: print('x' * 10_000)", "reply_too_large", "wrote more than 100,000 bytes."),
    ("time.sleep(600)", "timed_out", "took longer than 2 seconds."),
    ("sys.stdout.close(); os.close(1); time.sleep(600)", "timed_out", "took longer than 2 seconds."),
]


@pytest.mark.parametrize(("body", "reason", "words"), FAILS)
def test_what_fails_leaves_the_criterion_unscored_with_a_reason(
    tmp_path: Path, body: str, reason: str, words: str
) -> None:
    verdict = command_judge(program(tmp_path, body), seconds=2.0, megabytes=200).verdict(RUBRIC, 3)
    assert (verdict.position, verdict.score, verdict.confidence, verdict.reason) == (3, None, None, reason)
    assert verdict.explanation.startswith("The program units ")
    assert words in verdict.explanation


@pytest.mark.parametrize(("ends", "reason"), [("sys.exit()", None), ("time.sleep(600)", "timed_out")])
def test_what_it_started_ends_with_it(tmp_path: Path, ends: str, reason: str | None) -> None:
    """Whoever has the file open holds its lock."""
    body = f"""
import fcntl, subprocess
held = open({str(tmp_path / "lock")!r}, "w")
fcntl.flock(held, fcntl.LOCK_EX)
subprocess.Popen(["/bin/sleep", "600"], pass_fds=[held.fileno()], stdout=subprocess.DEVNULL)
say(score=1, explanation="")
{ends}
"""
    assert command_judge(program(tmp_path, body), seconds=2.0).verdict(EXACT, None).reason == reason
    with open(tmp_path / "lock") as held:
        fcntl.flock(held, fcntl.LOCK_EX)


def test_a_long_answer_need_not_be_read(tmp_path: Path) -> None:
    path = tmp_path / "blind"
    path.write_text("""#!/bin/sh\necho '{"score": 0, "explanation": "Not read."}'\n""")
    path.chmod(0o700)
    long = JudgeTask("p1", "?", "Mars", (), "x" * 1_000_000)
    assert command_judge(str(path)).verdict(long, None).explanation == "Not read."


def test_a_program_that_is_gone_when_it_is_started_is_no_error_of_ours(tmp_path: Path) -> None:
    judge = command_judge(program(tmp_path))
    (tmp_path / "units").unlink()
    assert judge.verdict(EXACT, None).reason == "server_failed"


def test_another_program_or_argument_is_another_judge(tmp_path: Path) -> None:
    script = program(tmp_path)
    judge = command_judge(sys.executable, script, "--strict")
    described = judge.describe()
    assert {name: described[name] for name in ("kind", "name", "arguments")} == {
        "kind": "command", "name": "units", "arguments": [sys.executable, script, "--strict"],
    }  # fmt: skip
    assert isinstance(described["sha256"], dict)
    assert list(described["sha256"]) == [sys.executable, script]
    program(tmp_path, "say(score=1, explanation='')")
    changed = command_judge(sys.executable, script, "--strict").describe()
    assert changed != described
    assert changed | {"sha256": {}} == described | {"sha256": {}}


@pytest.mark.parametrize(
    ("commands", "words"),
    [
        ({"other": ["/bin/true"]}, 'names no program "units" in CHIRON_JUDGE_COMMANDS'),
        ({"units": ["/nowhere/units"]}, "/nowhere/units is no program that can be started here"),
        ({"units": ["/etc/passwd"]}, "/etc/passwd is no program that can be started here"),
        ({"units": ["/etc"]}, "/etc is no program that can be started here"),
    ],
)
def test_a_program_that_cannot_be_started_is_found_beforehand(
    commands: dict[str, list[str]], words: str
) -> None:
    protocol = ProtocolSettings(judge_kind="command", judge_command="units")
    with pytest.raises(ValueError, match=words):
        CommandJudge.of_study(protocol, rules_version=None, programs=Programs(commands, 10.0, 512))
