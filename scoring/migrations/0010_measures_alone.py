from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('scoring', '0009_numbers_as_rows'),
    ]

    operations = [
        # With a default, so that going back can bring the column again.
        migrations.AlterField(
            model_name='judgecomparison',
            name='values',
            field=models.JSONField(default=dict),
        ),
        migrations.RemoveField(
            model_name='judgecomparison',
            name='values',
        ),
        migrations.RemoveField(
            model_name='measurerow',
            name='measurement',
        ),
        migrations.AddConstraint(
            model_name='measurerow',
            constraint=models.UniqueConstraint(condition=models.Q(('results__isnull', False)), fields=('results', 'scope', 'block', 'name', 'group', 'subset', 'participant', 'prompt_id'), name='each_number_once_of_results'),
        ),
        migrations.AddConstraint(
            model_name='measurerow',
            constraint=models.UniqueConstraint(condition=models.Q(('comparison__isnull', False)), fields=('comparison', 'scope', 'block', 'name', 'group', 'subset', 'participant', 'prompt_id'), name='each_number_once_of_comparison'),
        ),
        migrations.AddConstraint(
            model_name='measurerow',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('comparison__isnull', False), ('results__isnull', True)), models.Q(('comparison__isnull', True), ('results__isnull', False)), _connector='OR'), name='a_measure_has_one_subject'),
        ),
        migrations.DeleteModel(
            name='BenchmarkMetric',
        ),
        migrations.DeleteModel(
            name='Estimate',
        ),
        migrations.DeleteModel(
            name='TaskAccuracy',
        ),
    ]
