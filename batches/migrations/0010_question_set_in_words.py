"""What the states of a session say, with the pages' word for a batch. No table changes."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("batches", "0009_sessions_that_went_on")]

    operations = [
        migrations.AlterField(
            model_name="session",
            name="status",
            field=models.CharField(
                choices=[
                    ("active", "The session is running and its deadline has not passed."),
                    ("submitted", "The participant submitted the question set before the deadline."),
                    ("expired", "The time ended before the participant submitted."),
                    ("withdrawn", "The participant withdrew; nothing from this session is used."),
                ],
                default="active",
                max_length=10,
            ),
        ),
    ]
