"""Migrations that moved models go back app by app, and forward again."""

import pytest
from django.contrib.contenttypes.models import ContentType
from django.core.management import call_command

from tests.upgrades.databases import Databases

BACK = [["scoring", "0005"], ["judging", "zero"], ["screening", "zero"], ["reporting", "zero"]]


def migrate(*step: str) -> None:
    """As in a process of its own, which knows of no content types."""
    ContentType.objects.clear_cache()
    call_command("migrate", *step, verbosity=0)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_database_goes_back_app_by_app_and_forward_again(databases: Databases) -> None:
    with databases.copy_of(databases.at_present()):
        for step in BACK:
            migrate(*step)
        migrate()
