import django.db.models.deletion
from django.db import migrations, models
from django.db.models import OuterRef, Subquery


def keep_item_banks(apps, schema_editor):
    """Sets of a locked study stay as they are. In a draft nobody knows: they are to be built again."""
    studies = apps.get_model('studies', 'Study').objects.filter(pk=OuterRef('study'))
    plans = apps.get_model('batches', 'BatchPlan').objects.exclude(study__status='draft')
    plans.update(item_bank=Subquery(studies.values('item_bank')[:1]))


class Migration(migrations.Migration):

    dependencies = [
        ('batches', '0010_question_set_in_words'),
        ('studies', '0015_indexes_for_large_studies'),
    ]

    operations = [
        migrations.AddField(
            model_name='batchplan',
            name='item_bank',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='batch_plans', to='studies.itembank'),
        ),
        migrations.RunPython(keep_item_banks, migrations.RunPython.noop),
    ]
