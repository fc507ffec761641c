"""The WSGI entry point the web server loads."""

import os
from pathlib import Path

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from config.giving_way import polls_give_way
from config.request_bodies import drain_request_bodies

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
if not (Path(settings.STATIC_ROOT) / "staticfiles.json").is_file():
    raise SystemExit(
        f"Chiron cannot start: {settings.STATIC_ROOT} holds no collected static files. "
        "Run: python manage.py collectstatic --no-input"
    )
application = drain_request_bodies(polls_give_way(get_wsgi_application()))
