"""Whether the published accuracies of a model on BIG-Bench Hard come out of its published outputs.

Run:  python -m benchmarks.judging.bbh_outputs FOLDER

FOLDER is one of those with model outputs in the benchmark's public repository, such as its chain-of-thought
outputs: per task a JSON file with the outputs, and beside it one line with the accuracy. Nothing of it is in
this project. Says how many outputs are read otherwise than by the earlier version of the rules, and how many
verdicts changed with that. Ends with an error where an accuracy differs.
"""

import argparse
import json
import sys
from pathlib import Path

from judging.matching.bbh import EARLIER, PATTERNS, VERSION, extract, is_correct

ROUNDING = 1e-9


def accuracy(path: Path, task: str) -> tuple[float, int]:
    """In percent, and of how many outputs."""
    outputs = json.loads(path.read_text())["outputs"]
    right = sum(is_correct(one["prediction"], str(one["target"]), task) for one in outputs)
    return 100 * right / len(outputs), len(outputs)


def changed(folder: Path, version: int) -> str:
    """How many outputs are read otherwise than by an earlier version of the rules."""
    read = verdicts = number = 0
    for task in PATTERNS:
        path = next(folder.glob(f"{task}_*0.json"))
        for one in json.loads(path.read_text())["outputs"]:
            response, target = one["prediction"], str(one["target"])
            number += 1
            read += extract(response, task) != extract(response, task, version=version)
            verdicts += is_correct(response, target, task) != is_correct(
                response, target, task, version=version
            )
    return (
        f"version {VERSION} reads {read} of {number} outputs otherwise than version {version}; "
        f"{verdicts} verdicts changed"
    )


def compared(folder: Path, task: str) -> bool:
    """Print one task; whether the published accuracy comes out."""
    path = next(folder.glob(f"{task}_*0.json"))
    scores = path.with_name(f"{path.stem}_eval_metrics.jsonl")
    published = float(json.loads(scores.read_text())["accuracy"])
    found, number = accuracy(path, task)
    agrees = abs(found - published) <= ROUNDING
    print(
        f"{task:42} {number:4}  published {published:7.3f}  found {found:7.3f}{'' if agrees else '  DIFFERS'}"
    )
    return agrees


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    if not any(folder.glob("*_eval_metrics.jsonl")):
        sys.exit(
            f"{folder} holds no published accuracies; name a folder with model outputs of the benchmark."
        )
    agree = sum(compared(folder, task) for task in PATTERNS)
    print(f"{agree} of {len(PATTERNS)} published accuracies come out exactly")
    for version in EARLIER:
        print(changed(folder, version))
    sys.exit(agree < len(PATTERNS))


if __name__ == "__main__":
    main()
