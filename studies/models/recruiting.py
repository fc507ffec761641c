"""Links by which people of a recruiting platform come in, and the ids by which the platform knows them."""

from django.db import models
from django.db.models import UniqueConstraint

from studies.models.people import Participant
from studies.models.studies import Study

PARAMETER_CHARACTERS = 40
PLATFORM_ID_CHARACTERS = 100
WAY_BACK_CHARACTERS = 500


class RecruitingLink(models.Model):
    """The entry link of one profile of a study. Nobody comes in by it unless `opened_at` is set.

    `*_parameter` name the query parameters with the platform's ids; blank: the platform sends none of that
    kind. `completed` and `turned_down` are a code, or an https address, for whoever has finished and whoever
    may not take part; blank: nothing is shown. The token is no secret: the platform shows it to many.
    """

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="recruiting_links")
    profile = models.SlugField()
    token = models.CharField(max_length=64, unique=True)
    participant_parameter = models.CharField(max_length=PARAMETER_CHARACTERS)
    study_parameter = models.CharField(max_length=PARAMETER_CHARACTERS, blank=True)
    session_parameter = models.CharField(max_length=PARAMETER_CHARACTERS, blank=True)
    completed = models.CharField(max_length=WAY_BACK_CHARACTERS, blank=True)
    turned_down = models.CharField(max_length=WAY_BACK_CHARACTERS, blank=True)
    opened_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            UniqueConstraint(fields=["study", "profile"], name="a_profile_of_a_study_has_one_recruiting_link")
        ]

    def __str__(self) -> str:
        return f"recruiting link of {self.profile} in {self.study}"

    @property
    def parameters(self) -> tuple[str, str, str]:
        """The names of the parameters, in the order of the ids."""
        return self.participant_parameter, self.study_parameter, self.session_parameter


class PlatformEntry(models.Model):
    """A person who came in by a link, with the platform's ids: blank where it sends none of that kind.

    They prove nothing about whoever brings them; they are there so that the platform pays the right people.
    """

    participant = models.OneToOneField(Participant, on_delete=models.PROTECT, related_name="platform_entry")
    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="platform_entries")
    link = models.ForeignKey(RecruitingLink, on_delete=models.PROTECT, related_name="entries")
    platform_participant = models.CharField(max_length=PLATFORM_ID_CHARACTERS)
    platform_study = models.CharField(max_length=PLATFORM_ID_CHARACTERS, blank=True)
    platform_session = models.CharField(max_length=PLATFORM_ID_CHARACTERS, blank=True)
    entered_at = models.DateTimeField()

    class Meta:
        constraints = [
            UniqueConstraint(
                fields=["study", "platform_participant"],
                name="an_id_of_a_platform_belongs_to_one_person_of_a_study",
            )
        ]

    def __str__(self) -> str:
        return f"entry of {self.participant}"
