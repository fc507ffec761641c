"""Whether bytes are a whole picture: read piece by piece, without decoding a pixel.

PNG as in ISO/IEC 15948: a signature, then chunks (length, name, data, CRC) from IHDR to IEND. JPEG as in
ITU-T T.81, annex B: markers, most with a length; a frame header (SOF) that has a size comes before the scan.
"""

import zlib
from collections.abc import Iterator

PNG, JPEG = b"\x89PNG\r\n\x1a\n", b"\xff\xd8"
START_OF_SCAN = 0xDA
FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}  # the others are tables
BARE = frozenset({0x01, *range(0xD0, 0xDA)})  # markers without a length
MOST_PIXELS = 178_956_970  # half a gigabyte once it is unpacked; a few kilobytes may say more


def picture_type(content: bytes) -> str | None:
    """Its media type, "image/png" or "image/jpeg"; None for what is neither, or damaged before its pixels."""
    if content.startswith(PNG):
        chunks = list(_png_chunks(content))
        whole = chunks[:1] == [b"IHDR"] and b"IDAT" in chunks and chunks[-1] == b"IEND"
        return "image/png" if whole and _is_shown(content[16:20], content[20:24]) else None
    return "image/jpeg" if content.startswith(JPEG) and _has_frame(content) else None


def _png_chunks(content: bytes) -> Iterator[bytes]:
    """The names of the chunks, up to the first damaged one."""
    place = len(PNG)
    while place + 12 <= len(content):
        end = place + 8 + int.from_bytes(content[place : place + 4])
        named = content[place + 4 : end]
        if content[end : end + 4] != zlib.crc32(named).to_bytes(4):
            return
        yield named[:4]
        if named[:4] == b"IEND":
            return
        place = end + 4


def _is_shown(width: bytes, height: bytes) -> bool:
    return 0 < int.from_bytes(width) * int.from_bytes(height) <= MOST_PIXELS


def _has_frame(content: bytes) -> bool:
    place, frame = len(JPEG), False
    while place + 4 <= len(content) and content[place] == 0xFF:
        marker = content[place + 1]
        if marker == 0xFF:  # markers may be filled up
            place += 1
            continue
        if marker == START_OF_SCAN:
            return frame
        if marker in FRAMES:  # length 2, precision 1, height 2, width 2
            frame = _is_shown(content[place + 7 : place + 9], content[place + 5 : place + 7])
        place += 2 if marker in BARE else 2 + int.from_bytes(content[place + 2 : place + 4])
    return False
