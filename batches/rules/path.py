"""The way of a participant through a study: which steps there are, how far the person is, what comes next."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal


class StepKind(StrEnum):
    """The steps, in their order. A study has those it asks for."""

    CONSENT = "consent"
    PROFILE = "profile"
    DECISION = "decision"
    INSTRUCTIONS = "instructions"
    PRACTICE = "practice"
    CHECK = "check"
    START = "start"
    SESSION = "session"
    RECEIPT = "receipt"


class StepState(StrEnum):
    """Where a person stands with one step. At most one step of a path is next, or waits."""

    DONE = "done"
    NEXT = "next"
    WAITING = "waiting"
    LATER = "later"
    OPTIONAL = "optional"
    NOT_NEEDED = "not_needed"


@dataclass(frozen=True, slots=True)
class PathFacts:
    """What decides about the steps.

    `asks_…`: the study asks this person for the step. `decision` is on taking part. `may_consent`: the text
    is final. `may_retry`: there are attempts left at the check. `may_start`: nothing outside the person's
    reach keeps a start back. `is_over`: nobody can start any more.
    """

    decision: Literal["open", "approved", "rejected"]
    asks_profile: bool = False
    profile_sent: bool = False
    may_consent: bool = True
    has_consented: bool = False
    has_declined: bool = False
    has_read: bool = False
    asks_practice: bool = True
    has_practised: bool = False
    asks_check: bool = False
    check_passed: bool = False
    may_retry: bool = True
    may_start: bool = True
    session: Literal["none", "running", "ended"] = "none"
    has_withdrawn: bool = False
    is_over: bool = False

    @property
    def has_ended(self) -> bool:
        """Whether the path leads no further, short of its end."""
        if self.has_withdrawn:
            return True
        return self.session == "none" and (self.decision == "rejected" or self.is_over)

    @property
    def is_ready(self) -> bool:
        """Whether nothing the person has to do first keeps a start back."""
        check_is_behind = self.check_passed or not self.asks_check
        return (
            self.session == "none"
            and not self.has_ended
            and self.decision == "approved"
            and self.has_consented
            and check_is_behind
        )


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a person's path."""

    kind: StepKind
    state: StepState


def path_steps(facts: PathFacts) -> list[Step]:
    """The steps of this person, in order."""
    asked = {
        StepKind.PROFILE: facts.asks_profile,
        StepKind.PRACTICE: facts.asks_practice,
        StepKind.CHECK: facts.asks_check,
    }
    # On which steps the person can do nothing now.
    waits = {
        StepKind.DECISION: True,
        StepKind.CONSENT: not facts.may_consent,
        StepKind.CHECK: not facts.may_retry,
        StepKind.START: not facts.may_start,
    }
    done = _done(facts)
    steps: list[Step] = []
    reached = False
    for kind in (kind for kind in StepKind if asked.get(kind, True)):
        if done[kind]:
            state = StepState.DONE
        elif facts.has_ended:
            state = StepState.NOT_NEEDED
        elif kind == StepKind.PRACTICE:
            # Beside the way: nothing waits for it.
            may_practise = facts.has_consented and facts.decision == "approved"
            before_start = StepState.OPTIONAL if may_practise else StepState.LATER
            state = before_start if facts.session == "none" else StepState.NOT_NEEDED
        elif reached:
            state = StepState.LATER
        else:
            reached = True
            state = StepState.WAITING if waits.get(kind) else StepState.NEXT
        steps.append(Step(kind, state))
    return steps


def current_step(steps: Sequence[Step]) -> Step | None:
    """The one step that is next or waits; None where the path has ended."""
    return next((step for step in steps if step.state in (StepState.NEXT, StepState.WAITING)), None)


def _done(facts: PathFacts) -> dict[StepKind, bool]:
    """Who has started is past everything before the start, whatever the study asks since."""
    started = facts.session != "none"
    return {
        StepKind.PROFILE: facts.profile_sent,
        StepKind.DECISION: started or facts.decision != "open",
        StepKind.CONSENT: started or facts.has_consented,
        StepKind.INSTRUCTIONS: started or facts.has_read,
        StepKind.PRACTICE: facts.has_practised,
        StepKind.CHECK: started or facts.check_passed,
        StepKind.START: started,
        StepKind.SESSION: facts.session == "ended",
        StepKind.RECEIPT: facts.session == "ended" and facts.has_withdrawn,
    }
