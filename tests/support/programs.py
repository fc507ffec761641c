"""Small programs that judge, in Python."""

import sys
from pathlib import Path

from judging.judges.command import CommandJudge
from judging.judges.local_judges import Programs
from studies.protocol.settings import ProtocolSettings

# Correct where the gold answer, or else the last word of the criterion, is in the answer.
FINDS = """
wanted = given["gold_answer"] if given["criterion"] is None else given["criterion"].rstrip(".").split()[-1]
say(score=float(wanted in given["answer"]), explanation=f"Looked for {wanted}.")
"""
BEGINNING = """#!{python} -IS
import json, os, sys, time
given = json.loads(sys.stdin.readline())
say = lambda **verdict: print(json.dumps(verdict))
"""


def program(folder: Path, body: str = FINDS, *, name: str = "units") -> str:
    """The path of a program that has read its line as `given`; `say(score=…, explanation=…)` answers."""
    path = folder / name
    path.write_text(BEGINNING.format(python=sys.executable) + body)
    path.chmod(0o700)
    return str(path)


def command_judge(*arguments: str, seconds: float = 10.0, megabytes: int = 512) -> CommandJudge:
    protocol = ProtocolSettings(judge_kind="command", judge_command="units")
    return CommandJudge.of_study(
        protocol, rules_version=None, programs=Programs({"units": arguments}, seconds, megabytes)
    )
