from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('studies', '0017_drafts_of_banks'),
    ]

    operations = [
        migrations.AddField(
            model_name='itembank',
            name='models_version',
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.AddField(
            model_name='study',
            name='models_version',
            field=models.PositiveIntegerField(null=True),
        ),
    ]
