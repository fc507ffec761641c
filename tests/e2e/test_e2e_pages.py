"""Every page there is: accessible in both colour schemes, no scrolling sideways.

`PLACES` lists the pages, with the person who sees them. A new address without a place (or a reason to have
none) fails the test at the end. `make test-e2e PICTURES=1` puts pictures of each into var/screenshots/.
"""

import hashlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.conf import settings
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils import timezone
from playwright.sync_api import BrowserContext, Page

from batches.models import Session
from batches.services.answers import IncomingText, answer_save
from batches.services.ending import DeclaredResources, session_submit
from benchmarks.hashed_judge.running import judge_server
from formats.item_parameters import ItemParameter, ItemParameters
from judging.models import AuditSample, JudgeConfig, JudgingRun, PauseReason
from judging.services.audit_ratings import RatingReading, RatingRow, ratings_import
from judging.services.audits import audit_draw
from judging.services.judge_rules import JudgeSettings
from judging.services.judges import judge_add
from judging.services.running.judge_specs import study_judge_specs
from judging.services.running.runs import run_pause, run_plan, run_start
from operations.rehearsal.mailbox import Mailbox
from operations.rehearsal.servers import free_port
from psychometrics.inference.measure import Block
from scoring.coordinator import study_score
from screening.services.screening import study_screen
from studies.bank.records import AttachmentRecord, CriterionRecord, PromptRecord
from studies.models import Audience, Participant, Study, User
from studies.selectors.invitations import token_sha256
from studies.services.banks import item_bank_import
from studies.services.people.announcements import announcement_make
from studies.services.people.consents import consent_record
from studies.services.people.invitations import invitation_accept, invitation_create, token_new
from studies.services.people.messages import message_answer, message_send
from studies.services.people.participants import participant_add
from studies.services.staff import staff_add


@dataclass(frozen=True)
class Place:
    """A page as one person sees it; `where` names what in the world its address is made of."""

    label: str
    name: str
    who: str = "visitor"
    where: dict[str, str] = field(default_factory=dict)
    status: int = 200
    before: str = ""


STUDY, CHECKED = {"slug": "study"}, {"slug": "checked"}
JUDGED, UNJUDGED = {"slug": "judged"}, {"slug": "unjudged"}
WORKING, ENDED, EXPIRED = {"session_id": "working"}, {"session_id": "ended"}, {"session_id": "expired"}
PLACES = [
    Place("welcome", "home"),
    Place("sign-in", "account_login"),
    Place("sign-in-code", "account_confirm_login_code", before="ask for a code"),
    Place("account-inactive", "account_inactive"),
    Place("invitation", "invitation", where={"token": "token"}),
    Place("invitation-unknown", "invitation", where={"token": "no_token"}, status=404),
    Place("home", "home", "waiting"),
    Place("sign-out", "account_logout", "waiting"),
    Place("passkeys", "mfa_index", "waiting"),
    Place("passkey-add", "mfa_add_webauthn", "waiting"),
    Place("profile", "study_profile", "invited", STUDY),
    Place("study-waiting", "study_home", "waiting", STUDY),
    Place("consent", "study_consent", "approved", STUDY),
    Place("study-ready", "study_home", "ready", STUDY),
    Place("instructions", "study_instructions", "ready", STUDY),
    Place("practice", "study_practice", "ready", {**STUDY, "number": "one"}),
    Place("start", "session_start", "ready", STUDY),
    Place("check", "study_check", "checked", CHECKED),
    Place("overview", "session_overview", "working", WORKING),
    Place("prompt", "session_prompt", "working", {**WORKING, "position": "one"}),
    Place("prompt-with-image", "session_prompt", "working", {**WORKING, "position": "two"}),
    Place("prompt-third", "session_prompt", "working", {**WORKING, "position": "three"}),
    Place("prompt-fourth", "session_prompt", "working", {**WORKING, "position": "four"}),
    Place("resources", "session_resources", "working", WORKING),
    Place("submit", "session_submit", "working", WORKING),
    Place("study-working", "study_home", "working", STUDY),
    Place("help", "study_help", "working", STUDY),
    Place("withdraw", "study_withdraw", "working", STUDY),
    Place("receipt", "session_receipt", "ended", ENDED),
    Place("receipt-of-expired", "session_receipt", "expired", EXPIRED),
    Place("study-ended", "study_home", "ended", STUDY),
    Place("my-data", "study_data", "ended", STUDY),
    Place("not-found", "session_receipt", "ready", ENDED, status=404),
    Place("staff-home", "staff_home", "staff"),
    Place("staff-study", "staff_study", "staff", STUDY),
    Place("staff-invitations", "staff_invitations", "staff", STUDY),
    Place("staff-participants", "staff_participants", "staff", STUDY),
    Place("staff-person-waiting", "staff_person", "staff", {**STUDY, "code": "waiting_code"}),
    Place("staff-person-working", "staff_person", "staff", {**STUDY, "code": "working_code"}),
    Place("staff-person-ended", "staff_person", "staff", {**STUDY, "code": "ended_code"}),
    Place("staff-announcements", "staff_announcements", "staff", STUDY),
    Place("staff-messages", "staff_messages", "staff", STUDY),
    Place("staff-thread", "staff_thread", "staff", {**STUDY, "code": "working_code"}),
    Place("staff-screening", "staff_screening", "staff", STUDY),
    Place("staff-results", "staff_results", "staff", STUDY),
    Place("staff-judges", "staff_judges", "staff"),
    Place("staff-judge-add", "staff_judge_add", "staff"),
    Place("staff-judge", "staff_judge", "staff", {"slug": "new_judge"}),
    Place("staff-judge-used", "staff_judge", "staff", {"slug": "used_judge"}),
    Place("staff-judging", "staff_judging", "staff", UNJUDGED),
    Place("staff-judging-estimate", "staff_judging", "staff", UNJUDGED, before="estimate"),
    Place("staff-judging-open", "staff_judging", "staff", {"slug": "going"}),
    Place("staff-judging-judged", "staff_judging", "staff", JUDGED),
    Place("staff-run-going", "staff_judging_run", "staff", {"slug": "going", "number": "going_run"}),
    Place("staff-run-paused", "staff_judging_run", "staff", {"slug": "paused", "number": "paused_run"}),
    Place("staff-run-finished", "staff_judging_run", "staff", {**JUDGED, "number": "judged_run"}),
    Place("staff-agreement", "staff_agreement", "staff", JUDGED),
    Place("staff-agreement-none", "staff_agreement", "staff", UNJUDGED),
    Place("staff-audit", "staff_audit", "staff", {**JUDGED, "number": "judged_run"}),
    Place(
        "staff-audit-sample",
        "staff_audit_sample",
        "staff",
        {**JUDGED, "number": "judged_run", "sample": "sample"},
    ),
    Place(
        "staff-audit-sample-rated",
        "staff_audit_sample",
        "staff",
        {**JUDGED, "number": "judged_run", "sample": "rated_sample"},
    ),
    Place("staff-results-judged", "staff_results", "staff", JUDGED),
    *(
        Place(f"staff-measurement-{block}", "staff_measurement", "staff", {**JUDGED, "block": block})
        for block in Block
    ),
    Place("staff-report", "staff_report", "staff", JUDGED),
    Place("staff-report-none", "staff_report", "staff", UNJUDGED),
    Place("staff-planner", "staff_planner", "staff"),
    Place("second-factor", "mfa_index", "staff"),
    Place("second-factor-app", "mfa_activate_totp", "staff"),
    Place("second-factor-app-off", "mfa_deactivate_totp", "staff_with_app"),
    Place("recovery-codes", "mfa_view_recovery_codes", "staff_with_app"),
    Place("recovery-codes-new", "mfa_generate_recovery_codes", "staff_with_app"),
    Place("second-factor-proof", "mfa_reauthenticate", "staff_with_app"),
    Place("second-factor-sign-in", "mfa_authenticate", before="sign in as staff with an app"),
]
NO_PAGES = {
    "study_consent_copy": "a file",
    "staff_credential": "a file",
    "staff_payments": "a file",
    "attachment": "a file",
    "staff_results_figure": "a picture",
    "staff_agreement_figure": "a picture",
    "staff_measurement_figure": "a picture",
    "staff_planner_figure": "a picture",
    "staff_report_file": "a file",
    "staff_checklist": "takes a form; shows staff_report with its errors",
    "staff_audit_sheet": "a file",
    "staff_judge_try": "takes a form; shows staff_judge with what came of it",
    "staff_judging_live": "the part of staff_judging_run that changes",
    "staff_judging_pause": "takes a form, redirects",
    "staff_judging_resume": "takes a form; shows staff_judging_run with its errors",
    "staff_judging_cancel": "takes a form; shows staff_judging_run with its errors",
    "javascript_texts": "a script",
    "set_language": "takes a form, redirects",
    "staff_decision": "takes a form; shows staff_participants with its errors",
    "staff_verdict": "takes a form; shows staff_screening with its errors",
    "staff_invitation_resend": "takes a form, redirects",
    "staff_invitation_revoke": "takes a form, redirects",
    "staff_announcement_withdraw": "takes a form, redirects",
    "staff_person_action": "takes a form; shows staff_person with its errors",
    "account_request_login_code": "the sign-in page under a second name",
    "account_end_sign_in": "takes a form, redirects",
    "mfa_login_webauthn": "JSON for the browser's passkey",
    "mfa_reauthenticate_webauthn": "needs a passkey in the device",
    "mfa_remove_webauthn": "needs a passkey in the device",
}


@pytest.fixture(scope="module")
def world(
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    begin: Callable[..., Session],
    staff: User,
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, Any]:
    """A study with somebody at every step of the way."""
    now = timezone.now()
    study = make_study(
        prompts=prompts(tmp_path_factory.mktemp("bank")),
        root=tmp_path_factory.getbasetemp() / "bank0",
        name="Puzzles with and without AI",
        note_per_prompt=True,
        confidence_per_prompt=True,
    )
    people = {name: make_person(study) for name in ("ready",)}
    people["approved"] = make_person(study, consented=False)
    people["waiting"] = participant_add(
        study=study, email=f"waiting-{study.slug}@example.org", profile="stem-phd", now=now
    )
    people["invited"] = invitation_accept(token=invite(study, "invited"), now=now)
    consent_record(participant=people["invited"], accepted=True, now=now)
    checked = make_study(comprehension_check=True)
    people["checked"] = make_person(checked)
    sessions = {"working": begin(study), "ended": begin(study), "expired": begin(study, seconds_left=-60)}
    people |= {name: session.participant for name, session in sessions.items()}
    for session in sessions.values():
        fill(session)
    session_submit(session=sessions["ended"], resources=DeclaredResources(("Books",), "One book"), now=now)
    study_screen(study=study, now=now)
    announcement_make(
        study=study,
        audience=Audience.APPROVED,
        text="The help desk is open until 18:00 UTC.",
        actor=staff,
        now=now,
    )
    reference = sessions["working"].reference
    message_send(
        participant=people["working"], text="May I use a ruler?", session_reference=reference, now=now
    )
    message_answer(participant=people["working"], text="Yes.", actor=staff, now=now)
    return {
        **judging(make_study, begin, tmp_path_factory.mktemp("judges")),
        **{block: block for block in Block},
        "study": study.slug,
        "checked": checked.slug,
        "one": 1,
        "two": 2,
        "three": 3,
        "four": 4,
        "token": invite(study, "not-yet"),
        "no_token": token_new(),
        **{name: session.pk for name, session in sessions.items()},
        **{f"{name}_code": person.code for name, person in people.items()},
        "users": {
            **{name: person.user for name, person in people.items()},
            "staff": staff,
            "staff_with_app": staff_with_app(),
        },
    }


def prompts(folder: Path) -> list[PromptRecord]:
    """Long and short ones, a formula, a table, an image."""
    drawing = next(Path(settings.BASE_DIR, "fixtures").rglob("*.png"))
    content = drawing.read_bytes()
    (folder / drawing.name).write_bytes(content)
    image = AttachmentRecord(
        name=drawing.name,
        path=drawing.name,
        media_type="image/png",
        size_bytes=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
    )
    table = (
        "| " + " | ".join(f"column {n}" for n in range(12)) + " |\n" + "|---" * 12 + "|\n" + "| 1 " * 12 + "|"
    )
    formula = (
        r"Solve $$\int_0^\infty e^{-x^2} \cdot \left(a_1 x + a_2 x^2 + a_3 x^3 + a_4 x^4\right) dx = "
        + "b+" * 30
        + "b$$"
    )
    texts = [
        f"{formula}\n\n{table}",
        "What does the image show?",
        "A" * 400,
        "`code` and\n\n```\n" + "x = 1; " * 40 + "\n```",
    ]
    return [
        PromptRecord(
            prompt_id=f"p{n}",
            text=text,
            text_format="markdown",
            gold_answer="1",
            category="QR",
            attachments=(image,) if n == 1 else (),
        )
        for n, text in enumerate(texts)
    ]


def judging(
    make_study: Callable[..., Study], begin: Callable[..., Session], folder: Path
) -> dict[str, object]:
    """Studies before a judging run, in one, in a paused one, and after one of two judges with a sample."""
    now = timezone.now()
    studies = {name: with_answers(make_study, begin) for name in ("unjudged", "going", "paused", "judged")}
    with (
        judge_server(log=folder / "a.log") as first,
        judge_server(log=folder / "b.log", judge="B", agreement=0.3, permanent=0.2) as second,
    ):
        new, one, two = (add_judge(name, url, now) for name, url in judges_of(first.url, second.url))
        finished = judged(studies["judged"], one, two)
    gone = add_judge("gone-judge", f"http://127.0.0.1:{free_port()}/v1", now)
    going, paused = (planned(studies[name], gone) for name in ("going", "paused"))
    detail = "Wrong key: 20 of the last 20 calls failed."
    run_pause(run=paused, reason=PauseReason.JUDGE_FAILING, detail=detail, actor=None, now=timezone.now())
    return {
        **{name: study.slug for name, study in studies.items()},
        "new_judge": new.slug,
        "used_judge": one.slug,
        "going_run": going.pk,
        "paused_run": paused.pk,
        "judged_run": finished.pk,
        "sample": sample_of(finished).pk,
        "rated_sample": rated(sample_of(finished)).pk,
    }


def judges_of(first: str, second: str) -> list[tuple[str, str]]:
    return [("new-judge", first), ("first-judge", first), ("another-judge-with-a-very-long-name", second)]


def add_judge(name: str, url: str, now: datetime) -> JudgeConfig:
    settings = JudgeSettings(
        base_url=url,
        model=f"organisation/a-model-with-a-long-name-{name}",
        max_output_tokens=500,
        input_price=Decimal("0.5"),
        output_price=Decimal(2),
        requests_per_minute=100_000,
        tokens_per_minute=100_000_000,
    )
    return judge_add(slug=name, settings=settings, actor=None, now=now)


def with_answers(make_study: Callable[..., Study], begin: Callable[..., Session]) -> Study:
    """A study under a language model's judging, with six people's answers."""
    items = tuple(ItemParameter(f"p{n}", a=1.0, b=0.0) for n in range(4))
    parameters = ItemParameters(items, squeeze_scale=0.998, squeeze_offset=0.001, sigma_hat=2.5)
    item_bank, _ = item_bank_import(slug="items-judged", parameters=parameters, now=timezone.now())
    criteria = tuple(CriterionRecord(text=f"Says part {part}.") for part in range(3))
    records = [
        PromptRecord(
            prompt_id=f"p{n}", text=f"Question {n}?", gold_answer=str(n), category="QR", criteria=criteria
        )
        for n in range(4)
    ]
    study = make_study(prompts=records, judge_kind="llm", item_bank=item_bank, top_size=2)
    for person in range(6):
        session = begin(study)
        fill(session, f"Person {person} of {study.slug} answers")
        session_submit(session=session, resources=DeclaredResources(("Books",), ""), now=timezone.now())
    return study


def judged(study: Study, *judges: JudgeConfig) -> JudgingRun:
    study_score(
        study=study,
        specs=study_judge_specs(study=study, configs=judges),
        budget=None,
        actor=None,
        clock=timezone.now,
        planning=nobody_watches,
        judging=nobody_watches,
    )
    return JudgingRun.objects.get(study=study)


def planned(study: Study, judge: JudgeConfig) -> JudgingRun:
    """A run that has begun, and whose judge nobody reaches."""
    specs = study_judge_specs(study=study, configs=[judge])
    plan = run_plan(study=study, specs=specs, now=timezone.now(), progress=nobody_watches)
    return run_start(plan=plan, budget=Decimal("12.5"), actor=None, now=timezone.now())


def sample_of(run: JudgingRun) -> AuditSample:
    return audit_draw(run=run, size=30, seed=1, public_only=False, actor=None, now=timezone.now())


def rated(sample: AuditSample) -> AuditSample:
    """Half of the verdicts are met, says the rater."""
    rows = tuple(
        RatingRow(line=item.number + 1, sample=sample.pk, number=item.number, score=item.number % 2)
        for item in sample.items.all()
    )
    ratings_import(
        sample=sample, reading=RatingReading(rows, ()), rater="Ada", actor=None, now=timezone.now()
    )
    return sample


def nobody_watches(done: int, total: int) -> None:
    pass


def invite(study: Study, name: str) -> str:
    """An invitation with a link known here: mails hold the token, the database only its hash."""
    email = f"{name}-{study.slug}@example.org"
    invitation = invitation_create(study=study, email=email, profile="stem-phd", now=timezone.now())
    token = token_new()
    invitation.token_sha256, invitation.sent_at = token_sha256(token), timezone.now()
    invitation.save()
    return token


def fill(session: Session, words: str = "An answer") -> None:
    for position, text in ((1, words), (2, f"{words} " * 200), (3, "idk")):
        incoming = IncomingText(text=text, base_revision=0, tab="one", sequence=1)
        answer_save(
            user_id=session.participant.user_id,
            session_id=session.pk,
            position=position,
            incoming=incoming,
            now=min(timezone.now(), session.deadline_at),
        )


def staff_with_app() -> User:
    user = staff_add(email="lead-with-app@example.org")[0]
    TOTP.activate(user, generate_totp_secret())
    RecoveryCodes.activate(user)
    return user


def prepare(page: Page, before: str, world: dict[str, Any], mailbox: Mailbox) -> None:
    """Go on foot to a page that has no address of its own."""
    email = world["users"]["staff_with_app" if "staff" in before else "waiting"].email
    page.goto("/accounts/login/")
    page.get_by_label(re.compile("e-?mail", re.IGNORECASE)).fill(email)
    page.keyboard.press("Enter")
    page.wait_for_url("**/confirm/")
    if "staff" in before:
        page.locator("input[autocomplete=one-time-code]").fill(mailbox.code_for(email))
        page.keyboard.press("Enter")
        page.wait_for_url("**/authenticate/**")


def estimate(page: Page, address: str) -> None:
    """Plan a run of two judges; its estimate is shown under the same address."""
    page.goto(address)
    page.get_by_label("first-judge").check()
    page.get_by_label("another-judge").check()
    page.get_by_label("Budget").fill("12.50")
    page.get_by_role("button", name="Estimate").click()
    page.get_by_role("heading", name="Estimate").wait_for()


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.label)
def test_page(
    place: Place,
    world: dict[str, Any],
    new_device: Callable[..., BrowserContext],
    mailbox: Mailbox,
    looks: Callable[..., list[str]],
) -> None:
    page = new_device(world["users"].get(place.who)).new_page()
    address = reverse(place.name, kwargs={key: world[value] for key, value in place.where.items()})
    if place.before == "estimate":
        estimate(page, address)
    elif place.before:
        prepare(page, place.before, world, mailbox)
    else:
        response = page.goto(address)
        assert response is not None
        assert response.status == place.status, page.inner_text("main")
    assert page.url.split("?")[0].endswith(address), page.url
    problems = [*looks(page, place.label), *structure(page)]
    assert problems == [], "\n".join(problems)


def structure(page: Page) -> Iterator[str]:
    """One heading of the first level, a title of its own, a language."""
    headings = page.locator("h1").count()
    if headings != 1:
        yield f"{headings} headings of the first level"
    if not re.fullmatch(r".+ · Chiron|Chiron", page.title()):
        yield f"the title is {page.title()!r}"


def test_every_page_there_is_has_a_place_in_this_walk() -> None:
    known = {place.name for place in PLACES} | NO_PAGES.keys()
    assert sorted(set(names(get_resolver())) - known) == []
    assert sorted(known - set(names(get_resolver()))) == []


def names(resolver: URLResolver) -> Iterator[str]:
    """Every named address of ours; the records' pages are Django's, the JSON interface has no pages."""
    for pattern in resolver.url_patterns:
        if isinstance(pattern, URLPattern) and pattern.name:
            yield pattern.name
        elif isinstance(pattern, URLResolver) and pattern.namespace not in ("admin", "api-1"):
            yield from names(pattern)
