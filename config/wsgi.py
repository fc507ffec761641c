"""The WSGI entry point the web server loads."""

import os
from pathlib import Path

from django.conf import settings
from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
if not (Path(settings.STATIC_ROOT) / "staticfiles.json").is_file():
    raise SystemExit(
        f"Chiron cannot start: {settings.STATIC_ROOT} holds no collected static files. "
        "Run: python manage.py collectstatic --no-input"
    )
application = get_wsgi_application()
