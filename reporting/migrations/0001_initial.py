import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


MODELS = ['checklistanswer']


def content_types_move(apps, schema_editor):
    """Permissions and the log of changes name models by rows of content types: these go along."""
    types = apps.get_model('contenttypes', 'ContentType').objects
    types.filter(app_label='scoring', model__in=MODELS).update(app_label='reporting')


def content_types_return(apps, schema_editor):
    types = apps.get_model('contenttypes', 'ContentType').objects
    types.filter(app_label='reporting', model__in=MODELS).update(app_label='scoring')


class Migration(migrations.Migration):
    # The tables are there, under the names they had in the app scoring: only the state changes.

    initial = True

    dependencies = [
        ('contenttypes', '0002_remove_content_type_name'),
        ('scoring', '0005_the_interval_that_serves'),
        ('studies', '0008_announcements_to_those_in_a_session'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.CreateModel(
                    name='ChecklistAnswer',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('item', models.CharField(max_length=10)),
                        ('text', models.TextField()),
                        ('answered_at', models.DateTimeField()),
                        ('answered_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='checklist_answers', to='studies.study')),
                    ],
                    options={
                        'db_table': 'scoring_checklistanswer',
                        'constraints': [models.UniqueConstraint(fields=('study', 'item'), name='a_study_answers_a_checklist_item_once')],
                    },
                ),
            ],
        ),
        migrations.RunPython(content_types_move, content_types_return),
    ]
