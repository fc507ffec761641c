"""Attachments: found inside the bank's folder, and what they claim to be."""

import hashlib
from pathlib import Path

import pytest

from studies.bank.attachments import AttachmentRefused, read_attachment
from studies.bank.records import AttachmentRecord, PromptRecord

CONTENTS = {
    "a.png": b"\x89PNG\r\n\x1a\nrest",
    "a.jpg": b"\xff\xd8\xff\xe0rest",
    "a.JPEG": b"\xff\xd8\xff\xe1rest",
    "a.gif": b"GIF89arest",
    "a.webp": b"RIFF\x10\0\0\0WEBPVP8 ",
    "a.pdf": b"%PDF-1.7\nrest",
}
TYPES = ["image/png", "image/jpeg", "image/jpeg", "image/gif", "image/webp", "application/pdf"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "bank"
    (root / "media").mkdir(parents=True)
    for name, content in CONTENTS.items():
        (root / "media" / name).write_bytes(content)
    return root


def read(name: str, root: Path, *, max_bytes: int = 1000) -> AttachmentRecord:
    return read_attachment(name, root=root, bases=(root,), max_bytes=max_bytes)


def refusal(name: str, root: Path, *, max_bytes: int = 1000) -> str:
    with pytest.raises(AttachmentRefused) as refused:
        read(name, root, max_bytes=max_bytes)
    return str(refused.value)


@pytest.mark.parametrize(("name", "media_type"), list(zip(CONTENTS, TYPES, strict=True)))
def test_the_allowed_types_are_read(folder: Path, name: str, media_type: str) -> None:
    content = CONTENTS[name]
    assert read(f"./media/{name}", folder) == AttachmentRecord(
        name=name,
        path=f"media/{name}",
        media_type=media_type,
        size_bytes=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
    )


def test_the_bases_are_tried_in_order_and_the_path_is_told_from_the_root(folder: Path) -> None:
    record = read_attachment("a.png", root=folder, bases=(folder, folder / "media"), max_bytes=1000)
    assert record.path == "media/a.png"


def test_a_file_that_is_not_what_its_ending_says_is_refused(folder: Path) -> None:
    (folder / "page.png").write_bytes(b"<html><script>")
    (folder / "empty.pdf").write_bytes(b"")
    message = "does not contain {}, as its name says; correct the file or its name"
    assert refusal("page.png", folder) == message.format("image/png")
    assert refusal("empty.pdf", folder) == message.format("application/pdf")


def test_an_unknown_type_is_refused_with_the_known_ones(folder: Path) -> None:
    (folder / "drawing.svg").write_text("<svg/>")
    assert refusal("drawing.svg", folder) == (
        'has the unknown type ".svg"; convert it to PNG, JPEG, GIF, WebP or PDF'
    )


@pytest.mark.parametrize("name", ["/etc/passwd", "../secret.png", "media/../../secret.png", "C:\\a.png"])
def test_a_path_out_of_the_folder_is_refused_even_where_the_file_exists(folder: Path, name: str) -> None:
    (folder.parent / "secret.png").write_bytes(CONTENTS["a.png"])
    assert refusal(name, folder) == "leads out of the bank's folder; write a path inside it, without .."


def test_a_link_may_point_inside_the_folder_but_not_out_of_it(folder: Path) -> None:
    (folder.parent / "secret.png").write_bytes(CONTENTS["a.png"])
    (folder / "out.png").symlink_to(folder.parent / "secret.png")
    (folder / "in.png").symlink_to(folder / "media" / "a.png")
    (folder / "outside").symlink_to(folder.parent)
    message = "is a link that leads out of the bank's folder; put the file itself there"
    assert refusal("out.png", folder) == message
    assert refusal("outside/secret.png", folder) == message
    assert read("in.png", folder).path == "in.png"


def test_a_file_of_exactly_the_limit_is_read_and_one_byte_more_refused(folder: Path) -> None:
    size = len(CONTENTS["a.pdf"])
    assert read("media/a.pdf", folder, max_bytes=size).size_bytes == 13
    assert refusal("media/a.pdf", folder, max_bytes=size - 1) == (
        "is 13 bytes, above the limit of 12 bytes; make it smaller"
    )


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("media/b.png", "is missing; put the file there or correct the path"),
        ("media", "is missing; put the file there or correct the path"),
        (" ", "is blank; write the file's path or leave it out"),
        ("a\0.png", "contains a NUL character; remove it"),
        ("x" * 197 + ".png", "has a name of more than 200 characters; shorten it"),
    ],
)
def test_other_unusable_paths_say_what_to_do(folder: Path, name: str, message: str) -> None:
    assert refusal(name, folder) == message


@pytest.mark.parametrize(
    ("names", "modality"),
    [
        ([], "text"),
        (["a.png", "a.gif"], "image"),
        (["a.pdf"], "pdf"),
        (["a.pdf", "a.png"], "mixed"),
    ],
)
def test_the_modality_follows_from_the_attachments(folder: Path, names: list[str], modality: str) -> None:
    attachments = tuple(read(f"media/{name}", folder) for name in names)
    prompt = PromptRecord(prompt_id="p", text="t", gold_answer="1", attachments=attachments)
    assert prompt.modality == modality
