"""manage.py erase_withdrawn: delete what is not to be kept any longer; two tasks of the worker, for cron."""

from typing import Any

from batches.services.clock import ending_moment
from operations.services.erasure import withdrawn_erase
from presentation.numbers import quantity
from studies.clock import Ending
from studies.management.operators import OperatorCommand
from studies.services.staff.sign_in import sign_ins_clear


class Command(OperatorCommand):
    help = (
        "Delete the texts, files and messages of people who withdrew, once the promised days have passed, "
        "and sign-ins that are over. "
        "For cron, where no worker runs; more often does no harm."
    )

    def handle(self, *_: Any, **__: Any) -> None:
        now = ending_moment(Ending.DELETIONS)
        count, sign_ins = withdrawn_erase(now=now), sign_ins_clear(now=now)
        self.stdout.write(f"Deleted the data of {quantity(count, 'person', 'people')}.")
        self.stdout.write(
            f"Deleted {quantity(sign_ins, 'stored session', 'stored sessions')} of earlier sign-ins."
        )
