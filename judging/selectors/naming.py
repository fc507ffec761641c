"""What judges and their runs are called on pages; files have the code of a kind."""

from django.utils.translation import gettext as _

from judging.models import ScoringRun
from presentation.numbers import numbered
from studies.selectors.names import judge_kind_name


def judge_name(run: ScoringRun) -> str:
    """The short name of a language model's configuration; else what kind of judge it is."""
    return run.config.slug if run.config else judge_kind_name(run.judge_kind)


def run_name(run: ScoringRun) -> str:
    """The judge, with what tells its runs apart: several criteria a call, and which time it was asked."""
    name, per_call = str(judge_name(run)), run.judge.get("criteria_per_call", 1)
    if per_call > 1:
        name = numbered(_("%(judge)s, %(number)d criteria a call"), {"judge": name, "number": per_call})
    if run.replicate > 1:
        name = numbered(_("%(judge)s, replicate %(number)d"), {"judge": name, "number": run.replicate})
    return name
