from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("studies", "0002_stored_bytes_of_a_person")]

    operations = [
        migrations.AddField("user", "session_epoch", models.PositiveIntegerField(default=0, editable=False)),
    ]
