"""What the JSON endpoints share: who asks, and how refusals are declared."""

from typing import TYPE_CHECKING

from django.http import HttpRequest

from batches.schemas import Problem
from studies.models import User

if TYPE_CHECKING:

    class SignedInRequest(HttpRequest):
        """A request that passed the session check."""

        user: User

else:
    SignedInRequest = HttpRequest

PROBLEMS = dict.fromkeys((400, 403, 404, 413, 422), Problem)
