"""Studies to judge, and a server that counts tokens."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from batches.models import Session
from benchmarks.hashed_judge.running import RunningJudge, judge_server
from studies.bank.records import CriterionRecord, PromptRecord
from studies.models import Participant, Study

MakeStudy = Callable[..., Study]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RunningJudge]:
    with judge_server(log=tmp_path / "log", latency_ms=10, jitter_ms=20) as running:
        yield running


@pytest.fixture
def judged_study(
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
) -> MakeStudy:
    """A study with `people` x 12 verdicts to give."""

    def make(people: int) -> Study:
        prompts = [
            PromptRecord(
                prompt_id=f"p{n:03d}",
                text=f"Question {n}?",
                gold_answer=str(n),
                criteria=tuple(CriterionRecord(text=f"Says part {c} of {n}.") for c in range(3)),
            )
            for n in range(1, 5)
        ]
        study = make_study(prompts=prompts, replicates_per_profile=people)
        for number in range(people):
            texts = {f"p{n:03d}": f"Answer {number} to {n}. " * (1 + number) for n in range(1, 5)}
            work(make_person(study), texts)
        return study

    return make
