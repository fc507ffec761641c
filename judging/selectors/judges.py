"""The judges a site knows, and what they and their runs are called on pages (files have a kind's code)."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Exists, OuterRef, Q, QuerySet, Value
from django.utils.translation import gettext as _

from judging.models import AnswerScore, CriterionScore, JudgeCall, JudgeChange, JudgeConfig, ScoringRun
from presentation.numbers import numbered
from studies.models import Study
from studies.selectors.names import judge_kind_name
from studies.services.refusals import Refused

CHANGES_SHOWN = 50


class JudgeUnknown(Refused):
    """No judge has this name."""


@dataclass(frozen=True)
class KnownJudge:
    """A judge, the short names of the studies that have used it, and how many others have."""

    config: JudgeConfig
    studies: tuple[str, ...]
    others: int = 0

    @property
    def input_price(self) -> Decimal | None:
        return shortest(self.config.input_price)

    @property
    def output_price(self) -> Decimal | None:
        return shortest(self.config.output_price)

    @property
    def prices(self) -> dict[str, str] | None:
        """What a million tokens cost that are read and written; None where that is not known."""
        if self.input_price is None:
            return None
        return {"read": f"{self.input_price:f}", "written": f"{self.output_price:f}"}

    @property
    def limits(self) -> dict[str, int]:
        """Those that there are."""
        limits = {
            "at_a_time": self.config.concurrency,
            "requests_per_minute": self.config.requests_per_minute,
            "tokens_per_minute": self.config.tokens_per_minute,
        }
        return {name: limit for name, limit in limits.items() if limit is not None}

    @property
    def users(self) -> int:
        """By how many of the studies it was used."""
        return len(self.studies)


def shortest(price: Decimal | None) -> Decimal | None:
    """Without the zeros at its end that the database adds: 0.25, not 0.250000."""
    if price is None:
        return None
    return price.quantize(Decimal(1)) if price == price.to_integral_value() else price.normalize()


def judges_named(slugs: Sequence[str]) -> list[JudgeConfig]:
    """The judges in the order of their names, each once. Raises JudgeUnknown."""
    known = {judge.slug: judge for judge in JudgeConfig.objects.filter(slug__in=slugs)}
    for slug in slugs:
        if slug not in known:
            there = ", ".join(JudgeConfig.objects.values_list("slug", flat=True)[:20])
            hint = f"There are: {there}." if there else "There are none yet; add one with add_judge."
            raise JudgeUnknown(f'There is no judge "{slug}". {hint}')
    return [known[slug] for slug in dict.fromkeys(slugs)]


def known_judges(among: QuerySet[Study] | None = None) -> list[KnownJudge]:
    """Every judge by name, with which of these studies (default: all) have used it; in two queries."""
    studies: dict[int | None, list[str]] = defaultdict(list)
    others: Counter[int | None] = Counter()
    named = Value(True) if among is None else Exists(among.filter(pk=OuterRef("study")))
    used = _used_scoring_runs().exclude(config=None).annotate(is_named=named).order_by("study__slug")
    for config_id, slug, is_named in used.values_list("config_id", "study__slug", "is_named").distinct():
        if is_named:
            studies[config_id].append(slug)
        else:
            others[config_id] += 1
    return [
        KnownJudge(judge, tuple(studies[judge.pk]), others[judge.pk]) for judge in JudgeConfig.objects.all()
    ]


def judges_to_choose() -> list[JudgeConfig]:
    """Every judge by name."""
    return list(JudgeConfig.objects.all())


def newest_changes(judge: JudgeConfig) -> list[JudgeChange]:
    """The newest changes first."""
    return list(judge.history.select_related("actor").order_by("-pk")[:CHANGES_SHOWN])


def judge_is_used(judge: JudgeConfig) -> bool:
    """Whether anything is on record that the judge said, or was or will be asked."""
    return _used_scoring_runs().filter(config=judge).exists()


def judge_studies(judge: JudgeConfig) -> list[Study]:
    """The studies of which anything is on record with the judge, by short name."""
    used = _used_scoring_runs().filter(config=judge)
    return list(Study.objects.filter(pk__in=used.values("study")).order_by("slug"))


def _used_scoring_runs() -> QuerySet[ScoringRun]:
    return ScoringRun.objects.filter(_holds_something())


def unused_scoring_runs(judge: JudgeConfig) -> QuerySet[ScoringRun]:
    """What a mere estimate leaves: a run that nothing was planned for."""
    return ScoringRun.objects.filter(~_holds_something(), config=judge)


def _holds_something() -> Q:
    """Rows of a plan, calls, scores or results."""
    of_run = {"run": OuterRef("pk")}
    return (
        Q(Exists(CriterionScore.objects.filter(**of_run)))
        | Q(Exists(JudgeCall.objects.filter(**of_run)))
        | Q(Exists(AnswerScore.objects.filter(**of_run)))
        | Q(Exists(ScoringRun.objects.filter(pk=OuterRef("pk"), result_sets__isnull=False)))
    )


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
