"""Reads of who is staff, of who has which part in a study, and of what it lets them do."""

from collections.abc import Iterable

from allauth.mfa.models import Authenticator
from django.db.models import Count, Exists, OuterRef, QuerySet

from studies.models import Study, StudyRole, User
from studies.roles import Can, Role, SiteCan, rights_of


def study_rights(user: User, study: Study) -> frozenset[Can]:
    """What the person may do in the study: a site administrator everything, whoever has no part nothing."""
    if not (user.is_active and user.is_staff):
        return frozenset()
    if user.is_superuser:
        return frozenset(Can)
    return rights_by_study(user, [study])[study.pk]


def rights_of_actor(actor: User | None, study: Study) -> frozenset[Can]:
    """What whoever acts may do in the study; the command line, which speaks for the site, everything."""
    return frozenset(Can) if actor is None else study_rights(actor, study)


def reviewers_see_private(study: Study) -> bool:
    """What the protocol says of it; one that was locked before it could say so says no."""
    return study.settings.get("reviewers_see_private") is True


def site_rights(user: User) -> frozenset[SiteCan]:
    """What the person may do outside of any study."""
    if not (user.is_active and user.is_staff):
        return frozenset()
    if user.is_superuser:
        return frozenset(SiteCan)
    return frozenset({SiteCan.PLAN, SiteCan.MAKE_STUDIES} if user.may_create_studies else {SiteCan.PLAN})


def studies_of_staff(user: User) -> QuerySet[Study]:
    """The studies in which the person has any part; all of them for a site administrator."""
    if not user.is_staff:
        return Study.objects.none()
    if user.is_superuser:
        return Study.objects.all()
    return Study.objects.filter(pk__in=StudyRole.objects.filter(user=user).values("study"))


def rights_by_study(user: User, studies: Iterable[Study]) -> dict[int, frozenset[Can]]:
    """What the person may do in each of these studies, by its key; one query for any number."""
    by_key = {study.pk: study for study in studies}
    if user.is_staff and user.is_superuser:
        return dict.fromkeys(by_key, frozenset(Can))
    roles: dict[int, list[StudyRole]] = {key: [] for key in by_key}
    for part in StudyRole.objects.filter(user=user, study__in=by_key):
        roles[part.study_id].append(part)
    return {
        key: rights_of(
            [part.role for part in parts],
            given=[right for part in parts for right in part.rights],
            reviewers_see_private=reviewers_see_private(by_key[key]),
        )
        for key, parts in roles.items()
    }


def studies_beyond(user: User, studies: Iterable[Study], right: Can) -> list[Study]:
    """Those of these studies in which the person lacks the right."""
    listed = list(studies)
    rights = rights_by_study(user, listed)
    return [study for study in listed if right not in rights[study.pk]]


def roles_in(study: Study) -> QuerySet[StudyRole]:
    """Every part somebody has in the study, with who has it and who gave it, by address."""
    related = StudyRole.objects.filter(study=study).select_related("user", "given_by")
    return related.order_by("user__email", "id")


def leads_of(study: Study) -> QuerySet[StudyRole]:
    """The parts of those who lead the study and can sign in."""
    return StudyRole.objects.filter(study=study, role=Role.LEAD, user__is_active=True, user__is_staff=True)


FACTORS = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)


def staff_members(words: str = "") -> QuerySet[User]:
    """Every member of the staff whose address has these words in it, those with an open account first.

    Annotated with `has_factor` (a second one) and `part_in` (in how many studies they have a role).
    """
    factors = Authenticator.objects.filter(user=OuterRef("pk"), type__in=FACTORS)
    staff = User.objects.filter(is_staff=True, email__icontains=words)
    staff = staff.annotate(has_factor=Exists(factors), part_in=Count("study_roles__study", distinct=True))
    return staff.order_by("-is_active", "email")
