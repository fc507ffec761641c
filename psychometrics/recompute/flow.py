"""The flow of people and of their answers, as the manifest gives it beside each run."""

from collections import Counter

from psychometrics.recompute.export import ENDED, PRIVATE, Export, NotHere, Values

STATES = ("answered", "drafted_at_expiry", "draft", "blank", "skipped", "not_reached", "withdrawn")


def flow_of_people(export: Export) -> Values:
    """Everything but test participants, of whom an export has nothing."""
    everybody = export.table("participants")
    vetting, status = (
        Counter(one[name] for one in everybody) for name in ("vetting_status", "session_status")
    )
    screened = {one["participant"]: one["retained"] for one in everybody if one["session_status"] in ENDED}
    flagged = {one["participant"] for one in export.table("flags") if one["prompt_id"] is None}
    retained = sum(map(bool, screened.values()))
    return {
        "recruited": len(everybody), "approved": vetting["approved"], "rejected": vetting["rejected"],
        "started": len(everybody) - status[None], "flagged": len(flagged & screened.keys()),
        "excluded": len(screened) - retained, "retained": retained,
        **{name: status[name] for name in ("active", "submitted", "expired", "withdrawn")},
    }  # fmt: skip


def flow_of_answers(export: Export, *, retained_only: bool) -> Values:
    """How many answers are in each state, of everybody or of the retained. Raises NotHere."""
    if export.lacks_answers:
        raise NotHere(PRIVATE)
    states = (
        one["state"]
        for one in export.table("answers")
        if not retained_only or one["participant"] in export.retained
    )
    found = Counter(states)
    return {state: found[state] for state in STATES}
