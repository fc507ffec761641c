"""The WSGI entry point the web server loads."""

import os
from pathlib import Path

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from config.whole_bodies import reading_bodies

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
if not (Path(settings.STATIC_ROOT) / "staticfiles.json").is_file():
    raise SystemExit(
        f"Chiron cannot start: {settings.STATIC_ROOT} holds no collected static files. "
        "Run: python manage.py collectstatic --no-input"
    )
application = reading_bodies(get_wsgi_application())
