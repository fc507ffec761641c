"""Start sessions and withdraw by way of the pages, by a clock that is set meanwhile.

`python -m tests.faults.use_the_site CLOCK SECONDS,STARTS,LEAVES …`: the file that moves this process's clock,
and by how much; then who starts and who leaves, as participants' ids.
"""

import sys
from pathlib import Path

import django

django.setup()

from django.conf import settings  # noqa: E402
from django.test import Client  # noqa: E402

from studies.models import Participant  # noqa: E402


def post(participant_id: str, address: str) -> None:
    participant = Participant.objects.select_related("study", "user").get(pk=participant_id)
    client = Client()
    client.force_login(participant.user)
    reply = client.post(f"/studies/{participant.study.slug}/{address}/", {"reason": "", "confirm": "on"})
    assert reply.status_code == 302, reply.status_code


if __name__ == "__main__":
    settings.ALLOWED_HOSTS = ["testserver"]
    for step in sys.argv[2:]:
        seconds, starts, leaves = step.split(",")
        Path(sys.argv[1]).write_text(seconds)
        post(starts, "start")
        post(leaves, "withdraw")
