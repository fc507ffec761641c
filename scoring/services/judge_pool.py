"""Asks a judge about many verdicts at once, without ever touching the database."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import cycle, islice

from scoring.judge.interface import CriterionVerdict, Judge, JudgeTask
from scoring.selectors.judging import PendingAnswer

QUEUED_PER_THREAD = 2


@dataclass(frozen=True)
class Question:
    """One verdict to ask for."""

    pending: PendingAnswer
    task: JudgeTask
    position: int | None


Judged = tuple[Question, CriterionVerdict]


def ask_all(
    questions: Iterator[Question],
    *,
    judges: Sequence[Judge],
    concurrency: int,
    store: Callable[[list[Judged]], None],
) -> None:
    """Ask the equivalent `judges` with `concurrency` threads; `store` gets verdicts as they come.

    `store` runs in the calling thread. When that is stopped (Ctrl-C, or an error in `store`), nothing new is
    asked; what is under way, at most `concurrency` verdicts, is waited for and stored.
    """
    under_way: dict[Future[CriterionVerdict], Question] = {}
    turns = cycle(judges)
    pool = ThreadPoolExecutor(concurrency, thread_name_prefix="judge")
    try:
        while True:
            for question in islice(questions, QUEUED_PER_THREAD * concurrency - len(under_way)):
                asked = pool.submit(next(turns).verdict, question.task, question.position)
                under_way[asked] = question
            if not under_way:
                return
            done, _ = wait(under_way, return_when=FIRST_COMPLETED)
            store(taken(under_way, done))
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
        finished = {asked for asked in under_way if not asked.cancelled() and asked.exception() is None}
        if finished:
            store(taken(under_way, finished))


def taken(
    under_way: dict[Future[CriterionVerdict], Question], done: set[Future[CriterionVerdict]]
) -> list[Judged]:
    """The verdicts of `done`, in the order they were asked for; they are no longer under way."""
    ready = [asked for asked in under_way if asked in done]
    verdicts = [(under_way[asked], asked.result()) for asked in ready]
    for asked in ready:
        del under_way[asked]
    return verdicts
