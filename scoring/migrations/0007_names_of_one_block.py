from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

BLOCKS = ('uncertainty', 'models', 'missing', 'judge', 'dif', 'slices')
THETAS = ('theta.prompt', 'theta.pool', 'theta.ql')


def names_of_one_block(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    rows = apps.get_model('scoring', 'MeasureRow').objects
    for block in BLOCKS:
        for theta in THETAS:
            rows.filter(block=block, name=theta).update(name=f'{block}.{theta}')


def names_of_every_block(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    rows = apps.get_model('scoring', 'MeasureRow').objects
    for block in BLOCKS:
        for theta in THETAS:
            rows.filter(block=block, name=f'{block}.{theta}').update(name=theta)


class Migration(migrations.Migration):
    # theta.pool, theta.ql and theta.prompt had the same name in every block that gave them.

    dependencies = [
        ('scoring', '0006_models_in_their_own_apps'),
    ]

    operations = [
        migrations.RunPython(names_of_one_block, names_of_every_block),
    ]
