"""Question banks, item banks, judge texts and models' results of the site, and which studies use them."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import (
    Avg,
    BooleanField,
    Count,
    Exists,
    ExpressionWrapper,
    IntegerField,
    Model,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
)
from django.db.models.functions import Coalesce, NullIf

from formats.codes import number_asked
from psychometrics.data.places import PUBLIC
from scoring.models import ModelConfiguration, ModelScore
from studies.models import BankVersion, Item, ItemBank, JudgeProtocol, Prompt, Study, User
from studies.selectors.private_questions import of_public
from studies.selectors.roles import studies_of_staff


def bank_versions() -> QuerySet[BankVersion]:
    """Every version, the newest of a bank first, with its number of questions (`size`) and how many
    studies are on it (`users`).
    """
    return (
        BankVersion.objects.select_related("bank")
        .annotate(size=_number_of(Prompt, "version"), users=_number_of(Study, "bank_version"))
        .defer("canaries")
        .order_by("bank__slug", "-number")
    )


def _number_of(rows_of: type[Model], column: str, **such: object) -> Coalesce:
    """How many rows (`such` ones) of another table name a row in this column."""
    rows = rows_of._default_manager.filter(**{column: OuterRef("pk")}, **such).order_by().values(column)
    number = Subquery(rows.annotate(number=Count("pk")).values("number"))
    return Coalesce(number, 0, output_field=IntegerField())


@dataclass
class Using:
    """The studies that use something: those in which somebody has a part, and how many more."""

    own: list[Study] = field(default_factory=list)
    others: int = 0


def studies_using(column: str, keys: Sequence[int], user: User) -> Mapping[int, Using]:
    """The studies of each row of what they use, by name, as the person may know of them; one query."""
    uses = {key: Using() for key in keys}
    rows = Study.objects.filter(**{f"{column}__in": keys}).only("slug", "name", f"{column}_id")
    is_own = Exists(studies_of_staff(user).filter(pk=OuterRef("pk")))
    for study in rows.annotate(is_own=is_own).order_by("name"):
        using = uses[getattr(study, f"{column}_id")]
        if study.is_own:
            using.own.append(study)
        else:
            using.others += 1
    return uses


@dataclass(frozen=True)
class BankFacts:
    """What a version of a bank holds, counted."""

    size: int
    with_criteria: int
    ungraded: int
    modality: dict[str, int]
    private: int
    categories: list[tuple[str, int]]


def bank_facts(version: BankVersion, *, with_private: bool) -> BankFacts:
    """Counts of all questions, and of what those hold that the reader may see. Two queries."""
    prompts = Prompt.objects.filter(version=version)
    split = Counter(prompts.order_by().values_list("split", flat=True))
    no_gold = ExpressionWrapper(Q(gold_answer=None), output_field=BooleanField())
    counted = prompts.annotate(number=Count("criteria"), no_gold=no_gold).order_by()
    counted = counted if with_private else counted.filter(of_public())
    rows = list(counted.values_list("category", "modality", "number", "no_gold"))
    return BankFacts(
        size=split.total(),
        with_criteria=sum(bool(row[2]) for row in rows),
        ungraded=sum(not row[2] and row[3] for row in rows),
        modality=dict(Counter(row[1] for row in rows)),
        private=split.total() - split[PUBLIC],
        categories=Counter(row[0] for row in rows if row[0]).most_common(),
    )


def item_banks() -> QuerySet[ItemBank]:
    """Every item bank with its numbers of items (`size`), of `models` beside it, of studies (`users`)."""
    return ItemBank.objects.annotate(
        size=_number_of(Item, "item_bank"),
        models=_number_of(ModelConfiguration, "item_bank", until=None),
        users=_number_of(Study, "item_bank"),
    ).order_by("slug", "-imported_at")


def judge_texts() -> QuerySet[JudgeProtocol]:
    """Every pair of judge texts, by name, with how many studies are on it (`users`)."""
    users = _number_of(Study, "judge_protocol")
    return JudgeProtocol.objects.annotate(users=users).order_by("slug", "-imported_at")


def model_rows(*, item_bank: str, words: str) -> QuerySet[Any]:
    """Results of models, filtered, by name, with their `known_family`, None for none; scores are counted for
    a page only (`scores_of`).
    """
    family = NullIf("family", Value(""))
    rows = ModelConfiguration.objects.filter(until=None).select_related("item_bank")
    rows = rows.annotate(known_family=family)
    if (key := number_asked(item_bank)) is not None:
        rows = rows.filter(item_bank=key)
    if words.strip():
        rows = rows.filter(
            Q(name__icontains=words.strip())
            | Q(family__icontains=words.strip())
            | Q(source__icontains=words.strip())
        )
    return rows.order_by("name", "pk")


def scores_of(configurations: Iterable[ModelConfiguration]) -> Mapping[int, dict[str, Any]]:
    """Responses, those without a score, questions, and the mean score of each; one query."""
    keys = [configuration.pk for configuration in configurations]
    rows = ModelScore.objects.filter(configuration__in=keys).order_by().values("configuration")
    scores = rows.annotate(
        responses=Count("pk"),
        missing=Count("pk", filter=Q(score=None)),
        questions=Count("prompt_id", distinct=True),
        mean=Avg("score"),
    )
    return {row["configuration"]: row for row in scores}
