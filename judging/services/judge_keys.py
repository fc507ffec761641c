"""The keys of judges: variables of the environment, set by the operator, each for the origin of one endpoint.

Whoever may set up a judge names a variable and an address of their own choice. So a name has a prefix that no
other secret has, and a key goes only where the operator said, beside the key itself.
"""

import re
from os import environ

from django.utils.translation import gettext as _

from judging.models import JudgeConfig
from llm.egress import EndpointInvalid, is_encrypted, origin_of
from studies.services.refusals import Refused

KEY_PREFIX = "CHIRON_JUDGE_KEY_"
ORIGIN_PREFIX = "CHIRON_JUDGE_ORIGIN_"
KEY_NAME = re.compile(f"{KEY_PREFIX}([A-Z0-9][A-Z0-9_]*)")


class JudgeNotConfigured(Refused):
    """What was given does not fit the judge the study's protocol names, or cannot be used."""


def judge_key(config: JudgeConfig) -> str | None:
    """The key from the environment; None where the judge needs none. The only place that reads one.

    Raises:
        JudgeNotConfigured: the address is neither https nor on this machine; the name is none of a judge's
            key, the key is for another origin, or its variable is not set.
    """
    try:
        origin = origin_of(config.base_url)
    except EndpointInvalid as error:
        raise JudgeNotConfigured(str(error)) from None
    if not is_encrypted(config.base_url):
        said = _('The address of the judge "%(judge)s" is not encrypted; give it one that starts with https.')
        raise JudgeNotConfigured(said % {"judge": config.slug})
    if not config.key_variable:
        return None
    facts = {"judge": config.slug, "variable": config.key_variable, "prefix": KEY_PREFIX, "origin": origin}
    named = KEY_NAME.fullmatch(config.key_variable)
    if named is None:
        said = _(
            'The judge "%(judge)s" names %(variable)s as the variable of its key, which does not begin with '
            "%(prefix)s. Rename the variable where the site and the workers run, and name it so here."
        )
        raise JudgeNotConfigured(said % facts)
    key = environ.get(config.key_variable)
    if not key:
        said = _(
            "The environment variable %(variable)s is not set here. Put the key of the judge "
            '"%(judge)s" into it, where the site and the workers run.'
        )
        raise JudgeNotConfigured(said % facts)
    facts["binding"] = ORIGIN_PREFIX + named[1]
    if not _is_bound(environ.get(facts["binding"], ""), origin):
        said = _(
            "The key in %(variable)s is not for %(origin)s. If it is to be sent there, the operator sets "
            "%(binding)s=%(origin)s beside it, where the site and the workers run."
        )
        raise JudgeNotConfigured(said % facts)
    return key


def _is_bound(binding: str, origin: str) -> bool:
    """Whether the operator's `binding` names this origin; an empty or unreadable one names none."""
    try:
        return origin_of(binding.strip()) == origin
    except ValueError:
        return False
