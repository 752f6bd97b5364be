"""Store content as it is, or compressed if that saves space.

Compressed content is marked by its beginning. Plain content with the same beginning is always
compressed, so that every content is restored byte for byte.
"""

import binascii
import zlib
from typing import Any, Final

from .. import limits

MARK: Final = "\x1fdeflate:"
# In characters; shorter content seldom shrinks.
WORTHWHILE: Final = 100
# No content has more bytes in UTF-8; a larger result means the layer never packed it.
_MOST_BYTES: Final = 4 * limits.MAX_CONTENT


def store_content(content: str) -> str:
    """Return *content* as a property of a memory that is not archived."""
    return pack(content) if content.startswith(MARK) else content


def archive_content(content: str) -> str:
    """Return *content* as a property of an archived memory: the shorter of both forms."""
    made = pack(content)
    return made if len(made) < len(content.encode()) else store_content(content)


def pack(content: str) -> str:
    compressed = zlib.compress(content.encode(), 9)
    return MARK + binascii.b2a_base64(compressed, newline=False).decode("ascii")


def is_packed(value: Any) -> bool:
    return isinstance(value, str) and value.startswith(MARK)


def unpack(value: Any) -> Any:
    """Return the content of a property; a value that the layer never packed stays as it is."""
    if not is_packed(value):
        return value
    stream = zlib.decompressobj()
    try:
        content = stream.decompress(binascii.a2b_base64(value[len(MARK) :]), _MOST_BYTES)
        return content.decode() if stream.eof else value
    except (ValueError, zlib.error):
        return value
