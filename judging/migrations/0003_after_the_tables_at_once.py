"""Without operations: what comes next in this app follows it, also where all tables were made at once."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("judging", "0002_worker_leases")]
