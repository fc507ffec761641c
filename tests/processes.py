"""A plugin of pytest: each of several test processes has a data folder and a Redis database of its own.

It is loaded (`-p tests.processes`) before the settings are read. Databases are told apart by pytest-django.
"""

import os
import re
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit


def own_redis(url: str, process: int) -> str:
    """The URL with the number of its database plus that of the process: redis://host/9 becomes …/10."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(path=f"/{int(parts.path.strip('/') or 0) + process}"))


if found := re.fullmatch(r"gw(\d+)", os.environ.get("PYTEST_XDIST_WORKER", "")):
    os.environ["CHIRON_DATA_DIR"] = str(Path(os.environ["CHIRON_DATA_DIR"]) / found[0])
    if "REDIS_URL" in os.environ:
        os.environ["REDIS_URL"] = own_redis(os.environ["REDIS_URL"], int(found[1]))
