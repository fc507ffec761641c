"""manage.py encrypt_second_factors: use a new key for the secrets of second factors."""

from cryptography.fernet import InvalidToken
from django.core.management.base import BaseCommand, CommandError

from presentation.numbers import quantity
from studies.services.staff.second_factor import second_factors_encrypt_again


class Command(BaseCommand):
    help = "Encrypt the secrets of all second factors with the first of CHIRON_SECOND_FACTOR_KEYS."

    def handle(self, *_: object, **__: object) -> None:
        try:
            number = second_factors_encrypt_again()
        except InvalidToken:
            raise CommandError(
                "Nothing was changed: a secret is encrypted with a key that is not in "
                "CHIRON_SECOND_FACTOR_KEYS; add the former key at its end."
            ) from None
        self.stdout.write(f"{quantity(number, 'secret', 'secrets')} encrypted with the first key.")
