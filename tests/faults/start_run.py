"""Start a judging run of every study of the site: `python -m tests.faults.start_run JUDGE_URL…`.

The runs are left to the workers. Prints how many rows their plans have.
"""

import argparse
import json
from decimal import Decimal
from typing import Any

import django

django.setup()

from django.utils import timezone  # noqa: E402

from judging.models import JudgeConfig  # noqa: E402
from judging.services.running.judge_specs import study_judge_specs  # noqa: E402
from judging.services.running.runs import run_plan, run_start  # noqa: E402
from studies.models import Study  # noqa: E402


def judge_of(number: int, url: str, fields: dict[str, Any]) -> JudgeConfig:
    name = f"judge-{number}"
    facts = {"model": name, "provider": "generic", "created_at": timezone.now(), **fields}
    made = JudgeConfig.objects.create(slug=name, base_url=url, **facts)
    made.refresh_from_db()
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("urls", nargs="+", help="base URLs of judges; several make a panel")
    parser.add_argument("--fields", type=json.loads, default=[], help="of the judges, one object for each")
    parser.add_argument("--budget", type=Decimal, help="of each run")
    asked = parser.parse_args()
    fields = asked.fields or [{}] * len(asked.urls)
    judges = [
        judge_of(number, url, of_one)
        for number, (url, of_one) in enumerate(zip(asked.urls, fields, strict=True), start=1)
    ]
    planned = 0
    for study in Study.objects.order_by("pk"):
        specs = study_judge_specs(study=study, configs=judges)
        plan = run_plan(study=study, specs=specs, now=timezone.now(), progress=lambda done, total: None)
        planned += run_start(plan=plan, budget=asked.budget, actor=None, now=timezone.now()).planned
    print(planned)  # noqa: T201


if __name__ == "__main__":
    main()
