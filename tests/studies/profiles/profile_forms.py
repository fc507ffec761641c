"""A profile form that is filled in, and files."""

import re
from pathlib import Path

from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile

PROFILE = "/studies/pilot/profile/"
ANSWERS = {
    "field": "Molecular biology",
    "level": "doctoral",
    "institution": "",
    "languages": "Deutsch, English",
    "prior_baselining": "no",
    "prior_baselining_details": "",
    "prior_exposure": "yes",
    "prior_exposure_details": "A few, in a talk in 2029",
    "ai_experience": "daily",
}
PDF = b"%PDF-1.7 a certificate"


def upload(content: bytes, name: str = "card.pdf") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content)


def words(page: bytes) -> str:
    return re.sub(r"\s+", " ", page.decode())


def media_files() -> list[Path]:
    return [path for path in Path(settings.MEDIA_ROOT).rglob("*") if path.is_file()]
