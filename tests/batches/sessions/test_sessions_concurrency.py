"""Many tabs, clicks and sweeps meet at one session at the same moment."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from datetime import datetime, timedelta
from functools import partial

import pytest
from django.db import connection

from batches.models import Answer, Revision, Session, SessionEvent
from batches.services import answers, ending, sums
from batches.services.answers import IncomingText, answer_save, prompt_seen
from batches.services.ending import AlreadySubmitted, DeclaredResources, session_submit, sessions_expire
from batches.services.extending import TimeRefused, session_extend, session_reopen
from batches.services.receipts import SaveReceipt
from batches.services.starting import session_start
from batches.services.sums import sessions_count, sessions_differing
from studies.models import Participant, Study
from tests.support.same_moment import at_the_same_moment

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
MakeStudy = Callable[..., Study]
MakePerson = Callable[..., Participant]


def save(
    session: Session, text: str, at: datetime, *, tab: str, sequence: int = 1, base: int = 0
) -> SaveReceipt:
    return answer_save(
        user_id=session.participant.user_id,
        session_id=session.pk,
        position=1,
        incoming=IncomingText(text, base_revision=base, tab=tab, sequence=sequence),
        now=at,
    )


def test_of_many_tabs_saving_at_once_one_wins_and_no_text_is_lost(session: Session, now: datetime) -> None:
    receipts = at_the_same_moment(
        partial(save, session, f"text of tab {n}", now, tab=f"tab-{n}") for n in range(20)
    )
    assert Counter(receipt.outcome for receipt in receipts) == {"accepted": 1, "refused_stale": 19}
    winner = next(n for n, receipt in enumerate(receipts) if receipt.saved)
    assert Answer.objects.get(position=1).text == f"text of tab {winner}"
    texts = set(Revision.objects.values_list("text", flat=True))
    assert texts == {f"text of tab {n}" for n in range(20)}


def test_saves_of_one_tab_in_any_order_leave_the_newest(session: Session, now: datetime) -> None:
    receipts = at_the_same_moment(
        partial(save, session, f"version {n}", now, tab="tab", sequence=n) for n in range(1, 21)
    )
    answer = Answer.objects.get(position=1)
    assert (answer.text, answer.sequence) == ("version 20", 20)
    accepted = [receipt for receipt in receipts if receipt.saved]
    numbers = Revision.objects.filter(outcome="accepted").order_by("number").values_list("number", flat=True)
    assert list(numbers) == list(range(1, len(accepted) + 1))
    assert Revision.objects.count() == 20


def test_a_save_beside_a_submission_is_in_it_or_told_otherwise(session: Session, now: datetime) -> None:
    def submit() -> None:
        session_submit(session=session, resources=DeclaredResources((), ""), now=now)

    receipts: list[SaveReceipt] = []

    def save_beside() -> None:
        receipts.append(save(session, "in the same moment", now, tab="tab"))

    at_the_same_moment([submit, save_beside])
    receipt = receipts[0]
    answer = Answer.objects.get(position=1)
    assert answer.text == ("in the same moment" if receipt.saved else "")
    assert Revision.objects.get().outcome == ("accepted" if receipt.saved else "refused_late")


def test_a_session_submitted_by_many_clicks_is_submitted_once(session: Session, now: datetime) -> None:
    def submit() -> str:
        try:
            session_submit(session=session, resources=DeclaredResources((), ""), now=now)
        except AlreadySubmitted:
            return "already"
        return "submitted"

    assert Counter(at_the_same_moment([submit] * 10)) == {"submitted": 1, "already": 9}
    assert SessionEvent.objects.filter(kind="submitted").count() == 1


def test_many_sweeps_at_once_end_each_session_once(
    make_study: MakeStudy, make_person: MakePerson, now: datetime
) -> None:
    study = make_study(prompts=40)
    for _ in range(10):
        session_start(participant=make_person(study), now=now)
    later = now + timedelta(hours=6)
    assert sum(at_the_same_moment([partial(sessions_expire, now=later)] * 8)) == 10
    assert SessionEvent.objects.filter(kind="expired").count() == 10


@pytest.mark.parametrize("turn", range(5))
def test_an_extension_beside_a_sweep_leaves_a_running_session(
    session: Session, now: datetime, turn: int
) -> None:
    late = session.deadline_at + timedelta(seconds=30)

    def extend() -> int:
        session_extend(session=session, minutes=30, reason="A power cut", now=late)
        return 0

    sweeps: list[Callable[[], int]] = [partial(sessions_expire, now=late)] * 3
    swept = sum(at_the_same_moment([*sweeps[: turn % 3], extend, *sweeps[turn % 3 :]]))
    found = Session.objects.get()
    assert (found.status, found.ended_at) == ("active", None)
    assert found.deadline_at == late + timedelta(minutes=30)
    kinds = list(SessionEvent.objects.exclude(kind="started").values_list("kind", flat=True))
    assert kinds == ["expired"] * swept + ["extended"]


def test_a_deadline_that_moved_after_the_sweep_read_it_is_not_swept(
    session: Session, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = session.deadline_at + timedelta(seconds=30)
    claim = ending._session_expire

    def claim_after_an_extension(read: Session, at: datetime, site_url: str | None) -> bool:
        with ThreadPoolExecutor(max_workers=1) as pool:
            pool.submit(extend_in_its_own_connection, session, late).result(30)
        return claim(read, at, site_url)

    monkeypatch.setattr(ending, "_session_expire", claim_after_an_extension)
    assert sessions_expire(now=late) == 0
    assert Session.objects.get().status == "active"
    assert not SessionEvent.objects.filter(kind="expired").exists()


def extend_in_its_own_connection(session: Session, at: datetime) -> None:
    try:
        session_extend(session=session, minutes=30, reason="A power cut", now=at)
    finally:
        connection.close()


def test_two_clicks_on_extend_extend_once(session: Session, now: datetime) -> None:
    def extend() -> str:
        try:
            session_extend(
                session=session,
                minutes=30,
                reason="A power cut",
                deadline_seen=session.deadline_at,
                now=now,
            )
        except TimeRefused:
            return "refused"
        return "extended"

    assert Counter(at_the_same_moment([extend] * 5)) == {"extended": 1, "refused": 4}
    assert Session.objects.get().deadline_at == session.deadline_at + timedelta(minutes=30)


def test_a_save_beside_reopening_is_in_the_answer_or_told_otherwise(session: Session, now: datetime) -> None:
    session_submit(session=session, resources=DeclaredResources((), ""), now=now)
    at = now + timedelta(minutes=5)
    receipts: list[SaveReceipt] = []

    def save_beside() -> None:
        receipts.append(save(session, "in the same moment", at, tab="tab"))

    def reopen() -> None:
        session_reopen(session=session, reason="By mistake", now=at)

    at_the_same_moment([reopen, save_beside])
    assert Answer.objects.get(position=1).text == ("in the same moment" if receipts[0].saved else "")
    assert save(session, "afterwards", at, tab="tab", sequence=2, base=receipts[0].revision).saved


def meanwhile(
    monkeypatch: pytest.MonkeyPatch,
    pool: ThreadPoolExecutor,
    module: object,
    name: str,
    job: Callable[[], object],
) -> list[Future[None]]:
    """Begin the job in a connection of its own when this function of the module is first called, and go on
    once it is done or waits for us.
    """
    usual = getattr(module, name)
    begun: list[Future[None]] = []

    def run() -> None:
        try:
            job()
        finally:
            connection.close()

    def then(*args: object, **named: object) -> object:
        found = usual(*args, **named)
        if not begun:
            begun.append(pool.submit(run))
            wait(begun, timeout=0.5)
        return found

    monkeypatch.setattr(module, name, then)
    return begun


def tell_late(session: Session) -> None:
    """The page was offline when the session ended."""
    told_at = session.deadline_at + timedelta(minutes=30)
    assert prompt_seen(session=session, position=1, now=told_at, seconds_ago=3_600)


def count(session: Session) -> int:
    return sessions_count(now=session.deadline_at + timedelta(minutes=30), at_most=10)


def test_a_view_told_while_its_session_is_counted_is_in_the_numbers(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    sessions_expire(now=session.deadline_at + timedelta(minutes=1))
    ended = Session.objects.get()
    with ThreadPoolExecutor(1) as pool:
        begun = meanwhile(monkeypatch, pool, sums, "sums_of", partial(tell_late, ended))
        assert count(session)  # twice, where the view was told before it looked for more
        begun[0].result(timeout=30)
    count(session)
    counted = Session.objects.get()
    assert counted.counted_at is not None
    assert sessions_differing([counted]) == []


def test_a_session_counted_while_a_view_is_told_has_it_in_its_numbers(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    sessions_expire(now=session.deadline_at + timedelta(minutes=1))
    with ThreadPoolExecutor(1) as pool:
        begun = meanwhile(monkeypatch, pool, answers, "session_event", partial(count, session))
        tell_late(Session.objects.get())
        begun[0].result(timeout=30)
    count(session)
    assert sessions_differing([Session.objects.get()]) == []


def test_time_given_while_a_view_is_told_and_the_view_wait_for_each_other_in_turn(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    later = session.deadline_at + timedelta(minutes=30)
    sessions_expire(now=session.deadline_at + timedelta(minutes=1))
    assert count(session) == 1
    extend = partial(session_extend, session=session, minutes=30, reason="A power cut", now=later)
    with ThreadPoolExecutor(1) as pool:
        begun = meanwhile(monkeypatch, pool, answers, "session_event", extend)
        tell_late(Session.objects.get())
        begun[0].result(timeout=30)
    assert Session.objects.get().status == "active"
    assert Answer.objects.get(position=1).first_seen_at is not None
