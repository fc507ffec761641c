"""What runs on PostgreSQL and Redis, too: the tests whose outcome the database decides.

Everything else - servers of tests, figures, texts, numbers of results once they are read - runs on SQLite
alone. Whoever writes a query or a lock of a kind that no test of this list makes adds its file here.
"""

# Why, and which files (or folders) of tests/.
DECIDED_BY_THE_DATABASE: dict[str, tuple[str, ...]] = {
    "Every page once: PostgreSQL refuses groupings, locks over outer joins and types that SQLite takes.": (
        "access",
    ),
    "Saves and ends that meet each other wait for locks; text may hold what PostgreSQL refuses.": (
        "functional/test_batches_answer_form.py",
        "functional/test_batches_api.py",
        "functional/test_practice_pages.py",
        "functional/test_profile_pages.py",
        "integration/test_batches_concurrency.py",
        "integration/test_batches_ending.py",
        "integration/test_batches_plans.py",
        "integration/test_batches_saving.py",
        "integration/test_batches_selectors.py",
        "integration/test_batches_starting.py",
        "integration/test_batches_worker.py",
        "integration/test_comprehension.py",
        "integration/test_exposure.py",
        "integration/test_extending.py",
        "integration/test_profiles.py",
        "integration/test_reviving.py",
        "integration/test_trail_proves_deadlines.py",
    ),
    "PostgreSQL has a clock of its own, and what is done at a moment is chosen by it.": (
        "functional/test_beat.py",
        "functional/test_mails.py",
        "functional/test_notices_api.py",
        "integration/test_clock.py",
        "integration/test_erasure.py",
        "integration/test_reminders.py",
    ),
    "Workers of a judging run take leases, grants and money from rows that they lock.": (
        "integration/test_batched_runs.py",
        "integration/test_judging_budget.py",
        "integration/test_judging_cache.py",
        "integration/test_judging_leases.py",
        "integration/test_judging_life.py",
        "integration/test_judging_limits.py",
        "integration/test_judging_races.py",
        "integration/test_judging_runs.py",
        "integration/test_scoring_judging.py",
    ),
    "Accounts, people and their papers: rows locked with their neighbours, names unique in any case.": (
        "functional/test_invitation_pages.py",
        "functional/test_sign_in_limits.py",
        "functional/test_studies_sign_in.py",
        "functional/test_vetting_mails.py",
        "integration/test_contact.py",
        "integration/test_invitations.py",
        "integration/test_studies_people.py",
    ),
    "What is imported or decided must fit the columns, and is locked while it is.": (
        "functional/test_models_import_command.py",
        "functional/test_studies_commands.py",
        "integration/test_audits.py",
        "integration/test_judges.py",
        "integration/test_scoring_screening.py",
        "integration/test_studies_banks.py",
        "integration/test_studies_lifecycle.py",
    ),
    "Selectors over JSON and sums: what leaves and what is reported is the same from both.": (
        "functional/test_export_freshness.py",
        "functional/test_own_data.py",
        "integration/test_exclusions_facts.py",
        "integration/test_judging_exports.py",
        "integration/test_scoring_exports.py",
        "integration/test_scoring_snapshot.py",
    ),
    "Migrations, backups, the check-up and the number of queries ask the database about itself.": (
        "functional/test_backup_command.py",
        "functional/test_batches_queries.py",
        "functional/test_doctor.py",
        "functional/test_upgrades.py",
    ),
}
