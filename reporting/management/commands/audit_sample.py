"""manage.py audit_sample draw|import|show STUDY: people judge a sample of a judge's verdicts again."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any, TypeVar

from django.core.management.base import BaseCommand, CommandError
from django.db.models import Model, QuerySet
from django.utils import timezone

from judging.audit_sheet import audit_sheet
from judging.models import AuditSample
from judging.selectors.audits import has_public_scope, private_labels, sheet_rows, study_samples
from judging.selectors.runs import judging_runs
from judging.services.audit_ratings import ratings_import
from judging.services.audits import audit_draw, random_seed
from presentation.numbers import counted, quantity
from psychometrics.agreement.audit_sample import DEFAULT_SIZE
from psychometrics.inference.measure import Scope
from reporting.forms.audit_file import MAX_BYTES, read_ratings
from reporting.forms.audits import MAX_SEED
from reporting.management.agreement_lines import scope_lines
from reporting.views.agreement.tables import NumberShown
from reporting.views.audits.pages import import_sentence
from reporting.views.audits.tables import judges_shown, strata_shown
from reporting.views.measurement.scopes import lead_of_scores
from scoring.selectors.audit_results import audit_result
from scoring.services.audits import audits_compute
from studies.management.operators import named_person, named_study, plain_errors
from studies.models import Study
from studies.services.private_questions import private_seen

Row = TypeVar("Row", bound=Model)


class Command(BaseCommand):
    help = (
        "Draw verdicts of a judging run for people to judge again, as a CSV sheet without judges' scores; "
        "take a rated sheet back, whole or not at all; show how far each judge agrees with people."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        draw = actions.add_parser("draw", help="draw a sample and write its sheet")
        taking = actions.add_parser("import", help="take over a rated sheet")
        show = actions.add_parser("show", help="show what people say beside the judges")
        for action in (draw, taking, show):
            action.add_argument("study", help="the study's short name")
        draw.add_argument(
            "--out", type=Path, required=True, metavar="FILE", help="a CSV file that is not there yet"
        )
        draw.add_argument("--size", type=int, default=DEFAULT_SIZE, help="how many verdicts (default 200)")
        draw.add_argument("--seed", type=int, help="the same seed draws the same again (default: by chance)")
        draw.add_argument("--run", type=int, help="number of the judging run (default: the newest)")
        draw.add_argument(
            "--public-only",
            action="store_true",
            help="leave private prompts out, as is done anyway where reviewers see none",
        )
        taking.add_argument("sheet", type=Path, help="the rated CSV file")
        taking.add_argument("--rater", required=True, metavar="NAME", help="who rated: a name or a pseudonym")
        for action in (taking, show):
            action.add_argument("--sample", type=int, help="number of the sample (default: the newest)")
        for action in (draw, taking):
            action.add_argument("--by", help="the staff member the trail names")

    def handle(self, *_: Any, action: str, **options: Any) -> None:
        with plain_errors():
            study = named_study(options["study"])
            match action:
                case "draw":
                    self.draw(study, options)
                case "import":
                    self.take_over(study, options)
                case _:
                    self.show(_named_sample(study, options["sample"]))

    def draw(self, study: Study, options: dict[str, Any]) -> None:
        target: Path = options["out"]
        if target.exists():
            raise CommandError(f"{target} exists; name another file.")
        if not target.parent.is_dir():
            raise CommandError(f"There is no folder {target.parent}; make it or name another.")
        seed = random_seed() if options["seed"] is None else options["seed"]
        if not 0 <= seed <= MAX_SEED:
            raise CommandError(f"A seed is a whole number from 0 to {MAX_SEED}.")
        actor, now = named_person(options["by"]), timezone.now()
        sample = audit_draw(
            run=_numbered(judging_runs(study).select_related("study"), options["run"], study, "judging run"),
            size=options["size"],
            seed=seed,
            public_only=options["public_only"],
            actor=actor,
            now=now,
        )
        sheet = audit_sheet(sample.pk, sheet_rows(sample), canaries=study.bank_version.canaries)
        target.write_text(sheet, encoding="utf-8", newline="")
        self.stdout.write(
            f"Audit sample {sample.pk}, seed {seed}: {quantity(options['size'], 'verdict', 'verdicts')} in "
            f"{target}."
        )
        if private := private_labels(sample):
            private_seen(study=study, page="audit", labels=set(private), actor=actor, now=now)
            self.stdout.write(
                f"{quantity(len(private), 'line shows', 'lines show')} private prompts: "
                "the file must not leave the study team."
            )

    def take_over(self, study: Study, options: dict[str, Any]) -> None:
        path: Path = options["sheet"]
        sample = _named_sample(study, options["sample"])
        try:
            with path.open("rb") as file:
                content = file.read(MAX_BYTES + 1)  # no more than needed to see that it is too large
        except OSError as error:
            raise CommandError(f"{path} cannot be read: {error.strerror}; check the path.") from None
        result = ratings_import(
            sample=sample,
            reading=read_ratings(content),
            rater=options["rater"],
            actor=named_person(options["by"]),
            now=timezone.now(),
        )
        self.stdout.write(import_sentence(result))

    def show(self, sample: AuditSample) -> None:
        both = has_public_scope(sample) and not sample.strata.get("public_only")
        lead = lead_of_scores(sample.judging_run.study, choice=both)
        audits_compute(study=sample.judging_run.study, now=timezone.now())
        result = audit_result(sample, lead.scope or Scope.PUBLIC)
        self.stdout.write(
            f"Audit sample {sample.pk} of judging run {sample.judging_run_id}, seed {sample.seed}:"
        )
        self.stdout.write(
            f"rated {counted(result.rated)} of {counted(result.asked)}; "
            f"{quantity(result.gone, 'drawn verdict counts', 'drawn verdicts count')} no more."
        )
        for judge in judges_shown(result):
            self.stdout.write(
                f"\n{judge.name} and people, {quantity(judge.pairs, 'verdict', 'verdicts')} with both scores"
            )
            self.stdout.write(f"{'':<32}{'all verdicts':>36}{'in the sample':>36}")
            for statistic in judge.statistics:
                self.stdout.write(
                    f"{statistic.name!s:<32}{cell(statistic.weighted):>36}{cell(statistic.sample):>36}"
                )
        self.stdout.write(
            f"\n{'score':<22}{'':<26}{'verdicts':>10}{'drawn':>7}{'rated':>7}{'same':>6}{'offset':>9}"
        )
        for row in strata_shown(result):
            counts = f"{row.verdicts:>10}{row.drawn:>7}{row.rated:>7}{row.same_side:>6}{row.offset:>9}"
            self.stdout.write(f"{row.band!s:<22}{row.standing!s:<26}{counts}")
        for line in scope_lines(lead):
            self.stdout.write(line)


def cell(number: NumberShown) -> str:
    """A value with its interval, or why there is none."""
    return f"{number.value} ({number.interval or number.reason})"


def _named_sample(study: Study, number: int | None) -> AuditSample:
    return _numbered(study_samples(study), number, study, "audit sample")


def _numbered(rows: QuerySet[Row], number: int | None, study: Study, what: str) -> Row:
    """The row of this number; the newest where none is asked for."""
    row = rows.first() if number is None else rows.filter(pk=number).first()
    if row is None:
        named = "" if number is None else f" {number}"
        raise CommandError(f'The study "{study.slug}" has no {what}{named}.')
    return row
