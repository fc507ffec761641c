"""manage.py create_study SLUG --bank BANK: a study in draft."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.utils import timezone

from studies.management.operators import OperatorCommand, json_object, moment, named_person
from studies.models import BankVersion, ItemBank, JudgeProtocol
from studies.protocol.settings import read_settings
from studies.selectors.banks import bank_version, item_bank, judge_protocol
from studies.services.studies import study_create


class Command(OperatorCommand):
    help = "Create a study in draft; settings that are not given have the pilot's values."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--name", default="", help="what participants see (default: the short name)")
        parser.add_argument("--bank", required=True, help="the prompt bank's short name")
        parser.add_argument("--bank-version", type=int, help="its version (default: the newest)")
        parser.add_argument("--item-bank", help="item parameters, for results on the models' scale")
        parser.add_argument("--judge-protocol", help="judge texts (default, for the judge llm: Chiron's own)")
        parser.add_argument("--protocol", help="a JSON file of protocol settings, or the JSON itself")
        parser.add_argument("--opens-at", help="nobody starts before, e.g. 2030-05-01T08:00:00+02:00")
        parser.add_argument("--closes-at", help="nobody works after")
        parser.add_argument("--simulated", action="store_true", help="a rehearsal: its people are simulated")
        parser.add_argument("--by", help="the staff member the trail names")

    def handle(self, *_: Any, **options: Any) -> None:
        study = study_create(
            slug=options["slug"],
            name=options["name"],
            bank_version=_named_bank_version(options["bank"], options["bank_version"]),
            item_bank=_named_item_bank(options["item_bank"]),
            judge_protocol=_named_judge_protocol(options["judge_protocol"]),
            settings=read_settings(json_object(options["protocol"]) if options["protocol"] else {}),
            opens_at=moment("--opens-at", options["opens_at"]),
            closes_at=moment("--closes-at", options["closes_at"]),
            actor=named_person(options["by"]),
            is_simulated=options["simulated"],
            now=timezone.now(),
        )
        self.stdout.write(f'Created the study "{study.slug}" on {study.bank_version}, in draft.')


def _named_bank_version(slug: str, number: int | None) -> BankVersion:
    version = bank_version(slug, number)
    if version is None:
        wanted = f'version {number} of the bank "{slug}"' if number else f'bank "{slug}"'
        raise CommandError(f"There is no {wanted}. Import it with: python manage.py import_bank")
    return version


def _named_item_bank(slug: str | None) -> ItemBank | None:
    found = item_bank(slug) if slug else None
    if slug and found is None:
        raise CommandError(
            f'There is no item bank "{slug}". Import it with: python manage.py import_item_bank'
        )
    return found


def _named_judge_protocol(slug: str | None) -> JudgeProtocol | None:
    found = judge_protocol(slug) if slug else None
    if slug and found is None:
        raise CommandError(
            f'There is no judge protocol "{slug}". Import it with: python manage.py import_judge_protocol'
        )
    return found
