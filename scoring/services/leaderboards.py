"""Import of model results, so that a cohort can be put beside the models on the same bank."""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from django.db import transaction

from formats.canonical import canonical_sha256
from formats.problems import one_line
from scoring.models import ModelConfiguration, ModelScore
from scoring.readers.model_results.records import (
    MAX_SOURCE_CHARACTERS,
    ModelResponse,
    ModelResults,
    PublishedAbility,
)
from studies.models import Item, ItemBank
from studies.services.refusals import Refused

ROWS_PER_INSERT = 2000
SHOWN = 5


class SourceRefused(Refused):
    """Nobody could tell where the numbers come from."""

    def __init__(self) -> None:
        super().__init__(f"Say where the results come from, in 1 to {MAX_SOURCE_CHARACTERS} characters.")


class ConfigurationsDiffer(Refused):
    """The bank holds other results under the same names."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        shown = ", ".join(one_line(name) for name in names[:SHOWN]) + (
            f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
        )
        super().__init__(
            f"Nothing was imported: the item bank holds other results of {shown}. Add --replace to put these "
            "in their place."
        )


class NoKnownPrompt(Refused):
    """No response of the file is to a prompt of the bank."""

    def __init__(self, unknown: Sequence[str]) -> None:
        self.unknown = tuple(unknown)
        shown = ", ".join(one_line(prompt_id) for prompt_id in unknown[:SHOWN])
        super().__init__(f"Nothing was imported: the item bank knows none of the prompts ({shown}, …).")


@dataclass(frozen=True)
class LeaderboardImport:
    """Names of the configurations by what became of them, and prompts of the file that the bank lacks."""

    created: tuple[str, ...]
    replaced: tuple[str, ...]
    unchanged: tuple[str, ...]
    scores: int
    unknown_prompts: tuple[str, ...]
    unknown_responses: int


@dataclass(frozen=True)
class _Configuration:
    """One configuration as it will be stored: its scores, or its published theta."""

    name: str
    family: str
    source: str
    judge: str = ""
    responses: tuple[ModelResponse, ...] = ()
    published: PublishedAbility | None = None

    @property
    def sha256(self) -> str:
        scores = sorted(
            [one.prompt_id, one.epoch, None if math.isnan(one.score) else one.score] for one in self.responses
        )
        said = self.published and [self.published.theta, self.published.se, self.published.epochs]
        return canonical_sha256([self.name, self.family, self.source, self.judge, scores, said])

    @property
    def epochs(self) -> int | None:
        if self.published:
            return self.published.epochs
        return len({one.epoch for one in self.responses})


@transaction.atomic
def leaderboard_import(
    *, item_bank: ItemBank, results: ModelResults, source: str, replace: bool, now: datetime
) -> LeaderboardImport:
    """Store all results of a file, or none of them. The same file and source again change nothing.

    Responses to prompts that the bank does not hold are not stored: nothing could be computed from them. A
    published theta that names no source of its own has `source`.

    Raises:
        SourceRefused: `source` is blank or too long.
        NoKnownPrompt: no response is to a prompt of the bank.
        ConfigurationsDiffer: there are other results under one of the names and `replace` is False.
    """
    if not source.strip() or len(source) > MAX_SOURCE_CHARACTERS or "\0" in source:
        raise SourceRefused
    ItemBank.objects.select_for_update().get(pk=item_bank.pk)  # imports for one bank wait for each other
    known = set(Item.objects.filter(item_bank=item_bank).values_list("prompt_id", flat=True))
    unknown = [one.prompt_id for one in results.responses if one.prompt_id not in known]
    if results.responses and len(unknown) == len(results.responses):
        raise NoKnownPrompt(sorted(set(unknown)))
    found = list(_configurations(results, known, source.strip()))
    there = _stored(item_bank, [one.name for one in found])
    new = [one for one in found if there.get(one.name) != one.sha256]
    taken = [one.name for one in new if one.name in there]
    if taken and not replace:
        raise ConfigurationsDiffer(taken)
    ModelConfiguration.objects.filter(item_bank=item_bank, name__in=taken).delete()
    return LeaderboardImport(
        created=tuple(one.name for one in new if one.name not in there),
        replaced=tuple(taken),
        unchanged=tuple(one.name for one in found if there.get(one.name) == one.sha256),
        scores=_insert(item_bank, new, now),
        unknown_prompts=tuple(sorted(set(unknown))),
        unknown_responses=len(unknown),
    )


def _configurations(results: ModelResults, known: set[str], source: str) -> Iterator[_Configuration]:
    responses: dict[str, list[ModelResponse]] = defaultdict(list)
    said_of: dict[str, ModelResponse] = {}
    for one in results.responses:
        said_of[one.model] = one
        if one.prompt_id in known:
            responses[one.model].append(one)
    for name, kept in responses.items():
        one = said_of[name]
        yield _Configuration(name, one.family, source, one.judge, responses=tuple(kept))
    for said in results.published:
        yield _Configuration(said.model, said.family, said.source or source, published=said)


def _stored(item_bank: ItemBank, names: Iterable[str]) -> dict[str, str]:
    rows = ModelConfiguration.objects.filter(item_bank=item_bank, name__in=list(names))
    return dict(rows.values_list("name", "sha256"))


def _insert(item_bank: ItemBank, new: Sequence[_Configuration], now: datetime) -> int:
    """Insert configurations with their scores; how many scores that were."""
    rows = ModelConfiguration.objects.bulk_create([_row(item_bank, one, now) for one in new])
    scores = (
        ModelScore(
            configuration=row,
            prompt_id=one.prompt_id,
            epoch=one.epoch,
            score=None if math.isnan(one.score) else one.score,
        )
        for row, configuration in zip(rows, new, strict=True)
        for one in configuration.responses
    )
    inserted = 0
    # bulk_create makes a list of all it is given: of a million rows, a gigabyte.
    while part := list(islice(scores, ROWS_PER_INSERT)):
        inserted += len(ModelScore.objects.bulk_create(part))
    return inserted


def _row(item_bank: ItemBank, one: _Configuration, now: datetime) -> ModelConfiguration:
    said = one.published
    return ModelConfiguration(
        item_bank=item_bank,
        name=one.name,
        family=one.family,
        source=one.source,
        judge=one.judge,
        published_theta=said.theta if said else None,
        published_se=said.se if said else None,
        epochs=one.epochs,
        sha256=one.sha256,
        imported_at=now,
    )
