"""How long the measurement takes at the pilot's size and at 10,000 people, and how fast its pages open.

    python -m benchmarks.measurement.all_blocks DATA
    python -m benchmarks.measurement.all_blocks DATA --people 10000 --rounds 1

DATA is the folder that holds gim/irt_params.json. One process on one core; everything the platform measures
by default: all blocks, 2,000 resamples with re-selection, the multiverse. Median of the rounds, each block's
seconds, the largest memory, and the median time of the results page and of each block's page from stored
rows.
"""

import argparse
import json
import os
import resource
import statistics
import time
from pathlib import Path
from tempfile import TemporaryDirectory

PAGE_ROUNDS = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--people", type=int, default=195)
    parser.add_argument("--models", type=int, default=53)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[name] = "1"
    with TemporaryDirectory() as folder:
        os.environ["CHIRON_DATA_DIR"] = folder
        from benchmarks.judging.speed import close_connections, set_up

        set_up()
        report(arguments)
        close_connections()


def report(arguments: argparse.Namespace) -> None:
    from django.utils import timezone

    from benchmarks.measurement.measured_study import measured_study
    from scoring.services.measurement import measurement_compute
    from scoring.services.results import results_compute

    run = measured_study(
        slug="measured",
        people=arguments.people,
        models=arguments.models,
        published=arguments.data / "gim" / "irt_params.json",
        seed=arguments.seed,
    )
    results = results_compute(run=run, now=timezone.now())
    seconds, blocks = [], {}
    for _ in range(arguments.rounds):
        started = time.perf_counter()
        measurement = measurement_compute(results=results, now=timezone.now())
        seconds.append(time.perf_counter() - started)
        blocks = measurement.blocks
    print(
        json.dumps(
            {
                "people": arguments.people,
                "models": arguments.models,
                "pairs": run.scores.filter(score__isnull=False).count(),
                "rows": measurement.result_set.measures.count(),
                "seconds": round(statistics.median(seconds), 2),
                "blocks": {name: [ended["state"], ended["seconds"]] for name, ended in blocks.items()},
                "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
                "page_ms": pages(run.study.slug),
            },
            indent=2,
        )
    )


def pages(slug: str) -> dict[str, float]:
    """Median milliseconds of each page for a signed-in member of the team, the first call left out."""
    from django.core.management import call_command
    from django.test import Client, override_settings
    from django.urls import reverse

    from studies.models import User

    call_command("collectstatic", verbosity=0, interactive=False)
    client = Client(HTTP_HOST="127.0.0.1")
    client.force_login(User.objects.create_superuser("lead@example.org"))
    addresses = {"results": reverse("staff_results", args=[slug])}
    from psychometrics.measures.computing import MEASURED

    addresses |= {str(block): reverse("staff_measurement", args=[slug, block]) for block in MEASURED}
    taken: dict[str, float] = {}
    with override_settings(STAFF_SECOND_FACTOR=False):
        for name, address in addresses.items():
            times = []
            for _ in range(PAGE_ROUNDS + 1):
                started = time.perf_counter()
                response = client.get(address, follow=True)
                times.append(1000 * (time.perf_counter() - started))
                assert response.status_code == 200, (name, response.status_code)
            taken[name] = round(statistics.median(times[1:]), 1)
    return taken


if __name__ == "__main__":
    main()
