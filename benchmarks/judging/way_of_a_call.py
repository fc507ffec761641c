"""Which of our files and functions a judge call runs through, from the claim to the stored verdict.

    python -m benchmarks.judging.way_of_a_call
    python -m benchmarks.judging.way_of_a_call --list

A small study on SQLite, judged by this process with the judge server of these benchmarks. Counted are the
functions that run, in any thread, from the moment at which a process owns the judge to the end of its work;
not those that run while modules are imported.
"""

import argparse
import os
import sys
import tempfile
import threading
from collections import defaultdict
from contextlib import ExitStack
from pathlib import Path
from types import FrameType

from benchmarks.hashed_judge.running import judge_server
from benchmarks.judging.speed import close_connections, set_up

ROOT = Path(__file__).resolve().parents[2]
APART = ("benchmarks", ".venv", "tests", "config")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--list", action="store_true", help="name the files, with their functions")
    options = parser.parse_args()
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        os.environ.update({"CHIRON_DATA_DIR": folder, "DATABASE_URL": f"sqlite:///{folder}/way.sqlite3"})
        set_up()
        stack.callback(close_connections)
        functions = way(stack.enter_context(judge_server(latency_ms=5)).url)
    for file in sorted(functions) if options.list else ():
        print(f"{file}: {', '.join(sorted(functions[file]))}")
    print(f"{len(functions)} files, {sum(map(len, functions.values()))} functions")


def way(url: str) -> dict[str, set[str]]:
    """The functions of each of our files through which the calls of one run go."""
    from django.utils import timezone

    from benchmarks.judging.judged_study import judge_config, judged_study
    from judging.services.running.judge_specs import JudgeSpec
    from judging.services.running.own import judge_work
    from judging.services.running.runs import run_plan, run_start

    study, config = judged_study(people=1, prompts=2, criteria=2), judge_config(url, concurrency=2)
    plan = run_plan(
        study=study, specs=[JudgeSpec(config)], now=timezone.now(), progress=lambda done, of: None
    )
    run = run_start(plan=plan, budget=None, actor=None, now=timezone.now())
    functions: dict[str, set[str]] = defaultdict(set)

    def note(frame: FrameType, event: str, _argument: object) -> None:
        code = frame.f_code
        path = Path(code.co_filename)
        if event != "call" or not path.is_relative_to(ROOT) or code.co_name == "<module>":
            return
        file = path.relative_to(ROOT)
        if file.parts[0] not in APART:
            functions[str(file)].add(code.co_qualname)

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        judge_work(config=config, seconds=60, stopping=threading.Event(), clock=timezone.now)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    assert not run.rows.exclude(state="scored").exists(), "not every row was scored"
    return functions


if __name__ == "__main__":
    main()
