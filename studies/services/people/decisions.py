"""The decisions on taking part: how each is called, and why one is not taken."""

from django.utils.translation import gettext as _, gettext_lazy

from studies.models import Participant, VettingStatus
from studies.services.events import StudyEventKind
from studies.services.people.vetting_mails import Decision
from studies.services.refusals import Refused


class VettingRefused(Refused):
    """The decision changes nothing, lacks its reason or comes after a withdrawal."""


class DecidedMeanwhile(VettingRefused):
    """Somebody else decided since the page was shown, and differently from what it showed."""

    def __init__(self, participant: Participant) -> None:
        sentence = _(
            "Somebody else decided on %(code)s since you opened the page: now %(status)s. Nothing was "
            "changed, and what you wrote is still here. Look again, and decide once more if you want to."
        )
        status = MEANWHILE[participant.vetting_status]
        super().__init__(sentence % {"code": participant.code, "status": status})


DECIDED_ALREADY = {
    VettingStatus.APPROVED: gettext_lazy("%(code)s is approved already."),
    VettingStatus.RESERVE: gettext_lazy("%(code)s is on the reserve list already."),
    VettingStatus.REJECTED: gettext_lazy("%(code)s is rejected already."),
}
MEANWHILE = {
    VettingStatus.INVITED.value: gettext_lazy("the profile form is still to come"),
    VettingStatus.SUBMITTED.value: gettext_lazy("the profile form was sent and waits for a decision"),
    VettingStatus.APPROVED.value: gettext_lazy("approved"),
    VettingStatus.RESERVE.value: gettext_lazy("on the reserve list"),
    VettingStatus.REJECTED.value: gettext_lazy("rejected"),
}
DECISIONS: dict[VettingStatus, tuple[StudyEventKind, Decision]] = {
    VettingStatus.APPROVED: (StudyEventKind.APPROVED, "approved"),
    VettingStatus.RESERVE: (StudyEventKind.RESERVED, "reserve"),
    VettingStatus.REJECTED: (StudyEventKind.REJECTED, "rejected"),
}
