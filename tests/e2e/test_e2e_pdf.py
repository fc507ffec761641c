"""A PDF of a prompt, in the viewer that the browser brings along."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Response, expect

from batches.models import Session
from studies.bank.records import PromptRecord
from studies.models import Study
from tests.e2e.browsers import installed
from tests.e2e.made_rows import attachment


@pytest.fixture(scope="module")
def browser(launch_browser: Callable[..., Browser]) -> Iterator[Browser]:
    """The whole browser: the one without windows shows no PDF."""
    browser = launch_browser(executable_path=installed("chromium"))
    yield browser
    browser.close()


def pdf_bytes() -> bytes:
    """One page with one word."""
    drawing = b"BT /F1 24 Tf 20 60 Td (Sheet) Tj ET"
    objects = (
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 120] /Contents 4 0 R"
        b" /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(drawing), drawing),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    )
    written, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, start=1):
        places.append(len(written))
        written += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    count = len(objects) + 1
    return written + (
        b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n"
        % (count, table, count, len(written))
    )


@pytest.fixture(scope="module")
def study_with_sheet(make_study: Callable[..., Study], tmp_path_factory: pytest.TempPathFactory) -> Study:
    folder = tmp_path_factory.mktemp("bank")
    sheet = attachment(folder, "sheet.pdf", "application/pdf", pdf_bytes())
    prompts = [PromptRecord(prompt_id="p1", text="What does it say?", gold_answer="1", attachments=(sheet,))]
    return make_study(prompts=prompts, root=folder)


def test_a_pdf_stands_in_its_frame_from_our_own_host(
    study_with_sheet: Study,
    begin: Callable[..., Session],
    new_device: Callable[..., BrowserContext],
    open_prompt: Callable[..., Page],
    site: str,
) -> None:
    def is_sheet(reply: Response) -> bool:
        return reply.url.endswith("/sheet.pdf")

    session = begin(study_with_sheet)
    device = new_device(session.participant.user)
    with device.expect_event("response", is_sheet) as waited:
        page = open_prompt(session, device=device)
    reply = waited.value
    assert reply.status == 200
    assert reply.headers["content-type"] == "application/pdf"
    frame = page.locator("iframe[title='PDF of this question: sheet.pdf']")
    expect(frame).to_be_visible()
    assert reply.url == f"{site}{frame.get_attribute('src')}"
    # A frame that the browser refuses to fill has an address of the browser's own instead.
    assert reply.url in [each.url for each in page.frames]
