"""Over which answers a study has numbers."""

from batches.models import BatchPrompt
from psychometrics.data.cohort import PUBLIC
from psychometrics.inference.measure import Scope
from studies.models import Study


def study_scopes(study: Study) -> tuple[Scope, ...]:
    """All answers and, where its batches hold private prompts, those to public ones: a report's."""
    private = BatchPrompt.objects.filter(batch__plan__study=study).exclude(prompt__split=PUBLIC)
    return (Scope.ALL, Scope.PUBLIC) if private.exists() else (Scope.ALL,)


def scope_to_leave(study: Study) -> Scope:
    """The only one in which agreement of judges, audits and what is by task leave the site.

    Beside the public scope, which people can compute again from the tables, the other would tell of private
    prompts by the difference.
    """
    return study_scopes(study)[-1]
