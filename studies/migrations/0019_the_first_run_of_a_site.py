from django.db import migrations, models


def close_sites_in_use(apps, _schema_editor):
    """Whoever has staff or studies has, or had, an administrator: nobody becomes the first one there."""
    of_app = apps.get_app_config("studies")
    if of_app.get_model("User").objects.filter(is_staff=True).exists() or of_app.get_model("Study").objects.exists():
        of_app.get_model("FirstRun").objects.create(pk=1, had_administrator=True)


class Migration(migrations.Migration):

    dependencies = [
        ('studies', '0018_versions_of_models'),
    ]

    operations = [
        migrations.CreateModel(
            name='FirstRun',
            fields=[
                ('id', models.PositiveSmallIntegerField(default=1, primary_key=True, serialize=False)),
                ('had_administrator', models.BooleanField(default=False)),
                ('link_sha256', models.CharField(blank=True, max_length=64)),
                ('link_expires_at', models.DateTimeField(null=True)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('id', 1)), name='one_first_run'), models.CheckConstraint(condition=models.Q(('had_administrator', False), models.Q(('link_expires_at', None), ('link_sha256', '')), _connector='OR'), name='no_link_once_there_was_an_administrator')],
            },
        ),
        migrations.RunPython(close_sites_in_use, migrations.RunPython.noop),
    ]
