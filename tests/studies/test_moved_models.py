"""Models that changed their app keep the rows that name them."""

from collections.abc import Iterator

import pytest
from django.apps import apps
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import Group, Permission
from django.contrib.contenttypes.models import ContentType

from studies.models import User
from studies.services.moved_models import content_types_move


@pytest.fixture(autouse=True)
def no_cached_types() -> Iterator[None]:
    yield
    ContentType.objects.clear_cache()


@pytest.mark.django_db
def test_what_hangs_on_a_row_that_was_made_in_between_goes_to_the_one_that_moves() -> None:
    """Somebody looked at the new app's page of the stock admin before the migration ran."""
    stray = ContentType.objects.get(app_label="judging", model="answerscore")
    kept = ContentType.objects.create(app_label="scoring", model="answerscore")
    twin = Permission.objects.get(content_type=stray, codename="view_answerscore")
    own = Permission.objects.create(content_type=kept, codename=twin.codename, name=twin.name)
    group, user = Group.objects.create(name="analysts"), User.objects.create_superuser("root@example.org")
    group.permissions.add(twin)
    user.user_permissions.add(own)
    for found in (kept, stray):
        LogEntry.objects.create(user=user, content_type=found, object_id="1", action_flag=CHANGE)
    content_types_move(apps, ["answerscore", "nothing"], old="scoring", new="judging")
    assert ContentType.objects.get(app_label="judging", model="answerscore").pk == kept.pk
    assert not ContentType.objects.filter(app_label="scoring", model="answerscore").exists()
    assert list(group.permissions.all()) == list(user.user_permissions.all()) == [own]
    assert set(LogEntry.objects.values_list("content_type", flat=True)) == {kept.pk}
