"""What a participant agrees to: the study lead's text, and what the site records under the settings.

A code in a stored consent keeps its meaning for good: something new that is recorded gets a new code, which
asks everybody again.
"""

from collections.abc import Mapping

from formats.canonical import canonical_sha256
from formats.wording import gettext_noop
from studies.protocol.fingerprint import TOLD
from studies.protocol.settings import PROFILE_QUESTIONS, TOLD_TEXTS, ProtocolSettings

RECORDED_SENTENCES: Mapping[str, str] = {
    "email": gettext_noop(
        "your e-mail address, when you were invited and last signed in, and the passkey you add, if you do"
    ),
    "profile:field": gettext_noop("from the profile form: your field of study or work"),
    "profile:level": gettext_noop("from the profile form: your level of education"),
    "profile:institution": gettext_noop("from the profile form: your institution"),
    "profile:languages": gettext_noop("from the profile form: the languages you speak"),
    "profile:prior_baselining": gettext_noop(
        "from the profile form: whether you answered questions for such studies before"
    ),
    "profile:prior_exposure": gettext_noop("from the profile form: whether you have seen this benchmark"),
    "profile:ai_experience": gettext_noop("from the profile form: how often you use AI tools"),
    "credential": gettext_noop("the supporting file you hand in, if you do; only the study team sees it"),
    "decision": gettext_noop("the decision on your taking part, with its reason"),
    "consent": gettext_noop("what you decide on this page, with the text, this list and the time"),
    "practice": gettext_noop("the newest text of your practice answers, which never count"),
    "practice_workspace": gettext_noop(
        "what else you enter or flag in practice, and when you opened its questions and started its clock"
    ),
    "check": gettext_noop("each of your tries at the check questions"),
    "arm": gettext_noop("which of the study's instructions you were given"),
    "times": gettext_noop("when you started, first opened each question, saved, and ended"),
    "answers": gettext_noop("your answers, and which of them you flagged for later"),
    "revisions": gettext_noop("every version of an answer that reached the server, with its time"),
    "note": gettext_noop("your note beside each answer on what you used"),
    "confidence": gettext_noop("how sure you say you are of each answer"),
    "resources": gettext_noop("the kinds of resources you say you used"),
    "messages": gettext_noop("messages between you and the study team, and the page you wrote from"),
    "extra_time": gettext_noop("extra time the study team gave you, with its reason"),
    "withdrawal": gettext_noop("whether and when you withdrew, and your reason if you give one"),
}


def recorded_items(settings: ProtocolSettings) -> tuple[str, ...]:
    """Codes of everything the site records about a person under these settings, in the order shown."""
    questions = settings.questions_of_any_profile
    asks = {
        **{f"profile:{question}": question in questions for question in PROFILE_QUESTIONS},
        "credential": settings.credential_file != "off",
        "practice": settings.practice_prompts,
        "practice_workspace": settings.practice_prompts,
        "check": settings.comprehension_check,
        "arm": settings.arms,
        "note": settings.note_per_prompt,
        "confidence": settings.confidence_per_prompt,
    }
    return tuple(code for code in RECORDED_SENTENCES if asks.get(code, True))


def consent_sha256(settings: ProtocolSettings, payment_rule: Mapping[str, str] | None = None) -> str:
    """What text and list together are recognised by (hex), with what is told beside them: a change of any of
    it asks everybody again. The closing time is told, and no part of it: to be given longer is no other
    agreement. A study that was locked before people were told keeps the hash that its people agreed to.
    """
    agreed: dict[str, object] = {"text": settings.consent_text, "recorded": recorded_items(settings)}
    if settings.translations:
        agreed["translations"] = {
            translation.language: translation.consent_text for translation in settings.translations
        }
        told_in = {
            translation.language: texts
            for translation in settings.translations
            if (texts := {name: text for name in TOLD_TEXTS if (text := getattr(translation, name))})
        }
        if told_in:
            agreed["told_in"] = told_in
    told = {name: value for name in TOLD if (value := getattr(settings, name))}
    if told:
        agreed["told"] = told | {
            "minutes": settings.time_budget_minutes,
            "questions": settings.batch_size,
            "deletion_days": settings.deletion_days,
            "payment_rule": payment_rule,
        }
    return canonical_sha256(agreed)
