"""Every page there is, with the person who sees it, and the addresses that are no pages."""

from dataclasses import dataclass, field

from console.views.setup import PAGES as SETUP_PAGES
from psychometrics.measures.registry import MEASURED


@dataclass(frozen=True)
class Place:
    """A page as one person sees it; `where` names what in the world its address is made of."""

    label: str
    name: str
    who: str = "visitor"
    where: dict[str, str] = field(default_factory=dict)
    status: int = 200
    before: str = ""


STUDY, CHECKED = {"slug": "study"}, {"slug": "checked"}


JUDGED, UNJUDGED = {"slug": "judged"}, {"slug": "unjudged"}


WORKING, ENDED, EXPIRED = {"session_id": "working"}, {"session_id": "ended"}, {"session_id": "expired"}


PLACES = [
    Place("welcome", "home"),
    Place("sign-in", "account_login"),
    Place("sign-in-code", "account_confirm_login_code", before="ask for a code"),
    Place("account-inactive", "account_inactive"),
    Place("invitation", "invitation", where={"token": "token"}),
    Place("invitation-unknown", "invitation", where={"token": "no_token"}, status=404),
    Place("home", "home", "waiting"),
    Place("sign-out", "account_logout", "waiting"),
    Place("passkeys", "mfa_index", "waiting"),
    Place("passkey-add", "mfa_add_webauthn", "waiting"),
    Place("profile", "study_profile", "invited", STUDY),
    Place("study-waiting", "study_home", "waiting", STUDY),
    Place("consent", "study_consent", "approved", STUDY),
    Place("study-ready", "study_home", "ready", STUDY),
    Place("instructions", "study_instructions", "ready", STUDY),
    Place("practice", "study_practice", "ready", {**STUDY, "number": "one"}),
    Place("start", "session_start", "ready", STUDY),
    Place("check", "study_check", "checked", CHECKED),
    Place("overview", "session_overview", "working", WORKING),
    Place("prompt", "session_prompt", "working", {**WORKING, "position": "one"}),
    Place("prompt-with-image", "session_prompt", "working", {**WORKING, "position": "two"}),
    Place("prompt-third", "session_prompt", "working", {**WORKING, "position": "three"}),
    Place("prompt-fourth", "session_prompt", "working", {**WORKING, "position": "four"}),
    Place("resources", "session_resources", "working", WORKING),
    Place("submit", "session_submit", "working", WORKING),
    Place("study-working", "study_home", "working", STUDY),
    Place("help", "study_help", "working", STUDY),
    Place("withdraw", "study_withdraw", "working", STUDY),
    Place("receipt", "session_receipt", "ended", ENDED),
    Place("receipt-of-expired", "session_receipt", "expired", EXPIRED),
    Place("study-ended", "study_home", "ended", STUDY),
    Place("my-data", "study_data", "ended", STUDY),
    Place("not-found", "session_receipt", "ready", ENDED, status=404),
    Place("staff-home", "staff_home", "staff"),
    Place("staff-study", "staff_study", "staff", STUDY),
    Place("staff-invitations", "staff_invitations", "staff", STUDY),
    Place("staff-invitations-upload", "staff_invitations_upload", "staff", STUDY),
    Place("staff-participants", "staff_participants", "staff", STUDY),
    Place("staff-money", "staff_money", "staff", STUDY),
    Place("staff-person-waiting", "staff_person", "staff", {**STUDY, "code": "waiting_code"}),
    Place("staff-person-working", "staff_person", "staff", {**STUDY, "code": "working_code"}),
    Place("staff-person-ended", "staff_person", "staff", {**STUDY, "code": "ended_code"}),
    Place("staff-announcements", "staff_announcements", "staff", STUDY),
    Place("staff-messages", "staff_messages", "staff", STUDY),
    Place("staff-thread", "staff_thread", "staff", {**STUDY, "code": "working_code"}),
    Place("staff-screening", "staff_screening", "staff", STUDY),
    Place("staff-screening-new", "staff_screening", "staff", UNJUDGED),
    Place("staff-ledger", "staff_screening_ledger", "staff", JUDGED),
    Place("staff-audits", "staff_audits", "staff", JUDGED),
    Place("staff-audits-none", "staff_audits", "staff", UNJUDGED),
    Place("staff-audit-rate", "staff_audit_rate", "staff", {**JUDGED, "sample": "sample"}),
    Place("staff-audit-rated", "staff_audit_rate", "staff", {**JUDGED, "sample": "rated_sample"}),
    Place("staff-verdicts", "staff_judging_verdicts", "staff", {**JUDGED, "number": "judged_run"}),
    Place("staff-results", "staff_results", "staff", STUDY),
    Place("staff-judges", "staff_judges", "staff"),
    Place("staff-judge-add", "staff_judge_add", "staff"),
    Place("staff-judge", "staff_judge", "staff", {"slug": "new_judge"}),
    Place("staff-judge-used", "staff_judge", "staff", {"slug": "used_judge"}),
    Place("staff-judging", "staff_judging", "staff", UNJUDGED),
    Place("staff-judging-estimate", "staff_judging", "staff", UNJUDGED, before="estimate"),
    Place("staff-judging-open", "staff_judging", "staff", {"slug": "going"}),
    Place("staff-judging-judged", "staff_judging", "staff", JUDGED),
    Place("staff-run-going", "staff_judging_run", "staff", {"slug": "going", "number": "going_run"}),
    Place("staff-run-paused", "staff_judging_run", "staff", {"slug": "paused", "number": "paused_run"}),
    Place("staff-run-finished", "staff_judging_run", "staff", {**JUDGED, "number": "judged_run"}),
    Place("staff-agreement", "staff_agreement", "staff", JUDGED),
    Place("staff-agreement-none", "staff_agreement", "staff", UNJUDGED),
    Place("staff-audit", "staff_audit", "staff", {**JUDGED, "number": "judged_run"}),
    Place(
        "staff-audit-sample",
        "staff_audit_sample",
        "staff",
        {**JUDGED, "number": "judged_run", "sample": "sample"},
    ),
    Place(
        "staff-audit-sample-rated",
        "staff_audit_sample",
        "staff",
        {**JUDGED, "number": "judged_run", "sample": "rated_sample"},
    ),
    Place("staff-results-judged", "staff_results", "staff", JUDGED),
    *(
        Place(f"staff-measurement-{block}", "staff_measurement", "staff", {**JUDGED, "block": block})
        for block in MEASURED
    ),
    Place("staff-report", "staff_report", "staff", JUDGED),
    Place("staff-report-none", "staff_report", "staff", UNJUDGED),
    Place("staff-planner", "staff_planner", "staff"),
    Place("staff-study-new", "staff_study_new", "staff"),
    *(
        Place(f"staff-setup-{page}", "staff_setup_step", "staff", {"slug": "draft", "page": page})
        for page in (*SETUP_PAGES, "start")
    ),
    Place("staff-lock", "staff_lock", "staff", {"slug": "draft"}),
    Place("staff-lock-locked", "staff_lock", "staff", STUDY),
    Place("staff-setup-close", "staff_setup_close", "staff", STUDY),
    Place("staff-setup-plan", "staff_setup_plan", "staff", {"slug": "draft"}),
    Place("staff-setup-import", "staff_setup_import", "staff", {"slug": "draft"}),
    Place("staff-setup-preview", "staff_setup_preview", "staff", {"slug": "draft", "page": "consent"}),
    Place("staff-amend", "staff_amend", "staff", STUDY),
    Place("staff-amend-time", "staff_amend_step", "staff", {**STUDY, "page": "time"}),
    Place("staff-questions", "staff_questions", "staff", STUDY),
    Place("staff-questions-sets", "staff_questions_sets", "staff", STUDY),
    Place("staff-question", "staff_question", "staff", {**STUDY, "label": "label"}),
    Place("staff-banks", "staff_banks", "staff"),
    Place("staff-bank-upload", "staff_bank_upload", "staff"),
    Place("staff-bank", "staff_bank", "staff", {"slug": "bank", "number": "one"}),
    Place("staff-item-banks", "staff_item_banks", "staff"),
    Place("staff-calibrate", "staff_calibrate", "staff"),
    Place("staff-judge-texts", "staff_judge_texts", "staff"),
    Place("staff-models", "staff_models", "staff"),
    Place("staff-models-upload", "staff_models_upload", "staff"),
    Place("staff-models-table", "staff_models_table", "staff"),
    Place("second-factor", "mfa_index", "staff"),
    Place("second-factor-app", "mfa_activate_totp", "staff"),
    Place("second-factor-app-off", "mfa_deactivate_totp", "staff_with_app"),
    Place("recovery-codes", "mfa_view_recovery_codes", "staff_with_app"),
    Place("recovery-codes-new", "mfa_generate_recovery_codes", "staff_with_app"),
    Place("second-factor-proof", "mfa_reauthenticate", "staff_with_app"),
    Place("second-factor-sign-in", "mfa_authenticate", before="sign in as staff with an app"),
]


NO_PAGES = {
    "staff_setup": "leads to the first step that is not done",
    "staff_setup_save": "takes a form; shows staff_setup_step with its errors",
    "staff_setup_file": "a file",
    "staff_lock_confirm": "takes a form; shows staff_lock with its errors",
    "staff_questions_build": "takes a form, redirects",
    "staff_bank_import": "takes a form, redirects",
    "study_consent_copy": "a file",
    "staff_credential": "a file",
    "staff_payments": "a file",
    "attachment": "a file",
    "staff_results_figure": "a picture",
    "staff_agreement_figure": "a picture",
    "staff_measurement_figure": "a picture",
    "staff_planner_figure": "a picture",
    "staff_report_file": "a file",
    "staff_checklist": "takes a form; shows staff_report with its errors",
    "staff_audit_sheet": "a file",
    "staff_judge_try": "takes a form; shows staff_judge with what came of it",
    "staff_judging_live": "the part of staff_judging_run that changes",
    "staff_judging_pause": "takes a form, redirects",
    "staff_judging_resume": "takes a form; shows staff_judging_run with its errors",
    "staff_judging_retry": "takes a form, redirects",
    "staff_judging_random": "a part of staff_judging",
    "staff_screening_filter": "takes a form, redirects",
    "staff_screening_share": "takes a form; shows staff_screening with its errors",
    "staff_screening_ledger_csv": "a file",
    "staff_judging_cancel": "takes a form; shows staff_judging_run with its errors",
    "javascript_texts": "a script",
    "set_language": "takes a form, redirects",
    "staff_participants_file": "a file",
    "staff_decision": "takes a form; shows staff_participants with its errors",
    "staff_person_promote": "takes a form, redirects",
    "staff_person_replace": "takes a form, redirects",
    "staff_person_remind": "takes a form, redirects",
    "staff_money_rule": "takes a form; shows staff_money with its errors",
    "staff_money_upload": "takes a form; shows staff_money with its errors",
    "staff_verdict": "takes a form; shows staff_screening with its errors",
    "staff_invitation_resend": "takes a form, redirects",
    "staff_invitation_revoke": "takes a form, redirects",
    "staff_announcement_withdraw": "takes a form, redirects",
    "staff_person_action": "takes a form; shows staff_person with its errors",
    "account_request_login_code": "the sign-in page under a second name",
    "account_end_sign_in": "takes a form, redirects",
    "mfa_login_webauthn": "JSON for the browser's passkey",
    "mfa_reauthenticate_webauthn": "needs a passkey in the device",
    "mfa_remove_webauthn": "needs a passkey in the device",
}
