"""What finds the calls under way, and the newest of a judge; apart from 0005, as PostgreSQL alters no table with pending changes."""

from django.db import migrations, models
from django.db.models import CASCADE, Q


class Migration(migrations.Migration):
    dependencies = [("judging", "0005_calls_on_record_before_they_are_sent")]

    operations = [
        migrations.AddIndex(
            "judgecall",
            models.Index(condition=Q(due_at__isnull=False), fields=["due_at"], name="calls_under_way"),
        ),
        migrations.AddIndex("judgecall", models.Index(fields=["run", "id"], name="calls_in_their_order")),
        migrations.AlterField(
            "judgecall",
            "run",
            models.ForeignKey(
                db_index=False, on_delete=CASCADE, related_name="calls", to="judging.scoringrun"
            ),
        ),
        migrations.AddConstraint(
            "judgecall",
            models.CheckConstraint(
                condition=Q(due_at=None) & ~Q(outcome="") | Q(due_at__isnull=False, outcome=""),
                name="a_call_has_an_outcome_unless_it_is_under_way",
            ),
        ),
    ]
