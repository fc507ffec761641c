"""A child process of the concurrency tests: starts sessions of the given people at the given moment.

Four threads start them, so that few processes make many starts at once.

Usage: starting_process.py EPOCH_SECONDS PARTICIPANT_ID… Prints one line a person: its id and "started",
"already" or the name of another refusal.
"""

import sys
import time
from concurrent.futures import ThreadPoolExecutor

import django

django.setup()

from django.utils import timezone  # noqa: E402

from batches.services.starting import AlreadyStarted, StartRefused, session_start  # noqa: E402
from studies.models import Participant  # noqa: E402


def start(participant: Participant) -> str:
    try:
        session_start(participant=participant, now=timezone.now())
    except AlreadyStarted:
        return "already"
    except StartRefused as refusal:
        return type(refusal).__name__
    return "started"


people = Participant.objects.in_bulk([int(argument) for argument in sys.argv[2:]])
time.sleep(max(0.0, float(sys.argv[1]) - time.time()))
with ThreadPoolExecutor(4) as pool:
    for pk, outcome in zip(people, pool.map(start, people.values()), strict=True):
        sys.stdout.write(f"{pk} {outcome}\n")
