"""What runs on PostgreSQL and Redis: the tests whose outcome the database decides.

Everything else - servers of tests, figures, texts, numbers of results once they are read - runs on SQLite
alone. Whoever writes a query or a lock of a kind that no test of these lists makes adds its file here: to the
second list where SQLite locks and decides in a way of its own, to the first one otherwise.
"""

FROZEN_STUDY = (
    "scoring/test_frozen_studies.py::"
    "test_everything_computed_anew_is_what_it_was_and_the_exports_own_script_agrees_as_far"
)

# Why, and which files, folders or tests of tests/. These run here alone, and on SQLite where there is no such
# server: what SQLite makes of the same queries and pages is seen by the browser tests, the demo and the main
# job, which run on it, by the other frozen studies and by the upgraded ones.
HERE_ALONE: dict[str, tuple[str, ...]] = {
    "Every page once: PostgreSQL refuses groupings, locks over outer joins and types that SQLite takes.": (
        "access/test_access.py",
        "access/test_bad_input.py",
        "access/test_blindness.py",
        "access/test_private_questions.py",
        "access/test_queries.py",
        "access/test_site_objects.py",
    ),
    "Pages and papers of people: text may hold what PostgreSQL refuses, names are unique in any case.": (
        "batches/pages/test_batches_answer_form.py",
        "batches/pages/test_practice_pages.py",
        "judging/pages",
        "studies/pages",
        "studies/people/test_contact.py",
        "studies/people/test_invitation_pages.py",
        "studies/people/test_vetting_mails.py",
        "studies/profiles",
        "studies/second_factor",
        "studies/staff/test_studies_sign_in.py",
        "studies/staff_sessions",
    ),
    "What judging stores, once locks are not in question.": (
        "judging/comparisons",
        "judging/scoring",
        "judging/test_judging_cache.py",
    ),
    "Several processes at a judge's limits: embedded there is one, and the fault tests count its requests.": (
        "judging/limits/test_judging_limits_processes.py",
    ),
    "Selectors over JSON and sums: what leaves and what is reported is the same from both.": (
        "jobs/test_job_pages.py",
        "reporting/test_report_checklist.py",
        "scoring/agreements",
        "scoring/exports/small_study",
        "scoring/exports/test_export_freshness.py",
        "scoring/exports/test_judging_exports.py",
        "scoring/test_scoring_results.py",
        "scoring/test_task_results.py",
        # The two with most to read: a private split, a panel, an audit, tasks.
        f"{FROZEN_STUDY}[split]",
        f"{FROZEN_STUDY}[tasks]",
    ),
}
ON_BOTH: dict[str, tuple[str, ...]] = {
    "Saves and ends that meet each other wait for locks; text may hold what PostgreSQL refuses.": (
        "batches/api/test_batches_api.py",
        "batches/api/test_batches_api_time.py",
        "batches/api/test_batches_api_marks.py",
        "batches/sessions/test_batches_concurrency.py",
        "batches/sessions/test_sessions_concurrency.py",
        "batches/sessions/test_batches_ending.py",
        "batches/sessions/test_batches_plans.py",
        "batches/saving/test_batches_saving.py",
        "batches/saving/test_batches_notes.py",
        "batches/sessions/test_batches_selectors.py",
        "batches/sessions/test_batches_starting.py",
        "batches/sessions/test_batches_worker.py",
        "console/test_double_press.py",
        "studies/people/test_comprehension.py",
        "batches/sessions/test_exposure.py",
        "batches/sessions/test_extending.py",
        "studies/people/test_profiles.py",
        "batches/sessions/test_reviving.py",
        "batches/sessions/test_trail_proves_deadlines.py",
    ),
    "PostgreSQL has a clock of its own, and what is done at a moment is chosen by it.": (
        "config/test_beat.py",
        "studies/people/test_mails.py",
        "batches/pages/test_notices_api.py",
        "batches/test_clock.py",
        "operations/test_erasure.py",
        "batches/test_reminders.py",
    ),
    "Owners of judges take leases, and calls money, from rows that they lock; so do workers of jobs.": (
        "jobs/test_jobs.py",
        "jobs/test_leases.py",
        "judging/batched_runs/test_batched_runs.py",
        "judging/batched_runs/test_batched_faults.py",
        "judging/budget/test_judging_budget.py",
        "judging/budget/test_budget_lost_requests.py",
        "judging/test_judging_leases.py",
        "judging/test_judging_life.py",
        "judging/limits/test_judging_limits.py",
        "judging/limits/test_judging_limits_owners.py",
        "judging/races/test_judging_races.py",
        "judging/races/test_judging_moments.py",
        "judging/test_judging_runs.py",
    ),
    "Accounts, people and their papers: rows locked with their neighbours, names unique in any case.": (
        "studies/staff/test_sign_in_limits.py",
        "studies/invitations/test_invitations.py",
        "studies/invitations/test_invitations_sending.py",
        "studies/participants/test_studies_people.py",
        "studies/participants/test_consents.py",
        "operations/test_first_run.py",
    ),
    "What is imported or decided must fit the columns, and is locked while it is.": (
        "scoring/test_models_import_command.py",
        "studies/commands/test_bank_commands.py",
        "studies/commands/test_studies_commands.py",
        "judging/audits/test_audits.py",
        "judging/audits/test_audit_results.py",
        "judging/test_judges.py",
        "judging/test_judge_trials.py",
        "screening/test_scoring_screening.py",
        "screening/test_screening_reopened.py",
        "studies/banks/test_studies_banks.py",
        "studies/banks/test_studies_item_banks.py",
        "studies/lifecycle/test_studies_lifecycle.py",
        "studies/lifecycle/test_studies_amending.py",
        "operations/test_deleting.py::"
        "test_a_simulated_study_goes_with_every_row_and_file_of_it_and_no_row_of_another",
        "operations/test_deleting_shared.py",
    ),
    "Selectors over JSON and sums: what leaves and what is reported is the same from both.": (
        "batches/test_own_data.py",
        "screening/test_exclusions_facts.py",
        "judging/test_sums_one_moment.py",
        "scoring/exports/test_scoring_snapshot.py",
    ),
    "Migrations, backups, the check-up and the number of queries ask the database about itself.": (
        "operations/test_backup_command.py",
        "batches/pages/test_batches_queries.py",
        "operations/test_doctor.py",
        "studies/test_moved_models.py",
        "upgrades/test_upgrades.py",
        "upgrades/test_squash.py",
    ),
}
