"""An OpenAI-compatible server on loopback that plays a judge, to rehearse judging over HTTP without a model.

    python benchmarks/judge_server.py --port 8099
    python benchmarks/judge_server.py --port 0 --latency-ms 50 --log calls.jsonl --faults 0.3 --seed 7

A judgment follows from a hash of the messages alone: equal messages get equal judgments, and they mean
nothing. It can be slow, faulty, limited or dead (`--help`), and logs what it was asked. Tests and benchmarks
start it with `hashed_judge.running.judge_server` and read its log with `hashed_judge.log`.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.hashed_judge.main import main

if __name__ == "__main__":
    main()
