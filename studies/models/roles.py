"""Who of the staff has which part in a study."""

from django.db import models
from django.db.models import CheckConstraint, Q, UniqueConstraint
from django.utils.translation import gettext_lazy as _

from studies.models.accounts import User
from studies.models.studies import Study
from studies.roles import Role

ROLES = [
    (Role.LEAD.value, _("Lead")),
    (Role.COORDINATOR.value, _("Coordinator")),
    (Role.REVIEWER.value, _("Reviewer")),
    (Role.ANALYST.value, _("Analyst")),
]


class StudyRole(models.Model):
    """A staff member's part in a study, which `roles.ROLES_CAN` gives its meaning; somebody may have several.

    `given_by` None: from the command line, or by an upgrade. Rows are deleted when a part is taken back; the
    events of the study tell of both. `rights` are what a lead gave a coordinator besides (`roles.GRANTABLE`).
    """

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="roles")
    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="study_roles")
    role = models.CharField(max_length=12, choices=ROLES)
    given_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="roles_given")
    given_at = models.DateTimeField()
    rights = models.JSONField(default=list)

    class Meta:
        ordering = ["id"]
        constraints = [
            UniqueConstraint(fields=["study", "user", "role"], name="a_person_has_a_role_in_a_study_once"),
            CheckConstraint(condition=Q(role__in=[role for role, _label in ROLES]), name="a_role_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.study} {self.user} {self.role}"
