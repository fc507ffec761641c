import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from studies.services.moved_models import content_types_move


MODELS = ['checklistanswer']


def types_move(apps, schema_editor):
    content_types_move(apps, MODELS, old='scoring', new='reporting')


def types_return(apps, schema_editor):
    content_types_move(apps, MODELS, old='reporting', new='scoring')


class Migration(migrations.Migration):
    # The tables are there, under the names they had in the app scoring: only the state changes.

    initial = True

    dependencies = [
        ('admin', '0003_logentry_add_action_flag_choices'),
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
        migrations.RunPython(types_move, types_return),
    ]
