"""Ask for a sign-in code by way of the page, for an account that is made first.

`python -m tests.faults.ask_for_code ADDRESS`
"""

import sys

import django

django.setup()

from django.conf import settings  # noqa: E402
from django.test import Client  # noqa: E402

from studies.models import User  # noqa: E402

if __name__ == "__main__":
    settings.ALLOWED_HOSTS = ["testserver"]
    User.objects.create_user(sys.argv[1])
    reply = Client().post("/accounts/login/", {"email": sys.argv[1]})
    assert reply.status_code == 302, reply.status_code
