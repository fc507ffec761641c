
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('screening', '0001_initial'),
        ('studies', '0008_announcements_to_those_in_a_session'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='ScreeningPlan',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('second_share', models.FloatField()),
                ('changed_at', models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name='ScreeningRun',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('rules_version', models.CharField(max_length=40)),
                ('participants', models.PositiveIntegerField()),
                ('flagged_answers', models.PositiveIntegerField()),
                ('flagged_people', models.PositiveIntegerField()),
                ('ran_at', models.DateTimeField()),
            ],
            options={
                'ordering': ['id'],
            },
        ),
        migrations.AddField(
            model_name='verdict',
            name='leaves_open',
            field=models.CharField(choices=[('nothing', 'nothing'), ('second', 'second'), ('settling', 'settling')], default='nothing', max_length=10),
        ),
        migrations.AddField(
            model_name='verdict',
            name='reading',
            field=models.CharField(choices=[('first', 'first'), ('second', 'second'), ('settling', 'settling')], default='first', max_length=10),
        ),
        migrations.AlterField(
            model_name='verdict',
            name='decision',
            field=models.CharField(choices=[('confirm', 'Off-task: not counted'), ('overturn', 'On task: counted'), ('unsure', 'Not sure: another reviewer decides')], max_length=10),
        ),
        migrations.AddConstraint(
            model_name='verdict',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('decision', 'unsure'), _negated=True), models.Q(('leaves_open', 'nothing'), _negated=True), _connector='OR'), name='whoever_is_not_sure_leaves_the_decision_open'),
        ),
        migrations.AddField(
            model_name='screeningplan',
            name='study',
            field=models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='screening_plan', to='studies.study'),
        ),
        migrations.AddField(
            model_name='screeningrun',
            name='started_by',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='screeningrun',
            name='study',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='screening_runs', to='studies.study'),
        ),
        migrations.AddConstraint(
            model_name='screeningplan',
            constraint=models.CheckConstraint(condition=models.Q(('second_share__gte', 0), ('second_share__lte', 1)), name='the_share_of_second_readings_is_a_share'),
        ),
    ]
