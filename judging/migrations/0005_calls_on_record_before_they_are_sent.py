"""Requests are on record before they are sent, and one process at a time asks a judge.

What workers of the release before had set aside and put on no record stays spent: a lost call for each of
their leases. The rows that they had claimed come back by themselves, at the end of their lease.
"""

from decimal import Decimal
from typing import Any

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import OuterRef, Subquery, Sum
from django.db.models.functions import Coalesce


def keep_what_is_spent(apps: Apps, _schema_editor: BaseDatabaseSchemaEditor) -> None:
    calls: Any = apps.get_model("judging", "JudgeCall")
    rows: Any = apps.get_model("judging", "CriterionScore")
    runs: Any = apps.get_model("judging", "JudgingRun")
    for lease in apps.get_model("judging", "WorkerLease").objects.filter(reserved__gt=0).order_by("pk"):
        row = rows.objects.filter(judging_run=lease.judging_run_id, run=lease.run_id).order_by("pk").first()
        if row is None:
            continue
        calls.objects.create(
            uid=lease.token,
            judging_run_id=lease.judging_run_id,
            run_id=lease.run_id,
            answer_id=row.answer_id,
            criterion_id=row.criterion_id,
            request_sha256="",
            judge_protocol_sha256="",
            model=lease.judge.model if lease.judge else "",
            cost=lease.reserved,
            latency_ms=0.0,
            outcome="lost",
            called_at=lease.ended_at or lease.leased_until,
        )
    costs = calls.objects.filter(judging_run=OuterRef("pk")).order_by().values("judging_run")
    spent = costs.annotate(spent=Sum("cost")).values("spent")
    runs.objects.update(committed=Coalesce(Subquery(spent), Decimal(0)))
    # What is counted of a run that is over has no lost calls.
    runs.objects.filter(calls__outcome="lost").update(counts=None)


class Migration(migrations.Migration):
    dependencies = [("judging", "0004_counts_of_runs")]

    operations = [
        migrations.AddField("judgeconfig", "lease", models.UUIDField(editable=False, null=True)),
        migrations.AddField("judgeconfig", "leased_until", models.DateTimeField(editable=False, null=True)),
        migrations.AddField("judgeconfig", "held_until", models.DateTimeField(editable=False, null=True)),
        migrations.AddField("judgeconfig", "pace", models.PositiveSmallIntegerField(editable=False, null=True)),
        migrations.AddField(
            "judgingrun",
            "committed",
            models.DecimalField(decimal_places=8, default=Decimal(0), editable=False, max_digits=20),
        ),
        migrations.AddField("judgecall", "due_at", models.DateTimeField(editable=False, null=True)),
        migrations.RunPython(keep_what_is_spent, migrations.RunPython.noop),
        migrations.DeleteModel("WorkerLease"),
        migrations.DeleteModel("JudgeGrant"),
        migrations.RemoveField("criterionscore", "rounds"),
    ]
