"""What raters say of an audit sample, read back whole or not at all."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from formats.problems import Problem, grouped
from judging.models import AuditItem, AuditSample
from judging.selectors.audits import counting_items
from presentation.numbers import counted, numbered
from presentation.problems import ToldProblem, told
from studies.models import User
from studies.selectors.roles import rights_of_actor
from studies.services.events import StudyEventKind, event_record
from studies.services.refusals import Refused

RATER_CHARACTERS = 100
EARLIER = "\n[earlier] "


@dataclass(frozen=True)
class RatingRow:
    """One line of a rated sheet. `score` None: not rated yet."""

    line: int
    sample: int
    number: int
    score: float | None
    comment: str = ""


@dataclass(frozen=True)
class RatingReading:
    """What a sheet said, and what could not be read in it."""

    rows: tuple[RatingRow, ...]
    problems: tuple[Problem, ...]


@dataclass(frozen=True)
class RatingsImport:
    """What became of the scores of a sheet. `gone` were left out: their items count no more."""

    added: int
    replaced: int
    unchanged: int
    gone: int


class RatingsRefused(Refused):
    """Nothing was taken over; carries every problem of the sheet."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join([_("Nothing was taken over:"), *map(str, grouped(self.problems))]))


@transaction.atomic
def ratings_import(
    *, sample: AuditSample, reading: RatingReading, rater: str, actor: User | None, now: datetime
) -> RatingsImport:
    """Take over what one rater says. A score they gave before is replaced, and the trail keeps it.

    An empty score changes nothing. An item has one rater: a second opinion belongs into a second sample,
    drawn with the same seed. No `actor` speaks for another member of the staff. Raises RatingsRefused with
    every problem; then nothing is changed.
    """
    sample = AuditSample.objects.select_for_update().get(pk=sample.pk)
    rater = rater.strip()
    items = {item.number: item for item in sample.items.all()}
    rights = rights_of_actor(actor, sample.judging_run.study)
    counting = set(counting_items(sample, rights).values_list("number", flat=True))
    problems = [
        *reading.problems,
        *_rater_problems(rater, actor),
        *_number_problems(reading, sample, items, counting),
        *_other_rater_problems(reading, items, rater),
    ]
    if problems:
        raise RatingsRefused(problems)
    rated = [row for row in reading.rows if row.score is not None or row.comment]
    changed = [
        (item, row)
        for row in rated
        if row.number in counting
        for item in [items[row.number]]
        if row.score not in (None, item.human_score) or _has_new_comment(item, row)
    ]
    earlier = [
        [item.number, item.human_score]
        for item, row in changed
        if item.human_score is not None and (row.score is not None or row.comment)
    ]
    gone = sum(row.number not in counting for row in rated)
    for item, row in changed:
        item_take_over(item, row, rater, now)
    AuditItem.objects.bulk_update(
        [item for item, _row in changed], ["human_score", "comment", "rater", "rated_at"]
    )
    result = RatingsImport(
        added=len(changed) - len(earlier), replaced=len(earlier),
        unchanged=len(rated) - len(changed) - gone, gone=gone,
    )  # fmt: skip
    event_record(
        study=sample.judging_run.study, kind=StudyEventKind.AUDIT_IMPORTED, now=now, actor=actor,
        sample=sample.pk, **asdict(result), earlier_scores=earlier,
    )  # fmt: skip
    return result


def _rater_problems(rater: str, actor: User | None) -> Iterator[Problem]:
    if not rater:
        yield told(None, "", _("say who rated: a name or a pseudonym"))
    if len(rater) > RATER_CHARACTERS or "\0" in rater:
        yield told(None, "", _("the rater's name is longer than 100 characters; write a shorter one"))
    elif actor is not None:
        others = User.objects.filter(is_staff=True).exclude(pk=actor.pk)
        if others.filter(email__iexact=rater).exists():
            yield told(
                None, "", _("this is the address of another staff member, who sends their ratings themselves")
            )


def _number_problems(
    reading: RatingReading, sample: AuditSample, items: Mapping[int, AuditItem], counting: set[int]
) -> Iterator[Problem]:
    strange = sorted({row.sample for row in reading.rows} - {sample.pk})
    if strange:
        facts = {"found": ", ".join(map(str, strange)), "number": sample.pk}
        yield told(
            None, "", numbered(_("the sheet is of sample %(found)s, and this is sample %(number)d"), facts)
        )
        return
    seen: set[int] = set()
    for row in reading.rows:
        if row.number not in items:
            yield _problem(
                row, _("this sample has no such number; they go from 1 to %s") % counted(len(items))
            )
        if row.number in seen:
            yield _problem(row, _("the number is there twice; keep one of its lines"))
        seen.add(row.number)
    missing = sorted(counting - seen)
    if missing and not reading.problems:
        yield told(
            None,
            "",
            _("numbers are missing: %s; keep every line, and leave human_score empty where nothing is rated")
            % ", ".join(map(str, missing)),
        )


def _other_rater_problems(
    reading: RatingReading, items: Mapping[int, AuditItem], rater: str
) -> Iterator[Problem]:
    for row in reading.rows:
        item = items.get(row.number)
        if item and item.rater not in {"", rater} and (row.score is not None or row.comment):
            yield _problem(
                row,
                _(
                    "somebody else rated this one already; for a second opinion draw a second sample with "
                    "the same seed"
                ),
            )


def _problem(row: RatingRow, message: str) -> Problem:
    place = numbered(_("number %(number)d (line %(line)d)"), {"number": row.number, "line": row.line})
    return ToldProblem(None, place, "", message)


def _has_new_comment(item: AuditItem, row: RatingRow) -> bool:
    return bool(row.comment) and row.comment != item.comment.partition(EARLIER)[0]


def item_take_over(item: AuditItem, row: RatingRow, rater: str, now: datetime) -> None:
    """Set what the row says on the item, without saving it."""
    if row.score is not None and row.score != item.human_score:
        item.human_score, item.rated_at = row.score, now
    if _has_new_comment(item, row):
        # What was said before stays below. It is no part of the trail, which keeps what erasure deletes.
        item.comment = row.comment + (EARLIER + item.comment if item.comment else "")
    item.rater = rater
