"""The site's settings with the benchmark's extra address."""

from config.settings import *  # noqa: F403

ROOT_URLCONF = "benchmarks.sessions.save_endpoint_urls"
