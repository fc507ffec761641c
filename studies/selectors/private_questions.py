"""Who sees a private question: the one rule, which every page, file, figure, mail and message asks.

A private question is its text, its key (expected answer, criteria, item parameters), its label and id, its
category, and every single answer, verdict, note, file and number of it. Seen it is

* by whoever works on it, in their own session, and in their own data;
* by leads of a study that asks it and site administrators, of which the study's history tells
  (`studies.services.private_questions`);
* by reviewers of a study whose protocol says so;

and by nobody else. All of these but the first have the right `Can.SEE_PRIVATE` in a study; only counts of
private questions are told to others.
"""

from collections.abc import Collection
from typing import TypeVar

from django.db.models import Model, Q, QuerySet

from psychometrics.data.places import PUBLIC
from studies.models import BankVersion, Prompt, Study, StudyRole, User
from studies.roles import Can, Role

Row = TypeVar("Row", bound=Model)


def is_private(prompt: Prompt) -> bool:
    """Whether the rule is about this prompt."""
    return prompt.split != PUBLIC


def of_public(path: str = "") -> Q:
    """Rows of public prompts; `path` is the way from the row to its prompt, as "answer__prompt"."""
    return Q(**{f"{path}__split" if path else "split": PUBLIC})


def may_see(prompt: Prompt, rights: Collection[Can]) -> bool:
    """Whether somebody with these rights in a study that asks the prompt sees it."""
    return not is_private(prompt) or Can.SEE_PRIVATE in rights


def seen_by(rights: Collection[Can], rows: QuerySet[Row], path: str = "") -> QuerySet[Row]:
    """Those of the rows of a study's prompts that somebody with these rights in the study sees."""
    return rows if Can.SEE_PRIVATE in rights else rows.filter(of_public(path))


def private_prompts(study: Study) -> QuerySet[Prompt]:
    """The private prompts of the study's bank."""
    return Prompt.objects.filter(~of_public(), version=study.bank_version_id)


def known_private(study: Study) -> QuerySet[Prompt]:
    """The private prompts of the study's bank, with those of earlier versions that it has not made public.

    Later versions and other banks, which others may add at any time, decide nothing in the study.
    """
    own = study.bank_version
    public = Prompt.objects.filter(of_public(), version=own).values("prompt_id")
    versions = BankVersion.objects.filter(bank=own.bank_id, number__lte=own.number)
    return Prompt.objects.filter(~of_public(), version__in=versions).exclude(prompt_id__in=public)


def private_labels(study: Study, labels: Collection[str]) -> set[str]:
    """Which of these labels, written down once, are of private prompts."""
    if not labels:
        return set()
    return set(known_private(study).filter(label__in=labels).values_list("label", flat=True))


def studies_seen_whole(user: User) -> QuerySet[Study]:
    """The studies in which somebody sees private questions."""
    if not (user.is_active and user.is_staff):
        return Study.objects.none()
    if user.is_superuser:
        return Study.objects.all()
    sees = Q(role=Role.LEAD) | Q(role=Role.REVIEWER, study__settings__reviewers_see_private=True)
    return Study.objects.filter(pk__in=StudyRole.objects.filter(sees, user=user).values("study"))


def sees_private_of(user: User, version: BankVersion) -> bool:
    """Whether somebody sees the private questions of a bank, outside of any study."""
    return user.is_superuser or studies_seen_whole(user).filter(bank_version=version).exists()


def may_ask(user: User, version: BankVersion) -> bool:
    """Whether somebody may make a study on a version of a bank, as whose lead they see its private questions:
    where studies ask private questions of the bank already, who sees them there.
    """
    private = Prompt.objects.filter(~of_public(), version__bank=version.bank_id)
    if user.is_superuser or not private.filter(version=version).exists():
        return True
    asking = Study.objects.filter(bank_version__in=private.values("version"))
    return not asking.exists() or studies_seen_whole(user).filter(pk__in=asking.values("pk")).exists()
