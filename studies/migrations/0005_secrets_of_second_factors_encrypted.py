from cryptography.fernet import Fernet
from django.conf import settings
from django.db import migrations

SECRETS = {'totp': 'secret', 'recovery_codes': 'seed'}


def encrypt(apps, schema_editor):
    """Until here they were stored as they are."""
    key = Fernet(settings.SECOND_FACTOR_KEYS[0])
    for one in apps.get_model('mfa', 'Authenticator').objects.filter(type__in=SECRETS):
        name = SECRETS[one.type]
        one.data[name] = key.encrypt(one.data[name].encode()).decode()
        one.save(update_fields=['data'])


class Migration(migrations.Migration):

    dependencies = [
        ('studies', '0004_mails_on_their_way_and_limits'),
        ('mfa', '0003_authenticator_type_uniq'),
    ]

    operations = [migrations.RunPython(encrypt)]
