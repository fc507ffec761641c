"""What must be true after every fault: each planned row decided once, no call repeated but those cut off."""

from collections import Counter
from collections.abc import Sequence

from benchmarks.hashed_judge.log import repeats
from benchmarks.hashed_judge.running import RunningJudge
from tests.faults.parts import until
from tests.faults.site import RunFacts, Site

# A call is under way until its result is stored, so long after the server's reply on a busy machine.
STORED_WITHIN_SECONDS = 5.0
# It is under way from the moment at which it passes its gate, so before the server sees it.
SEEN_WITHIN_SECONDS = 1.0


def under_way(judge: RunningJudge, at: float) -> Counter[str]:
    """The requests that a kill at this moment may have cut off, by the server's own log.

    Likewise for the moment at which a worker awakes: what had passed its gate before it slept goes out then.
    """
    return Counter(
        one.messages
        for one in judge.arrivals()
        if one.at <= at + SEEN_WITHIN_SECONDS
        and (one.answered_at is None or one.answered_at >= at - STORED_WITHIN_SECONDS)
    )


def assert_nothing_lost_nothing_paid_twice(
    facts: RunFacts,
    judge: RunningJudge,
    planned: int,
    *,
    kills: Sequence[float] = (),
    at_once: int = 16,
) -> None:
    """Every row has its one result; only calls under way at a kill were made again, once for each kill."""
    assert_each_decided_once(facts, planned)
    assert facts.calls["ok"] == planned, facts.calls
    assert_only_cut_off_repeated(judge, planned, kills=kills, at_most=at_once * len(kills))


def assert_each_decided_once(facts: RunFacts, planned: int) -> None:
    assert facts.state == "finished", facts
    assert facts.rows == {"scored": planned}
    assert facts.decided_again == 0


def until_each_is_on_record(site: Site, judge: RunningJudge) -> None:
    """Where workers live on, each request is on record as often as it was made: none is lost, none twice.

    A reply that comes after its row was given to another worker is on record, too, maybe after the run's end.
    """
    # Who slept past a call's time-out wakes to find its reply too late; what was never sent counts as lost.
    counts = "SELECT COUNT(*) FROM scoring_judgecall WHERE outcome <> 'lost' GROUP BY request_sha256"
    until(
        lambda: (
            sorted(count for (count,) in site.query(counts)) == sorted(repeats(judge.arrivals()).values())
        ),
        seconds=30,
        what="each request is on record as often as it was made",
    )


def assert_only_cut_off_repeated(
    judge: RunningJudge, planned: int, *, kills: Sequence[float], at_most: int
) -> None:
    asked = repeats(judge.arrivals())
    assert len(asked) == planned
    again = Counter({messages: count - 1 for messages, count in asked.items() if count > 1})
    cut_off = sum((under_way(judge, at) for at in kills), Counter[str]())
    assert again <= cut_off, times_of(judge, again - cut_off, since=kills)
    assert again.total() <= at_most


def times_of(judge: RunningJudge, asked: Counter[str], *, since: Sequence[float]) -> list[list[str]]:
    """When each of these requests came, in seconds from each kill."""
    return [
        [
            ", ".join(f"{one.at - at:+.3f}" for at in since)
            for one in judge.arrivals()
            if one.messages == messages
        ]
        for messages in asked
    ]
