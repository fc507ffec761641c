import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from studies.services.moved_models import content_types_move


MODELS = ['answerflag', 'participantflag', 'verdict']


def types_move(apps, schema_editor):
    content_types_move(apps, MODELS, old='scoring', new='screening')


def types_return(apps, schema_editor):
    content_types_move(apps, MODELS, old='screening', new='scoring')


class Migration(migrations.Migration):
    # The tables are there, under the names they had in the app scoring: only the state changes.

    initial = True

    dependencies = [
        ('admin', '0003_logentry_add_action_flag_choices'),
        ('contenttypes', '0002_remove_content_type_name'),
        ('scoring', '0005_the_interval_that_serves'),
        ('batches', '0005_practice_in_the_workspace'),
        ('studies', '0008_announcements_to_those_in_a_session'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.CreateModel(
                    name='AnswerFlag',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('rules_version', models.CharField(max_length=40)),
                        ('reason', models.CharField(max_length=40)),
                        ('evidence', models.TextField()),
                        ('flagged_at', models.DateTimeField()),
                        ('answer', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='flags', to='batches.answer')),
                    ],
                    options={
                        'db_table': 'scoring_answerflag',
                        'constraints': [models.UniqueConstraint(fields=('answer', 'rules_version', 'reason'), name='a_rule_set_flags_an_answer_once_per_reason')],
                    },
                ),
                migrations.CreateModel(
                    name='ParticipantFlag',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('rules_version', models.CharField(max_length=40)),
                        ('reason', models.CharField(max_length=40)),
                        ('evidence', models.TextField()),
                        ('flagged_at', models.DateTimeField()),
                        ('participant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='flags', to='studies.participant')),
                    ],
                    options={
                        'db_table': 'scoring_participantflag',
                        'constraints': [models.UniqueConstraint(fields=('participant', 'rules_version', 'reason'), name='a_rule_set_flags_a_participant_once_per_reason')],
                    },
                ),
                migrations.CreateModel(
                    name='Verdict',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('rules_version', models.CharField(max_length=40)),
                        ('decision', models.CharField(choices=[('confirm', 'Confirmed: the participant is excluded'), ('overturn', 'Overturned: the participant is retained')], max_length=10)),
                        ('reason', models.TextField()),
                        ('decided_at', models.DateTimeField()),
                        ('decided_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, to=settings.AUTH_USER_MODEL)),
                        ('participant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='verdicts', to='studies.participant')),
                    ],
                    options={
                        'db_table': 'scoring_verdict',
                        'ordering': ['id'],
                        'constraints': [models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='a_verdict_has_a_reason')],
                    },
                ),
            ],
        ),
        migrations.RunPython(types_move, types_return),
    ]
