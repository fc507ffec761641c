"""A worker's share of a judge is called its lease; table and columns keep their names."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("judging", "0001_initial")]

    operations = [
        # The table's name is pinned, so this renames the content type and nothing in the database.
        migrations.RenameModel("JudgeSlice", "WorkerLease"),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RenameField("WorkerLease", "lease", "token"),
                migrations.AlterField(
                    "WorkerLease", "token", models.UUIDField(db_column="lease", unique=True)
                ),
                *(
                    migrations.AlterField(
                        "WorkerLease",
                        name,
                        models.ForeignKey(
                            null=name == "judge",
                            on_delete=on_delete,
                            related_name="leases",
                            to=to,
                        ),
                    )
                    for name, to, on_delete in (
                        ("judge", "judging.judgeconfig", django.db.models.deletion.PROTECT),
                        ("judging_run", "judging.judgingrun", django.db.models.deletion.CASCADE),
                        ("run", "judging.scoringrun", django.db.models.deletion.CASCADE),
                    )
                ),
            ]
        ),
    ]
