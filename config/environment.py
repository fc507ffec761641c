"""The operator's settings, read from the environment and checked before anything starts.

Two modes. `embedded` (default): SQLite, a filesystem broker, files in the data folder, nothing else to run.
`production`: PostgreSQL and Redis, secrets from the environment, none with a default.
"""

import json
import os
import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import Annotated, Literal, Self
from urllib.parse import urlsplit

from cryptography.fernet import Fernet
from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from config.private_files import set_private_umask
from llm.egress import Egress

ROOT = Path(__file__).resolve().parent.parent
CONSOLE_MAIL = "console://"
# What an address may start with.
SCHEMES = {
    "database_url": ("postgres", "postgresql", "sqlite"),
    "redis_url": ("redis", "rediss"),
    "chiron_mail_url": ("smtp", "smtps"),
    "chiron_site_url": ("https", "http"),
}


def _parts_of_list(value: object) -> object:
    if not isinstance(value, str):
        return value
    return tuple(part.strip() for part in value.split(",") if part.strip())


def _read_json(value: object) -> object:
    return json.loads(value) if isinstance(value, str) else value


def _program_first(arguments: tuple[str, ...]) -> tuple[str, ...]:
    if not arguments or not arguments[0].startswith("/"):
        raise ValueError("does not begin with an absolute path")
    return arguments


Names = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_parts_of_list)]
ProgramName = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=50)]
ProgramArguments = Annotated[tuple[str, ...], AfterValidator(_program_first)]
Programs = Annotated[Mapping[ProgramName, ProgramArguments], NoDecode, BeforeValidator(_read_json)]


class EnvironmentInvalid(SystemExit):
    """Stops the start; the message names every wrong setting and what is expected."""


class Environment(BaseSettings):
    """One field per environment variable; the variable is the field's name in capitals."""

    model_config = SettingsConfigDict(extra="ignore", env_ignore_empty=True)

    chiron_mode: Literal["embedded", "production"] = Field(
        "embedded", description="embedded (SQLite, filesystem broker) or production (PostgreSQL, Redis)"
    )
    chiron_data_dir: Path = Field(
        ROOT / "var", description="a folder for database, media, mail and broker files"
    )
    chiron_secret_key: str | None = Field(
        None, min_length=40, description="at least 40 random characters; required in production"
    )
    chiron_second_factor_keys: Names = Field(
        (),
        description="keys for the secrets of second factors, separated by commas, the newest first "
        "(docs/operations.md says how to make one); required in production",
    )
    database_url: str | None = Field(
        None, description="postgres://user:password@host:5432/name; required in production"
    )
    redis_url: str | None = Field(None, description="redis://host:6379/0; required in production")
    chiron_allowed_hosts: Names = Field(
        (), description="host names separated by commas; required in production"
    )
    chiron_mail_url: str | None = Field(
        None,
        description="smtp://user:password@host:587 (smtps:// for TLS from the start), required in "
        "production; or, embedded only, console:// (shows mails where the site runs)",
    )
    chiron_mail_from: str = Field("Chiron <chiron@localhost>", description="the sender of e-mails")
    chiron_codes_per_minute_per_address: int = Field(
        30,
        ge=1,
        description="sign-in codes one network address may ask for in a minute (raise it for a shared room)",
    )
    chiron_person_megabytes: int = Field(
        500,
        ge=10,
        description="how much one person may store in a study: files, messages, earlier versions of answers",
    )
    chiron_site_url: str | None = Field(
        None, description="https://study.example.org, where people reach the site; for links in mails"
    )
    chiron_staff_second_factor: bool = Field(
        True, description="false only where nothing real is at stake: staff then need no second factor"
    )
    chiron_demo_sign_in: bool = Field(
        False,
        description="true only in the demo, where a button signs in as one of its invented people; "
        "embedded mode only",
    )
    chiron_staff_idle_hours: int = Field(
        8, ge=1, description="whole hours without use after which staff are signed out"
    )
    chiron_staff_session_days: int = Field(
        7, ge=1, description="whole days after signing in after which staff sign in again, used or not"
    )
    chiron_judging_lease_seconds: float = Field(
        30.0, gt=0, description="seconds after which the work of a worker that died is taken up by others"
    )
    chiron_judging_slice_seconds: float = Field(
        20.0, gt=0, description="seconds for which a worker judges before it looks for other work"
    )
    chiron_judging_round_wait_seconds: float = Field(
        15.0, ge=0, description="seconds before a verdict that failed is asked for again, doubled each time"
    )
    chiron_judge_commands: Programs = Field(
        {},
        description='programs that may judge, as JSON: {"units": ["/opt/judges/units"]}, a short name with '
        "the absolute path of a program and its arguments",
    )
    chiron_judge_command_seconds: float = Field(
        10.0, gt=0, description="seconds that a program has for a verdict; fewer than a judging lease has"
    )
    chiron_judge_command_megabytes: int = Field(
        512, ge=1, description="megabytes of address space that a program has"
    )
    chiron_private_endpoints: Names = Field(
        (),
        description="host names, addresses or networks separated by commas, such as judge.lan,10.1.0.0/16: "
        "where a judge may be besides public addresses",
    )
    chiron_behind_proxy: bool = Field(
        False, description="true if a reverse proxy ends TLS and sets X-Forwarded-Proto and X-Forwarded-For"
    )

    @field_validator("chiron_private_endpoints")
    @classmethod
    def known_endpoints(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        Egress.to_named(value)
        return value

    @field_validator("chiron_second_factor_keys")
    @classmethod
    def usable_keys(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for number, key in enumerate(value, start=1):
            try:
                Fernet(key)
            except ValueError:
                raise ValueError(f"number {number} is no key") from None
        return value

    @field_validator(*SCHEMES)
    @classmethod
    def known_address(cls, value: str | None, info: ValidationInfo) -> str | None:
        """In words that repeat nothing of the address: it may hold a password."""
        name = str(info.field_name)
        if value is None or (name == "chiron_mail_url" and value == CONSOLE_MAIL):
            return value
        if value.partition("://")[0] not in SCHEMES[name]:
            schemes = " or ".join(f"{scheme}://" for scheme in SCHEMES[name])
            raise ValueError(f"does not start with {schemes}")
        try:
            parts = urlsplit(value)
            parts.port  # noqa: B018  # reading it checks it
        except ValueError:
            raise ValueError(
                "is no address; is the port a number, and the password percent-encoded?"
            ) from None
        if name == "database_url" and not parts.path.strip("/"):
            raise ValueError("names no database")
        if name != "database_url" and not parts.hostname:
            raise ValueError("names no host")
        return value

    @field_validator("chiron_site_url")
    @classmethod
    def site_is_a_host(cls, value: str | None) -> str | None:
        parts = urlsplit(value or "")
        if parts.path.strip("/") or parts.query or parts.fragment:
            raise ValueError("goes on after the host")
        return value and f"{parts.scheme}://{parts.netloc}"

    @model_validator(mode="after")
    def verdict_is_within_a_lease(self) -> Self:
        """Who takes longer loses the row to somebody else, who does, too."""
        if (
            self.chiron_judge_commands
            and self.chiron_judge_command_seconds >= self.chiron_judging_lease_seconds
        ):
            raise ValueError("chiron_judge_command_seconds: is not below CHIRON_JUDGING_LEASE_SECONDS")
        return self

    @model_validator(mode="after")
    def production_has_no_defaults(self) -> Self:
        needed = (
            *("chiron_secret_key", "chiron_second_factor_keys", "database_url", "redis_url"),
            *("chiron_allowed_hosts", "chiron_mail_url"),
        )
        problems = [f"{name}: missing" for name in needed if not getattr(self, name)]
        if (self.database_url or "").startswith("sqlite"):
            problems.append("database_url: is SQLite, which is for embedded mode")
        if self.chiron_mail_url == CONSOLE_MAIL:
            problems.append("chiron_mail_url: is the console, which is for embedded mode")
        if self.chiron_demo_sign_in:
            problems.append("chiron_demo_sign_in: lets anybody in without a code, which is for the demo")
        if self.production and problems:
            raise ValueError("\n".join(problems))
        return self

    @property
    def production(self) -> bool:
        return self.chiron_mode == "production"

    def egress(self) -> Egress:
        """Where requests to judges may go; in embedded mode also to a model server on this machine."""
        return Egress.to_named(self.chiron_private_endpoints, loopback=not self.production)

    def secret_key(self) -> str:
        """The configured key; embedded without one: a random key kept in the data folder."""
        return self.chiron_secret_key or self._kept("secret_key", lambda: secrets.token_urlsafe(64))

    def second_factor_keys(self) -> tuple[str, ...]:
        """The configured keys; embedded without one: a random key kept in the data folder."""
        kept = "second_factor_key"
        return self.chiron_second_factor_keys or (self._kept(kept, lambda: Fernet.generate_key().decode()),)

    def _kept(self, name: str, make: Callable[[], str]) -> str:
        """The secret of that name in the data folder, made once."""
        path = self.chiron_data_dir / name
        if not path.exists():
            draft = path.with_name(f"{name}.{os.getpid()}")
            draft.touch(mode=0o600)
            draft.write_text(make())
            # Linking, unlike writing in place, never shows another process half a key; the first one wins.
            with suppress(FileExistsError):
                path.hardlink_to(draft)
            draft.unlink()
        return path.read_text()


def read_environment() -> Environment:
    """Return the checked settings, with the data folder in place; what is written from now on is private.

    Raises:
        EnvironmentInvalid: naming each wrong or missing variable and what it must hold.
    """
    try:
        environment = Environment()
        set_private_umask()
        environment.chiron_data_dir.mkdir(parents=True, exist_ok=True)
        TemporaryFile(dir=environment.chiron_data_dir).close()
    except ValidationError as error:
        # One line a setting, e.g. `REDIS_URL: missing; expected redis://host:6379/0 …`, never its value.
        lines = []
        for problem in error.errors(include_input=False, include_url=False):
            if problem["loc"]:
                lines.append(_sentence(str(problem["loc"][0]), problem["msg"]))
            else:
                message = problem["msg"].removeprefix("Value error, ")
                lines += [_sentence(*line.split(": ", 1)) for line in message.splitlines()]
        raise EnvironmentInvalid("Chiron cannot start:\n" + "\n".join(lines)) from None
    except OSError as error:
        raise EnvironmentInvalid(
            f"Chiron cannot start:\n  CHIRON_DATA_DIR: cannot be created or written to ({error.strerror}); "
            f"expected {Environment.model_fields['chiron_data_dir'].description}."
        ) from None
    return environment


def _sentence(name: str, message: str) -> str:
    expected = Environment.model_fields[name].description
    return f"  {name.upper()}: {message.removeprefix('Value error, ')}; expected {expected}."
