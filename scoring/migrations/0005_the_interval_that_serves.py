from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def leave_out_what_is_not_meant(apps: Apps, _schema: BaseDatabaseSchemaEditor) -> None:
    """Old rows hold analytic errors where now those stand that serve the design, and intervals of Top.

    They have none until they are computed again, which every study's next scoring or export does. Those of
    theta_QL are by people.
    """
    estimates = apps.get_model("scoring", "Estimate").objects
    no_interval = {"se_pool": None, "ci_low_pool": None, "ci_high_pool": None}
    estimates.filter(group="average").exclude(theta_pool=None).update(**no_interval, reason_pool="earlier_version")
    estimates.filter(group="average").exclude(se_ql=None).update(interval="se.participant")
    estimates.filter(group="top").update(se=None, ci_low=None, ci_high=None, **no_interval, reason_pool="selected")
    of_top = apps.get_model("scoring", "MeasureRow").objects.filter(group="top").exclude(block__in=["top", "models"])
    of_top.exclude(low=None).update(se=None, low=None, high=None, reason="selected")


class Migration(migrations.Migration):
    dependencies = [("scoring", "0004_what_was_measured")]

    operations = [
        migrations.AddField("estimate", "reason_pool", models.CharField(blank=True, default="", max_length=20), preserve_default=False),
        migrations.AddField("estimate", "interval", models.CharField(blank=True, default="", max_length=20), preserve_default=False),
        migrations.AddField("estimate", "se_twoway", models.FloatField(null=True)),
        migrations.AddField("estimate", "ci_low_twoway", models.FloatField(null=True)),
        migrations.AddField("estimate", "ci_high_twoway", models.FloatField(null=True)),
        migrations.AddField("estimate", "clusters", models.PositiveIntegerField(null=True)),
        migrations.AddField("estimate", "batches", models.PositiveIntegerField(default=0)),
        migrations.RunPython(leave_out_what_is_not_meant, migrations.RunPython.noop),
    ]
