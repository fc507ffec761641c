"""manage.py create_study SLUG --bank BANK: a study in draft."""

from collections.abc import Callable
from typing import Any, TypeVar

from django.core.management.base import CommandError
from django.utils import timezone

from studies.management.operators import (
    BY,
    OperatorCommand,
    json_object,
    moment,
    named_person,
    undecided_lines,
)
from studies.models import ItemBank, JudgeProtocol
from studies.protocol.settings import read_settings
from studies.selectors.banks import bank_version, item_bank, judge_protocol
from studies.selectors.categories import undecided
from studies.services.studies import study_create

Row = TypeVar("Row", ItemBank, JudgeProtocol)


class Command(OperatorCommand):
    help = "Create a study in draft; settings that are not given have the pilot's values."
    arguments = {
        "slug": {},
        "--name": {"default": "", "help": "what participants see (default: the short name)"},
        "--bank": {"required": True, "help": "the prompt bank's short name"},
        "--bank-version": {"type": int, "help": "its version (default: the newest)"},
        "--item-bank": {"help": "item parameters, for results on the models' scale"},
        "--judge-protocol": {"help": "judge texts (default, for the judge llm: Chiron's own)"},
        "--protocol": {"help": "a JSON file of protocol settings, or the JSON itself"},
        "--opens-at": {"help": "nobody starts before, e.g. 2030-05-01T08:00:00+02:00"},
        "--closes-at": {"help": "nobody works after"},
        "--simulated": {"action": "store_true", "help": "a rehearsal: its people are simulated"},
        **BY,
    }

    def handle(self, *_: object, **options: Any) -> None:
        slug, number = options["bank"], options["bank_version"]
        version = bank_version(slug, number)
        if version is None:
            wanted = f'version {number} of the bank "{slug}"' if number else f'bank "{slug}"'
            raise CommandError(f"There is no {wanted}. Import it with: python manage.py import_bank")
        study = study_create(
            slug=options["slug"],
            name=options["name"],
            bank_version=version,
            item_bank=_named(item_bank, options["item_bank"], "item bank", "import_item_bank"),
            judge_protocol=_named(
                judge_protocol, options["judge_protocol"], "judge protocol", "import_judge_protocol"
            ),
            settings=read_settings(json_object(options["protocol"]) if options["protocol"] else {}),
            opens_at=moment("--opens-at", options["opens_at"]),
            closes_at=moment("--closes-at", options["closes_at"]),
            actor=named_person(options["by"]),
            is_simulated=options["simulated"],
            now=timezone.now(),
        )
        self.stdout.write(f'Created the study "{study.slug}" on {study.bank_version}, in draft.')
        if differing := undecided(study):
            self.stdout.write("\n".join(undecided_lines(study, differing)))
        if not options["by"]:
            hint = f"add_staff EMAIL --study {study.slug} --role lead"
            self.stdout.write(f"Only site administrators see it until somebody leads it: {hint}")


def _named(find: Callable[[str], Row | None], slug: str | None, what: str, command: str) -> Row | None:
    row = find(slug) if slug else None
    if slug and row is None:
        raise CommandError(f'There is no {what} "{slug}". Import it with: python manage.py {command}')
    return row
