"""Backups: taking one, and proving a restored copy whole."""
