from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("scoring", "0012_too_few_to_be_told"),
        ('studies', '0018_versions_of_models'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='modelconfiguration',
            name='an_item_bank_knows_a_configuration_once',
        ),
        migrations.AddField(
            model_name='measurement',
            name='models_version',
            field=models.PositiveIntegerField(null=True),
        ),
        migrations.AddField(
            model_name='modelconfiguration',
            name='since',
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.AddField(
            model_name='modelconfiguration',
            name='until',
            field=models.PositiveIntegerField(null=True),
        ),
        migrations.AddConstraint(
            model_name='modelconfiguration',
            constraint=models.UniqueConstraint(condition=models.Q(('until', None)), fields=('item_bank', 'name'), name='an_item_bank_has_a_configuration_once'),
        ),
    ]
