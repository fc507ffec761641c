"""The judges a site may ask: added, changed and tried out. A judge's key is never stored, only named."""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from decimal import Decimal

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from judging.models import JudgeChange, JudgeConfig
from judging.selectors.judges import judge_is_used, judge_studies, unused_scoring_runs
from judging.services.judge_rules import JudgeInvalid, JudgeSettings, checked, require_slug
from studies.models import User
from studies.services.events import StudyEventKind
from studies.services.refusals import Refused
from studies.services.site_objects import site_object_change

# What is sent with every request, and so decides the scores.
DECIDES_SCORES = ("model", "provider", "reasoning_effort", "parameters", "max_output_tokens")


class JudgeFixed(Refused):
    """What decides scores stays as it is once the judge has given some."""


class JudgeChanged(Refused):
    """Somebody else changed the judge since it was looked at."""


def settings_of(judge: JudgeConfig) -> JudgeSettings:
    return JudgeSettings(**{name: getattr(judge, name) for name in JudgeSettings.__dataclass_fields__})


def judge_add(*, slug: str, settings: JudgeSettings, actor: User | None, now: datetime) -> JudgeConfig:
    """Add a judge. Raises JudgeInvalid."""
    require_slug(slug)
    settings = checked(settings)
    try:
        with transaction.atomic():
            judge = JudgeConfig.objects.create(slug=slug, created_at=now, **asdict(settings))
            changes = {"slug": slug, **{name: _stored(value) for name, value in asdict(settings).items()}}
            JudgeChange.objects.create(judge=judge, changes=changes, actor=actor, changed_at=now)
    except IntegrityError:
        if not JudgeConfig.objects.filter(slug=slug).exists():
            raise
        said = _('There is a judge "%(slug)s" already; change that one, or choose another name.')
        raise JudgeInvalid(said % {"slug": slug}, field="slug") from None
    return judge


def judge_change(
    *,
    judge: JudgeConfig,
    settings: JudgeSettings,
    actor: User | None,
    now: datetime,
    seen_change_id: int | None = None,
) -> dict[str, list[object]]:
    """Give the judge these settings; return what changed, as [before, after] by name.

    Prices, limits and the time for a reply decide what a study's judging costs and how it goes, the address
    and the key who reads the answers: all of it goes by `site_object_change`. `seen_change_id` is the newest
    change that whoever asks knew of. Raises JudgeInvalid, JudgeFixed, UsedByOthers, JudgeChanged.
    """
    settings = checked(settings)
    with transaction.atomic():
        judge = JudgeConfig.objects.select_for_update().get(pk=judge.pk)
        if seen_change_id is not None and judge.history.filter(pk__gt=seen_change_id).exists():
            raise JudgeChanged(
                _("Somebody else changed this judge in the meantime; look at it again before you do.")
            )
        old, new = asdict(settings_of(judge)), asdict(settings)
        changes = {name: [_stored(old[name]), _stored(new[name])] for name in old if old[name] != new[name]}
        _require_free(judge, changes)
        if not changes:
            return {}
        site_object_change(
            users=judge_studies(judge),
            kind=StudyEventKind.JUDGE_CHANGED,
            refusal=_(
                "Studies in which you may not judge use this judge, so its settings stay as they are. Ask "
                "whoever runs this site, or add another judge."
            ),
            actor=actor,
            now=now,
            judge=judge.slug,
            **changes,
        )
        for name, value in new.items():
            setattr(judge, name, value)
        if {"base_url", "model", "provider"} & changes.keys():
            # Another endpoint may well take schemas, and has time.
            judge.plain_json_at = judge.held_until = None
        judge.save()
        JudgeChange.objects.create(judge=judge, changes=changes, actor=actor, changed_at=now)
    return changes


def _stored(value: object) -> object:
    """As JSON has it."""
    return str(value) if isinstance(value, Decimal) else value


def _require_free(judge: JudgeConfig, changes: Mapping[str, object]) -> None:
    """Raise JudgeFixed where scores would no longer be what they are said to be."""
    names = [name for name in DECIDES_SCORES if name in changes]
    if not names:
        return
    if judge_is_used(judge):
        said = _(
            'The judge "%(slug)s" has been used, so what decides its scores is fixed (%(names)s). '
            "Add another judge with the new settings."
        )
        raise JudgeFixed(said % {"slug": judge.slug, "names": ", ".join(names)})
    # Left by estimates: they describe a judge that will never have been asked.
    unused_scoring_runs(judge).delete()
