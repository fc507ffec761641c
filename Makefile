# Set-up and everyday work. Needs python3 >= 3.11 and make; everything else is installed into .venv.
.DEFAULT_GOAL := help
SHELL := /bin/sh
PYTHON ?= python3
SERVE ?= 1
PORT ?= 8000
BIN := .venv/bin

.PHONY: help run demo test test-studies test-e2e test-faults check check-types check-style check-imports check-templates check-site rehearsal reference translations run-environment dev-environment

help:
	@echo "make run        set up and run the site on http://127.0.0.1:8000, with all its background work (PORT=8001)"
	@echo "make demo       run a whole small study, then serve it on http://127.0.0.1:8000 (SERVE=0: end after the run; PORT=8001)"
	@echo "make test       run the tests on SQLite, and beside them what the database decides on PostgreSQL and Redis where they answer (ARGS=paths: these alone)"
	@echo "make test-studies  run whole studies: the demo, the main job, the frozen studies computed anew, the kept releases upgraded"
	@echo "make test-e2e   run the tests in a real browser (Debian's chromium-headless-shell and chromium, or a whole one in CHIRON_CHROMIUM=/path; PICTURES=1: pictures in var/screenshots)"
	@echo "make test-faults  kill workers, brokers and databases in the middle of the work (needs PostgreSQL's and Redis' servers)"
	@echo "make check      linters, types, import contracts, templates, migrations"
	@echo "make rehearsal  the pilot at full size with simulated participants (DATABASE_URL for PostgreSQL)"
	@echo "make reference  write the documents that are made from the code: measures, data dictionary"
	@echo "make translations  bring the catalogues in locale/ up to date with the code and compile them"

run-environment:
	@$(PYTHON) requirements/install.py run

dev-environment:
	@$(PYTHON) requirements/install.py dev

run: run-environment
	@exec $(BIN)/python manage.py run --port $(PORT)

demo: run-environment
	@exec env -u DATABASE_URL -u REDIS_URL -u CHIRON_MODE -u CHIRON_MAIL_URL CHIRON_DATA_DIR="$(CURDIR)/var/demo" \
		$(BIN)/python manage.py demo --port $(PORT) $(if $(filter 0,$(SERVE)),--no-serve)

test: dev-environment
	@$(BIN)/python tests/run.py $(ARGS)

test-studies: dev-environment
	@$(BIN)/python tests/run.py --whole-studies

test-e2e: dev-environment
	@env -u CHIRON_MODE $(if $(PICTURES),CHIRON_TEST_PICTURES=1) $(BIN)/python -m pytest tests/e2e --numprocesses 2 --dist loadfile --reruns 1 -rR --output var/test-results

test-faults: dev-environment
	@env -u CHIRON_MODE $(BIN)/python -m pytest tests/faults --numprocesses 3 --dist worksteal

# Types take longest by far: with `--jobs 2` everything else is checked beside them.
check: check-types check-style check-imports check-templates check-site
	@echo "make check: all good"

check-types: dev-environment
	@$(BIN)/mypy --no-error-summary .

check-style: dev-environment
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/ruff check --quiet .

check-imports: dev-environment
	@said=$$($(BIN)/lint-imports --no-logo 2>&1) || { echo "$$said"; exit 1; }

check-templates: dev-environment
	@$(BIN)/djlint --check --lint templates >/dev/null || { $(BIN)/djlint --check --lint templates; exit 1; }

check-site: dev-environment
	@$(BIN)/python manage.py makemigrations --check --dry-run
	@$(BIN)/python manage.py check --fail-level WARNING

rehearsal: run-environment
	@$(BIN)/python -m benchmarks.sessions.rehearsal

reference: dev-environment
	@said=$$($(BIN)/python -m psychometrics.measures.catalogue.reference) && printf "%s\n" "$$said" > docs/measurement/reference.md
	@said=$$($(BIN)/python -m scoring.export.dictionary) && printf "%s\n" "$$said" > docs/data-dictionary.md

translations: dev-environment
	@$(BIN)/python locale/catalogues.py
