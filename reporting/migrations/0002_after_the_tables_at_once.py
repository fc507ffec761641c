"""Without operations: what comes next in this app follows it, also where all tables were made at once."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("reporting", "0001_initial")]
