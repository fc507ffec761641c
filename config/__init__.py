"""Wiring. The application is made here, so that pages and commands, too, send hints to the right broker."""

from config.celery import app

__all__ = ["app"]
