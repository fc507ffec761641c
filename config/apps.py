"""The wiring as an application of Django's, which is where system checks are found."""

from importlib import import_module

from django.apps import AppConfig


class WiringConfig(AppConfig):
    """Registers the checks."""

    name = "config"

    def ready(self) -> None:
        import_module("config.checks")
