"""The names that a study's bank and protocol give to codes."""

from presentation.codes import CodeNames
from studies.models import Study


def profile_names(study: Study) -> CodeNames:
    """Those of profiles alone: no query."""
    return CodeNames(profiles={profile.slug: profile.name for profile in study.protocol.profiles})


def code_names(study: Study) -> CodeNames:
    """One query, unless the study's bank is loaded."""
    return CodeNames(study.bank_version.category_names, profile_names(study).profiles)
