"""Django's settings, derived from `config.environment`; nothing here reads the environment itself."""

from datetime import timedelta
from email.utils import parseaddr
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import dj_database_url
from csp.constants import NONE, SELF

from config.environment import CONSOLE_MAIL, ROOT, read_environment
from config.logs import configure_logs
from config.private_files import restrict_permissions

ENVIRONMENT = read_environment()
BASE_DIR = ROOT
DATA_DIR: Path = ENVIRONMENT.chiron_data_dir
PRODUCTION = ENVIRONMENT.production

SECRET_KEY = ENVIRONMENT.secret_key()
DEBUG = False
ALLOWED_HOSTS = list(ENVIRONMENT.chiron_allowed_hosts) or ["localhost", "127.0.0.1", "[::1]"]

INSTALLED_APPS = [
    "config",
    "studies",
    "presentation",
    "jobs",
    "batches",
    "screening",
    "judging",
    "scoring",
    "reporting",
    "operations",
    "console",
    # It looks for no admin.py at the start: `config.urls` does, so that workers do without them.
    "django.contrib.admin.apps.SimpleAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
    "csp",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "config.middleware.deny_device_features",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "studies.session_renewal.renewed_by_use",
    "django.middleware.locale.LocaleMiddleware",
    "config.middleware.refuse_nul",
    "django.middleware.common.CommonMiddleware",
    "config.giving_way.pages_give_way",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "studies.viewers_zone.in_viewers_zone",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "studies.suspended_requests.SentBeforeProof",
    "studies.views.faults.UnavailableSaid",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [ROOT / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.i18n",
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
            "builtins": ["studies.templatetags.moments"],
        },
    }
]

# --- storage -----------------------------------------------------------------------------------------

SQLITE_OPTIONS: dict[str, Any] = {
    # Django's default (DEFERRED) upgrades a read lock in mid-transaction and fails under concurrency.
    "transaction_mode": "IMMEDIATE",
    "timeout": 20,
    # FULL: an answer that was acknowledged survives a power cut, too.
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA cache_size=-16000;",
}


# A process may stand still inside a transaction: its machine sleeps, its network is gone. What it locked is
# free again after this. `snapshot`, which locks nothing, may take longer. Compiling a statement, or giving it
# to several processes, takes longer than most of ours and the cores from other requests.
POSTGRESQL_OPTIONS = (
    "-c idle_in_transaction_session_timeout=30s -c jit=off -c max_parallel_workers_per_gather=0"
)


def database(url: str | None) -> dict[str, Any]:
    """The one database: the URL's, or a SQLite file in the data folder."""
    settings: dict[str, Any] = dict(dj_database_url.parse(url or f"sqlite:///{DATA_DIR / 'chiron.sqlite3'}"))
    if settings["ENGINE"].endswith("sqlite3"):
        settings["OPTIONS"] = SQLITE_OPTIONS
    else:
        own = settings.get("OPTIONS", {})
        options = f"{POSTGRESQL_OPTIONS} {own.get('options', '')}".strip()
        settings["ENGINE"] = "config.postgresql"
        settings["OPTIONS"] = {**own, "options": options}
    # Web threads keep their connection; workers and commands end with theirs.
    settings["CONN_MAX_AGE"] = 60
    settings["CONN_HEALTH_CHECKS"] = True
    return settings


DATABASES = {"default": database(ENVIRONMENT.database_url)}
# Who has what a page takes from a room above its own (`presentation.provided`): loaded when it is asked for.
PROVIDERS = {
    "long_list": "jobs.views.list_handed_over",
    "agreement_panel": "reporting.views.agreement.pages.agreement_panel",
    "rule_counts": "scoring.selectors.measures.rule_counts",
    "page_facts": "console.views.frame.page_facts",
    "may_delete": "operations.services.deleting.may_delete",
    "demo_accounts": "console.views.demo.demo_accounts",
    "notices": "batches.views.frame.notices",
    "running_time": "batches.views.frame.running_time",
    "reading_place": "judging.views.readings.reading_place",
    "unread_answers": "judging.selectors.readings.unread_answers",
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Nothing is kept in a cache that processes share, so CACHES stays Django's memory of one process: what must
# hold across processes (limits, codes that were used) is rows, which outlive an emptied or absent Redis, and
# Django's shared caches store pickles, which run the code of whoever can write there.

MEDIA_ROOT = DATA_DIR / "media"
# Django's own defaults widen what the umask made private. Static files, too: the site serves them itself.
FILE_UPLOAD_PERMISSIONS = 0o600
FILE_UPLOAD_DIRECTORY_PERMISSIONS = 0o700
STATIC_URL = "static/"
STATIC_ROOT = DATA_DIR / "static"
# Pages name static files by their content alone: nobody asks for the copies under plain names.
WHITENOISE_KEEP_ONLY_HASHED_FILES = True
STATICFILES_DIRS = [ROOT / "static"]
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "django.contrib.staticfiles.finders.AppDirectoriesFinder",
    "config.fonts.FontFinder",
]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "config.statics.ModuleManifestStorage"},
}
# An answer may hold `answer_max_characters`, each up to 12 bytes as a JSON escape; a longer body must still
# reach the view, which says so in a sentence.
DATA_UPLOAD_MAX_MEMORY_SIZE = 4 * 1024 * 1024
# So much of any request is read to the end, so that a page can say what was wrong and keep the rest of it.
MAX_BODY_BYTES = 64 * 1024 * 1024
# What one person's files, messages and earlier versions of answers may take in a study; answers come on top.
PERSON_BYTES = ENVIRONMENT.chiron_person_megabytes * 1024 * 1024
# Django's own handlers write uploads of any size to the disk, on every address, signed in or not.
FILE_UPLOAD_HANDLERS = ["studies.forms.uploads.BoundedUpload"]

# --- people ------------------------------------------------------------------------------------------

AUTH_USER_MODEL = "studies.User"
AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "home"
ACCOUNT_ADAPTER = "studies.accounts.ClosedSignupAdapter"
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*"]
ACCOUNT_EMAIL_VERIFICATION = "none"  # every sign-in proves the address by a code sent to it
ACCOUNT_LOGIN_BY_CODE_ENABLED = True
ACCOUNT_LOGIN_BY_CODE_MAX_ATTEMPTS = 5
ACCOUNT_LOGIN_BY_CODE_TIMEOUT = 15 * 60
ACCOUNT_LOGIN_BY_CODE_SUPPORTS_RESEND = True
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False
ACCOUNT_PREVENT_ENUMERATION = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_LOGOUT_ON_GET = False
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_EMAIL_NOTIFICATIONS = True  # of changes to passkeys and second factors
STAFF_SECOND_FACTOR = ENVIRONMENT.chiron_staff_second_factor
MFA_ADAPTER = "studies.accounts.SecondFactorAdapter"
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_TOTP_ISSUER = "Chiron"
MFA_TOTP_TOLERANCE = 1  # the code before and the code after: clocks of phones differ
MFA_FORMS = {
    "authenticate": "studies.forms.second_factor.SecondFactorForm",
    "reauthenticate": "studies.forms.second_factor.SecondFactorAgainForm",
}
ACCOUNT_REAUTHENTICATION_TIMEOUT = 15 * 60  # a second factor proved longer ago is asked for again
DEMO_SIGN_IN = ENVIRONMENT.chiron_demo_sign_in
STAFF_IDLE = timedelta(hours=ENVIRONMENT.chiron_staff_idle_hours)
STAFF_SESSION = timedelta(days=ENVIRONMENT.chiron_staff_session_days)
SECOND_FACTOR_KEYS = ENVIRONMENT.second_factor_keys()
# allauth counts in a cache; `studies/services/staff/sign_in.py` has the limits.
ACCOUNT_RATE_LIMITS = MFA_RATE_LIMITS = False
CODES_PER_MINUTE_PER_CLIENT = ENVIRONMENT.chiron_codes_per_minute_per_address
# Participants' signed-in state outlives a five-hour session: it lasts this long since the last day of use.
SESSION_COOKIE_AGE = 14 * 24 * 3600
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"

# --- mail --------------------------------------------------------------------------------------------

DEFAULT_FROM_EMAIL = ENVIRONMENT.chiron_mail_from
SERVER_EMAIL = parseaddr(DEFAULT_FROM_EMAIL)[1]
SITE_URL = ENVIRONMENT.chiron_site_url
if ENVIRONMENT.chiron_mail_url == CONSOLE_MAIL:
    EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
elif ENVIRONMENT.chiron_mail_url:
    mail = urlsplit(ENVIRONMENT.chiron_mail_url)
    EMAIL_HOST = mail.hostname or "localhost"
    EMAIL_USE_SSL = mail.scheme == "smtps"
    EMAIL_PORT = mail.port or (465 if EMAIL_USE_SSL else 587)
    EMAIL_USE_TLS = not EMAIL_USE_SSL and EMAIL_PORT == 587
    EMAIL_HOST_USER = unquote(mail.username or "")
    EMAIL_HOST_PASSWORD = unquote(mail.password or "")
    EMAIL_TIMEOUT = 20
else:
    EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
    EMAIL_FILE_PATH = DATA_DIR / "mail"

# --- security ----------------------------------------------------------------------------------------

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "frame-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
if PRODUCTION:
    SESSION_COOKIE_SECURE = True
    CSRF_COOKIE_SECURE = True
    SECURE_SSL_REDIRECT = True
    SECURE_HSTS_SECONDS = 365 * 24 * 3600
if ENVIRONMENT.chiron_behind_proxy:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    ALLAUTH_TRUSTED_PROXY_COUNT = 1

# --- language, time, logs ----------------------------------------------------------------------------

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("de", "Deutsch")]
LOCALE_PATHS = [ROOT / "locale"]
LANGUAGE_COOKIE_AGE = 365 * 24 * 3600
LANGUAGE_COOKIE_HTTPONLY = True
LANGUAGE_COOKIE_SAMESITE = "Lax"
LANGUAGE_COOKIE_SECURE = PRODUCTION
USE_I18N = True
TIME_ZONE = "UTC"
USE_THOUSAND_SEPARATOR = True  # of numbers on pages; ids and attributes have stringformat:"d"
USE_TZ = True
LOGGING_CONFIG = None
configure_logs(as_json=PRODUCTION)
restrict_permissions(DATA_DIR)

# --- judging -----------------------------------------------------------------------------------------

JUDGING_EGRESS = ENVIRONMENT.egress()
JUDGING_LEASE_SECONDS = ENVIRONMENT.chiron_judging_lease_seconds
JUDGING_SLICE_SECONDS = ENVIRONMENT.chiron_judging_slice_seconds
JUDGING_ROUND_WAIT_SECONDS = ENVIRONMENT.chiron_judging_round_wait_seconds
JUDGE_COMMANDS = ENVIRONMENT.chiron_judge_commands
JUDGE_COMMAND_SECONDS = ENVIRONMENT.chiron_judge_command_seconds
JUDGE_COMMAND_MEGABYTES = ENVIRONMENT.chiron_judge_command_megabytes

# --- background work ---------------------------------------------------------------------------------

# Pages, the beat and commands send by `studies.services.messages`, workers take by Celery's transport.
BROKER: dict[str, str]
CELERY_BROKER_URL = ENVIRONMENT.redis_url or "files"
CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, Any]
if ENVIRONMENT.redis_url:
    BROKER = {"BACKEND": "studies.services.brokers.redis.RedisBroker", "LOCATION": ENVIRONMENT.redis_url}
    # A broker that vanished without a word (a firewall, a failover) must not hold anybody for ever.
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "socket_connect_timeout": 5,
        "socket_timeout": 30,
        "socket_keepalive": True,
        "health_check_interval": 10,
    }
else:
    broker_dir = DATA_DIR / "broker"
    BROKER = {"BACKEND": "studies.services.brokers.files.FileBroker", "LOCATION": str(broker_dir)}
    CELERY_BROKER_TRANSPORT = "config.file_broker:Transport"
    CELERY_WORKER_ENABLE_REMOTE_CONTROL = False  # every worker would leave a mailbox of files behind
    queue_dir, control_dir = broker_dir / "queue", broker_dir / "control"
    for folder in (queue_dir, control_dir):
        folder.mkdir(parents=True, exist_ok=True)
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "data_folder_in": str(queue_dir),
        "data_folder_out": str(queue_dir),
        "control_folder": str(control_dir),
        "polling_interval": 0.5,  # a sign-in code leaves within the second, on a busy machine too
    }
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None  # a worker outlives every outage of its broker
CELERY_TASK_IGNORE_RESULT = True
CELERY_TIMEZONE = "UTC"
# Judging has its queue, so that workers may be added for it alone; one without --queues takes from both.
CELERY_TASK_DEFAULT_QUEUE = "upkeep"
CELERY_TASK_QUEUES = {name: {"exchange": name, "routing_key": name} for name in ("upkeep", "judging")}
CELERY_TASK_ROUTES = {"judging.tasks.judging_work": {"queue": "judging"}}
# Messages are hints, truth is in rows: a lost or doubled one does no harm, one that waits for long is stale.
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_ENABLE_PREFETCH_COUNT_REDUCTION = False
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BEAT_SCHEDULER = "config.beat:SteadyScheduler"
SWEEP_EVERY_SECONDS = 10.0
JUDGING_COORDINATE_SECONDS = 5.0
MEASURE_EVERY_SECONDS = 30.0
SEND_MAILS_SECONDS = 5.0
JOBS_EVERY_SECONDS = 5.0
HINT_SECONDS = JUDGING_COORDINATE_SECONDS  # an unread hint ends where the coordinator gives the next


def often(task: str, seconds: float) -> dict[str, Any]:
    """Its message expires when the next one comes."""
    return {"task": task, "schedule": seconds, "options": {"expires": seconds}}


CELERY_BEAT_SCHEDULE = {
    "sweep-sessions": {
        "task": "batches.tasks.sweep_sessions",
        # No expiry: a worker whose clock is wrong would drop the message and never say so.
        "schedule": SWEEP_EVERY_SECONDS,
    },
    "coordinate-judging": often("scoring.tasks.judging_coordinate", JUDGING_COORDINATE_SECONDS),
    "measure-results": often("scoring.tasks.results_measure", MEASURE_EVERY_SECONDS),
    "work-on-jobs": often("jobs.tasks.jobs_work", JOBS_EVERY_SECONDS),
    "send-mails": often("batches.tasks.send_mails", SEND_MAILS_SECONDS),
    "remind": {"task": "batches.tasks.remind", "schedule": timedelta(hours=1)},
    "digests": {"task": "console.tasks.digests", "schedule": timedelta(hours=1)},
    "clear-leftovers": {"task": "console.tasks.clear_leftovers", "schedule": timedelta(minutes=5)},
    "erase-withdrawn": {
        "task": "operations.tasks.erase_withdrawn",
        # Soon again where the clock was in doubt the last time.
        "schedule": timedelta(hours=1),
    },
    "clear-sign-ins": {
        "task": "batches.tasks.clear_sign_ins",
        # At the first time of a machine that is off overnight the clock is not believed yet.
        "schedule": timedelta(hours=1),
    },
}
