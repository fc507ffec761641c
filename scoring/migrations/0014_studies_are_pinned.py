"""Locked studies stay with the results of models that there are for their item banks at this moment."""

from typing import Any

from django.db import migrations
from django.db.models import Exists, OuterRef, Subquery


def pin(apps: Any, _editor: Any) -> None:
    models = apps.get_model("scoring", "ModelConfiguration").objects
    banks = apps.get_model("studies", "ItemBank").objects
    models.update(since=1)
    banks.filter(Exists(models.filter(item_bank=OuterRef("pk")))).update(models_version=1)
    version = banks.filter(pk=OuterRef("item_bank")).values("models_version")
    locked = apps.get_model("studies", "Study").objects.exclude(status="draft").exclude(item_bank=None)
    locked.update(models_version=Subquery(version))
    measurements = apps.get_model("scoring", "Measurement").objects
    of_study = apps.get_model("studies", "Study").objects.filter(
        scoring_runs__result_sets__measurement=OuterRef("pk")
    )
    measurements.update(models_version=Subquery(of_study.values("models_version")[:1]))


def keep_the_newest(apps: Any, _editor: Any) -> None:
    """A bank has a configuration once, before this."""
    apps.get_model("scoring", "ModelConfiguration").objects.exclude(until=None).delete()


class Migration(migrations.Migration):
    dependencies = [("scoring", "0013_versions_of_models")]
    operations = [migrations.RunPython(pin, keep_the_newest)]
