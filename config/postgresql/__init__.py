"""PostgreSQL as the site reads it (`base`)."""
