"""Fixtures shared by every kind of test. Rows are made through the real services wherever one exists."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.core.cache import cache
from pytest_django import Settings


@pytest.fixture
def now() -> datetime:
    """A fixed moment: the clock is an argument everywhere below the interfaces."""
    return datetime(2030, 5, 1, 9, 0, tzinfo=UTC)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real benchmark data, which is not part of the repository."""
    root = Path(__file__).resolve().parent.parent
    folder = Path(os.environ.get("CHIRON_SHARED_DATA", root.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"the real benchmark data are not at {folder}; set CHIRON_SHARED_DATA")
    return folder


@pytest.fixture(autouse=True)
def files_of_one_test(settings: Settings, tmp_path: Path) -> None:
    """No test writes into the data folder; static names need no collected manifest."""
    settings.MEDIA_ROOT = tmp_path / "media"
    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    }


@pytest.fixture
def clear_rate_limits(db: None) -> None:
    cache.clear()
