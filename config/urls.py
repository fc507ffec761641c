"""Where every page lives. Access is checked by each view: closed by default."""

from django.contrib import admin
from django.urls import include, path
from django.views.decorators.cache import cache_control
from django.views.decorators.http import conditional_page
from django.views.i18n import JavaScriptCatalog

from batches.api import api
from studies.views.second_factor import admin_guard

admin.autodiscover()
admin_guard(admin.site)

handler400 = "studies.views.faults.unreadable_request"
handler500 = "studies.views.faults.failed_request"

urlpatterns = [
    path("", include("console.urls")),
    path("", include("studies.urls")),
    path("", include("jobs.urls")),
    path("", include("batches.urls")),
    path("", include("screening.urls")),
    path("", include("judging.urls")),
    path("", include("scoring.urls")),
    path("", include("reporting.urls")),
    path("api/", api.urls),
    path("language/", include("django.conf.urls.i18n")),
    # Differs by the language of the asking browser, which the address does not name: every page asks again,
    # and is told in a few bytes that nothing has changed.
    path(
        "texts.js",
        cache_control(private=True, no_cache=True)(conditional_page(JavaScriptCatalog.as_view())),
        name="javascript_texts",
    ),
    path("accounts/", include("studies.account_urls")),
    path("admin/", admin.site.urls),
]
