import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    # Every number becomes a row of measures with its subject; the next migrations fill and clear up.

    dependencies = [
        ('judging', '0001_initial'),
        ('scoring', '0007_names_of_one_block'),
    ]

    operations = [
        migrations.AlterModelTable(name='agreement', table='scoring_agreement'),
        migrations.RenameModel(old_name='Agreement', new_name='JudgeComparison'),
        migrations.AddField(
            model_name='judgecomparison',
            name='runs',
            field=models.JSONField(default=list),
        ),
        migrations.AddField(
            model_name='measurerow',
            name='results',
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name='measures',
                to='scoring.resultset',
            ),
        ),
        migrations.AddField(
            model_name='measurerow',
            name='comparison',
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name='measures',
                to='scoring.judgecomparison',
            ),
        ),
        migrations.AddField(
            model_name='measurerow',
            name='may_leave',
            field=models.BooleanField(default=False),
        ),
        migrations.AlterField(
            model_name='measurerow',
            name='measurement',
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name='rows',
                to='scoring.measurement',
            ),
        ),
        migrations.RemoveConstraint(model_name='measurerow', name='a_measurement_holds_each_number_once'),
    ]
