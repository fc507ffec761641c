"""Person fit, DIF and judge effects of a small study, measured and shown."""

import re
from datetime import datetime

from django.test import Client
from django.urls import reverse

from judging.models import ScoringRun
from psychometrics.inference.measure import Block
from scoring.models import Measurement, MeasureRow
from scoring.services.results import results_compute
from studies.bank.records import PromptRecord
from tests.support.measuring import measure_blocks
from tests.support.read_pages import every_part

NUMBERS = range(1, 13)
# Private ids are long: three letters stand in the random tokens of a page now and then.
SPLITS = {n: "private" if n % 4 == 0 else "public" for n in NUMBERS}
IDS = {n: f"p{n:02}{'-private' if SPLITS[n] == 'private' else ''}" for n in NUMBERS}
PROMPTS = [
    PromptRecord(
        prompt_id=IDS[n], text=f"Question {n}?", gold_answer=str(40 + n), category=("QR", "LR")[n % 2],
        split=SPLITS[n],
    )
    for n in NUMBERS
]  # fmt: skip
BLOCKS = (Block.FIT, Block.DIF, Block.JUDGE)
PEOPLE = 8


def measured(run: ScoringRun, now: datetime, *blocks: Block) -> Measurement:
    return measure_blocks(results_compute(run=run, now=now), *blocks, now=now, resamples=100)


def row(measurement: Measurement, block: Block, name: str, group: str = "", subset: str = "") -> MeasureRow:
    return measurement.result_set.measures.get(
        scope="all", block=block, name=name, group=group, subset=subset
    )


def content(client: Client, block: Block, study: str = "effects") -> str:
    address = reverse("staff_measurement", kwargs={"slug": study, "block": block})
    return re.sub(r"\s+", " ", every_part(client, address))
