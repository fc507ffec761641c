from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('batches', '0016_sums_of_sessions'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='paymentreport',
            index=models.Index(fields=['participant', 'id'], name='newest_reports'),
        ),
        migrations.AddIndex(
            model_name='session',
            index=models.Index(fields=['ended_at'], name='sessions_by_end'),
        ),
    ]
