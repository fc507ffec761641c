#!/usr/bin/env python
"""Run a command: `python manage.py help` lists them."""

import os
import sys

from django.core.management import execute_from_command_line
from django.db.utils import OperationalError

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
        execute_from_command_line(sys.argv)
    except OperationalError as error:
        sys.exit(
            f"The database cannot be used ({str(error).splitlines()[0]}). Check DATABASE_URL (without it: "
            "CHIRON_DATA_DIR), that the server answers and that the disk has room."
        )
    except BrokenPipeError:
        # The reader (`| head`) has seen enough; closing standard output again at exit would complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
