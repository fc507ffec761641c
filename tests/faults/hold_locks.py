"""Lock every judge and every run, say so, and stand still in that transaction."""

import time

import django

django.setup()

from django.db import transaction  # noqa: E402

from scoring.models import JudgeConfig, JudgingRun  # noqa: E402


def main() -> None:
    with transaction.atomic():
        list(JudgeConfig.objects.select_for_update(no_key=True))
        list(JudgingRun.objects.select_for_update(no_key=True))
        print("has locked", flush=True)  # noqa: T201
        time.sleep(600)


if __name__ == "__main__":
    main()
