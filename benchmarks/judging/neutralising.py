"""What neutralising an answer costs, that it is linear, and which published texts it changes.

    python -m benchmarks.judging.neutralising
    python -m benchmarks.judging.neutralising ../shared/data  # and every string in its JSON files

Processor time, the least of five rounds, in microseconds per 1,000 characters.
"""

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from fixtures.injections import LIKE_PUBLISHED
from judging.judges.neutralise import neutralise
from studies.protocol.judge_texts import DEFAULT_JUDGE_TEXTS

SIZES = (1_000, 10_000, 100_000)
PROSE = (Path(__file__).resolve().parents[2] / "docs" / "hardening.md").read_text(encoding="utf-8")
ANSWERS = {
    "prose, ASCII": PROSE.encode("ascii", "ignore").decode(),
    "prose with accents": PROSE.replace("e", "\u00e9"),
    "<<<<": "<",
    "&&&&": "&",
    "entities of entities": "&#38;#38;lt;",
    "entities inside entities": "&#&#5",
    "marks": "<a1>",
    "marks in marks": "<<ab>>",
    "comparisons over lines": "< \n",
    "brackets the wrong way": "]~",
    "labels": "\nQuestion:",
    "a tag apart": "</r e s p o n s e _",
}


def microseconds(answer: str, size: int) -> float:
    text = (answer * (size // len(answer) + 1))[:size]
    times = []
    for _ in range(5):
        started = time.process_time()
        neutralise(text, template=DEFAULT_JUDGE_TEXTS.rubric)
        times.append(time.process_time() - started)
    return min(times) * 1e9 / size


def strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from strings([*value, *value.values()])
    elif isinstance(value, list):
        for one in value:
            yield from strings(one)


def published(folder: Path) -> set[str]:
    """Every string of the JSON files of a folder, once."""
    found: set[str] = set()
    for file in sorted(folder.rglob("*.json*")):
        text = file.read_text(encoding="utf-8")
        values = text.splitlines() if file.suffix == ".jsonl" else [text]
        found.update(one for value in values if value for one in strings(json.loads(value)))
    return found


def main() -> None:
    print(f"{'characters':26}" + "".join(f"{size:>10,}" for size in SIZES))
    for name, answer in ANSWERS.items():
        print(f"{name:26}" + "".join(f"{microseconds(answer, size):>10.0f}" for size in SIZES))
    for folder in sys.argv[1:]:
        texts = published(Path(folder))
        for name, judge in (("our own texts", DEFAULT_JUDGE_TEXTS), ("labels and headings", LIKE_PUBLISHED)):
            for kind, template in (("exact", judge.exact), ("rubric", judge.rubric)):
                changed = [text for text in texts if neutralise(text, template=template) != text]
                print(f"{name}, {kind}: {len(changed)} of {len(texts)} texts changed")


if __name__ == "__main__":
    main()
