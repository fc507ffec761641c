from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('batches', '0002_initial'),
    ]

    operations = [
        migrations.AddField(
            model_name='session',
            name='overdue_rule',
            field=models.CharField(default='saved_counts', max_length=14),
            preserve_default=False,
        ),
    ]
