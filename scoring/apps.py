"""Scores as an application of Django's."""

from django.apps import AppConfig


class ScoringConfig(AppConfig):
    """Files to take away end when somebody leaves a study, in whatever process that happens."""

    name = "scoring"

    def ready(self) -> None:
        """Receivers of signals: no other module may be sure to be loaded where they are needed."""
        from scoring.services import export_deleting  # noqa: F401
