"""Words, signs and addresses of the steps of a participant's path."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from batches.rules.path import StepKind, StepState

Words = str | Promise

_NEXT, _WAITING, _DONE = StepState.NEXT, StepState.WAITING, StepState.DONE

REJECTED = _("The study team has decided that you cannot take part in this study. This is the reason:")
STUDY_CLOSED = _("The study is closed; nobody can start any more.")
WITHDRAWN = _("You have withdrawn from this study.")
DECLINED = _(
    "You declined, so you do not take part, and nothing more is asked of you. Thank you for considering it. "
    "While the study runs you can change your mind."
)

# Title, and what to do.
STEP_WORDS: Mapping[StepKind, tuple[Words, Words]] = {
    StepKind.PROFILE: (_("Your profile"), _("Fill in the profile form")),
    StepKind.DECISION: (_("Decision of the study team"), ""),
    StepKind.CONSENT: (_("Consent"), _("Read the consent text")),
    StepKind.INSTRUCTIONS: (_("Instructions"), _("Read the instructions")),
    StepKind.PRACTICE: (_("Practice"), _("Practise in the workspace")),
    StepKind.CHECK: (_("Questions on the instructions"), _("Answer the questions")),
    StepKind.START: (_("Start"), _("Go to the start page")),
    StepKind.SESSION: (_("Your session"), _("Continue")),
    StepKind.RECEIPT: (_("Receipt"), _("See your receipt")),
}
PAGES: Mapping[StepKind, str] = {
    StepKind.PROFILE: "study_profile",
    StepKind.CONSENT: "study_consent",
    StepKind.INSTRUCTIONS: "study_instructions",
    StepKind.PRACTICE: "study_practice",
    StepKind.CHECK: "study_check",
    StepKind.START: "session_start",
    StepKind.SESSION: "session_overview",
    StepKind.RECEIPT: "session_receipt",
}
# In which states a step has a page to open.
OPEN_STATES: Mapping[StepKind, frozenset[StepState]] = {
    StepKind.PROFILE: frozenset({_NEXT, _DONE}),
    StepKind.DECISION: frozenset(),
    StepKind.CONSENT: frozenset({_NEXT, _WAITING, _DONE}),
    StepKind.INSTRUCTIONS: frozenset({_NEXT, _DONE}),
    StepKind.PRACTICE: frozenset({StepState.OPTIONAL, _DONE}),
    StepKind.CHECK: frozenset({_NEXT, _WAITING}),
    StepKind.START: frozenset({_NEXT}),
    StepKind.SESSION: frozenset({_NEXT}),
    StepKind.RECEIPT: frozenset({_NEXT, _DONE}),
}
STATE_WORDS: Mapping[StepState, Words] = {
    StepState.DONE: _("done"),
    StepState.NEXT: _("next"),
    StepState.WAITING: _("waiting"),
    StepState.LATER: _("later"),
    StepState.OPTIONAL: _("optional"),
    StepState.NOT_NEEDED: _("not needed"),
}
SIGNS: Mapping[StepState, str] = {
    StepState.DONE: "✓",
    StepState.NEXT: "→",
    StepState.WAITING: "…",
    StepState.LATER: "·",
    StepState.OPTIONAL: "○",
    StepState.NOT_NEEDED: "–",
}
SENTENCES: Mapping[tuple[StepKind, StepState], Words] = {
    (StepKind.PROFILE, _NEXT): _("Please tell the study team about yourself; it decides on that basis."),
    (StepKind.DECISION, _WAITING): _(
        "Your participation is submitted and waits for the study team's decision. You need not do anything."
    ),
    (StepKind.CONSENT, _NEXT): _("Please read what the study records, and decide whether to take part."),
    (StepKind.CONSENT, _WAITING): _(
        "The study is still being prepared. You can decide once its texts are final."
    ),
    (StepKind.INSTRUCTIONS, _NEXT): _("Please read the instructions. No clock runs while you read."),
    (StepKind.CHECK, _NEXT): _("Please answer a few questions on the instructions. No clock runs meanwhile."),
    (StepKind.CHECK, _WAITING): _(
        "You have no try left at the questions on the instructions. Please write to the study team."
    ),
    (StepKind.START, _NEXT): _(
        "Everything is ready. Nothing starts until you press the button on the start page."
    ),
    (StepKind.SESSION, _NEXT): _("Your clock is running."),
}
