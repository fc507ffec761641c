"""What a study needs before people may work under its protocol, and what an amendment must leave intact."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from django.db.models import Exists, OuterRef, Q
from django.utils.translation import gettext as _, ngettext

from presentation.moments import moment_text
from presentation.numbers import counted, numbered, quantity
from studies.models import BankVersion, Criterion, Prompt, Study
from studies.protocol.judge_kinds import JUDGE_KINDS, BankNeeds
from studies.protocol.settings import ProtocolSettings
from studies.selectors.categories import Disagreement, undecided
from studies.selectors.private_questions import of_public
from studies.services.refusals import Refused

NAMED_PROMPTS = 5
_CRITERIA = Criterion.objects.filter(prompt=OuterRef("pk"))
_UNGRADED = Q(gold_answer=None) & ~Q(Exists(_CRITERIA))
# The prompts that lack what a judge needs of its bank.
LACKING: Mapping[BankNeeds, Q] = {
    BankNeeds.GOLD: Q(gold_answer=None),
    BankNeeds.CHECKS_OR_GOLD: _UNGRADED | Q(Exists(_CRITERIA.filter(check_rule__isnull=True))),
    BankNeeds.RUBRIC_OR_GOLD: _UNGRADED,
}


class StudyNotReady(Refused):
    """The study cannot run like this; carries one sentence per reason."""

    def __init__(self, sentences: list[str]) -> None:
        self.sentences = tuple(sentences)
        super().__init__("\n".join(sentences))


class CategoriesUndecided(StudyNotReady):
    """Question bank and item bank disagree, and the protocol does not say whose categories hold."""

    def __init__(self, differing: Sequence[Disagreement]) -> None:
        self.disagreements = tuple(differing)
        examples = "; ".join(disagreement_line(disagreement) for disagreement in differing[:NAMED_PROMPTS])
        sentence = ngettext(
            "Question bank and item bank put %(number)d question into different categories (%(shown)s), and "
            "the protocol does not say which holds. Choose on the page Item parameters of the set-up, or by "
            "update_study: category_source is item_bank or question_bank.",
            "Question bank and item bank put %(number)d questions into different categories (%(shown)s), and "
            "the protocol does not say which holds. Choose on the page Item parameters of the set-up, or by "
            "update_study: category_source is item_bank or question_bank.",
            len(differing),
        )
        more = " …" if len(differing) > NAMED_PROMPTS else ""
        super().__init__([numbered(sentence, {"number": len(differing), "shown": examples + more})])


def disagreement_line(disagreement: Disagreement) -> str:
    """Such as "QR-A1B2: question bank Quantities, item bank Logic"."""
    return _("%(question)s: question bank %(asked)s, item bank %(calibrated)s") % {
        "question": disagreement.label,
        "asked": disagreement.question_bank,
        "calibrated": disagreement.item_bank,
    }


def require_category_source(study: Study) -> None:
    """Raise CategoriesUndecided where a draft's two banks disagree and its protocol says nothing of it."""
    if differing := undecided(study):
        raise CategoriesUndecided(differing)


def require_ready(study: Study, settings: ProtocolSettings) -> None:
    """Raise StudyNotReady unless the bank, the judge and the people fit the settings."""
    sentences = [*prompt_problems(study.bank_version, settings), *profile_problems(study, settings)]
    if sentences:
        raise StudyNotReady(sentences)


def require_window(opens_at: datetime | None, closes_at: datetime | None, now: datetime) -> None:
    """Raise StudyNotReady where a study would close before it opens, or has closed by `now`."""
    if opens_at and closes_at and closes_at <= opens_at:
        sentence = _(
            "The study would not be open at any time: closes_at is not after opens_at; correct one of them."
        )
        raise StudyNotReady([sentence])
    if closes_at and closes_at <= now:
        sentence = _("The closing time closes_at (%(time)s) has passed; set a later time.")
        raise StudyNotReady([sentence % {"time": moment_text(closes_at)}])


def prompt_problems(version: BankVersion, settings: ProtocolSettings) -> list[str]:
    """Why this bank cannot be asked and judged under the settings."""
    prompts = Prompt.objects.filter(version=version)
    if not prompts.exists():
        return [f"The bank version {version} has no prompts; import a bank with prompts first."]
    kind = JUDGE_KINDS[settings.judge_kind]
    if kind.needs is None or not (lacking := prompts.filter(LACKING[kind.needs])).exists():
        return []
    # The first of them; private ones are counted and not named, as an analyst reads this, too.
    named = list(lacking.filter(of_public()).values_list("prompt_id", flat=True)[:NAMED_PROMPTS])
    left = lacking.count() - len(named)
    which = ", ".join(named) + (f" and {counted(left)} more" if left else "")
    if not named:
        which = quantity(left, "private prompt", "private prompts")
    need = f'the judge "{kind.name}" needs {kind.needs}'
    return [f"{which}: {need}. Choose another judge_kind or import a corrected bank."]


def profile_problems(study: Study, settings: ProtocolSettings) -> list[str]:
    """Who is in the study, or invited, under a profile that the settings do not offer."""
    offered = [profile.slug for profile in settings.profiles]
    people = study.participants.exclude(profile__in=offered).order_by("code")
    waiting = study.invitations.filter(accepted_at=None, revoked_at=None).exclude(profile__in=offered)
    return [
        *(
            f'{participant.code} has the profile "{participant.profile}", which the settings no longer list. '
            "Keep the profile."
            for participant in people[:NAMED_PROMPTS]
        ),
        *(
            f'An invitation that was not accepted yet is for the profile "{profile}", which the settings no '
            "longer list. Keep the profile or take the invitation back."
            for profile in sorted(set(waiting.values_list("profile", flat=True)))
        ),
    ]
