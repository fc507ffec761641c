"""Files know after how many departures they were begun, so that no clock decides who is in them."""

from django.db import migrations, models

LEAVING = ("participant_withdrew", "data_deleted")


def count_departures(apps, _schema):
    StudyEvent = apps.get_model("studies", "StudyEvent")
    for file in apps.get_model("scoring", "ExportFile").objects.all():
        file.departures = StudyEvent.objects.filter(
            study=file.study_id, kind__in=LEAVING, happened_at__lt=file.made_at
        ).count()
        file.save(update_fields=["departures"])


class Migration(migrations.Migration):
    dependencies = [("scoring", "0015_of_one_person"), ("studies", "0018_versions_of_models")]

    operations = [
        migrations.AddField("exportfile", "departures", models.PositiveIntegerField(default=0)),
        migrations.RunPython(count_departures, migrations.RunPython.noop),
    ]
