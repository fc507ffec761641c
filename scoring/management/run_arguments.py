"""A judging run on the command line: what the commands that start one have in common."""

from argparse import ArgumentTypeError
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal, InvalidOperation
from typing import Any

from django.core.management.base import CommandError
from django.utils import timezone
from tqdm import tqdm

from judging.models import JudgingRun, RunState
from judging.services.running.runs import run_resume
from psychometrics.inference.measure import Block
from psychometrics.measures.computing import BLOCKS
from scoring.services.measurement import Said
from studies.models import User

STOPPED = "Stopped. What was judged is kept: run the same command again and it continues."


def open_run_prepare(
    run: JudgingRun | None, *, resume: bool, budget: Decimal | None, actor: User | None
) -> None:
    """Resume the study's open run where that is asked; raise CommandError where the options do not fit it."""
    if resume and run is None:
        raise CommandError("No run of this study pauses; leave out --resume.")
    if run is None:
        return
    if resume and run.state == RunState.RUNNING:
        raise CommandError("The study's open run goes on already; leave out --resume.")
    if resume:
        now_allowed = run.budget if budget is None else budget
        run_resume(run=run, budget=now_allowed, actor=actor, now=timezone.now())
    elif run.state == RunState.PAUSED:
        raise CommandError(
            f"The study's open run pauses: {run.get_pause_reason_display()}. {run.pause_detail} "
            "Add --resume to go on with it."
        )
    elif budget is not None:
        raise CommandError(
            "The study's open run has the budget it was started with; leave out --budget, or pause the run "
            "and give the new one with --resume."
        )


@contextmanager
def progress_bar(doing: str, unit: str) -> Iterator[Callable[[int, int], None]]:
    """A bar that appears with the first number it is told."""
    bar: list[tqdm[Any]] = []

    def show(done: int, total: int) -> None:
        if not bar:
            bar.append(tqdm(desc=doing, unit=f" {unit}", disable=None, leave=False))
        bar[0].total, bar[0].n = total, done
        bar[0].refresh()

    try:
        yield show
    finally:
        for shown in bar:
            shown.close()


@contextmanager
def measuring_bar() -> Iterator[Said]:
    """A bar of the blocks of a measurement: a whole block is one step, within a block they are fractions."""
    order = list(BLOCKS)

    def show(block: Block, done: int, of: int) -> None:
        bar.set_description(str(block), refresh=False)
        bar.n = order.index(block) + (done / of if of else 0)
        bar.refresh()

    with tqdm(total=len(BLOCKS), unit="block", disable=None, leave=False) as bar:
        yield show


def at_least_one(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise ArgumentTypeError("is not a whole number above 0")
    return int(text)


def money(text: str) -> Decimal:
    try:
        amount = Decimal(text)
    except InvalidOperation:
        raise ArgumentTypeError("is not an amount such as 12.50") from None
    if not amount.is_finite() or amount < 0 or amount >= 10**8:
        raise ArgumentTypeError("is not an amount between 0 and 99,999,999")
    return amount
