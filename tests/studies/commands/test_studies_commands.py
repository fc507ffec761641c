"""The commands for studies and people: what they say, what they change, how they end."""

from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from studies.models import Amendment, Bank, BankVersion, Participant, Study, User
from tests.studies.commands.study_commands import refusal_of, run

pytestmark = pytest.mark.django_db


# --- create, update, freeze, amend, close ---------------------------------------------------------------


def test_a_study_is_taken_from_draft_to_its_end(study: Study) -> None:
    assert run("update_study", "pilot", "--protocol", '{"top_size": 3}').startswith("Changed the draft")
    said = run("freeze_study", "pilot", "--without-item-bank")
    study.refresh_from_db()
    assert "Texts: Still Chiron's own:" in said
    assert said.endswith(f'The study "pilot" is frozen under protocol {study.protocol_hash}\n')
    said = run("amend_study", "pilot", "--changes", '{"consent_text": "New."}', "--reason", "Ethics board")
    assert said.splitlines() == [
        f"Amendment 1 (consent_text); protocol {Amendment.objects.get().protocol_hash}",
        "consent_text: Everybody who has not started is asked to agree anew. Who has started goes on under "
        "the text that they agreed to.",
    ]
    assert run("close_study", "pilot").startswith('The study "pilot" is closed.')
    study.refresh_from_db()
    assert (study.status, study.protocol.top_size) == ("closed", 3)


def test_a_study_names_everything_it_uses(bank_file: Path, parameters_file: Path, tmp_path: Path) -> None:
    run("import_bank", "chiron", bank_file, "--slug", "bank")
    run("import_item_bank", parameters_file, "--slug", "scale")
    settings = tmp_path / "settings.json"
    settings.write_text('{"batch_size": 7}')
    said = run(
        *("create_study", "pilot", "--name", "The pilot", "--bank", "bank", "--bank-version", 1),
        *("--item-bank", "scale", "--protocol", settings, "--closes-at", "2099-01-01T00:00:00+01:00"),
    )
    assert said.startswith('Created the study "pilot" on bank v1, in draft.\nOnly site administrators see it')
    study = Study.objects.get()
    assert study.item_bank is not None
    assert (study.name, study.item_bank.slug, study.protocol.batch_size) == ("The pilot", "scale", 7)
    assert study.closes_at is not None
    assert study.closes_at.isoformat() == "2098-12-31T23:00:00+00:00"


def test_a_rehearsal_is_marked_as_one(bank_file: Path) -> None:
    run("import_bank", "chiron", bank_file, "--slug", "bank")
    run("create_study", "rehearsal", "--bank", "bank", "--simulated")
    run("create_study", "real", "--bank", "bank")
    assert [study.is_simulated for study in Study.objects.order_by("slug")] == [False, True]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--bank", "nope"], 'There is no bank "nope"'),
        (["--bank", "bank", "--bank-version", "2"], 'There is no version 2 of the bank "bank"'),
        (["--bank", "bank", "--item-bank", "nope"], 'There is no item bank "nope"'),
        (["--bank", "bank", "--judge-protocol", "nope"], 'There is no judge protocol "nope"'),
        (["--bank", "bank", "--protocol", "/nope.json"], "/nope.json: cannot be read (No such file"),
        (["--bank", "bank", "--protocol", "{"], "the text given, line 1, JSON: breaks off at column 2"),
        (["--bank", "bank", "--protocol", '{"batch_size": 0, "x": 1}'], "batch_size is below 1"),
        (["--bank", "bank", "--protocol", '{"top_size": 5, "top_size": 6}'], '"top_size" appears twice'),
        (["--bank", "bank", "--protocol", '{"top_size": ' + "1" * 5000 + "}"], "JSON: holds a number of"),
        (["--bank", "bank", "--protocol", '{"a":' * 20_000], "JSON: is nested too deeply"),
        (["--bank", "bank", "--name", "n" * 201], "The name is longer than 200 characters"),
        (["--bank", "bank", "--name", "\udcff"], "The name contains half of a surrogate pair"),
        (["--bank", "bank", "--closes-at", "9999-12-31T23:59:59-23:00"], "--closes-at: write a time"),
        (["--bank", "bank", "--closes-at", "2030-01-01"], "--closes-at: write a time with its offset"),
        (["--bank", "bank", "--closes-at", "2001-01-01T00:00:00Z"], "has passed; set a later time"),
        (["--bank", "bank", "--by", "who@example.org"], "who@example.org is no staff member"),
    ],
)
def test_a_study_that_cannot_be_created_is_not_there(
    bank_file: Path, words: list[str], sentence: str
) -> None:
    run("import_bank", "chiron", bank_file, "--slug", "bank")
    assert sentence in refusal_of("create_study", "pilot", *words)
    assert not Study.objects.exists()


def test_settings_that_are_no_object_are_refused(study: Study, tmp_path: Path) -> None:
    path = tmp_path / "list.json"
    path.write_text("[1]")
    assert "must hold a JSON object" in refusal_of("update_study", "pilot", "--protocol", path)
    path.write_bytes(b"\xff")
    assert "which is not UTF-8" in refusal_of("update_study", "pilot", "--protocol", path)


@pytest.mark.parametrize("command", ["freeze_study", "close_study"])
def test_an_unknown_study_is_answered_with_those_there_are(study: Study, command: str) -> None:
    assert refusal_of(command, "nope") == 'There is no study "nope". There are: pilot.'


def test_a_study_is_frozen_once(frozen: Study) -> None:
    assert 'The study "pilot" is locked' in refusal_of("freeze_study", "pilot")
    assert "change it by an amendment." in refusal_of(
        "update_study", "pilot", "--protocol", '{"top_size": 3}'
    )


def test_a_study_is_frozen_as_its_page_locks_it(study: Study) -> None:
    run("update_study", "pilot", "--protocol", '{"assembly_seed": 7}')
    sentence = "The question sets were built under other settings; build them again."
    assert refusal_of("freeze_study", "pilot") == sentence
    study.refresh_from_db()
    assert (study.status, study.protocol_hash) == ("draft", "")


def test_the_trail_names_who_did_it(study: Study) -> None:
    run("add_staff", "Lead@example.org")
    run("freeze_study", "pilot", "--without-item-bank", "--by", "lead@example.org")
    actor = study.events.get(kind="study_frozen").actor
    assert actor is not None
    assert actor.email == "lead@example.org"


def test_the_trail_names_nobody_whose_account_is_not_active(study: Study) -> None:
    User.objects.create_user("former@example.org", is_staff=True, is_active=False)
    sentence = "The account of former@example.org is not active; name another staff member."
    assert refusal_of("freeze_study", "pilot", "--by", "former@example.org") == sentence
    assert not study.events.filter(kind="study_frozen").exists()


def test_a_missing_table_is_answered_with_the_remedy(
    bank_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Bank._meta, "db_table", "not_there_yet")
    monkeypatch.setattr(BankVersion._meta, "db_table", "not_there_either")
    assert refusal_of("import_bank", "chiron", bank_file) == (
        "The database's tables are missing or of an earlier version. Run: python manage.py migrate"
    )


# --- people ---------------------------------------------------------------------------------------------


def test_people_are_imported_and_vetted(study: Study, tmp_path: Path) -> None:
    people = tmp_path / "people.csv"
    people.write_text(
        "email,profile,status\na@example.org,stem-phd,approved\nb@example.org,stem-phd,\n"
        "c@example.org,stem-phd,\n"
    )
    assert run("import_participants", "pilot", people) == (
        "Added 3 people (1 approved, 2 waiting); 0 were in the study already and stay unchanged. "
        "Nobody was mailed.\n"
    )
    assert run("import_participants", "pilot", people).startswith("Added 0 people (0 approved, 0 waiting); 3")
    assert (
        run("vet_participants", "pilot", "reject", "--people", "b@example.org", "--reason", "No degree")
        == "Rejected: 1\n"
    )
    assert run("vet_participants", "pilot", "approve", "--waiting") == "Approved: 1\n"
    rows = Participant.objects.order_by("user__email").values_list("vetting_status", flat=True)
    assert list(rows) == ["approved", "rejected", "approved"]


def test_a_file_of_people_with_problems_adds_nobody(study: Study, tmp_path: Path) -> None:
    people = tmp_path / "people.csv"
    people.write_text("email,profile\na@example.org,stem-phd\nbad,stem-phd\n")
    said = refusal_of("import_participants", "pilot", people)
    assert said.splitlines()[1:] == ['line 3, email: "bad" is no e-mail address; correct it.']
    assert not Participant.objects.exists()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "one of the arguments --people --waiting is required"),
        (["--waiting", "--people", "P-1"], "--people: not allowed with argument --waiting"),
        (["--people", "P-1"], 'Nobody in the study "pilot" is known as P-1.'),
    ],
)
def test_who_is_meant_must_be_said_in_one_way(study: Study, words: list[str], sentence: str) -> None:
    assert sentence in refusal_of("vet_participants", "pilot", "approve", *words)


def test_staff_are_added_once() -> None:
    assert run("add_staff", "lead@example.org").startswith("lead@example.org may see staff pages of studies")
    assert run("add_staff", "lead@example.org").startswith("Unchanged: lead@example.org")
    assert "make studies." in run("add_staff", "lead@example.org", "--creates-studies")
    assert "see the records." in run("add_staff", "lead@example.org", "--superuser")
    assert refusal_of("add_staff", "lead") == '"lead" is no e-mail address; correct it.'
    assert User.objects.count() == 1


def test_staff_get_a_part_in_a_study_once(frozen: Study) -> None:
    give = ("add_staff", "eyes@example.org", "--study", "pilot", "--role", "reviewer")
    assert 'They are reviewer of the study "pilot".' in run(*give)
    assert 'They are already reviewer of the study "pilot".' in run(*give)
    assert [row.role for row in frozen.roles.all()] == ["reviewer"]
    given = {"role": "reviewer", "person": User.objects.get(email="eyes@example.org").pk}
    assert frozen.events.get(kind="role_given").details == given
    assert "name it with --study" in refusal_of("add_staff", "eyes@example.org", "--role", "lead")
    assert 'There is no study "third"' in refusal_of("add_staff", "new@example.org", "--study", "third")
    assert not User.objects.filter(email="new@example.org").exists()


def test_the_usual_way_to_a_superuser_works_too() -> None:
    call_command("createsuperuser", "--noinput", "--email", "Root@Example.org", stdout=StringIO())
    user = User.objects.get()
    assert (user.email, user.is_superuser, user.is_staff) == ("root@example.org", True, True)


def test_a_new_study_runs_beside_others(frozen: Study, make_study: Callable[..., Study]) -> None:
    make_study(slug="second")
    assert refusal_of("freeze_study", "third") == 'There is no study "third". There are: pilot, second.'
