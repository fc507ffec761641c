"""The page of protocol settings says all of them, as the program has them."""

from io import StringIO
from pathlib import Path

from django.core.management import call_command

from studies.protocol import texts
from studies.protocol.describing import SETTINGS
from studies.protocol.settings import ProtocolSettings

PAGE = Path(__file__).resolve().parents[3] / "docs" / "protocol-settings.md"


def test_every_setting_is_described_and_nothing_else() -> None:
    assert list(SETTINGS) == list(ProtocolSettings.model_fields)
    assert all(one.meaning.endswith(".") and one.pilot for one in SETTINGS.values())


def test_the_page_of_the_docs_is_what_the_command_prints() -> None:
    printed = StringIO()
    call_command("describe_protocol", stdout=printed)
    assert PAGE.read_text() == printed.getvalue()


def test_default_texts_promise_no_model() -> None:
    said = " ".join(str(value) for name, value in vars(texts).items() if name.startswith("DEFAULT_"))
    assert "the model the study provides" not in " ".join(said.split()).lower()
    assert "The study provides none of them." in " ".join(texts.DEFAULT_ALLOWED_TOOLS.split())
