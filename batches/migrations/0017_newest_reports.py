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
    ]
