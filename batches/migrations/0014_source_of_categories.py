from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('batches', '0013_clock_watch_of_studies'),
    ]

    operations = [
        migrations.AddField(
            model_name='batchplan',
            name='category_source',
            field=models.CharField(default="item_bank", max_length=20),
        ),
    ]
