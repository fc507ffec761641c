"""The wiring as an application of Django's, and what `manage.py check --deploy` looks at beside its own."""

from typing import Any

from django import forms
from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Tags, Warning as CheckWarning, register

from config.private_files import exposed_paths
from studies.forms.texts import BOUNDS


class WiringConfig(AppConfig):
    """The checks are registered with the module, which Django imports for this class."""

    name = "config"

    def ready(self) -> None:
        """Every field, those of Django's own forms too, says what is beyond its bounds in our words."""
        forms.Field.default_error_messages |= BOUNDS


@register(Tags.security, deploy=True)
def data_folder_is_private(**_: Any) -> list[CheckMessage]:
    """Complain about everything in the data folder on which other accounts have rights."""
    wide = exposed_paths(settings.DATA_DIR)
    if not wide:
        return []
    return [
        CheckWarning(
            f"Other accounts have rights on files and folders of the data folder: {len(wide):,}, such as "
            f"{wide[0]}.",
            hint=f"Run `chmod -R go= {settings.DATA_DIR}` as the account that owns them.",
            id="chiron.W001",
        )
    ]
