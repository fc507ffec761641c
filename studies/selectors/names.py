"""The names of codes: those that a study's bank and protocol give, and those of kinds of judges."""

from django.utils.translation import gettext as _

from presentation.codes import CodeNames
from presentation.tables import Named
from studies.models import Study
from studies.protocol.judge_kinds import JUDGE_KINDS


def profile_names(study: Study) -> CodeNames:
    """Those of profiles alone: no query."""
    return CodeNames(profiles={profile.slug: profile.name for profile in study.protocol.profiles})


def code_names(study: Study) -> CodeNames:
    """One query, unless the study's bank is loaded."""
    return CodeNames(study.bank_version.category_names, profile_names(study).profiles)


def judge_kind_name(code: str) -> Named:
    """What scores answers, by its plain name; a kind that is no longer there keeps its code."""
    return Named(_(JUDGE_KINDS[code].words) if code in JUDGE_KINDS else code, code)
