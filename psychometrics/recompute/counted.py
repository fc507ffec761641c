"""Counts: the flow of people and of their answers beside each run, and what sentences of a report hold."""

import statistics
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime

from psychometrics.recompute.export import ENDED, PRIVATE, Export, NotHere, Values, place_of

STATES = ("answered", "drafted_at_expiry", "draft", "blank", "skipped", "not_reached", "withdrawn")
VOID = "void"  # a session that the study team voided; flows name it where there is one


def flow_of_people(export: Export) -> Values:
    """Everything but test participants, of whom an export has nothing."""
    everybody = export.table("participants")
    vetting = Counter(participant["vetting_status"] for participant in everybody)
    status = Counter(participant["session_status"] for participant in everybody)
    screened = {
        participant["participant"]: participant["retained"]
        for participant in everybody
        if participant["session_status"] in ENDED
    }
    flagged = {flag["participant"] for flag in export.table("flags") if flag["prompt_id"] is None}
    retained = sum(map(bool, screened.values()))
    return {
        "recruited": len(everybody), "approved": vetting["approved"], "rejected": vetting["rejected"],
        "started": len(everybody) - status[None], "flagged": len(flagged & screened.keys()),
        "excluded": len(screened) - retained, "retained": retained,
        **{name: status[name] for name in ("active", "submitted", "expired", "withdrawn")},
        **({"voided": status[VOID]} if status[VOID] else {}),
    }  # fmt: skip


def flow_of_answers(export: Export, *, retained_only: bool) -> Values:
    """How many answers are in each state, of everybody or of the retained. Raises NotHere."""
    if export.lacks_answers:
        raise NotHere(PRIVATE)
    people = export.retained if retained_only else None
    rows = export.table("answers")
    states = Counter(row["state"] for row in rows if people is None or row["participant"] in people)
    return {state: states[state] for state in (*STATES, *([VOID] if states[VOID] else []))}


def counted(export: Export) -> Iterator[tuple[str, str]]:
    """What the methods and the checklist of a report tell of public prompts, to be read beside them."""
    people, prompts = export.table("participants"), export.table("prompts")
    retained = export.retained
    yield "retained people by profile", _said_of(person["profile"] for person in people if person["retained"])
    private = export.manifest["omitted"]["private_prompts"]
    yield "prompts of the batches, and how many are private", f"{len(prompts) + private}, {private}"
    yield "prompts by modality", _said_of(prompt["modality"] for prompt in prompts)
    states = (answer["state"] for answer in export.table("answers") if answer["participant"] in retained)
    yield "answers of retained people by state", _said_of(states)
    sizes = Counter(answer["participant"] for answer in export.table("answers")).values()
    yield "prompts per person", f"{min(sizes, default=0)} to {max(sizes, default=0)}"
    sessions = export.table("sessions")
    times = [
        [datetime.fromisoformat(session[name]) for name in ("started_at", "ended_at")]
        for session in sessions
        if session["status"] in ENDED
    ]
    if minutes := [(end - start).total_seconds() / 60 for start, end in times]:
        spread = (min(minutes), statistics.median(minutes), max(minutes))
        yield "minutes, shortest, median and longest", ", ".join(f"{minute:.1f}" for minute in spread)
    declared = [session["resources"] or [] for session in sessions if session["participant"] in retained]
    yield "resources declared by retained people", _said_of(name for own in declared for name in own)
    flags, decided = export.table("flags"), {verdict["participant"] for verdict in export.table("verdicts")}
    of_people = {(flag["participant"], flag["reason"]) for flag in flags if flag["prompt_id"] is None}
    of_answers = {(place_of(flag), flag["reason"]) for flag in flags if flag["prompt_id"] is not None}
    yield "people flagged by rule", _said_of(reason for _, reason in of_people)
    yield "answers flagged by rule", _said_of(reason for _, reason in of_answers)
    yield "people decided about", str(len(decided))
    undecided = {person for person, _ in of_people} & retained - decided
    yield "retained people flagged and not decided about", str(len(undecided))
    names = {prompt["prompt_id"] for prompt in prompts}
    rows = export.table("model_scores")
    scored = [row for row in rows if row["score"] is not None and row["prompt_id"] in names]
    responses = Counter((row["model"], row["prompt_id"]) for row in scored).values()
    yield "prompts with scores of models", str(len({row["prompt_id"] for row in scored}))
    yield "most responses of a model to one of them", str(max(responses, default=0))


def _said_of(names: Iterable[str]) -> str:
    return ", ".join(f"{name} {number}" for name, number in sorted(Counter(names).items())) or "none"
