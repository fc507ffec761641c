"""Recruiting platforms: how their links name ids, what an id of theirs looks like, and who writes by alias.

A link is a platform's where its parameters have the platform's names; any other one takes whatever can be an
id at all.
"""

import re
from dataclasses import dataclass

from studies.models import RecruitingLink

# Beside letters and digits, what ids of platforms are made of; none of it begins a formula or turns a line.
ANY_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.~:-]*")
# What programs and platforms write where they have no id.
NO_IDS = "undefined null none nan nil na false true unknown missing empty assignment_id_not_available"
# What a link calls an id in its place, besides the names of the parameters themselves.
NAMES_OF_IDS = "participant_id worker_id user_id session_id study_id survey_code survey_id response_id rid"


@dataclass(frozen=True, slots=True)
class Platform:
    """`parameters` and `ids` are of the participant, the study and the session; `alias` is the address at
    which the platform lets studies write, with {id}: it forbids asking for another one. "": it does not.
    """

    name: str
    parameters: tuple[str, str, str]
    ids: tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]
    alias: str = ""


_OBJECT_ID = re.compile(r"[0-9a-f]{24}")
_LONG_ID = re.compile(r"[A-Za-z0-9-]{12,64}")
_TURK_ID = re.compile(r"[A-Z0-9]{20,40}")
PLATFORMS = (
    Platform(
        "Prolific", ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID"), (_OBJECT_ID, _OBJECT_ID, _LONG_ID),
        alias="{id}@email.prolific.com",
    ),
    Platform("CloudResearch Connect", ("participantId", "projectId", "assignmentId"), (_LONG_ID,) * 3),
    Platform(
        "Amazon Mechanical Turk", ("workerId", "hitId", "assignmentId"),
        (re.compile(r"A[A-Z0-9]{9,20}"), _TURK_ID, _TURK_ID),
    ),
)  # fmt: skip


def _bare(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())


# A name of an id in its place: the platform did not put the id in.
_NO_ID = frozenset(
    _bare(name)
    for name in (
        *NO_IDS.split(),
        *NAMES_OF_IDS.split(),
        *(name for platform in PLATFORMS for name in platform.parameters),
    )
)


def platform_of(link: RecruitingLink) -> Platform | None:
    """The platform whose names the link's parameters have; a blank one is sent by none."""
    parameters = [name.lower() for name in link.parameters]
    for platform in PLATFORMS:
        known = [name.lower() for name in platform.parameters]
        if parameters[0] == known[0] and all(name in ("", *known) for name in parameters):
            return platform
    return None


def alias_of(link: RecruitingLink, platform_participant: str) -> str:
    """The address that the platform gives a person for studies; "" where people are asked for their own."""
    platform = platform_of(link)
    return platform.alias.format(id=platform_participant) if platform else ""


def is_id(link: RecruitingLink, name: str, text: str) -> bool:
    """Whether a text can be the id that the platform sends under this name."""
    if not ANY_ID.fullmatch(text) or _bare(text) in _NO_ID | {_bare(name)}:
        return False
    platform = platform_of(link)
    if platform is None:
        return True
    kinds = {known.lower(): kind for known, kind in zip(platform.parameters, platform.ids, strict=True)}
    return bool(kinds[name.lower()].fullmatch(text))
