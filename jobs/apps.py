"""Jobs as an application of Django's."""

from django.apps import AppConfig


class JobsConfig(AppConfig):
    """Lists to take away end when somebody leaves a study, in whatever process that happens."""

    name = "jobs"

    def ready(self) -> None:
        """Receivers of signals: no other module may be sure to be loaded where they are needed."""
        from jobs.services import lists  # noqa: F401
