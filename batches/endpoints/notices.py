"""What the study team announces, and its replies to one person, for pages that are open."""

from django.utils import timezone
from django.utils.translation import gettext as _
from ninja import Router
from ninja.errors import HttpError

from batches.endpoints.access import PROBLEMS, SignedInRequest
from batches.schemas import NoticeItem, Notices
from batches.selectors.notices import notices_for

router = Router()


@router.get("/studies/{slug:slug}/notices", response={200: Notices, **PROBLEMS})
def study_notices(request: SignedInRequest, slug: str) -> Notices:
    """What the page shows; asked again every 20 seconds by every open page of every participant."""
    notices = notices_for(user_id=request.user.pk, study_slug=slug, now=timezone.now())
    if notices is None:
        raise HttpError(404, _("There is no such study of yours."))
    return Notices(notices=[NoticeItem.model_validate(one, from_attributes=True) for one in notices])
