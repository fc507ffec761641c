"""The commands that import banks, item parameters and judge texts."""

import json
from pathlib import Path

import pytest
from django.core.management import CommandError

from studies.models import Bank, BankVersion, ItemBank, JudgeProtocol, Study
from tests.studies.commands.study_commands import GOOD, refusal_of, run

pytestmark = pytest.mark.django_db


# --- import_bank ----------------------------------------------------------------------------------------


def test_a_bank_is_imported_under_the_name_of_its_file(bank_file: Path) -> None:
    said = run("import_bank", "chiron", bank_file)
    version = BankVersion.objects.get()
    assert said == f"Imported my-bank v1: 1 prompt (1 exact; 1 text). Digest {version.digest}\n"


def test_importing_again_is_said_to_change_nothing(bank_file: Path) -> None:
    run("import_bank", "chiron", bank_file)
    assert run("import_bank", "chiron", bank_file).startswith(
        "Unchanged: my-bank v1 holds exactly this content."
    )
    assert BankVersion.objects.count() == 1


def test_the_rest_of_a_file_with_problems_is_imported_and_the_problems_are_listed(bank_file: Path) -> None:
    bank_file.write_text(f"{json.dumps(GOOD)}\n{{broken\n{json.dumps({**GOOD, 'id': 'two', 'text': ' '})}\n")
    said = run("import_bank", "chiron", bank_file).splitlines()
    assert said[0].startswith("Imported my-bank v1: 1 prompt")
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
    assert said.startswith("Imported bank v2: 1 prompt")
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
