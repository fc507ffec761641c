"""Every model of the app, so that Django finds them."""

from studies.models.accounts import FirstRun as FirstRun, User as User
from studies.models.banks import (
    Attachment as Attachment,
    Bank as Bank,
    BankVersion as BankVersion,
    Criterion as Criterion,
    Item as Item,
    ItemBank as ItemBank,
    JudgeProtocol as JudgeProtocol,
    Prompt as Prompt,
)
from studies.models.mails import (
    DigestWish as DigestWish,
    MailKind as MailKind,
    MailOutcome as MailOutcome,
    MailRecord as MailRecord,
    MailSender as MailSender,
    MailSwitch as MailSwitch,
    MailText as MailText,
)
from studies.models.people import (
    Announcement as Announcement,
    Audience as Audience,
    ComprehensionAttempt as ComprehensionAttempt,
    Consent as Consent,
    Credential as Credential,
    Invitation as Invitation,
    Message as Message,
    Participant as Participant,
    ProfileForm as ProfileForm,
    VettingStatus as VettingStatus,
)
from studies.models.recruiting import (
    PlatformEntry as PlatformEntry,
    RecruitingLink as RecruitingLink,
)
from studies.models.roles import StudyRole as StudyRole
from studies.models.sign_in import LimitedUse as LimitedUse, OutgoingMail as OutgoingMail
from studies.models.site import ClockWatch as ClockWatch, SiteEvent as SiteEvent
from studies.models.studies import (
    Amendment as Amendment,
    Study as Study,
    StudyEvent as StudyEvent,
    StudyStatus as StudyStatus,
)
