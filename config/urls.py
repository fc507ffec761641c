"""Where every page lives. Access is checked by each view: closed by default."""

from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.urls import include, path

from batches.api import api

admin.autodiscover()
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]

urlpatterns = [
    path("", include("studies.urls")),
    path("", include("batches.urls")),
    path("", include("scoring.urls")),
    path("api/", api.urls),
    path("accounts/", include("studies.account_urls")),
    path("admin/", admin.site.urls),
]
