import django.db.models.deletion
import uuid
from decimal import Decimal
from django.conf import settings
from django.db import migrations, models

from studies.services.moved_models import content_types_move


MODELS = ['answerscore', 'audititem', 'auditsample', 'criterionscore', 'judgecall', 'judgechange', 'judgeconfig', 'judgegrant', 'judgeslice', 'judgingrun', 'scoringrun']


def types_move(apps, schema_editor):
    content_types_move(apps, MODELS, old='scoring', new='judging')


def types_return(apps, schema_editor):
    content_types_move(apps, MODELS, old='judging', new='scoring')


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
                    name='JudgeConfig',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('slug', models.SlugField(unique=True)),
                        ('base_url', models.CharField(max_length=500)),
                        ('model', models.CharField(max_length=200)),
                        ('key_variable', models.CharField(blank=True, max_length=100)),
                        ('provider', models.CharField(choices=[('openai', 'openai'), ('gemini', 'gemini'), ('vllm', 'vllm'), ('ollama', 'ollama'), ('llama-cpp', 'llama-cpp'), ('generic', 'generic')], max_length=20)),
                        ('reasoning_effort', models.CharField(blank=True, max_length=20)),
                        ('parameters', models.JSONField(default=dict)),
                        ('max_output_tokens', models.PositiveIntegerField(null=True)),
                        ('timeout_seconds', models.FloatField(default=120.0)),
                        ('input_price', models.DecimalField(decimal_places=6, max_digits=12, null=True)),
                        ('output_price', models.DecimalField(decimal_places=6, max_digits=12, null=True)),
                        ('requests_per_minute', models.PositiveIntegerField(null=True)),
                        ('tokens_per_minute', models.PositiveIntegerField(null=True)),
                        ('concurrency', models.PositiveIntegerField(default=16)),
                        ('plain_json_at', models.DateTimeField(null=True)),
                        ('created_at', models.DateTimeField()),
                    ],
                    options={
                        'db_table': 'scoring_judgeconfig',
                        'ordering': ['slug'],
                        'constraints': [models.CheckConstraint(condition=models.Q(('concurrency__gt', 0)), name='a_judge_takes_some_calls'), models.CheckConstraint(condition=models.Q(('timeout_seconds__gt', 0)), name='a_judge_has_some_time_to_reply'), models.CheckConstraint(condition=models.Q(models.Q(('input_price', None), ('output_price', None)), models.Q(('input_price__gte', 0), ('output_price__gte', 0)), _connector='OR'), name='a_judge_has_both_prices_or_none')],
                    },
                ),
                migrations.CreateModel(
                    name='JudgeChange',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('changes', models.JSONField()),
                        ('changed_at', models.DateTimeField()),
                        ('actor', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('judge', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='history', to='judging.judgeconfig')),
                    ],
                    options={
                        'db_table': 'scoring_judgechange',
                        'ordering': ['id'],
                    },
                ),
                migrations.CreateModel(
                    name='JudgingRun',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('purpose', models.CharField(choices=[('scores', 'Scores for results'), ('comparison', 'Compares several criteria a call with one, on a sample')], default='scores', max_length=12)),
                        ('state', models.CharField(choices=[('running', 'Running: what is left is being asked'), ('paused', 'Paused: nothing is asked until somebody resumes it'), ('finished', 'Finished: every planned row is decided'), ('cancelled', 'Cancelled: what was left will not be asked')], default='running', max_length=10)),
                        ('pause_reason', models.CharField(blank=True, choices=[('by_hand', 'Somebody of the study team paused it'), ('budget', 'The next call could pass the budget'), ('judge_failing', 'The judge fails for everyone'), ('unusable', 'The judge cannot be asked the way it is set up'), ('error', 'An error of the program ended the judging')], max_length=15)),
                        ('pause_detail', models.TextField(blank=True)),
                        ('budget', models.DecimalField(decimal_places=4, max_digits=12, null=True)),
                        ('planned', models.PositiveIntegerField()),
                        ('estimate', models.JSONField()),
                        ('plan_sha256', models.CharField(max_length=64)),
                        ('started_at', models.DateTimeField()),
                        ('resumed_at', models.DateTimeField()),
                        ('ended_at', models.DateTimeField(null=True)),
                        ('started_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('study', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='judging_runs', to='studies.study')),
                    ],
                    options={
                        'db_table': 'scoring_judgingrun',
                        'ordering': ['id'],
                    },
                ),
                migrations.CreateModel(
                    name='AuditSample',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('seed', models.PositiveBigIntegerField()),
                        ('strata', models.JSONField()),
                        ('drawn_at', models.DateTimeField()),
                        ('drawn_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('judging_run', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='audit_samples', to='judging.judgingrun')),
                    ],
                    options={
                        'db_table': 'scoring_auditsample',
                        'ordering': ['id'],
                    },
                ),
                migrations.CreateModel(
                    name='ScoringRun',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('judge_kind', models.CharField(max_length=10)),
                        ('judge', models.JSONField()),
                        ('judge_sha256', models.CharField(max_length=64)),
                        ('replicate', models.PositiveSmallIntegerField(default=1)),
                        ('protocol_hash', models.CharField(max_length=64)),
                        ('design_hash', models.CharField(max_length=64)),
                        ('started_at', models.DateTimeField()),
                        ('finished_at', models.DateTimeField(null=True)),
                        ('config', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='scoring_runs', to='judging.judgeconfig')),
                        ('study', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='scoring_runs', to='studies.study')),
                    ],
                    options={
                        'db_table': 'scoring_scoringrun',
                    },
                ),
                migrations.CreateModel(
                    name='JudgeSlice',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('lease', models.UUIDField(unique=True)),
                        ('slots', models.PositiveIntegerField()),
                        ('reserved', models.DecimalField(decimal_places=6, default=Decimal('0'), max_digits=14)),
                        ('started_at', models.DateTimeField()),
                        ('leased_until', models.DateTimeField()),
                        ('ended_at', models.DateTimeField(null=True)),
                        ('judge', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='slices', to='judging.judgeconfig')),
                        ('judging_run', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='slices', to='judging.judgingrun')),
                        ('run', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='slices', to='judging.scoringrun')),
                    ],
                    options={
                        'db_table': 'scoring_judgeslice',
                    },
                ),
                migrations.CreateModel(
                    name='JudgeCall',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('uid', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                        ('request_sha256', models.CharField(max_length=64)),
                        ('mark', models.CharField(blank=True, default='', max_length=16)),
                        ('judge_protocol_sha256', models.CharField(max_length=64)),
                        ('model', models.CharField(max_length=200)),
                        ('raw_reply', models.TextField(blank=True)),
                        ('prompt_tokens', models.PositiveIntegerField(null=True)),
                        ('completion_tokens', models.PositiveIntegerField(null=True)),
                        ('cost', models.DecimalField(decimal_places=8, max_digits=14, null=True)),
                        ('latency_ms', models.FloatField()),
                        ('outcome', models.CharField(max_length=40)),
                        ('called_at', models.DateTimeField()),
                        ('answer', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='judge_calls', to='batches.answer')),
                        ('criterion', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='judge_calls', to='studies.criterion')),
                        ('judging_run', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='calls', to='judging.judgingrun')),
                        ('run', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='calls', to='judging.scoringrun')),
                    ],
                    options={
                        'db_table': 'scoring_judgecall',
                    },
                ),
                migrations.CreateModel(
                    name='CriterionScore',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('revision', models.PositiveIntegerField()),
                        ('request_sha256', models.CharField(blank=True, max_length=64)),
                        ('place', models.PositiveSmallIntegerField(default=0)),
                        ('has_followers', models.BooleanField(default=False)),
                        ('available_at', models.DateTimeField()),
                        ('lease', models.UUIDField(null=True)),
                        ('starts', models.PositiveSmallIntegerField(default=0)),
                        ('rounds', models.PositiveSmallIntegerField(default=0)),
                        ('state', models.CharField(choices=[('open', 'Open: still to be asked, or being asked'), ('scored', 'Scored'), ('unscored', 'Unscored, with a reason')], default='open', max_length=10)),
                        ('origin', models.CharField(blank=True, choices=[('asked', "Asked in this row's own call"), ('shared', 'Asked in the call of another row with the same request'), ('cached', 'Taken from an earlier run: the same judge, the same request')], max_length=10)),
                        ('score', models.FloatField(null=True)),
                        ('confidence', models.FloatField(null=True)),
                        ('explanation', models.TextField(blank=True)),
                        ('unscored_reason', models.CharField(blank=True, max_length=40)),
                        ('decided_at', models.DateTimeField(null=True)),
                        ('answer', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='criterion_scores', to='batches.answer')),
                        ('asked_with', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='followers', to='judging.criterionscore')),
                        ('criterion', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='scores', to='studies.criterion')),
                        ('judging_run', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='rows', to='judging.judgingrun')),
                        ('run', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='criteria', to='judging.scoringrun')),
                    ],
                    options={
                        'db_table': 'scoring_criterionscore',
                    },
                ),
                migrations.CreateModel(
                    name='AnswerScore',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('revision', models.PositiveIntegerField()),
                        ('score', models.FloatField(null=True)),
                        ('unscored_reason', models.CharField(blank=True, max_length=40)),
                        ('judged_at', models.DateTimeField()),
                        ('answer', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='scores', to='batches.answer')),
                        ('run', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='scores', to='judging.scoringrun')),
                    ],
                    options={
                        'db_table': 'scoring_answerscore',
                    },
                ),
                migrations.CreateModel(
                    name='AuditItem',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('number', models.PositiveIntegerField()),
                        ('stratum', models.CharField(max_length=40)),
                        ('human_score', models.FloatField(null=True)),
                        ('comment', models.TextField(blank=True)),
                        ('rater', models.CharField(blank=True, max_length=100)),
                        ('rated_at', models.DateTimeField(null=True)),
                        ('sample', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='items', to='judging.auditsample')),
                        ('row', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='audit_items', to='judging.criterionscore')),
                    ],
                    options={
                        'db_table': 'scoring_audititem',
                        'ordering': ['number'],
                        'constraints': [models.UniqueConstraint(fields=('sample', 'number'), name='numbers_do_not_repeat_in_an_audit_sample'), models.UniqueConstraint(fields=('sample', 'row'), name='an_audit_sample_holds_a_verdict_once'), models.CheckConstraint(condition=models.Q(models.Q(('human_score', None), ('rated_at', None)), models.Q(('human_score__gte', 0), ('human_score__lte', 1), ('rated_at__isnull', False)), _connector='OR'), name='a_human_score_is_a_share_with_a_time')],
                    },
                ),
                migrations.CreateModel(
                    name='JudgeGrant',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('requests', models.PositiveIntegerField()),
                        ('tokens', models.PositiveIntegerField()),
                        ('granted_at', models.DateTimeField()),
                        ('judge', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='grants', to='judging.judgeconfig')),
                    ],
                    options={
                        'db_table': 'scoring_judgegrant',
                        'indexes': [models.Index(fields=['judge', 'granted_at'], name='grants_of_a_judge_in_time')],
                    },
                ),
                migrations.AddConstraint(
                    model_name='judgingrun',
                    constraint=models.UniqueConstraint(condition=models.Q(('state__in', ['running', 'paused'])), fields=('study',), name='a_study_has_one_open_judging_run'),
                ),
                migrations.AddConstraint(
                    model_name='judgingrun',
                    constraint=models.CheckConstraint(condition=models.Q(models.Q(('state', 'paused'), models.Q(('pause_reason', ''), _negated=True)), models.Q(models.Q(('state', 'paused'), _negated=True), ('pause_reason', '')), _connector='OR'), name='a_run_says_why_exactly_when_it_pauses'),
                ),
                migrations.AddConstraint(
                    model_name='judgingrun',
                    constraint=models.CheckConstraint(condition=models.Q(models.Q(('ended_at', None), ('state__in', ['running', 'paused'])), models.Q(('ended_at__isnull', False), ('state__in', ['finished', 'cancelled'])), _connector='OR'), name='a_judging_run_has_an_end_exactly_when_it_is_over'),
                ),
                migrations.AddConstraint(
                    model_name='scoringrun',
                    constraint=models.UniqueConstraint(fields=('study', 'design_hash', 'judge_sha256', 'replicate'), name='a_judge_has_one_run_per_design_and_replicate'),
                ),
                migrations.AddIndex(
                    model_name='judgeslice',
                    index=models.Index(condition=models.Q(('ended_at', None)), fields=['judge', 'leased_until'], name='slices_at_work'),
                ),
                migrations.AddIndex(
                    model_name='judgecall',
                    index=models.Index(fields=['judging_run', 'cost'], name='costs_of_a_judging_run'),
                ),
                migrations.AddIndex(
                    model_name='criterionscore',
                    index=models.Index(condition=models.Q(('asked_with', None), ('state', 'open')), fields=['judging_run', 'run', 'available_at', 'id'], name='rows_to_claim'),
                ),
                migrations.AddIndex(
                    model_name='criterionscore',
                    index=models.Index(condition=models.Q(('state', 'scored'), models.Q(('request_sha256', ''), _negated=True)), fields=['request_sha256'], name='verdicts_by_request'),
                ),
                migrations.AddConstraint(
                    model_name='criterionscore',
                    constraint=models.UniqueConstraint(fields=('judging_run', 'run', 'answer', 'criterion'), name='a_plan_holds_a_criterion_once'),
                ),
                migrations.AddConstraint(
                    model_name='criterionscore',
                    constraint=models.UniqueConstraint(condition=models.Q(('criterion', None)), fields=('judging_run', 'run', 'answer'), name='a_plan_holds_an_exact_answer_once'),
                ),
                migrations.AddConstraint(
                    model_name='criterionscore',
                    constraint=models.UniqueConstraint(condition=models.Q(('state', 'scored')), fields=('run', 'answer', 'revision', 'criterion'), name='a_criterion_is_scored_once'),
                ),
                migrations.AddConstraint(
                    model_name='criterionscore',
                    constraint=models.UniqueConstraint(condition=models.Q(('criterion', None), ('state', 'scored')), fields=('run', 'answer', 'revision'), name='an_exact_answer_is_scored_once'),
                ),
                migrations.AddConstraint(
                    model_name='criterionscore',
                    constraint=models.CheckConstraint(condition=models.Q(models.Q(('confidence', None), ('decided_at', None), ('origin', ''), ('score', None), ('state', 'open')), models.Q(('confidence__isnull', False), ('decided_at__isnull', False), ('score__isnull', False), ('state', 'scored'), ('unscored_reason', '')), models.Q(('confidence', None), ('decided_at__isnull', False), ('score', None), ('state', 'unscored'), models.Q(('unscored_reason', ''), _negated=True)), _connector='OR'), name='a_criterion_has_a_score_or_a_reason_once_decided'),
                ),
                migrations.AddConstraint(
                    model_name='answerscore',
                    constraint=models.UniqueConstraint(fields=('run', 'answer'), name='a_run_scores_an_answer_once'),
                ),
                migrations.AddConstraint(
                    model_name='answerscore',
                    constraint=models.CheckConstraint(condition=models.Q(models.Q(('score__gte', 0), ('score__lte', 1), ('unscored_reason', '')), models.Q(('score__isnull', True), models.Q(('unscored_reason', ''), _negated=True)), _connector='OR'), name='an_answer_has_a_score_or_a_reason'),
                ),
            ],
        ),
        migrations.RunPython(types_move, types_return),
    ]
