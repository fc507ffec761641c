"""The study team's pages that join several apps, and those of the whole site."""

from django.urls import path
from django.utils.translation import gettext_lazy as _

from presentation.rail import OVERVIEW, PEOPLE, RESULTS, SET_UP, SITE, Entry
from studies.roles import Can, SiteCan
from studies.views.late import LateViews

announcing = LateViews("console.views.announcing")
demo = LateViews("console.views.demo")
history = LateViews("console.views.history")
home = LateViews("console.views.home")
mails = LateViews("console.views.mails")
model_deleting = LateViews("console.views.model_deleting")
money = LateViews("console.views.money")
overview = LateViews("console.views.overview")
questions = LateViews("console.views.questions")
recruiting = LateViews("console.views.recruiting")
rehearsals = LateViews("console.views.rehearsals")
studies = LateViews("console.views.studies")
actions = LateViews("console.views.live.actions")
board = LateViews("console.views.live.board")
decisions = LateViews("console.views.people.decisions")
people = LateViews("console.views.people.people")
amending = LateViews("console.views.setup.amending")
locking = LateViews("console.views.setup.locking")
previews = LateViews("console.views.setup.previews")
steps = LateViews("console.views.setup.steps")
banks = LateViews("console.views.site.banks")
deleting = LateViews("console.views.site.deleting")
health = LateViews("console.views.site.health")
item_banks = LateViews("console.views.site.item_banks")
models = LateViews("console.views.site.models")
staff = LateViews("console.views.site.staff")


STUDY = "staff/studies/<slug:slug>/"
SETUP = f"{STUDY}setup/"
HISTORY = f"{STUDY}history/"
LIVE = f"{STUDY}live/"
MAILS = f"{STUDY}mails/"
PERSON = f"{STUDY}participants/<slug:code>/"

OVERVIEW.add(
    Entry(10, _("Overview"), "staff_study", "home", Can.SEE_STUDY),
    Entry(20, _("Live"), "staff_live", "live", Can.SEE_LIVE, within=("staff_live",), counts="running"),
)
SET_UP.add(
    Entry(
        10,
        _("Protocol"),
        "staff_setup",
        "lines",
        Can.SEE_PROTOCOL,
        within=("staff_setup", "staff_lock", "staff_amend", "staff_rehearsal"),
    ),
    Entry(20, _("Questions"), "staff_questions", "page", Can.SEE_ANSWERS, within=("staff_question",)),
)
PEOPLE.add(
    Entry(
        10,
        _("People"),
        "staff_participants",
        "person",
        Can.SEE_PEOPLE,
        within=("staff_participant", "staff_person", "staff_invit", "staff_decision"),
        waits="applications",
        acts=Can.DECIDE_PEOPLE,
    ),
    Entry(20, _("Recruiting"), "staff_recruiting", "out", Can.INVITE, within=("staff_recruiting",)),
    Entry(40, _("Mails"), "staff_mails", "mail", Can.INVITE, within=("staff_mails",)),
    Entry(50, _("Payments"), "staff_money", "money", Can.PAY, within=("staff_money",)),
)
RESULTS.add(
    Entry(30, _("History"), "staff_history", "clock", Can.SEE_HISTORY, within=("staff_history",)),
)
SITE.add(
    Entry(10, _("Studies"), "staff_home", "home", SiteCan.PLAN),
    Entry(
        20,
        _("Banks"),
        "staff_banks",
        "page",
        SiteCan.MAKE_STUDIES,
        within=("staff_bank", "staff_item_bank", "staff_calibrat"),
    ),
    Entry(40, _("Models"), "staff_models", "bars", SiteCan.MAKE_STUDIES, within=("staff_model",)),
    Entry(60, _("Staff"), "staff_team", "people", SiteCan.RUN_SITE, within=("staff_team",)),
    Entry(70, _("History"), "staff_site_history", "clock", SiteCan.RUN_SITE),
    Entry(80, _("Site health"), "staff_health", "sun", SiteCan.RUN_SITE, within=("staff_health",)),
)

urlpatterns = [
    path("staff/", home.staff_home, name="staff_home"),
    path(STUDY, overview.staff_study, name="staff_study"),
    path(LIVE, board.staff_live, name="staff_live"),
    path(f"{LIVE}state/", board.staff_live_state, name="staff_live_state"),
    path(f"{LIVE}table.csv", board.staff_live_table, name="staff_live_table"),
    path(f"{LIVE}message/", actions.staff_live_message, name="staff_live_message"),
    path(f"{LIVE}recruiting/", actions.staff_live_pause, name="staff_live_pause"),
    path(f"{LIVE}<slug:action>/", actions.staff_live_act, name="staff_live_act"),
    path("demo/sign-in/", demo.demo_sign_in, name="demo_sign_in"),
    path(MAILS, mails.staff_mails, name="staff_mails"),
    path(f"{MAILS}sender/", mails.staff_mails_sender, name="staff_mails_sender"),
    path(f"{MAILS}digest/wish/", mails.staff_mails_digest, name="staff_mails_digest"),
    path(f"{MAILS}retry/<int:number>/", mails.staff_mails_retry, name="staff_mails_retry"),
    path(f"{MAILS}<slug:kind>/", mails.staff_mails_preview, name="staff_mails_preview"),
    path(f"{MAILS}<slug:kind>/text/", mails.staff_mails_text, name="staff_mails_text"),
    path(f"{MAILS}<slug:kind>/html/", mails.staff_mails_html, name="staff_mails_html"),
    path(f"{MAILS}<slug:kind>/switch/", mails.staff_mails_switch, name="staff_mails_switch"),
    path(f"{MAILS}<slug:kind>/test/", mails.staff_mails_test, name="staff_mails_test"),
    path("staff/team/", staff.staff_team, name="staff_team"),
    path("staff/team.csv", staff.staff_team_file, name="staff_team_file"),
    path("staff/team/<int:number>/", staff.staff_team_change, name="staff_team_change"),
    path("staff/team/<int:number>/second-factor/", staff.staff_team_factor, name="staff_team_factor"),
    path("staff/history/", staff.staff_site_history, name="staff_site_history"),
    path("staff/delete/<slug:kind>/<int:number>/", deleting.staff_delete, name="staff_delete"),
    path(f"{STUDY}archive/", deleting.staff_study_archive, name="staff_study_archive"),
    path("staff/health/", health.staff_health, name="staff_health"),
    path(HISTORY, history.staff_history, name="staff_history"),
    path(f"{STUDY}history.csv", history.staff_history_file, name="staff_history_file"),
    path(f"{HISTORY}protocol.<str:extension>", history.staff_history_protocol, name="staff_history_protocol"),
    path("staff/new-study/", studies.staff_study_new, name="staff_study_new"),
    path(SETUP, steps.staff_setup, name="staff_setup"),
    path(f"{SETUP}lock/", locking.staff_lock, name="staff_lock"),
    path(f"{SETUP}lock/confirm/", locking.staff_lock_confirm, name="staff_lock_confirm"),
    path(f"{SETUP}close/", locking.staff_setup_close, name="staff_setup_close"),
    path(f"{STUDY}rehearsal/", rehearsals.staff_rehearsal, name="staff_rehearsal"),
    path("staff/demo-study/", rehearsals.staff_demo_study, name="staff_demo_study"),
    path(f"{SETUP}plan/", studies.staff_setup_plan, name="staff_setup_plan"),
    path(f"{SETUP}models/take/", steps.staff_models_take, name="staff_models_take"),
    path(f"{SETUP}protocol.json", locking.staff_setup_file, name="staff_setup_file"),
    path(f"{SETUP}import/", locking.staff_setup_import, name="staff_setup_import"),
    path(f"{SETUP}preview/<slug:page>/", previews.staff_setup_preview, name="staff_setup_preview"),
    path(f"{SETUP}<slug:page>/", steps.staff_setup_step, name="staff_setup_step"),
    path(f"{SETUP}<slug:page>/save/", steps.staff_setup_save, name="staff_setup_save"),
    path(f"{STUDY}amendments/", amending.staff_amend, name="staff_amend"),
    path(f"{STUDY}amendments/<slug:page>/", amending.staff_amend_step, name="staff_amend_step"),
    path(f"{STUDY}questions/", questions.staff_questions, name="staff_questions"),
    path(f"{STUDY}questions/sets/", questions.staff_questions_sets, name="staff_questions_sets"),
    path(f"{STUDY}questions/build/", questions.staff_questions_build, name="staff_questions_build"),
    path(f"{STUDY}questions/<str:label>/", questions.staff_question, name="staff_question"),
    path(f"{STUDY}payments/", money.staff_money, name="staff_money"),
    path(f"{STUDY}payments/rule/", money.staff_money_rule, name="staff_money_rule"),
    path(f"{STUDY}payments/upload/", money.staff_money_upload, name="staff_money_upload"),
    path(f"{STUDY}participants/", people.staff_participants, name="staff_participants"),
    path(f"{STUDY}people.csv", people.staff_participants_file, name="staff_participants_file"),
    path(f"{STUDY}participants/nudge/", decisions.staff_people_nudge, name="staff_people_nudge"),
    path(f"{PERSON}decision/", decisions.staff_decision, name="staff_decision"),
    path(f"{PERSON}promote/", decisions.staff_person_promote, name="staff_person_promote"),
    path(f"{PERSON}replace/", decisions.staff_person_replace, name="staff_person_replace"),
    path(f"{PERSON}remind/", decisions.staff_person_remind, name="staff_person_remind"),
    path(f"{STUDY}announcements/", announcing.staff_announcements, name="staff_announcements"),
    path(
        f"{STUDY}announcements/<int:number>/withdraw/",
        announcing.staff_announcement_withdraw,
        name="staff_announcement_withdraw",
    ),
    path(f"{STUDY}recruiting/", recruiting.staff_recruiting, name="staff_recruiting"),
    path(f"{STUDY}recruiting/change/", recruiting.staff_recruiting_change, name="staff_recruiting_change"),
    path("staff/banks/", banks.staff_banks, name="staff_banks"),
    path("staff/banks/upload/", banks.staff_bank_upload, name="staff_bank_upload"),
    path("staff/banks/read/<slug:upload>/", banks.staff_bank_read, name="staff_bank_read"),
    path("staff/banks/import/", banks.staff_bank_import, name="staff_bank_import"),
    path("staff/banks/<slug:slug>/<int:number>/", banks.staff_bank, name="staff_bank"),
    path("staff/item-banks/", item_banks.staff_item_banks, name="staff_item_banks"),
    path("staff/item-banks/calibrate/", item_banks.staff_calibrate, name="staff_calibrate"),
    path("staff/judge-texts/", item_banks.staff_judge_texts, name="staff_judge_texts"),
    path("staff/models/", models.staff_models, name="staff_models"),
    path("staff/models/<int:model>/delete/", model_deleting.staff_model_delete, name="staff_model_delete"),
    path("staff/models/upload/", models.staff_models_upload, name="staff_models_upload"),
    path("staff/models/template/", models.staff_models_template, name="staff_models_template"),
    path("staff/models/table/", models.staff_models_table, name="staff_models_table"),
]
