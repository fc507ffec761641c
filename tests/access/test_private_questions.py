"""Nobody but leads, site administrators and reviewers by the protocol reads of a private question: every
address, as every role, with all that it can be asked for.
"""

import hashlib
import re
import zipfile
from collections.abc import Callable, Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from batches.models import Answer
from judging.models import JudgingRun
from judging.services.audits import audit_draw
from scoring.coordinator import results_bring_up
from scoring.models import ExportContents
from scoring.services.export_deleting import file_path
from scoring.services.exports import nothing_said, tables_file_make
from screening.offtask.facts import RULES_VERSION, ParticipantReason, ReasonCode
from studies.bank.records import AttachmentRecord, CriterionRecord, PromptRecord
from studies.models import Prompt, Study, StudyEvent, User
from studies.selectors.studies import software
from studies.services.people.messages import announcement_make, message_send
from studies.services.private_questions import private_seen
from tests.access.addresses import addresses
from tests.access.forms_shown import forms_of
from tests.access.test_blindness import PAGES, filled
from tests.access.visitors import Visitors
from tests.access.world import PNG, World, session_key

SECRET = "secret-id-7"
NOT_FOR = ("coordinator", "reviewer", "analyst", "staff", "maker")
# What lists are asked for beside themselves: as a file, and by what of the question could be searched for.
AS_FILE = "?format=csv"
# By who asks, whatever the query.
REFUSED = (403, 404, 405)
OF_ONE = {
    "staff_questions": ("?q=id-7", "?category=QR", "?flag=private", "?sort=-difficulty&format=csv"),
    "staff_screening": ("?show=decided",),
    "staff_judging_verdicts": ("?reason=reply_off_schema", "?question="),
    "staff_audit_rate": tuple(f"?number={number}" for number in range(1, 7)),
}


def prompts_asked(folder: Path) -> list[PromptRecord]:
    (folder / "secret.png").write_bytes(PNG)
    file = AttachmentRecord(
        name="secret-plan.png", path="secret.png", media_type="image/png", size_bytes=len(PNG),
        sha256=hashlib.sha256(PNG).hexdigest(),
    )  # fmt: skip
    public = [
        PromptRecord(prompt_id=f"p{n}", text=f"Open question {n}?", gold_answer="1", category="QR")
        for n in (1, 2)
    ]
    private = PromptRecord(
        prompt_id=SECRET,
        text="Secret-question?",
        gold_answer="Secret-gold",
        category="QR",
        subcategory="SECRETSUB",
        criteria=(CriterionRecord(text="Secret-criterion."),),
        split="private",
        attachments=(file,),
    )
    return [*public, private]


@pytest.fixture(scope="module")
def prompts() -> Callable[[Path], list[PromptRecord]]:
    return prompts_asked


@pytest.fixture
def secrets(world: World) -> dict[str, str]:
    """What stands for the private question, and where: what is written of it or leads to it."""
    study = world.here.study
    prompt = Prompt.objects.get(version=study.bank_version, prompt_id=SECRET)
    answers = Answer.objects.filter(prompt=prompt, has_text=True, session__participant__study=study)
    told = {
        "the text": prompt.text,
        "the key": "Secret-gold",
        "a criterion": "Secret-criterion.",
        "the id": SECRET,
        "the label": prompt.label,
        "the sub-category": "SECRETSUB",
        "the difficulty": "6.42",
        "a file": "secret-plan.png",
    }
    return told | {f"an answer by {one.session_id}": one.text for one in answers}


def told_in(word: str, reply: str) -> bool:
    """Whether it stands there, and is no part of a moment or of another number."""
    return re.search(rf"(?<!\d){re.escape(word)}(?!\d)", reply) is not None


@pytest.fixture
def everywhere(world: World, secrets: dict[str, str]) -> dict[str, Any]:
    """The question stands in messages, announcements, the history, flags and a sample of the old kind."""
    study, now = world.here.study, timezone.now()
    lead = User.objects.get(email="lead@team.example.org")
    prompt = Prompt.objects.get(label=secrets["the label"], version=study.bank_version)
    flagged = Answer.objects.filter(prompt=prompt, has_text=True, session__participant__study=study)
    for answer in flagged:
        answer.flags.update_or_create(
            rules_version=RULES_VERSION, reason=ReasonCode.MINIMAL_CONTENT,
            defaults={"evidence": answer.text, "flagged_at": now},
        )  # fmt: skip
        answer.session.participant.flags.update_or_create(
            rules_version=RULES_VERSION, reason=ParticipantReason.MOSTLY_OFF_TASK,
            defaults={"evidence": "3", "flagged_at": now},
        )  # fmt: skip
    person = world.here.session.participant
    message_send(participant=person, text="Unclear", now=now, prompt_label=prompt.label)
    announcement = announcement_make(
        study=study, text="A file was corrected.", prompt_label=prompt.label, actor=lead, now=now
    )
    private_seen(study=study, page="question", labels={prompt.label}, actor=lead, now=now)
    sample = old_sample(study)
    return {
        **world.here.ids, "label": prompt.label, "sample": sample, "announcement": announcement.pk,
        "attachment": prompt.attachments.get().token, "name": "secret-plan.png",
    }  # fmt: skip


def old_sample(study: Study) -> int:
    """Drawn before there was the rule, from all questions."""
    run, now = JudgingRun.objects.get(study=study), timezone.now()
    Study.objects.filter(pk=study.pk).update(settings={**study.settings, "reviewers_see_private": True})
    run.study.refresh_from_db()
    sample = audit_draw(run=run, size=6, seed=1, public_only=False, actor=None, now=now)
    Study.objects.filter(pk=study.pk).update(settings=study.settings)
    return int(sample.pk)


@pytest.fixture
def maker(world: World, db: None) -> Iterator[None]:
    """Who may make studies and has a part in none."""
    user = User.objects.create_user("maker@example.org", is_staff=True, may_create_studies=True)
    world.cookies["maker"] = session_key(user, second_factor=True)
    yield
    del world.cookies["maker"]


def bank_pages(study: Study) -> list[tuple[str, str]]:
    version = study.bank_version
    return [("staff_bank", f"/staff/banks/{version.bank.slug}/{version.number}/")]


def replies(visitors: Visitors, role: str, study: Study, ids: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """What every address of the staff replies to the role, with each query, and what its forms lead to.

    No page is made twice: what is no list replies to the query for a file as without it, and forms are sent
    once, on however many pages they stand.
    """
    pages = [(one.name, one.path(ids)) for one in addresses() if one.name.startswith(PAGES)]
    label, sent = ids["label"], set[str]()
    for name, path in [*pages, *bank_pages(study)]:
        response, page = asked(visitors, role, path + AS_FILE)
        yield f"{name} {AS_FILE}", without_asked(page, path, label)
        if response.status_code not in REFUSED and not is_whole_page(response):
            response, page = asked(visitors, role, path)
            yield name, without_asked(page, path, label)
        for query in OF_ONE.get(name, ()) if response.status_code == 200 else ():
            _, text = asked(visitors, role, path + query + (label if query == "?question=" else ""))
            yield f"{name} {query}", without_asked(text, path, label)
        for form in forms_of(page, path):
            fields = filled(form)
            # The form for the language leads back to its page, which was read.
            if (key := f"{form.path} {fields | {'next': []}}") not in sent:
                sent.add(key)
                yield f"{form.name} sent", visitors.read_form(role, form.path, fields).replace(path, "")


def is_whole_page(response: Any) -> bool:
    return bool(response.status_code == 200 and response["Content-Type"].startswith("text/html"))


def asked(visitors: Visitors, role: str, path: str) -> tuple[Any, str]:
    """The reply, and everything that it says."""
    response, content = visitors.reply(role, "GET", path)
    return response, f"{response.headers} {unescape(content.decode(errors='replace'))}"


def without_asked(text: str, path: str, label: str) -> str:
    """What was asked for is said again; it is no word of the site's."""
    for said in (path, f"question={label}", f'<span class="prompt-label">{label}</span></h2>'):
        text = text.replace(said, "")
    return text


@pytest.mark.parametrize("role", NOT_FOR)
def test_no_refusal_tells_of_a_private_question(
    role: str, world: World, maker: None, visitors: Visitors, secrets: dict[str, str],
    everywhere: dict[str, Any],
) -> None:  # fmt: skip
    """Whole: the walk below reads the same pages without what stands around them."""
    study = f"/staff/studies/{world.here.study.slug}/"
    paths = (
        f"{study}setup/lock/",
        f"{study}questions/{everywhere['label']}/",
        f"{study}none/",
        "/staff/team/",
    )
    for path in paths:
        response, reply = asked(visitors, role, path)
        assert response.status_code in (200, 403, 404)
        told = without_asked(reply, path, everywhere["label"])
        assert [kind for kind, word in secrets.items() if word in told] == [], path


@pytest.mark.timeout(2400)
@pytest.mark.usefixtures("brief_refusals")
@pytest.mark.parametrize("role", NOT_FOR)
def test_no_reply_tells_of_a_private_question(
    role: str,
    world: World,
    maker: None,
    visitors: Visitors,
    secrets: dict[str, str],
    everywhere: dict[str, Any],
) -> None:
    told = {
        f"{where}: {kind}"
        for where, reply in replies(visitors, role, world.here.study, everywhere)
        for kind, word in secrets.items()
        if told_in(word, reply)
    }
    assert not told, "\n".join(sorted(told))


@pytest.mark.timeout(2400)
@pytest.mark.usefixtures("brief_refusals")
def test_a_lead_reads_all_of_it_and_the_history_tells(
    world: World, maker: None, visitors: Visitors, secrets: dict[str, str], everywhere: dict[str, Any]
) -> None:
    found = {
        kind
        for _where, reply in replies(visitors, "lead", world.here.study, everywhere)
        for kind, word in secrets.items()
        if told_in(word, reply)
    }
    assert found == set(secrets)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("contents", [one for one in ExportContents if one != ExportContents.REPORT])
def test_no_file_that_leaves_tells_of_it(
    contents: ExportContents, world: World, visitors: Visitors, secrets: dict[str, str],
    everywhere: dict[str, Any],
) -> None:  # fmt: skip
    results_bring_up(study=world.here.study, clock=timezone.now)
    file = tables_file_make(
        study=world.here.study, contents=contents, actor=None, software=software(), now=timezone.now(),
        writing=nothing_said, packing=nothing_said,
    )  # fmt: skip
    with zipfile.ZipFile(file_path(file)) as made:
        for member in made.namelist():
            text = made.read(member).decode(errors="replace")
            assert [kind for kind, word in secrets.items() if word in text] == [], member


def test_that_somebody_looked_is_said_once_an_hour(world: World, db: None, secrets: dict[str, str]) -> None:
    study, lead = world.here.study, User.objects.get(email="lead@team.example.org")
    now, label = timezone.now(), secrets["the label"]
    seen = StudyEvent.objects.filter(study=study, kind="private_seen")
    for _ in range(3):
        private_seen(study=study, page="question", labels={label}, actor=lead, now=now)
        private_seen(study=study, page="questions", labels={label, "Q-2"}, actor=lead, now=now)
        private_seen(study=study, page="questions", labels=set(), actor=lead, now=now)
    assert [one.details for one in seen.order_by("pk")] == [{"question": label}, {"page": "questions"}]
