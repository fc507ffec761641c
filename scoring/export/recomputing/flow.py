"""The flow of people and of their answers, as the manifest gives it beside each run."""

from collections import Counter

from scoring.export.recomputing.reading import PRIVATE, NotHere, Run, Values

STATES = ("answered", "drafted_at_expiry", "draft", "blank", "skipped", "not_reached", "withdrawn")


def flow_of(run: Run) -> Values:
    """Everything but test participants, of whom an export has nothing."""
    everybody = run.export.table("participants")
    vetting, status = (
        Counter(one[name] for one in everybody) for name in ("vetting_status", "session_status")
    )
    screened = {str(code) for code in run.codes}
    flags = run.export.table("flags")
    flagged = {one["participant"] for one in flags if one["prompt_id"] is None} & screened
    return {
        "recruited": len(everybody), "approved": vetting["approved"], "rejected": vetting["rejected"],
        "started": len(everybody) - status[None], "flagged": len(flagged),
        "excluded": int((~run.retained).sum()), "retained": int(run.retained.sum()),
        **{name: status[name] for name in ("active", "submitted", "expired", "withdrawn")},
    }  # fmt: skip


def states_of(run: Run, name: str) -> Values:
    """How many answers are in each state, of everybody or of the retained."""
    if run.export.private:
        raise NotHere(PRIVATE)
    retained = {str(code) for code in run.codes[run.retained]}
    found = Counter(
        one["state"] for one in run.export.table("answers")
        if name == "answers" or one["participant"] in retained
    )  # fmt: skip
    return {state: found[state] for state in STATES}


def top_of_flow(run: Run) -> Values:
    """The size of Top, and the people it was chosen from."""
    if run.export.private:
        raise NotHere(PRIVATE)
    return {"top_size": run.export.settings["top_size"], "with_scores": len(run.mean_scores(run.cohort))}
