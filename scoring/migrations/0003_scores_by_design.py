from django.db import migrations, models
from django.db.models import F


def fill(apps, schema_editor):
    """Until now a protocol's hash was its design's."""
    apps.get_model("scoring", "ScoringRun").objects.update(design_hash=F("protocol_hash"))


class Migration(migrations.Migration):
    dependencies = [("scoring", "0002_mark_of_a_judge_call")]

    operations = [
        migrations.AddField(
            "scoringrun", "design_hash", models.CharField(default="", max_length=64), preserve_default=False
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
        migrations.RemoveConstraint("scoringrun", "a_judge_has_one_run_per_protocol_and_replicate"),
        migrations.AddConstraint(
            "scoringrun",
            models.UniqueConstraint(
                fields=("study", "design_hash", "judge_sha256", "replicate"),
                name="a_judge_has_one_run_per_design_and_replicate",
            ),
        ),
    ]
