"""Import of model results, so that a cohort can be put beside the models on the same bank."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from django.db import transaction

from formats.canonical import canonical_sha256
from formats.problems import one_line
from formats.progress import Progress, unseen
from scoring.models import ModelConfiguration, ModelScore
from scoring.readers.model_results.records import MAX_SOURCE_CHARACTERS, ModelResponse, ModelResults
from scoring.selectors.leaderboards import models_on
from scoring.services.model_versions import (
    NAMED,
    UNPUBLISHED,
    models_lock,
    models_remove,
    models_version_next,
)
from studies.models import Item, ItemBank, Study, User
from studies.services.database import one_of_many_writes, rows_insert
from studies.services.events import StudyEventKind, event_record
from studies.services.refusals import Refused

WithResponses = tuple[ModelConfiguration, list[ModelResponse]]
ROWS_PER_INSERT = 1000
SHOWN = 5


class SourceRefused(Refused):
    """Nobody could tell where the numbers come from."""


class ConfigurationsDiffer(Refused):
    """The bank holds other results under the same names."""

    def __init__(self, names: Sequence[str]) -> None:
        shown = ", ".join(one_line(name) for name in names[:SHOWN])
        others = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
        super().__init__(
            f"Nothing was imported: the item bank holds other results of {shown}{others}. Add --replace to "
            "put these in their place."
        )


class NoKnownPrompt(Refused):
    """No response of the file is to a prompt of the bank."""

    def __init__(self, unknown: Sequence[str]) -> None:
        shown = ", ".join(one_line(prompt_id) for prompt_id in unknown[:SHOWN])
        super().__init__(f"Nothing was imported: the item bank knows none of the prompts ({shown}, …).")


@dataclass(frozen=True)
class LeaderboardImport:
    """Names of the configurations by what became of them, how many rows were `read`, and prompts of the file
    that the bank lacks.
    """

    created: tuple[str, ...]
    replaced: tuple[str, ...]
    unchanged: tuple[str, ...]
    read: int
    scores: int
    unknown_prompts: tuple[str, ...]
    unknown_responses: int


def leaderboard_import(
    *,
    item_bank: ItemBank,
    results: ModelResults,
    source: str,
    replace: bool,
    now: datetime,
    clock: Callable[[], datetime] | None = None,
    progress: Progress = unseen,
    actor: User | None = None,
) -> LeaderboardImport:
    """Store all results of a file, or none of them. The same file and source again change nothing.

    They make the bank's next version: a locked study keeps its own, with the results that are replaced here,
    until its lead takes the newest over (`models_take`). Every study on the bank has the import in its trail.
    They are stored in slices, which nobody sees before the last one is there; that moment is the one of
    `clock`, without one `now`. Responses to prompts that the bank does not hold are not stored: nothing could
    be computed from them. A published theta that names no source of its own has `source`.

    Raises:
        SourceRefused: `source` is blank or too long.
        NoKnownPrompt: no response is to a prompt of the bank.
        ConfigurationsDiffer: there are other results under one of the names and `replace` is False.
    """
    if not source.strip() or len(source) > MAX_SOURCE_CHARACTERS or "\0" in source:
        raise SourceRefused(f"Say where the results come from, in 1 to {MAX_SOURCE_CHARACTERS} characters.")
    known = set(Item.objects.filter(item_bank=item_bank).values_list("prompt_id", flat=True))
    unknown = [response.prompt_id for response in results.responses if response.prompt_id not in known]
    if results.responses and len(unknown) == len(results.responses):
        raise NoKnownPrompt(sorted(set(unknown)))
    found = list(_configurations(results, known, source.strip()))
    for configuration, responses in found:
        configuration.item_bank, configuration.imported_at = item_bank, now
        configuration.sha256, configuration.until = _sha256(configuration, responses), UNPUBLISHED
    there = _stored(item_bank, found, replace=replace)
    drafts = [(model, responses) for model, responses in found if there.get(model.name) != model.sha256]
    try:
        scores = _insert(drafts, progress)
        taken, left = _publish(
            item_bank, [model for model, _ in drafts], replace, clock() if clock else now, actor
        )
    except BaseException:
        own = ModelConfiguration.objects.filter(pk__in=[model.pk for model, _ in drafts if model.pk])
        models_remove(list(own.filter(until=UNPUBLISHED).values_list("pk", flat=True)))
        raise
    models_remove(left)
    return LeaderboardImport(
        created=tuple(model.name for model, _ in drafts if model.name not in taken),
        replaced=taken,
        unchanged=tuple(model.name for model, _ in found if there.get(model.name) == model.sha256),
        read=len(results.responses) + len(results.published),
        scores=scores,
        unknown_prompts=tuple(sorted(set(unknown))),
        unknown_responses=len(unknown),
    )


def _stored(item_bank: ItemBank, found: Sequence[WithResponses], *, replace: bool) -> dict[str, str]:
    """The hash of what is there under each of these names. Raises ConfigurationsDiffer."""
    stored = models_on(item_bank.pk).filter(name__in=[model.name for model, _ in found])
    there = dict(stored.values_list("name", "sha256"))
    taken = [model.name for model, _ in found if there.get(model.name, model.sha256) != model.sha256]
    if taken and not replace:
        raise ConfigurationsDiffer(taken)
    return there


@transaction.atomic
def _publish(
    item_bank: ItemBank,
    drafts: Sequence[ModelConfiguration],
    replace: bool,
    now: datetime,
    actor: User | None,
) -> tuple[tuple[str, ...], list[int]]:
    """Make the drafts the bank's next version, in the place of others, and tell the studies. Returns whom
    they replace, and what is to be removed: nobody is compared with it.
    """
    if not drafts:
        return (), []
    models_lock(item_bank)
    there = _stored(item_bank, [(model, []) for model in drafts], replace=replace)
    # Of these another import was faster.
    same = [model.pk for model in drafts if there.get(model.name) == model.sha256]
    new = [model for model in drafts if model.pk not in same]
    if not new:
        return (), same
    version, studies = models_version_next(item_bank), Study.objects.filter(item_bank=item_bank)
    replaced = models_on(item_bank.pk).filter(name__in=[model.name for model in new])
    gone = dict(replaced.values_list("name", "pk"))
    replaced.update(until=version)
    ModelConfiguration.objects.filter(pk__in=[model.pk for model in new]).update(
        since=version, until=None, imported_at=now
    )
    added, named = [model.name for model in new if model.name not in gone], list(gone)[:NAMED]
    for study in studies:
        event_record(
            study, StudyEventKind.MODELS_IMPORTED, now, actor=actor, item_bank=item_bank.slug,
            version=version, used=study.models_version is None, added=added[:NAMED], replaced=named,
        )  # fmt: skip
    left = same if studies.exists() else [*same, *gone.values()]
    return tuple(name for name in there if name in gone), left


def _configurations(results: ModelResults, known: set[str], source: str) -> Iterator[WithResponses]:
    """Each configuration, not stored yet, with its responses to prompts of the bank."""
    responses: dict[str, list[ModelResponse]] = defaultdict(list)
    newest: dict[str, ModelResponse] = {}
    for response in results.responses:
        newest[response.model] = response
        if response.prompt_id in known:
            responses[response.model].append(response)
    for name, kept in responses.items():
        facts = {"family": newest[name].family, "judge": newest[name].judge}
        epochs = len({response.epoch for response in kept})
        yield ModelConfiguration(name=name, source=source, epochs=epochs, **facts), kept
    for published in results.published:
        configuration = ModelConfiguration(
            name=published.model,
            family=published.family,
            source=published.source or source,
            published_theta=published.theta,
            published_se=published.se,
            epochs=published.epochs,
        )
        yield configuration, []


def _sha256(model: ModelConfiguration, responses: Sequence[ModelResponse]) -> str:
    scores = sorted([response.prompt_id, response.epoch, _score(response)] for response in responses)
    is_published = model.published_theta is not None
    published = [model.published_theta, model.published_se, model.epochs] if is_published else None
    return canonical_sha256([model.name, model.family, model.source, model.judge, scores, published])


def _score(response: ModelResponse) -> float | None:
    return None if math.isnan(response.score) else response.score


def _insert(new: Sequence[WithResponses], progress: Progress) -> int:
    """Insert configurations with their scores; how many scores that were."""
    with one_of_many_writes():
        rows = ModelConfiguration.objects.bulk_create([model for model, _ in new])
    scores = (
        ModelScore(
            configuration=row, prompt_id=response.prompt_id, epoch=response.epoch, score=_score(response)
        )
        for row, (_, responses) in zip(rows, new, strict=True)
        for response in responses
    )
    inserted, all_of_them = 0, sum(len(responses) for _, responses in new)
    # A list of a million rows would be a gigabyte.
    while part := list(islice(scores, ROWS_PER_INSERT)):
        insert = rows_insert(ModelScore, part)
        with one_of_many_writes():
            insert()
        inserted += len(part)
        progress(inserted, all_of_them)
    return inserted
