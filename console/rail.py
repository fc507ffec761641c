"""The rail of the study team's pages: what is where, for whom, and what waits there."""

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from studies.roles import Can, SiteCan


@dataclass(frozen=True)
class Entry:
    """One page of the rail.

    `page` is the name of its address, `within` how names of addresses begin that belong to it, `can` the
    right it takes, `waits` the name of a count of what waits for whoever has the right `acts` (of its own,
    where that is None), `counts` of one that calls for nothing.
    """

    label: str | Promise
    page: str
    icon: str
    can: Can | SiteCan
    within: tuple[str, ...] = ()
    waits: str = ""
    acts: Can | None = None
    counts: str = ""

    def holds(self, page: str) -> bool:
        """Whether the page of this name belongs to the entry."""
        return page == self.page or any(page.startswith(start) for start in self.within)


@dataclass(frozen=True)
class Group:
    """Entries under one heading; without one, on their own."""

    label: str | Promise
    entries: tuple[Entry, ...]


STUDY = (
    Group(
        "",
        (
            Entry(_("Overview"), "staff_study", "home", Can.SEE_STUDY),
            Entry(_("Live"), "staff_live", "live", Can.SEE_LIVE, within=("staff_live",), counts="running"),
        ),
    ),
    Group(
        _("Set up"),
        (
            Entry(
                _("Protocol"),
                "staff_setup",
                "lines",
                Can.SEE_PROTOCOL,
                within=("staff_setup", "staff_lock", "staff_amend", "staff_rehearsal"),
            ),
            Entry(_("Questions"), "staff_questions", "page", Can.SEE_ANSWERS, within=("staff_question",)),
            Entry(_("Team"), "staff_study_team", "people", Can.GIVE_ROLES, within=("staff_study_team",)),
        ),
    ),
    Group(
        _("People"),
        (
            Entry(
                _("People"),
                "staff_participants",
                "person",
                Can.SEE_PEOPLE,
                within=("staff_participant", "staff_person", "staff_invit", "staff_decision"),
                waits="applications",
                acts=Can.DECIDE_PEOPLE,
            ),
            Entry(_("Recruiting"), "staff_recruiting", "out", Can.INVITE, within=("staff_recruiting",)),
            Entry(
                _("Messages"),
                "staff_messages",
                "mail",
                Can.INVITE,
                within=("staff_message", "staff_thread", "staff_announcement"),
                waits="messages",
            ),
            Entry(_("Mails"), "staff_mails", "mail", Can.INVITE, within=("staff_mails",)),
            Entry(_("Payments"), "staff_money", "money", Can.PAY, within=("staff_money",)),
        ),
    ),
    Group(
        _("Review"),
        (
            Entry(
                _("Screening"),
                "staff_screening",
                "eye",
                Can.REVIEW,
                within=("staff_screening", "staff_verdict"),
                waits="screening",
            ),
            Entry(
                _("Judging"), "staff_judging", "scale", Can.JUDGE, within=("staff_judging", "staff_agreement")
            ),
            Entry(_("Audit"), "staff_audits", "check", Can.REVIEW, within=("staff_audit",)),
        ),
    ),
    Group(
        _("Results"),
        (
            Entry(
                _("Results"),
                "staff_results",
                "bars",
                Can.SEE_RESULTS,
                within=("staff_results", "staff_measurement", "staff_report", "staff_checklist"),
            ),
            Entry(_("Export"), "staff_exports", "down", Can.EXPORT, within=("staff_export",)),
            Entry(_("History"), "staff_history", "clock", Can.SEE_HISTORY, within=("staff_history",)),
        ),
    ),
)

SITE = (
    Group(
        "",
        (
            Entry(_("Studies"), "staff_home", "home", SiteCan.PLAN),
            Entry(
                _("Banks"),
                "staff_banks",
                "page",
                SiteCan.MAKE_STUDIES,
                within=("staff_bank", "staff_item_bank", "staff_calibrat"),
            ),
            Entry(_("Judges"), "staff_judges", "scale", SiteCan.MAKE_STUDIES, within=("staff_judge",)),
            Entry(_("Models"), "staff_models", "bars", SiteCan.MAKE_STUDIES, within=("staff_model",)),
            Entry(_("Planner"), "staff_planner", "lines", SiteCan.PLAN, within=("staff_planner",)),
            Entry(_("Staff"), "staff_team", "people", SiteCan.RUN_SITE, within=("staff_team",)),
            Entry(_("History"), "staff_site_history", "clock", SiteCan.RUN_SITE),
            Entry(_("Site health"), "staff_health", "sun", SiteCan.RUN_SITE, within=("staff_health",)),
        ),
    ),
)

# 16 x 16, drawn with lines.
ICONS = {
    "home": "M3 7.5 8 3l5 4.5V13H3z",
    "live": "M2 8h3l1.5-4 3 8L11 8h3",
    "lines": "M3 4h10M3 8h10M3 12h6",
    "page": "M4 2.5h8v11H4zM6 6h4M6 9h4",
    "person": "M8 8a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM3.5 13c.5-2.5 2.3-3.7 4.5-3.7s4 1.2 4.5 3.7",
    "people": (
        "M6 8a2.3 2.3 0 1 0 0-4.6A2.3 2.3 0 0 0 6 8ZM2 13c.4-2.3 2-3.5 4-3.5s3.6 1.2 4 3.500"
        "M10.5 3.800a2.2 2.2 0 0 1 0 4M12 9.800c1.2.6 1.8 1.7 2 3.2"
    ),
    "mail": "M2.5 4h11v8h-11zm0 .5L8 9l5.5-4.5",
    "money": "M2.5 4.5h11v7h-11zM8 9.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3Z",
    "eye": (
        "M2.5 8S4.5 4 8 4s5.5 4 5.5 4-2 4-5.5 4-5.5-4-5.5-4Zm5.5 1.500a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3Z"
    ),
    "scale": "M8 3v10M4 13h8M3.5 5.5h9M3.5 5.5 2 9h3zM12.5 5.5 11 9h3z",
    "check": "M3 8.5 6.5 12 13 4.5",
    "bars": "M3 13V8M8 13V3M13 13V6",
    "down": "M8 2.5v7m-3-3 3 3 3-3M3 12.5h10",
    "clock": "M8 5v3l2 1.5M8 13.5A5.5 5.5 0 1 0 2.5 8",
    "sun": "M8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM8 2v2M8 12v2M2 8h2M12 8h2",
    "lock": "M4 7.5h8V13H4zM5.5 7.500V5a2.5 2.5 0 0 1 5 0v2.5",
    "plus": "M8 3v10M3 8h10",
    "chevron": "m5 6.5 3 3 3-3",
    "close": "m4 4 8 8M12 4l-8 8",
    "pause": "M5.5 3.5v9M10.5 3.5v9",
    "out": "M9 3H4v10h5M7 8h6.500m-2-2 2 2-2 2",
}
