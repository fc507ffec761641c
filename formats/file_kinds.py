"""Files of another kind where text is expected: known by their bytes, told with the remedy."""

from collections.abc import Mapping

from formats.wording import gettext_noop

CSV, JSON, JSONL = "CSV", "JSON", "JSONL"
EXCEL, OPEN_DOCUMENT = (
    gettext_noop("an Excel workbook"),
    gettext_noop("an OpenDocument spreadsheet"),
)
WORD, PDF, PICTURE = gettext_noop("a Word document"), gettext_noop("a PDF"), gettext_noop("a picture")
ZIP, PACKED = gettext_noop("a zip"), gettext_noop("a packed archive")
PARQUET, WEB_PAGE, XML = gettext_noop("Parquet"), gettext_noop("a web page"), "XML"
# Kinds of JSON documents, each known by fields that it alone has.
TASK_FILE = gettext_noop("a task file of BIG-Bench")
INSPECT_LOG = gettext_noop("an Inspect log")
ITEM_PARAMETERS = gettext_noop("a file of item parameters")
ACCURACY_TABLE = gettext_noop("a table of accuracies")
PROTOCOL = gettext_noop("a study's protocol")
LM_EVAL_SAMPLES = gettext_noop("a sample log of the LM Evaluation Harness")
_DOCUMENTS: Mapping[str, frozenset[str]] = {
    TASK_FILE: frozenset({"examples"}),
    INSPECT_LOG: frozenset({"eval", "samples"}),
    ITEM_PARAMETERS: frozenset({"transform", "items"}),
    ACCURACY_TABLE: frozenset({"models", "accuracy_percent"}),
    LM_EVAL_SAMPLES: frozenset({"doc_id", "doc", "filtered_resps"}),
}
KINDS = frozenset(
    {EXCEL, OPEN_DOCUMENT, WORD, PDF, PICTURE, ZIP, PACKED, PARQUET, WEB_PAGE, PROTOCOL, *_DOCUMENTS}
)

SAVE_AS_CSV = gettext_noop("open it and save it as CSV UTF-8")
UNPACK = gettext_noop("unpack it and choose the file in it")
CHOOSE = gettext_noop("choose the right file")
GIVE_SCORES = gettext_noop(
    "it names neither models nor the questions of this site: write the scores as CSV with the columns model, "
    "question and score"
)
UTF_16 = gettext_noop("is not UTF-8 but UTF-16; save the file as UTF-8")

_STARTS: Mapping[bytes, str] = {
    b"\xd0\xcf\x11\xe0": EXCEL,
    b"%PDF": PDF,
    b"\x89PNG": PICTURE,
    b"\xff\xd8\xff": PICTURE,
    b"GIF8": PICTURE,
    b"PAR1": PARQUET,
    b"\x1f\x8b": PACKED,
    b"7z\xbc\xaf": PACKED,
    b"Rar!": PACKED,
    b"BZh": PACKED,
    b"\x28\xb5\x2f\xfd": PACKED,
}
_IN_ZIPS: Mapping[bytes, str] = {
    b"opendocument.spreadsheet": OPEN_DOCUMENT, b"xl/": EXCEL, b"word/": WORD,
}  # fmt: skip
_MARKUP: Mapping[bytes, str] = {b"<!doctype html": WEB_PAGE, b"<html": WEB_PAGE, b"<?xml": XML}


def kind_fault(content: bytes, wanted: str) -> str | None:
    """What keeps a file from being the `wanted` kind of text, in words, or None."""
    kind = next((kind for start, kind in _STARTS.items() if content.startswith(start)), None)
    if kind is None and content.startswith(b"PK\x03\x04"):
        kind = next((kind for name, kind in _IN_ZIPS.items() if name in content), ZIP)
    if kind is None:
        beginning = content[:100].removeprefix(b"\xef\xbb\xbf").lstrip().lower()
        kind = next((kind for start, kind in _MARKUP.items() if beginning.startswith(start)), None)
    utf_16 = content[:2] in (b"\xff\xfe", b"\xfe\xff")
    if kind is None and (utf_16 or content[:1000].count(0) > len(content[:1000]) // 4):
        return UTF_16
    if kind is None and wanted == CSV and content.lstrip()[:1] in (b"{", b"["):
        kind = JSON
    if kind is None:
        return None
    remedy = SAVE_AS_CSV if wanted == CSV and kind in (EXCEL, OPEN_DOCUMENT) else CHOOSE
    return f"is {kind}, but {wanted} is expected; {UNPACK if kind in (ZIP, PACKED) else remedy}"


def document_fault(value: object, wanted: str) -> str | None:
    """What keeps a JSON document from being the `wanted` kind, in words; None where it is of no known one."""
    if not isinstance(value, dict):
        return None
    kind = next((kind for kind, fields in _DOCUMENTS.items() if fields <= value.keys()), wanted)
    if kind == wanted:
        return None
    remedy = GIVE_SCORES if kind == LM_EVAL_SAMPLES else CHOOSE
    return f"is {kind}, but {wanted} is expected; {remedy}"
