"""Sheets of an audit, filled in by a rater."""

import csv
from datetime import datetime
from io import StringIO

from judging.audit_sheet import audit_sheet
from judging.models import AuditSample, JudgingRun
from judging.selectors.audits import sheet_rows
from judging.services.audit_ratings import RatingsImport, ratings_import
from judging.services.audits import audit_draw
from reporting.forms.audit_file import read_ratings


def draw(
    run: JudgingRun, now: datetime, *, size: int = 30, seed: int = 1, public_only: bool = False
) -> AuditSample:
    return audit_draw(run=run, size=size, seed=seed, public_only=public_only, actor=None, now=now)


def sheet(sample: AuditSample) -> list[dict[str, str]]:
    text = audit_sheet(sample.pk, sheet_rows(sample), canaries=["canary-1"])
    return list(csv.DictReader(StringIO(text.removeprefix("\ufeff"), newline="")))


def filled(rows: list[dict[str, str]], delimiter: str = ",") -> bytes:
    file = StringIO(newline="")
    writer = csv.DictWriter(file, list(rows[0]), delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue().encode("utf-8-sig")


def rate(sample: AuditSample, rows: list[dict[str, str]], now: datetime, rater: str = "Ada") -> RatingsImport:
    return ratings_import(sample=sample, reading=read_ratings(filled(rows)), rater=rater, actor=None, now=now)
