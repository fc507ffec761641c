"""The operator's settings: typed, explained, and without secrets by default in production."""

from pathlib import Path

import pytest

from config.environment import Environment, EnvironmentInvalid, read_environment
from llm.egress import AddressForbidden

PRODUCTION = {
    "CHIRON_MODE": "production",
    "CHIRON_SECRET_KEY": "k" * 50,
    "CHIRON_SECOND_FACTOR_KEYS": "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=",
    "DATABASE_URL": "postgres://chiron@db/chiron",
    "REDIS_URL": "redis://cache:6379/0",
    "CHIRON_ALLOWED_HOSTS": "study.example.org, www.study.example.org",
    "CHIRON_MAIL_URL": "smtps://user:secret@mail.example.org",
}


@pytest.fixture(autouse=True)
def only_named_variables(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in Environment.model_fields:
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.setenv("CHIRON_DATA_DIR", str(tmp_path / "data"))


def set_all(monkeypatch: pytest.MonkeyPatch, variables: dict[str, str]) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)


def test_embedded_mode_needs_no_setting_at_all() -> None:
    environment = read_environment()
    assert not environment.production
    assert environment.database_url is None
    assert environment.redis_url is None


def test_the_embedded_keys_are_random_private_and_kept() -> None:
    environment = read_environment()
    key, second = environment.secret_key(), environment.second_factor_keys()
    assert len(key) >= 50
    assert (environment.secret_key(), environment.second_factor_keys()) == (key, second)
    for name in ("secret_key", "second_factor_key"):
        assert (environment.chiron_data_dir / name).stat().st_mode & 0o077 == 0


def test_production_reads_its_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    set_all(monkeypatch, PRODUCTION)
    environment = read_environment()
    assert environment.production
    assert environment.chiron_allowed_hosts == ("study.example.org", "www.study.example.org")


@pytest.mark.parametrize("name", [name for name in PRODUCTION if name != "CHIRON_MODE"])
def test_production_stops_without_a_setting_and_names_it(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    set_all(monkeypatch, PRODUCTION)
    monkeypatch.delenv(name)
    with pytest.raises(EnvironmentInvalid, match=rf"{name}: missing; expected ") as refused:
        read_environment()
    assert "secret@" not in str(refused.value)


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("CHIRON_MODE", "prod", "embedded .* or production"),
        ("CHIRON_SECRET_KEY", "short", "at least 40 random characters"),
        ("CHIRON_SECOND_FACTOR_KEYS", "short", "keys for the secrets"),
        ("DATABASE_URL", "mysql://db/chiron", "postgres://"),
        ("DATABASE_URL", "postgres://db", "postgres://"),
        ("DATABASE_URL", "postgres://chiron:secret@db:port/chiron", "postgres://"),
        ("REDIS_URL", "http://cache", "redis://host:6379/0"),
        ("REDIS_URL", "redis://", "redis://host:6379/0"),
        ("CHIRON_MAIL_URL", "smtp://[mail", "smtp://user:password@host:587"),
        ("CHIRON_MAIL_URL", "smtp://:587", "smtp://user:password@host:587"),
        ("CHIRON_MAIL_URL", "mail.example.org", "smtp://user:password@host:587"),
        ("CHIRON_CODES_PER_MINUTE_PER_ADDRESS", "many", "sign-in codes"),
        ("CHIRON_MAIL_URL", "console://mail", "smtp://user:password@host:587"),
        ("CHIRON_BEHIND_PROXY", "perhaps", "true if a reverse proxy"),
        ("CHIRON_STAFF_SECOND_FACTOR", "perhaps", "false only where nothing real is at stake"),
        ("CHIRON_PRIVATE_ENDPOINTS", "judge.lan,http://judge.lan", "host names, addresses or networks"),
        ("CHIRON_PRIVATE_ENDPOINTS", "10.1.2.3/8", "host names, addresses or networks"),
        ("CHIRON_JUDGE_COMMANDS", "/opt/judges/units", "programs that may judge, as JSON"),
        ("CHIRON_JUDGE_COMMANDS", '{"units": "/opt/judges/units"}', "programs that may judge, as JSON"),
        ("CHIRON_JUDGE_COMMANDS", '{"units": []}', "programs that may judge, as JSON"),
        ("CHIRON_JUDGE_COMMANDS", '{"units": ["units"]}', "programs that may judge, as JSON"),
        ("CHIRON_JUDGE_COMMANDS", '{"Units!": ["/opt/judges/units"]}', "programs that may judge, as JSON"),
        ("CHIRON_JUDGE_COMMAND_SECONDS", "0", "seconds that a program has"),
        ("CHIRON_SITE_URL", "study.example.org", "https://study.example.org"),
        ("CHIRON_SITE_URL", "https://", "https://study.example.org"),
        ("CHIRON_SITE_URL", "https://study.example.org/chiron/", "https://study.example.org"),
    ],
)
def test_a_wrong_setting_is_named_with_what_is_expected(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, expected: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(EnvironmentInvalid, match=rf"{name}: .*; expected .*{expected}") as refused:
        read_environment()
    assert "secret@" not in str(refused.value)
    assert refused.value.code  # a non-empty exit message makes the exit code 1


def test_an_address_that_breaks_at_its_password_is_refused_without_repeating_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgres://chiron:se/cret@db/chiron")
    with pytest.raises(EnvironmentInvalid, match="DATABASE_URL: is no address") as refused:
        read_environment()
    assert "cret" not in str(refused.value)


def test_production_needs_a_real_database(monkeypatch: pytest.MonkeyPatch) -> None:
    set_all(monkeypatch, {**PRODUCTION, "DATABASE_URL": "sqlite:////data/chiron.sqlite3"})
    with pytest.raises(EnvironmentInvalid, match="DATABASE_URL: is SQLite, which is for embedded mode"):
        read_environment()


def test_mails_on_the_console_are_for_embedded_mode(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHIRON_MAIL_URL", "console://")
    assert read_environment().chiron_mail_url == "console://"
    set_all(monkeypatch, {**PRODUCTION, "CHIRON_MAIL_URL": "console://"})
    with pytest.raises(
        EnvironmentInvalid, match="CHIRON_MAIL_URL: is the console, which is for embedded mode"
    ):
        read_environment()


def test_signing_in_without_a_code_is_for_the_demo(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not read_environment().chiron_demo_sign_in
    set_all(monkeypatch, {**PRODUCTION, "CHIRON_DEMO_SIGN_IN": "true"})
    with pytest.raises(EnvironmentInvalid, match="CHIRON_DEMO_SIGN_IN: lets anybody in without a code"):
        read_environment()


def test_the_site_url_is_kept_without_a_slash(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHIRON_SITE_URL", "https://study.example.org/")
    assert read_environment().chiron_site_url == "https://study.example.org"


def test_staff_need_a_second_factor_unless_it_is_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_environment().chiron_staff_second_factor
    monkeypatch.setenv("CHIRON_STAFF_SECOND_FACTOR", "false")
    assert not read_environment().chiron_staff_second_factor


def test_a_model_server_on_this_machine_needs_a_word_in_production_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read_environment().egress().require("localhost", ["127.0.0.1"])
    set_all(monkeypatch, PRODUCTION)
    with pytest.raises(AddressForbidden):
        read_environment().egress().require("localhost", ["127.0.0.1"])
    monkeypatch.setenv("CHIRON_PRIVATE_ENDPOINTS", "localhost, judge.lan,10.1.0.0/16")
    egress = read_environment().egress()
    for host, address in {"localhost": "::1", "judge.lan": "192.168.0.7", "x.example": "10.1.2.3"}.items():
        egress.require(host, [address])
    with pytest.raises(AddressForbidden):
        egress.require("x.example", ["10.2.0.1"])


def test_programs_that_may_judge_have_less_time_than_a_lease(monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_environment().chiron_judge_commands == {}
    monkeypatch.setenv("CHIRON_JUDGE_COMMANDS", '{"units": ["/opt/judges/units", "--strict"]}')
    assert read_environment().chiron_judge_commands == {"units": ("/opt/judges/units", "--strict")}
    monkeypatch.setenv("CHIRON_JUDGE_COMMAND_SECONDS", "30")
    with pytest.raises(EnvironmentInvalid, match="CHIRON_JUDGE_COMMAND_SECONDS: is not below CHIRON_JUDGING"):
        read_environment()


def test_wrong_settings_are_reported_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REDIS_URL", "http://cache")
    monkeypatch.setenv("DATABASE_URL", "mysql://db")
    with pytest.raises(EnvironmentInvalid, match=r"(?s)DATABASE_URL.*REDIS_URL"):
        read_environment()


def test_a_data_folder_that_cannot_be_made_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("CHIRON_DATA_DIR", str(tmp_path / "file" / "data"))
    with pytest.raises(EnvironmentInvalid, match="CHIRON_DATA_DIR: cannot be created or written to"):
        read_environment()


def test_a_data_folder_that_cannot_be_written_to_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHIRON_DATA_DIR", "/proc")  # refuses new files, from root too
    with pytest.raises(EnvironmentInvalid, match="CHIRON_DATA_DIR: cannot be created or written to"):
        read_environment()
