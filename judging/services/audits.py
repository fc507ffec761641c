"""Drawing an audit sample: verdicts for people to judge again."""

import secrets
from dataclasses import asdict, dataclass
from datetime import datetime

import numpy as np
from django.db import transaction
from django.utils.translation import gettext as _, ngettext

from judging.models import AuditItem, AuditSample, JudgingRun
from judging.selectors.audits import audit_judges, drawn_from_public, judged_verdicts
from judging.services.audit_asking import DrawRefused, require_over
from presentation.numbers import numbered
from psychometrics.agreement.audit_sample import Draw, SizeRefused, draw_sample
from studies.models import User
from studies.services.events import StudyEventKind, event_record
from studies.services.twice import made_just_now


def audit_draw(
    *, run: JudgingRun, size: int, seed: int, public_only: bool, actor: User | None, now: datetime
) -> AuditSample:
    """Draw `size` verdicts of the run's first judge for people to judge again; only from those on public
    questions where the protocol lets reviewers see no others.

    The same seed draws the same from the same verdicts, such as for a second rater. Raises DrawRefused.
    """
    found = _drawn(run, size, seed, public_only)
    with transaction.atomic():
        return _sample_store(run, found, actor, now)


def audit_draw_once(
    *,
    run: JudgingRun,
    size: int,
    seed: int | None,
    public_only: bool,
    actor: User,
    asked_at: datetime,
    now: datetime,
) -> AuditSample:
    """Draw as `audit_draw` does, by chance without a seed. What the same person has drawn from this run by
    the same wishes since a minute before they asked is not drawn once more: that sample is given back, also
    to a job that was killed after it was stored. Raises DrawRefused.
    """
    found = _drawn(run, size, random_seed() if seed is None else seed, public_only)
    wished = {"size": size, "public_only": found.public_only} | ({} if seed is None else {"seed": seed})
    with transaction.atomic():
        JudgingRun.objects.select_for_update(no_key=True).get(pk=run.pk)
        drawn = AuditSample.objects.filter(judging_run=run)
        before = made_just_now(drawn, moment="drawn_at", now=asked_at, drawn_by=actor)
        if before is not None:
            public_only = before.strata["public_only"]
            given = {"size": before.items.count(), "public_only": public_only, "seed": before.seed}
            if wished.items() <= given.items():
                return before
        return _sample_store(run, found, actor, now)


@dataclass(frozen=True)
class _Drawn:
    """A sample that is not stored yet, and what it was drawn by."""

    judges: list[int]
    seed: int
    public_only: bool
    draw: Draw


def _drawn(run: JudgingRun, size: int, seed: int, public_only: bool) -> _Drawn:
    """From all verdicts of a run that is over. Raises DrawRefused."""
    public_only = drawn_from_public(run.study, wished=public_only)
    require_over(run)
    judges = audit_judges(run)
    verdicts = judged_verdicts(run.study, judges, public_only=public_only)
    try:
        draw = draw_sample(verdicts, size=size, rng=np.random.default_rng(seed))
    except SizeRefused as refusal:
        sentence = ngettext(
            "%(size)d cannot be drawn: there is %(most)d verdict, and it takes at least %(least)d to have "
            "one of every stratum.",
            "%(size)d cannot be drawn: there are %(most)d verdicts, and it takes at least %(least)d to have "
            "one of every stratum.",
            refusal.most,
        )
        if not refusal.most:
            sentence = _("There is no verdict to draw: no scored answer of this run counts.")
        facts = {"size": size, "most": refusal.most, "least": refusal.least}
        raise DrawRefused(numbered(sentence, facts)) from refusal
    return _Drawn([judge.pk for judge in judges], seed, public_only, draw)


def _sample_store(run: JudgingRun, found: _Drawn, actor: User | None, now: datetime) -> AuditSample:
    facts = {"judges": found.judges, "public_only": found.public_only}
    sample = AuditSample.objects.create(
        judging_run=run, seed=found.seed, drawn_by=actor, drawn_at=now,
        strata={**facts, "strata": [asdict(stratum) for stratum in found.draw.strata]},
    )  # fmt: skip
    AuditItem.objects.bulk_create(
        AuditItem(sample=sample, number=number, row_id=row, stratum=stratum)
        for number, (row, stratum) in enumerate(found.draw.drawn, start=1)
    )
    event_record(
        study=run.study, kind=StudyEventKind.AUDIT_DRAWN, now=now, actor=actor, sample=sample.pk,
        judging_run=run.pk, size=len(found.draw.drawn), seed=found.seed, public_only=found.public_only,
    )  # fmt: skip
    return sample


def random_seed() -> int:
    """A seed short enough to write down."""
    return secrets.randbelow(10**6)
