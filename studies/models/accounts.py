"""Who can sign in, and what ends every session of theirs."""

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

import structlog
from django.contrib.auth.models import AbstractUser, BaseUserManager, Group
from django.db import models, transaction
from django.db.models import CheckConstraint, F, Q, UniqueConstraint
from django.db.models.functions import Lower
from django.db.models.signals import m2m_changed, post_delete, pre_delete
from django.dispatch import receiver

LOG = structlog.get_logger("chiron")
# What a person loses when one of these becomes false.
RIGHTS = ("is_active", "is_staff", "is_superuser")


class UserQuerySet(models.QuerySet["User"]):
    """People; taking a right from them ends their sessions."""

    @transaction.atomic
    def update(self, **values: Any) -> int:
        taken = [right for right in RIGHTS if values.get(right, True) is not True]
        if taken:
            sessions_end(self.filter(_holds_any(taken)))
        if values.get("is_superuser"):
            first_run_close()
        return super().update(**values)


class UserManager(BaseUserManager["User"]):
    """Creates people by e-mail address; `createsuperuser` uses it too."""

    def get_queryset(self) -> UserQuerySet:
        return UserQuerySet(self.model, using=self._db)

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "User":
        user = self.model(email=email.strip().lower(), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> "User":
        return self.create_user(email, password, is_staff=True, is_superuser=True, **fields)


class User(AbstractUser):
    """A person, known by an e-mail address. Participants have no password: they sign in by e-mailed code.

    A session holds the epoch it began in. The next epoch begins, and every session of the person is over,
    when they are disabled or lose a role or a second factor, by a service, a command, a record saved or many
    changed at once. A right given back revives none.
    """

    username = None  # type: ignore[assignment]
    email = models.EmailField(unique=True)
    session_epoch = models.PositiveIntegerField(default=0, editable=False)
    # What they last read a page in on which they did something; mails to them are in it. Blank: not known.
    language = models.CharField(max_length=10, blank=True, editable=False)
    # Where the device was that they last used; times in mails to them are of there. Blank: not known.
    time_zone = models.CharField(max_length=64, blank=True, editable=False)
    # For staff: may make studies, and look after the banks, judges and models of the site.
    may_create_studies = models.BooleanField(default=False)

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []
    objects: ClassVar[UserManager] = UserManager()  # type: ignore[assignment]

    class Meta:
        constraints = [UniqueConstraint(Lower("email"), name="one_account_per_email_in_any_case")]

    def __str__(self) -> str:
        return self.email

    @transaction.atomic
    def save(self, *args: Any, update_fields: Iterable[str] | None = None, **kwargs: Any) -> None:
        if not self._state.adding:
            # A record that was read before the epoch changed must not bring the earlier one back.
            written = {field.name for field in self._meta.concrete_fields if not field.primary_key}
            update_fields = (written if update_fields is None else set(update_fields)) - {"session_epoch"}
            update_fields -= self.get_deferred_fields()
            taken = [right for right in RIGHTS if right in update_fields and not getattr(self, right)]
            if taken and sessions_end(User.objects.filter(_holds_any(taken), pk=self.pk)):
                self.refresh_from_db(fields=["session_epoch"])
        if self.is_superuser and (update_fields is None or "is_superuser" in update_fields):
            first_run_close()
        super().save(*args, update_fields=update_fields, **kwargs)

    def get_session_auth_hash(self) -> str:
        return self.in_epoch(super().get_session_auth_hash())

    def get_session_auth_fallback_hash(self) -> Iterator[str]:
        for earlier in super().get_session_auth_fallback_hash():
            yield self.in_epoch(earlier)

    def in_epoch(self, auth_hash: str) -> str:
        """In the first epoch the hash is Django's own, so that an upgrade signs nobody out."""
        return f"{auth_hash}:{self.session_epoch}" if self.session_epoch else auth_hash


class FirstRun(models.Model):
    """Whether this site ever had an administrator, and the link that makes the first one: one row at most.

    `had_administrator` is written with the account, however that is made, and never taken back: whoever
    deletes every administrator does not open the site to the next one who asks. Of the link there is a hash.
    """

    ONLY = 1

    id = models.PositiveSmallIntegerField(primary_key=True, default=ONLY)
    had_administrator = models.BooleanField(default=False)
    link_sha256 = models.CharField(max_length=64, blank=True)
    link_expires_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            CheckConstraint(condition=Q(id=1), name="one_first_run"),
            CheckConstraint(
                condition=Q(had_administrator=False) | Q(link_sha256="", link_expires_at=None),
                name="no_link_once_there_was_an_administrator",
            ),
        ]

    def __str__(self) -> str:
        return "had an administrator" if self.had_administrator else "had no administrator yet"


def first_run_close() -> None:
    """Keep for ever that there is an administrator; call it in the transaction that makes one."""
    FirstRun.objects.bulk_create(
        [FirstRun(had_administrator=True)],
        update_conflicts=True,
        unique_fields=["id"],
        update_fields=["had_administrator", "link_sha256", "link_expires_at"],
    )


def sessions_end(people: models.QuerySet[User]) -> int:
    """Sign these people out everywhere, at once and for good; how many they are."""
    keys = list(people.order_by("pk").values_list("pk", flat=True))
    if keys:
        User.objects.filter(pk__in=keys).update(session_epoch=F("session_epoch") + 1)
        LOG.info("every session of these people is ended", people=keys)
    return len(keys)


def _holds_any(rights: Iterable[str]) -> Q:
    return Q(*((right, True) for right in rights), _connector=Q.OR)


@receiver(m2m_changed, sender=User.groups.through)
@receiver(m2m_changed, sender=User.user_permissions.through)
def role_removed(instance: Any, action: str, reverse: bool, pk_set: set[int] | None, **_: Any) -> None:
    """`instance` is the person or in reverse the group or permission. Afterwards nobody knows who had it."""
    if action not in {"pre_remove", "pre_clear"}:
        return
    people = instance.user_set.all() if reverse else User.objects.filter(pk=instance.pk)
    sessions_end(people.filter(pk__in=pk_set) if reverse and pk_set else people)


@receiver(pre_delete, sender=Group)
def group_deleted(instance: Group, **_: Any) -> None:
    sessions_end(User.objects.filter(groups=instance))


@receiver(post_delete, sender="mfa.Authenticator")
def authenticator_deleted(instance: Any, **_: Any) -> None:
    """Recovery codes are replaced by new ones; they are no factor of their own."""
    if instance.type != instance.Type.RECOVERY_CODES:
        sessions_end(User.objects.filter(pk=instance.user_id))
