"""manage.py amend_study SLUG --changes JSON --reason TEXT: a recorded change to a frozen study."""

from django.utils import timezone

from studies.management.operators import BY, OperatorCommand, json_object, named_person, named_study
from studies.protocol.describing import holds_for
from studies.selectors.studies import made_after_results
from studies.services.amendments import study_amend


class Command(OperatorCommand):
    help = "Amend a frozen study: settings, opens_at, closes_at. Says whom each change holds for."
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
        for holds, names in holds_for(amendment.changes).items():
            self.stdout.write(f"{', '.join(names)}: {holds}")
        if made_after_results(amendment.study, [amendment]):
            self.stdout.write(
                "Results had been computed and may have been seen: results, report and export say so. "
                "See that the reason tells what was known of them."
            )
