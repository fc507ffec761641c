from django.db import migrations


class Migration(migrations.Migration):
    """The clock's row belongs to `studies` from now on, which keeps its table; no row is touched."""

    dependencies = [("batches", "0012_written_answers"), ("studies", "0016_part9_clock_watch")]

    operations = [
        migrations.SeparateDatabaseAndState(state_operations=[migrations.DeleteModel(name="ClockWatch")]),
    ]
