"""manage.py amend_study SLUG --changes JSON --reason TEXT: a recorded change to a frozen study."""

from django.utils import timezone

from studies.management.operators import BY, OperatorCommand, json_object, named_person, named_study
from studies.services.amendments import study_amend


class Command(OperatorCommand):
    help = "Amend a frozen study: settings, opens_at, closes_at. Running sessions keep their deadlines."
    arguments = {
        "slug": {},
        "--changes": {"required": True, "help": "a JSON file of the new values, or the JSON itself"},
        "--reason": {"required": True},
        **BY,
    }

    def handle(self, *_: object, slug: str, changes: str, reason: str, by: str | None, **__: object) -> None:
        amendment = study_amend(
            study=named_study(slug),
            changes=json_object(changes),
            reason=reason,
            actor=named_person(by),
            now=timezone.now(),
        )
        fields = ", ".join(sorted(amendment.changes))
        self.stdout.write(f"Amendment {amendment.number} ({fields}); protocol {amendment.protocol_hash}")
        self.stdout.write("Sessions that are running keep the deadline they started with.")
        if "consent_text" in amendment.changes:
            self.stdout.write("Everyone who has not started is asked to agree to the new text first.")
