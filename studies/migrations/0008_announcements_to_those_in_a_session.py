from django.db import migrations, models

AUDIENCES = [
    ("in_session", "All active: in a session now, or as soon as they are in one"),
    ("not_started", "Not yet started: approved or still to be, and not withdrawn"),
    ("approved", "Approved: started or not, and neither finished nor withdrawn"),
    ("finished", "Finished: their session has ended, and they have not withdrawn"),
    ("everybody", "Everybody in the study, also those who were rejected or have withdrawn"),
]


def rename(apps, schema_editor):
    apps.get_model("studies", "Announcement").objects.filter(audience="active").update(audience="approved")


def rename_back(apps, schema_editor):
    apps.get_model("studies", "Announcement").objects.filter(audience="approved").update(audience="active")


class Migration(migrations.Migration):
    dependencies = [("studies", "0007_labels_of_prompts_and_audiences")]

    operations = [
        migrations.RemoveConstraint("announcement", "audience_is_known"),
        migrations.AlterField("announcement", "audience", models.CharField(choices=AUDIENCES, max_length=20)),
        migrations.RunPython(rename, rename_back),
        migrations.AddConstraint(
            "announcement",
            models.CheckConstraint(
                condition=models.Q(audience__in=[value for value, _ in AUDIENCES]), name="audience_is_known"
            ),
        ),
    ]
