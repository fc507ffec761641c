"""Kill the parts of a site at random, and start them again as a service manager does."""

import os
import random
import signal
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import psycopg

from tests.faults.parts import Part, until
from tests.faults.saves import Saving, assert_exactly_the_acknowledged_are_there, everybody_saves
from tests.faults.servers import Postgres
from tests.faults.site import Site

WEB_WORKER, WEB_MASTER = "web worker", "web master"
AT_ONCE = 2
# How many saves are acknowledged between a recovery and the next kills.
SAVES_BETWEEN = 250
RECOVERY_SECONDS = 180.0


@dataclass
class Killer:
    """`others` are all parts but the web server."""

    site: Site
    web: Part
    others: Sequence[Part]
    rng: random.Random
    kills: Counter[str] = field(default_factory=Counter)
    down: list[Part] = field(default_factory=list)
    due: list[str] = field(default_factory=list)

    @property
    def kinds(self) -> list[str]:
        return [WEB_WORKER, WEB_MASTER, *(part.name for part in self.others)]

    @property
    def has_killed_all(self) -> bool:
        return all(self.kills[kind] for kind in self.kinds)

    def strike(self) -> None:
        """Kill one part, or two at once; all have had their turn before one has another."""
        self.down = []
        for _ in range(self.rng.randint(1, AT_ONCE)):
            if not self.due:
                self.due = self.rng.sample(self.kinds, len(self.kinds))
            kind = self.due.pop()
            self._kill(kind)
            self.kills[kind] += 1

    def _kill(self, kind: str) -> None:
        if kind == WEB_WORKER:
            self._kill_web_worker()
        elif kind == WEB_MASTER:
            if self.web.runs:
                self.web.kill()
        else:
            [part] = [part for part in self.others if part.name == kind]
            if part not in self.down:
                part.kill()
                self.down.append(part)

    def _kill_web_worker(self) -> None:
        with suppress(ProcessLookupError, IndexError):
            os.kill(self.rng.choice(sorted(self.web.children)), signal.SIGKILL)

    def revive(self) -> bool:
        """Start what is dead, and once more what does not stay; whether nothing was dead.

        PostgreSQL does not start before the last process of the killed one has gone. What ends though nobody
        killed it is a failure, but for the web server, which ends by design when one of its workers is killed
        soon after it was started, and does so seconds later.
        """
        dead = [part for part in (self.web, *self.others) if not part.runs]
        for part in dead:
            assert part is self.web or part in self.down, f"{part.name} ended by itself:\n{part.tail()}"
            part.clear()  # the workers of a dead web server
            part.start()
        return not dead

    def stands(self) -> bool:
        """Whether everything runs and the database answers."""
        return self.revive() and self._database_answers()

    def _database_answers(self) -> bool:
        try:
            return self.site.query("SELECT 1") == [(1,)]
        except psycopg.OperationalError:
            return False


@dataclass(frozen=True)
class Survived:
    """What happened, in numbers."""

    saves: int
    sent_again: int
    had_arrived: int
    kills: Counter[str]

    def __str__(self) -> str:
        kills = ", ".join(f"{kind} {times}" for kind, times in self.kills.items())
        return (
            f"{self.saves:,} saves acknowledged, each there once, in order, under its hash; "
            f"{self.sent_again:,} requests sent again, {self.had_arrived} of them for a save stored already; "
            f"{self.kills.total()} kills: {kills}"
        )


def save_under_kills(site: Site, cluster: Postgres | None, *, seconds: float, seed: int) -> Survived:
    """Kill at random for so long, and until each part was killed, while sixteen people save.

    Fails where an acknowledged save is not there exactly once, in order, under its hash.
    """
    web, url = site.web()
    if cluster and site.redis:
        assert site.query("SHOW synchronous_commit") == [("on",)]
        others: list[Part] = [site.worker(), site.beat(), site.redis, cluster]
    else:
        others = [site.worker(beat=True)]
    killer = Killer(site, web, others, random.Random(seed))
    with everybody_saves(site, url, seed=seed) as saving:
        kill_meanwhile(killer, saving, seconds)
    assert_exactly_the_acknowledged_are_there(site, saving.writers)
    return Survived(sum(saving.saves), *saving.again, killer.kills)


def kill_meanwhile(killer: Killer, saving: Saving, seconds: float) -> None:
    ends = time.monotonic() + seconds
    while not saving.over and (time.monotonic() < ends or not killer.has_killed_all):
        until_saved(killer, saving, killer.rng.randrange(SAVES_BETWEEN))
        killer.strike()
        until(killer.stands, seconds=RECOVERY_SECONDS, what="all parts run again", every=0.3)
        until_everybody_saves(killer, saving)
    saving.ended.set()
    what = "the last saves are acknowledged"
    until(lambda: killer.revive() and saving.over, seconds=RECOVERY_SECONDS, what=what)


def until_saved(killer: Killer, saving: Saving, more: int) -> None:
    enough = sum(saving.saves) + more
    until(
        lambda: killer.revive() and (saving.over or sum(saving.saves) >= enough),
        seconds=RECOVERY_SECONDS,
        what=f"{more} more saves are acknowledged",
        every=0.03,
    )


def until_everybody_saves(killer: Killer, saving: Saving) -> None:
    before = saving.saves

    def all_do() -> bool:
        return all(now > then for now, then in zip(saving.saves, before, strict=True))

    until(
        lambda: killer.revive() and (saving.over or all_do()),
        seconds=RECOVERY_SECONDS,
        what="everybody's saves are acknowledged again",
    )
