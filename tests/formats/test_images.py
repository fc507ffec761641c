"""Which bytes are a whole picture, told without decoding it."""

import struct
import zlib
from io import BytesIO

import pytest
from PIL import Image

from formats.images import MOST_PIXELS, PNG, picture_type


def picture(kind: str, size: tuple[int, int] = (8, 5), mode: str = "RGB") -> bytes:
    stream = BytesIO()
    Image.new(mode, size).save(stream, kind)
    return stream.getvalue()


def chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + zlib.crc32(name + data).to_bytes(4)


def png_that_says(width: int, height: int) -> bytes:
    head = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return PNG + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"\0")) + chunk(b"IEND", b"")


def test_whole_pictures_are_known_by_their_bytes() -> None:
    assert picture_type(picture("PNG")) == picture_type(picture("PNG", mode="P")) == "image/png"
    assert picture_type(picture("JPEG")) == picture_type(picture("JPEG", mode="L")) == "image/jpeg"


@pytest.mark.parametrize("kind", ["PNG", "JPEG"])
def test_a_picture_that_ends_before_its_pixels_is_none(kind: str) -> None:
    whole = picture(kind)
    ends = range(1, whole.index(b"IDAT") if kind == "PNG" else whole.index(b"\xff\xda"))
    assert {picture_type(whole[:end]) for end in ends} == {None}


def test_a_damaged_chunk_and_other_kinds_are_none() -> None:
    png = bytearray(picture("PNG"))
    png[png.index(b"IDAT") + 6] ^= 1
    assert picture_type(bytes(png)) is None
    assert {picture_type(content) for content in (b"", picture("GIF"), b"%PDF-1.7", PNG)} == {None}


@pytest.mark.parametrize(
    ("size", "media_type"),
    [
        ((1, 1), "image/png"),
        ((0, 9), None),
        ((9, 0), None),
        ((1, MOST_PIXELS), "image/png"),
        ((2, MOST_PIXELS), None),
    ],
)
def test_a_picture_that_would_unpack_to_too_much_is_none(
    size: tuple[int, int], media_type: str | None
) -> None:
    assert picture_type(png_that_says(*size)) == media_type


def test_a_jpeg_without_a_size_or_with_a_vast_one_is_none() -> None:
    jpeg = bytearray(picture("JPEG"))
    frame = jpeg.index(b"\xff\xc0")
    for size in (b"\0\0\0\x08", b"\xff\xff\xff\xff"):
        jpeg[frame + 5 : frame + 9] = size
        assert picture_type(bytes(jpeg)) is None
