"""manage.py score_study STUDY: screen, judge, compute, print the results; it continues where it stopped."""

from argparse import ArgumentParser
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from judging.models import JudgingRun
from judging.selectors.judges import judges_named
from judging.selectors.runs import open_judging_run
from judging.services.judge_keys import judge_key
from judging.services.running.coordinating import require_same_judges
from judging.services.running.judge_specs import JudgeSpec, study_judge_specs
from judging.services.running.runs import run_plan
from presentation.numbers import counted, quantity
from reporting.management.result_lines import result_lines
from scoring.coordinator import Scoring, study_score
from scoring.management.run_arguments import STOPPED, at_least_one, money, open_run_prepare, progress_bar
from studies.management.operators import named_person, named_study, plain_errors
from studies.models import Study, User


class Command(BaseCommand):
    help = (
        "Judge every retained answer that counts and has no score yet, then compute and print the results. "
        "The kind of judge comes from the study's protocol. Stop it at any time; the next run continues."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="the study's short name")
        parser.add_argument(
            "--judge",
            action="append",
            default=[],
            metavar="NAME",
            help="a judge added with add_judge; again for each further judge of a panel",
        )
        parser.add_argument(
            "--replicates",
            type=at_least_one,
            default=1,
            metavar="N",
            help="ask every judge N times, to see how far it agrees with itself (default 1)",
        )
        parser.add_argument(
            "--criteria-per-call",
            type=at_least_one,
            default=1,
            metavar="N",
            help="ask about up to N criteria of an answer at once, after compare_batched (default 1)",
        )
        parser.add_argument(
            "--budget", type=money, metavar="AMOUNT", help="pause before more than this would be spent"
        )
        parser.add_argument(
            "--resume",
            action="store_true",
            help="go on with a run that pauses (with --budget: under this one)",
        )
        parser.add_argument("--estimate", action="store_true", help="say what it would take, and ask nothing")
        parser.add_argument("--by", default="", metavar="EMAIL", help="the member of staff who starts it")

    def handle(self, *_: Any, **options: Any) -> None:
        try:
            with plain_errors():
                study = named_study(options["study"])
                actor = named_person(options["by"])
                configs = judges_named(options["judge"])
                specs = study_judge_specs(
                    study=study,
                    configs=configs,
                    replicates=options["replicates"],
                    criteria_per_call=options["criteria_per_call"],
                )
                # This process needs the key of each of them.
                for config in configs:
                    judge_key(config)
                if not configs and options["budget"] is not None:
                    raise CommandError("The study's judge costs nothing; leave out --budget.")
                if options["estimate"]:
                    self.estimate(study, specs)
                    return
                # The open run, if there is one, must be the one that is meant.
                run = open_judging_run(study)
                if run is not None:
                    require_same_judges(run, specs)
                open_run_prepare(run, resume=options["resume"], budget=options["budget"], actor=actor)
                scoring = self.score(study, specs, actor, options["budget"])
        except KeyboardInterrupt:
            raise CommandError(STOPPED, returncode=130) from None
        self.report(scoring)

    def estimate(self, study: Study, specs: Sequence[JudgeSpec]) -> None:
        with progress_bar("planning", "answers") as planning:
            plan = run_plan(study=study, specs=specs, now=timezone.now(), progress=planning)
        self.stdout.write("\n".join(_estimate_lines(plan.estimates)))

    def say_estimate(self, run: JudgingRun) -> None:
        """What the run is expected to take; nothing where no model is asked."""
        if run.study.protocol.judge_kind == "llm":
            self.stdout.write("\n".join(_estimate_lines(run.estimate)))

    def score(
        self, study: Study, specs: Sequence[JudgeSpec], actor: User | None, budget: Decimal | None
    ) -> Scoring:
        with progress_bar("planning", "answers") as planning, progress_bar("judging", "verdicts") as judging:
            return study_score(
                study=study,
                specs=specs,
                budget=budget,
                actor=actor,
                clock=timezone.now,
                planning=planning,
                judging=judging,
                begun=self.say_estimate,
            )

    def report(self, scoring: Scoring) -> None:
        undecided = scoring.screening.undecided
        if undecided:
            self.stderr.write(
                f"Flagged participants without a verdict: {counted(undecided)}. They are retained until a "
                "reviewer confirms the flags on the screening page."
            )
        for scored in scoring.judges:
            if len(scoring.judges) > 1:
                self.stdout.write(f"== {scored.run}, replicate {scored.run.replicate}")
            if scored.judging.left:
                reasons = ", ".join(
                    f"{counted(number)} {reason}" for reason, number in scored.judging.unscored.items()
                )
                self.stderr.write(
                    f"Unscored answers: {counted(scored.judging.left)} ({reasons}). "
                    "Run the same command again to retry them."
                )
            for line in result_lines(scored.results):
                self.stdout.write(line)


def _estimate_lines(estimates: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """What a run is expected to take, one line for each judge."""
    for estimate in estimates:
        cost = "price unknown" if estimate["cost"] is None else f"cost about {estimate['cost']}"
        again = f", replicate {estimate['replicate']}" if estimate["replicate"] > 1 else ""
        yield (
            f"{estimate['judge']}{again}: {quantity(estimate['rows'], 'verdict', 'verdicts')} wanted, "
            f"{quantity(estimate['calls'], 'call', 'calls')} "
            f"({counted(estimate['cached'])} known already, "
            f"{counted(estimate['shared'])} by the call of an equal request), tokens about "
            f"{counted(estimate['prompt_tokens'])} + {counted(estimate['completion_tokens'])}, {cost}."
        )
