"""The study leads' commands: what they say, what they change, how they end."""

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from studies.models import Amendment, Bank, BankVersion, ItemBank, JudgeProtocol, Participant, Study, User

pytestmark = pytest.mark.django_db

GOOD = {"id": "one", "text": "Which?", "gold_answer": "this"}
MATCH = '{"judge_kind": "match", "match_rules": "bbeh", "consent_text": "We record answers."}'


def run(*words: object) -> str:
    """What the command wrote to both streams."""
    out = StringIO()
    call_command(*[str(word) for word in words], stdout=out, stderr=out)
    return out.getvalue()


def refusal_of(*words: object) -> str:
    with pytest.raises(CommandError) as error:
        run(*words)
    assert error.value.returncode == 1
    return str(error.value)


@pytest.fixture
def bank_file(tmp_path: Path) -> Path:
    path = tmp_path / "my_bank.jsonl"
    path.write_text(json.dumps(GOOD) + "\n")
    return path


@pytest.fixture
def parameters_file(tmp_path: Path) -> Path:
    path = tmp_path / "irt_params.json"
    items = {"one": {"a": 1.0, "b": 0.5}, "other": {"a": 2.0, "b": 0.0}}
    transform = {"squeeze_scale": 0.998, "squeeze_offset": 0.001}
    content = {"transform": transform, "calibration": {"sigma_hat": 2.5}, "items": items}
    path.write_text(json.dumps(content))
    return path


@pytest.fixture
def study(bank_file: Path) -> Study:
    run("import_bank", "chiron", bank_file, "--slug", "bank")
    run("create_study", "pilot", "--bank", "bank", "--protocol", MATCH)
    return Study.objects.get()


@pytest.fixture
def frozen(study: Study) -> Study:
    run("freeze_study", "pilot")
    study.refresh_from_db()
    return study


# --- import_bank ----------------------------------------------------------------------------------------


def test_a_bank_is_imported_under_the_name_of_its_file(bank_file: Path) -> None:
    said = run("import_bank", "chiron", bank_file)
    version = BankVersion.objects.get()
    assert said == f"Imported my-bank v1: 1 prompts (1 exact; 1 text). Digest {version.digest}\n"


def test_importing_again_is_said_to_change_nothing(bank_file: Path) -> None:
    run("import_bank", "chiron", bank_file)
    assert run("import_bank", "chiron", bank_file).startswith(
        "Unchanged: my-bank v1 holds exactly this content."
    )
    assert BankVersion.objects.count() == 1


def test_the_rest_of_a_file_with_problems_is_imported_and_the_problems_are_listed(bank_file: Path) -> None:
    bank_file.write_text(f"{json.dumps(GOOD)}\n{{broken\n{json.dumps({**GOOD, 'id': 'two', 'text': ' '})}\n")
    said = run("import_bank", "chiron", bank_file).splitlines()
    assert said[0].startswith("Imported my-bank v1: 1 prompts")
    assert said[1] == "Left out; problems found: 2"
    assert said[2].startswith("  line 2")
    assert said[3].startswith("  line 3, two, text: is blank")


def test_strictness_refuses_such_a_file(bank_file: Path) -> None:
    bank_file.write_text(f"{json.dumps(GOOD)}\n{{broken\n")
    said = refusal_of("import_bank", "chiron", bank_file, "--strict")
    assert said.startswith("Nothing was imported; problems found: 1\nline 2")
    assert not Bank.objects.exists()


@pytest.mark.parametrize("form", ["chiron", "gim", "bbeh", "bbh"])
def test_a_path_without_a_bank_is_refused(form: str, tmp_path: Path) -> None:
    said = refusal_of("import_bank", form, tmp_path / "nothing", "--slug", "x")
    assert said.startswith("Nothing was imported: no usable prompt was found.")
    assert "nothing" in said


def test_only_one_format_has_a_mini_set(bank_file: Path) -> None:
    assert refusal_of("import_bank", "gim", bank_file, "--mini") == (
        "Only bbeh has a mini set; read gim without it."
    )


def test_an_unknown_format_is_refused(bank_file: Path) -> None:
    with pytest.raises(CommandError, match="invalid choice: 'csv'"):
        run("import_bank", "csv", bank_file)


def test_a_name_that_is_no_address_is_refused(bank_file: Path) -> None:
    assert '"My Bank" cannot be the short name of a bank' in refusal_of(
        "import_bank", "chiron", bank_file, "--slug", "My Bank"
    )


def test_a_file_whose_name_suggests_none_needs_a_short_name(bank_file: Path) -> None:
    nameless = bank_file.rename(bank_file.with_name("銀行.jsonl"))
    assert refusal_of("import_bank", "chiron", nameless) == (
        f"{nameless} suggests no short name; give one with --slug."
    )


def test_problems_that_quote_what_no_database_stores_are_kept_escaped(bank_file: Path) -> None:
    bad = [{**GOOD, "id": "a\0b"}, {**GOOD, "id": "two", "x\ud800": 1}]
    bank_file.write_text("".join(json.dumps(line) + "\n" for line in (GOOD, *bad)))
    run("import_bank", "chiron", bank_file)
    problems = BankVersion.objects.get().problems
    assert [problem.split(":")[0] for problem in problems] == [
        r"line 2, a\u0000b, id",
        r"line 3, two, x\ud800",
    ]


def test_importing_while_a_study_runs_says_which_version_it_stays_on(frozen: Study, bank_file: Path) -> None:
    bank_file.write_text(json.dumps({**GOOD, "text": "Corrected?"}) + "\n")
    said = run("import_bank", "chiron", bank_file, "--slug", "bank")
    assert said.startswith("Imported bank v2: 1 prompts")
    assert said.endswith('The frozen study "pilot" stays on bank v1, which never changes.\n')
    frozen.refresh_from_db()
    assert frozen.bank_version.number == 1


def test_the_mini_set_of_the_published_benchmark_is_imported(shared_data: Path) -> None:
    said = run("import_bank", "bbeh", shared_data / "bbeh", "--mini")
    assert said.startswith("Imported bbeh-mini v1: 460 prompts (460 exact; 460 text).")


# --- import_item_bank, import_judge_protocol ------------------------------------------------------------


def test_item_parameters_are_compared_with_a_bank(parameters_file: Path, bank_file: Path) -> None:
    bank_file.write_text("".join(json.dumps({**GOOD, "id": name}) + "\n" for name in ("one", "two")))
    run("import_bank", "chiron", bank_file)
    said = run("import_item_bank", parameters_file, "--bank", "my-bank").splitlines()
    assert said[0].startswith("Imported irt-params: 2 items, sigma_hat 2.5. Digest ")
    assert said[1:] == [
        "Prompts of my-bank v1 without parameters: 1",
        "  two",
        "Parameters without a prompt in my-bank v1: 1",
        "  other",
    ]
    assert run("import_item_bank", parameters_file).startswith("Unchanged: irt-params: 2 items")
    assert run("import_item_bank", parameters_file, "--slug", "other").endswith(
        'It was there already and keeps its short name, "irt-params".\n'
    )


def test_item_parameters_with_problems_are_refused_as_a_whole(parameters_file: Path) -> None:
    content = json.loads(parameters_file.read_text())
    content["items"]["one"]["a"] = 0
    content["items"]["other"]["b"] = float("nan")
    parameters_file.write_text(json.dumps(content))
    assert refusal_of("import_item_bank", parameters_file).splitlines() == [
        "one, a: is 0; write a number above 0",
        "other, b: is not a finite number; write an ordinary number",
    ]
    assert not ItemBank.objects.exists()


def test_an_unknown_bank_is_named_before_anything_is_stored(parameters_file: Path) -> None:
    assert 'There is no prompt bank "nope"' in refusal_of(
        "import_item_bank", parameters_file, "--bank", "nope"
    )
    assert not ItemBank.objects.exists()


def test_judge_texts_are_imported_from_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "my_judge"
    folder.mkdir()
    (folder / "exact_answer.txt").write_text("{question} {answer} {predicted_answer}")
    (folder / "rubric.txt").write_text("{answer} {model_response} {rubric_string}")
    protocol_hash = run("import_judge_protocol", folder).rsplit(" ", 1)[1].strip()
    assert JudgeProtocol.objects.get(slug="my-judge").sha256 == protocol_hash
    assert run("import_judge_protocol", folder).startswith("Unchanged: my-judge")
    assert run("import_judge_protocol", folder, "--slug", "other").endswith(
        'It was there already and keeps its short name, "my-judge".\n'
    )
    (folder / "rubric.txt").write_text("{answer}")
    assert "The rubric text lacks {model_response}, {rubric_string}" in refusal_of(
        "import_judge_protocol", folder
    )


# --- create, update, freeze, amend, close ---------------------------------------------------------------


def test_a_study_is_taken_from_draft_to_its_end(study: Study) -> None:
    assert run("update_study", "pilot", "--protocol", '{"top_size": 3}').startswith("Changed the draft")
    said = run("freeze_study", "pilot")
    study.refresh_from_db()
    assert said == f'The study "pilot" is frozen under protocol {study.protocol_hash}\n'
    said = run("amend_study", "pilot", "--changes", '{"consent_text": "New."}', "--reason", "Ethics board")
    assert said.splitlines() == [
        f"Amendment 1 (consent_text); protocol {Amendment.objects.get().protocol_hash}",
        "Sessions that are running keep the deadline they started with.",
        "Everyone who has not started is asked to agree to the new text first.",
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
    assert said == 'Created the study "pilot" on bank v1, in draft.\n'
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
        (["--bank", "bank", "--protocol", '{"top_size": ' + "1" * 5000 + "}"], "JSON: cannot be used"),
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
    assert 'The study "pilot" is frozen since' in refusal_of("freeze_study", "pilot")
    assert "change it with amend_study" in refusal_of(
        "update_study", "pilot", "--protocol", '{"top_size": 3}'
    )


def test_the_trail_names_who_did_it(study: Study) -> None:
    run("add_staff", "Lead@example.org")
    run("freeze_study", "pilot", "--by", "lead@example.org")
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
    assert run("add_staff", "lead@example.org").startswith("lead@example.org may see staff pages.")
    assert run("add_staff", "lead@example.org").startswith("Unchanged: lead@example.org")
    assert "and the records." in run("add_staff", "lead@example.org", "--superuser")
    assert refusal_of("add_staff", "lead") == '"lead" is no e-mail address; correct it.'
    assert User.objects.count() == 1


def test_the_usual_way_to_a_superuser_works_too() -> None:
    call_command("createsuperuser", "--noinput", "--email", "Root@Example.org", stdout=StringIO())
    user = User.objects.get()
    assert (user.email, user.is_superuser, user.is_staff) == ("root@example.org", True, True)


def test_a_new_study_runs_beside_others(frozen: Study, make_study: Callable[..., Study]) -> None:
    make_study(slug="second")
    assert refusal_of("freeze_study", "third") == 'There is no study "third". There are: pilot, second.'
