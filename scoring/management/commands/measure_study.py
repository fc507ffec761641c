"""manage.py measure_study STUDY: measure the newest results again, with a chosen seed."""

import json
import sys
from argparse import Action, ArgumentParser
from typing import Any

from django.utils import timezone

from presentation.numbers import counted
from psychometrics.measures.catalogue import CATALOGUE
from scoring.management.run_arguments import measuring_bar
from scoring.selectors.runs import newest_study_results
from scoring.services.freshness import results_are_current
from scoring.services.measurement import RESAMPLES, SEED, measurement_compute
from scoring.services.results import results_compute
from studies.management.operators import OperatorCommand, named_study
from studies.services.refusals import Refused

MIN_RESAMPLES, MAX_RESAMPLES = 100, 100_000


class Names(Action):
    """As --help does: needs no study, and nothing is measured."""

    def __call__(self, parser: ArgumentParser, *_: Any) -> None:
        for one in CATALOGUE.values():
            sys.stdout.write(f"{one.name}  {one.label} ({one.unit}; {one.block})\n")
        parser.exit()


class Command(OperatorCommand):
    help = (
        "Measure the newest results of a study: Average and Top with every estimator, uncertainty, missing "
        "answers, exclusions, judge effects, fit, slices, models. Prints how each block ended as JSON. "
        "The same results, seed and resamples give the same numbers."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="the study's short name")
        parser.add_argument("--names", action=Names, nargs=0, help="say what every measure is, and stop")
        parser.add_argument("--seed", type=int, default=SEED, help=f"default {SEED}")
        parser.add_argument(
            "--resamples", type=int, default=RESAMPLES, help=f"of the bootstrap; default {RESAMPLES}"
        )

    def handle(self, *_: Any, **options: Any) -> None:
        with measuring_bar() as said:
            if options["seed"] < 0:
                raise Refused("--seed must be 0 or a positive number.")
            if not MIN_RESAMPLES <= options["resamples"] <= MAX_RESAMPLES:
                least, most = counted(MIN_RESAMPLES), counted(MAX_RESAMPLES)
                raise Refused(f"--resamples must be from {least} to {most}.")
            results = newest_study_results(named_study(options["study"]))
            if results is None:
                raise Refused(f"Nothing is scored yet; run score_study {options['study']} first.")
            if not results_are_current(results.run):
                # What is measured are the answers of now: numbers of two moments must not stand together.
                results = results_compute(run=results.run, now=timezone.now())
            measurement = measurement_compute(
                results=results,
                now=timezone.now(),
                seed=options["seed"],
                resamples=options["resamples"],
                said=said,
            )
        self.stdout.write(json.dumps(measurement.blocks, indent=2))
