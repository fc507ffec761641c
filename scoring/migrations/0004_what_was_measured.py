from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("scoring", "0003_scores_by_design")]

    operations = [
        migrations.AddField(
            "measurement",
            "inputs_sha256",
            models.CharField(blank=True, default="", max_length=64),
            preserve_default=False,
        ),
    ]
