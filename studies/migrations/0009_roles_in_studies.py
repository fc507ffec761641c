import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.utils import timezone

ROLES = [
    ("lead", "Lead"),
    ("coordinator", "Coordinator"),
    ("reviewer", "Reviewer"),
    ("analyst", "Analyst"),
]


def keep_what_staff_could_do(apps, schema_editor):
    """Until now all staff could do everything in every study: an upgrade takes nothing away from them."""
    User, Study = apps.get_model("studies", "User"), apps.get_model("studies", "Study")
    StudyRole, StudyEvent = apps.get_model("studies", "StudyRole"), apps.get_model("studies", "StudyEvent")
    staff, now = list(User.objects.filter(is_staff=True).order_by("pk")), timezone.now()
    User.objects.filter(is_staff=True).update(may_create_studies=True)
    for study in Study.objects.order_by("pk"):
        StudyRole.objects.bulk_create(
            StudyRole(study=study, user=user, role="lead", given_at=now) for user in staff
        )
        StudyEvent.objects.bulk_create(
            StudyEvent(
                study=study,
                kind="role_given",
                details={"role": "lead", "person": user.pk, "reason": "upgrade"},
                happened_at=now,
            )
            for user in staff
        )


def forget_events(apps, schema_editor):
    """The release before knows no such events, and no roles that they could be about."""
    events = apps.get_model("studies", "StudyEvent").objects
    events.filter(kind__in=["role_given", "role_taken"]).delete()


class Migration(migrations.Migration):
    dependencies = [("studies", "0008_announcements_to_those_in_a_session")]

    operations = [
        migrations.AddField("user", "may_create_studies", models.BooleanField(default=False)),
        migrations.CreateModel(
            name="StudyRole",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("role", models.CharField(choices=ROLES, max_length=12)),
                ("given_at", models.DateTimeField()),
                (
                    "given_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="roles_given",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="roles", to="studies.study"
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="study_roles",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={"ordering": ["id"]},
        ),
        migrations.AddConstraint(
            "studyrole",
            models.UniqueConstraint(
                fields=("study", "user", "role"), name="a_person_has_a_role_in_a_study_once"
            ),
        ),
        migrations.AddConstraint(
            "studyrole",
            models.CheckConstraint(
                condition=models.Q(role__in=[role for role, _label in ROLES]), name="a_role_is_known"
            ),
        ),
        migrations.RunPython(keep_what_staff_could_do, forget_events),
    ]
