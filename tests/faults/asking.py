"""Which worker asks a judge at this moment."""

from collections.abc import Sequence
from urllib.parse import urlsplit

from benchmarks.hashed_judge.running import RunningJudge
from tests.faults.parts import Part, until


def asking(judge: RunningJudge, workers: Sequence[Part]) -> Part:
    """The one worker that is connected to the judge, once there is one."""
    connected: list[Part] = []

    def is_asked() -> bool:
        connected[:] = [worker for worker in workers if worker.runs and worker.unread(port_of(judge))]
        return bool(connected)

    until(is_asked, seconds=60, what="a worker asks the judge", every=0.02)
    return connected[0]


def port_of(judge: RunningJudge) -> int:
    port = urlsplit(judge.url).port
    assert port
    return port
