"""The form about publishing a study's data, on the page of its exports."""

from django import forms
from django.contrib import messages
from django.http import HttpRequest
from django.utils.translation import gettext as _, gettext_lazy

from scoring.export.publication import DOI, LICENCES, AuthorRefused, authors_of
from scoring.models import PublicationSettings
from scoring.services.publications import publication_save
from studies.forms.texts import StorableTextField
from studies.models import Study
from studies.services.clock import server_now
from studies.views.access import signed_in


class PublicationForm(forms.Form):
    """Nothing is required: what is left out is said in the bundle."""

    licence = forms.ChoiceField(
        label=gettext_lazy("Licence"),
        required=False,
        choices=[
            ("", gettext_lazy("none: all rights reserved")),
            *((spdx, f"{name} ({spdx})") for spdx, (name, _address) in LICENCES.items()),
        ],
        error_messages={"invalid_choice": gettext_lazy("Choose one of the licences.")},
    )
    title = StorableTextField(label=gettext_lazy("Title of the data"), required=False, max_length=300)
    authors = StorableTextField(
        label=gettext_lazy("Authors, one a line: Family, Given, ORCID"),
        help_text=gettext_lazy("The ORCID may be left out. A group is its name without a comma."),
        required=False,
        max_length=5000,
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    doi = StorableTextField(label=gettext_lazy("DOI"), required=False, max_length=200)

    def clean_authors(self) -> str:
        text = str(self.cleaned_data["authors"])
        try:
            authors_of(text)
        except AuthorRefused as error:
            raise forms.ValidationError(
                _("“%(line)s” is no author: write Family, Given, and perhaps a valid ORCID.")
                % {"line": str(error)[:80]}
            ) from None
        return text

    def clean_doi(self) -> str:
        doi = str(self.cleaned_data["doi"]).removeprefix("https://doi.org/")
        if doi and not DOI.fullmatch(doi):
            raise forms.ValidationError(_("This is no DOI; one looks like 10.1234/abc.567."))
        return doi


def publication_form(study: Study) -> PublicationForm:
    """What was said last."""
    saved = (
        PublicationSettings.objects.filter(study=study).values("licence", "title", "authors", "doi").first()
    )
    return PublicationForm(initial=dict(saved or {}))


def publication_take(request: HttpRequest, study: Study) -> PublicationForm | None:
    """Take over what the lead says about publishing; the form where something is wrong with it."""
    form = PublicationForm(request.POST)
    if not form.is_valid():
        return form
    publication_save(study=study, actor=signed_in(request), now=server_now(), **form.cleaned_data)
    messages.success(request, _("Saved. The next export has it."))
    return None
