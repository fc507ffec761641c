"""People at work in a study of their own: `python -m tests.faults.start_sessions --people 16 --prompts 4`.

Prints their sessions and the cookies of their browsers as JSON.
"""

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

import django

sys.path[:0] = [str(Path(__file__).resolve().parent.parent.parent / "benchmarks")]
django.setup()

from benchmarks.sessions.site_under_load import everybody_at_work  # noqa: E402


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--people", type=int, required=True)
    parser.add_argument("--prompts", type=int, required=True)
    asked = parser.parse_args()
    people = everybody_at_work(
        people=asked.people,
        batches=1,
        batch_size=asked.prompts,
        replicates_per_profile=asked.people,
        note_per_prompt=True,
        confidence_per_prompt=True,
    )
    sys.stdout.write(json.dumps([asdict(person) for person in people]))


if __name__ == "__main__":
    main()
