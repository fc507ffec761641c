import hashlib
import json

from django.db import migrations, models

ALPHABET = "23456789CDFGHJKMNPQRTVWX"
AUDIENCES = [
    ("active", "All active: approved, started or not, and neither finished nor withdrawn"),
    ("not_started", "Not yet started: approved or still to be, and not withdrawn"),
    ("in_session", "In a session now"),
    ("finished", "Finished: their session has ended, and they have not withdrawn"),
    ("everybody", "Everybody in the study, also those who were rejected or have withdrawn"),
]


def fill(apps, schema_editor):
    """As an import gives labels (studies.bank.labels when this was written), version by version."""
    Prompt = apps.get_model("studies", "Prompt")
    for bank in apps.get_model("studies", "Bank").objects.all():
        kept = {}
        for version in bank.versions.order_by("number"):
            prompts = list(Prompt.objects.filter(version=version).only("prompt_id", "label"))
            fresh = [prompt.prompt_id for prompt in prompts if prompt.prompt_id not in kept]
            taken = set(kept.values())
            for sequence, prompt_id in sorted((letters(version.digest, one), one) for one in fresh):
                candidates = (f"Q-{sequence[:length]}" for length in range(3, 13))
                kept[prompt_id] = next(label for label in candidates if label not in taken)
                taken.add(kept[prompt_id])
            for prompt in prompts:
                prompt.label = kept[prompt.prompt_id]
            Prompt.objects.bulk_update(prompts, ["label"], batch_size=500)


def letters(digest, prompt_id):
    content = json.dumps([digest, prompt_id], separators=(",", ":"), ensure_ascii=False)
    number, found = int.from_bytes(hashlib.sha256(content.encode()).digest()), ""
    for _ in range(12):
        number, place = divmod(number, len(ALPHABET))
        found += ALPHABET[place]
    return found


class Migration(migrations.Migration):
    dependencies = [("studies", "0006_protocol_and_design_hashes")]

    operations = [
        migrations.AddField(
            "prompt", "label", models.CharField(default="", max_length=20), preserve_default=False
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
        migrations.AddConstraint(
            "prompt",
            models.UniqueConstraint(
                fields=["version", "label"], name="prompt_labels_do_not_repeat_in_a_version"
            ),
        ),
        migrations.AddField("message", "prompt_label", models.CharField(blank=True, max_length=20)),
        # What is announced already goes on reaching everybody.
        migrations.AddField(
            "announcement",
            "audience",
            models.CharField(choices=AUDIENCES, default="everybody", max_length=20),
            preserve_default=False,
        ),
        migrations.AddConstraint(
            "announcement",
            models.CheckConstraint(
                condition=models.Q(audience__in=[value for value, _ in AUDIENCES]), name="audience_is_known"
            ),
        ),
    ]
