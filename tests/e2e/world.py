"""What stands on the pages of the walk: a bank with pictures, judged runs, invitations, answers."""

import hashlib
from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from pathlib import Path

from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.conf import settings
from django.utils import timezone

from batches.models import Session
from batches.services.answers import IncomingText, answer_save
from batches.services.ending import DeclaredResources, session_submit
from benchmarks.hashed_judge.running import judge_server
from console.views.setup.steps import PAGES as SETUP_PAGES
from formats.item_parameters import ItemParameter, ItemParameters
from judging.models import AuditSample, JudgeConfig, JudgingRun, PauseReason
from judging.services.audit_ratings import RatingReading, RatingRow, ratings_import
from judging.services.audits import audit_draw
from judging.services.judge_rules import JudgeSettings
from judging.services.judges import judge_add
from judging.services.running.judge_specs import study_judge_specs
from judging.services.running.runs import run_pause, run_plan, run_start
from operations.rehearsal.servers import free_port
from scoring.coordinator import study_score
from scoring.models import ModelConfiguration
from studies.bank.records import AttachmentRecord, CriterionRecord, PromptRecord
from studies.models import Study, User
from studies.protocol.settings import ProtocolSettings
from studies.selectors.invitations import token_sha256
from studies.services.banks import item_bank_import
from studies.services.people.invitations import invitation_create, token_new
from studies.services.staff.staff import staff_add
from studies.services.studies import study_create


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
        "bank_kind": "bank",
        "bank_number": studies["judged"].bank_version_id,
        "model": imported_model(studies["judged"]).pk,
        "sample": sample_of(finished).pk,
        "rated_sample": rated(sample_of(finished)).pk,
    }


def set_up(study: Study, staff: User) -> dict[str, object]:
    """A draft on the study's bank, and what addresses of the set-up and of banks are made of."""
    draft = study_create(
        slug=f"draft-of-{study.slug}", name="A draft", bank_version=study.bank_version, item_bank=None,
        judge_protocol=None, settings=ProtocolSettings(), now=timezone.now(), actor=staff,
    )  # fmt: skip
    label = study.bank_version.prompts.values_list("label", flat=True)[0]
    pages = {page: page for page in (*SETUP_PAGES, "start")}
    return {**pages, "draft": draft.slug, "bank": study.bank_version.bank.slug, "label": label}


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


def imported_model(study: Study) -> ModelConfiguration:
    """Results of a model that came after everything was measured."""
    assert study.item_bank
    return ModelConfiguration.objects.create(
        item_bank=study.item_bank, name="model-01", source="A paper", published_theta=0.5, epochs=1,
        sha256="0" * 64, imported_at=timezone.now(),
    )  # fmt: skip


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
    user = staff_add(email="lead-with-app@example.org", superuser=True)[0]
    TOTP.activate(user, generate_totp_secret())
    RecoveryCodes.activate(user)
    return user
