from django.db import migrations, models
from django.db.models import F


def fill(apps, schema_editor):
    """Until now a protocol's hash was its design's; an amendment's hash before is the one since the last."""
    Study = apps.get_model("studies", "Study")
    Study.objects.update(design_hash=F("protocol_hash"))
    for study in Study.objects.filter(amendments__isnull=False).distinct():
        frozen = apps.get_model("studies", "StudyEvent").objects.filter(study=study, kind="study_frozen")
        before = frozen.order_by("pk").values_list("details__protocol_hash", flat=True)[0]
        for amendment in study.amendments.order_by("number"):
            amendment.protocol_hash_before = before
            amendment.save(update_fields=["protocol_hash_before"])
            before = amendment.protocol_hash


class Migration(migrations.Migration):
    dependencies = [("studies", "0005_secrets_of_second_factors_encrypted")]

    operations = [
        migrations.AddField("study", "design_hash", models.CharField(blank=True, max_length=64)),
        migrations.AddField(
            "amendment",
            "protocol_hash_before",
            models.CharField(default="", max_length=64),
            preserve_default=False,
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
