"""A member of a zip that is compressed by Zstandard, as Inspect AI writes it; zipfile reads it from 3.14 on.

Method 93 of the zip format (APPNOTE 6.3.10, section 4.4.5): the member's bytes are Zstandard frames.
"""

import struct
import zipfile
import zlib

import pyarrow as pa

METHOD = 93
FRAME_BYTES = 4096  # more than the heads of a frame and of its blocks
_LOCAL_HEADER = struct.Struct("<4s22xHH")  # signature, then how long name and extra field are


def unpacked(archive: zipfile.ZipFile, member: zipfile.ZipInfo, most: int) -> bytes:
    """What the member unpacks to, or its first `most` bytes where that is more.

    Raises zipfile.BadZipFile for damaged bytes.
    """
    file = archive.fp
    if file is None:
        raise zipfile.BadZipFile("the archive is closed")
    file.seek(member.header_offset)
    head = file.read(_LOCAL_HEADER.size)
    if len(head) < _LOCAL_HEADER.size:
        raise zipfile.BadZipFile("it ends within a header")
    signature, name, extra = _LOCAL_HEADER.unpack(head)
    if signature != b"PK\x03\x04":
        raise zipfile.BadZipFile("a member does not begin where the archive says")
    file.seek(name + extra, 1)
    # No more frames than `most` bytes could become if nothing in them were compressible.
    packed = file.read(min(member.compress_size, most + most // 256 + FRAME_BYTES))
    try:
        with pa.CompressedInputStream(pa.BufferReader(packed), "zstd") as stream:
            content = bytes(stream.read(most))
    except (OSError, pa.ArrowException) as error:
        raise zipfile.BadZipFile(str(error).partition("\n")[0]) from None
    if len(content) < most and zlib.crc32(content) != member.CRC:
        raise zipfile.BadZipFile("its check sum differs")
    return content
