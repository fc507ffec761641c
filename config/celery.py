"""The Celery application: `celery --app config.celery worker --beat`."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
app = Celery("chiron")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
