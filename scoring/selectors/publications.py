"""What was said about publishing a study."""

from scoring.export.publication import Publication, authors_of
from scoring.models import PublicationSettings
from studies.models import Study


def publication_of(study: Study) -> Publication:
    """Everything is empty where nothing was said."""
    said = PublicationSettings.objects.filter(study=study).first()
    if said is None:
        return Publication()
    return Publication(said.title, authors_of(said.authors), said.licence, said.doi)
