"""Once a quarter of a run is decided, lock every run and every judge, say so, and stand still with them."""

import time

import django

django.setup()

from django.db import transaction  # noqa: E402

from judging.models import CriterionScore, JudgeConfig, JudgingRun  # noqa: E402


def a_quarter_is_decided() -> bool:
    rows = CriterionScore.objects.all()
    return 0 < rows.count() <= 4 * rows.exclude(state="open").count()


def main() -> None:
    print("waits", flush=True)  # noqa: T201
    while not a_quarter_is_decided():
        time.sleep(0.05)
    with transaction.atomic():
        # In the order in which whoever claims calls takes them: in the other one, one of the two is ended.
        list(JudgingRun.objects.select_for_update(no_key=True))
        list(JudgeConfig.objects.select_for_update(no_key=True))
        print("has locked", flush=True)  # noqa: T201
        time.sleep(600)


if __name__ == "__main__":
    main()
