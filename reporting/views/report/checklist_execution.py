"""What the records say to the checklist's items on how people worked, and how that is documented."""

from collections.abc import Mapping

from django.utils.translation import gettext as _, ngettext

from presentation.exclusions import FLAG_NAMES
from presentation.numbers import decimals, span_or_one
from psychometrics.inference.measure import Scope
from reporting.selectors.report_records import StudyRecords
from reporting.views.report.checklist_words import amended, listed
from reporting.views.report.methods import extra_time


def sitting(records: StudyRecords) -> str:
    if records.starts is None:
        return ""
    told = _("%(number)s prompts in one session of at most %(minutes)s minutes.") % {
        "number": span_or_one(*records.starts.prompts, places=0),
        "minutes": span_or_one(*records.starts.minutes, places=0),
    }
    return " ".join([told, *extra_time(records.starts.more_time)])


def order(records: StudyRecords) -> str:
    if records.starts is None:
        return ""
    if amended(records, "prompt_order", "order_seed"):
        return _(
            "An amendment changed the order of prompts; see the amendments. The protocol now asks: %(order)s."
        ) % {"order": records.protocol.prompt_order}
    if records.protocol.prompt_order == "random":
        told = _("Yes: every person's batch was shuffled by a stored seed.")
    else:
        told = _("No: everybody with a batch saw it in the same order.")
    if not records.amendments:
        return told
    unchanged = _("Recorded amendments: %(number)d; none changed the order of prompts.")
    return f"{told} {unchanged % {'number': len(records.amendments)}}"


def quality(records: StudyRecords) -> str:
    found = records.screening
    if not found.on_record:
        return ""
    if not found.decided:
        return _("Yes: named off-task rules flagged answers or people; no reviewer has decided about them.")
    return ngettext(
        "Yes: by named off-task rules and a reviewer, who decided about %(number)d person; people, not "
        "single answers, are excluded.",
        "Yes: by named off-task rules and a reviewer, who decided about %(number)d people; people, not "
        "single answers, are excluded.",
        found.decided,
    ) % {"number": found.decided}


def quality_criteria(records: StudyRecords) -> str:
    found = records.screening
    parts = []
    if found.flagged_people:
        parts.append(_("Flags on people by rule: %(listed)s.") % {"listed": flags(found.flagged_people)})
    if found.flagged_answers:
        told = (
            _("Flags on answers to public prompts by rule: %(listed)s.")
            if records.scope == Scope.PUBLIC
            else _("Flags on answers by rule: %(listed)s.")
        )
        parts.append(told % {"listed": flags(found.flagged_answers)})
    return " ".join(parts)


def flags(counts: Mapping[str, int]) -> str:
    return listed({str(FLAG_NAMES.get(reason, reason)): number for reason, number in counts.items()})


def excluded(records: StudyRecords) -> str:
    flow = records.flow
    if not records.screening.on_record:
        return ""
    return _(
        "Excluded: %(excluded)d of %(ended)d people whose session ended; flagged: %(flagged)d, of whom not "
        "decided about: %(undecided)d."
    ) % {
        "excluded": flow.excluded,
        "ended": flow.submitted + flow.expired,
        "flagged": flow.flagged,
        "undecided": records.screening.undecided,
    }


def tools(records: StudyRecords) -> str:
    return _("What people were allowed: %(tools)s") % {"tools": records.protocol.allowed_tools.strip()}


def described(records: StudyRecords) -> str:
    if not records.profiles:
        return ""
    names = {profile.slug: profile.name for profile in records.protocol.profiles}
    counts = {names.get(slug, slug): number for slug, number in records.profiles.items()}
    return _("Retained people by profile: %(listed)s.") % {"listed": listed(counts)}


def instructions(records: StudyRecords) -> str:
    if records.starts is None or amended(records, "instructions"):
        return ""
    return _("Yes: word for word, near the end of this report.")


def time_taken(records: StudyRecords) -> str:
    minutes = records.minutes
    if minutes is None:
        return ""
    return _(
        "Minutes from start to end of a session: median %(middle)s, from %(shortest)s to %(longest)s."
    ) % {
        "middle": decimals(minutes.middle, 0),
        "shortest": decimals(minutes.shortest, 0),
        "longest": decimals(minutes.longest, 0),
    }


def tools_used(records: StudyRecords) -> str:
    if not records.resources:
        return tools(records)
    return _("Resources that retained people declared: %(listed)s.") % {"listed": listed(records.resources)}


def completion(records: StudyRecords) -> str:
    flow = records.flow
    if not flow.started:
        return ""
    return _(
        "Of %(recruited)d recruited, %(never)d never started, %(withdrawn)d withdrew and %(expired)d ran out "
        "of time; %(submitted)d handed in."
    ) % {
        "recruited": flow.recruited,
        "never": flow.recruited - flow.started,
        "withdrawn": flow.withdrawn,
        "expired": flow.expired,
        "submitted": flow.submitted,
    }


def analysis_code(records: StudyRecords) -> str:
    return _("Every export ships a script, recompute.py, that computes the numbers again from the tables.")
