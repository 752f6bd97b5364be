"""Content as it is stored: as it is, or compressed where that saves space.

What is compressed says so by how it begins; content that begins like that itself is compressed
whether it saves anything or not, so that every content comes back byte for byte.
"""

import binascii
import zlib
from typing import Any, Final

from .. import limits

MARK: Final = "\x1fdeflate:"
# In characters; what is shorter is seldom shortened any more.
WORTHWHILE: Final = 100
# No content has more, in UTF-8: what would become more was never packed by us.
_MOST_BYTES: Final = 4 * limits.MAX_CONTENT


def stored(content: str) -> str:
    """Return *content* as a property has it while it is not archived."""
    return packed(content) if content.startswith(MARK) else content


def archived(content: str) -> str:
    """Return *content* as a property has it once archived: the shorter of both forms."""
    made = packed(content)
    return made if len(made) < len(content.encode()) else stored(content)


def packed(content: str) -> str:
    compressed = zlib.compress(content.encode(), 9)
    return MARK + binascii.b2a_base64(compressed, newline=False).decode("ascii")


def is_packed(value: Any) -> bool:
    return isinstance(value, str) and value.startswith(MARK)


def whole(value: Any) -> Any:
    """Return the content that a property has; what was never packed by us, as it is."""
    if not is_packed(value):
        return value
    stream = zlib.decompressobj()
    try:
        content = stream.decompress(binascii.a2b_base64(value[len(MARK) :]), _MOST_BYTES)
        return content.decode() if stream.eof else value
    except (ValueError, zlib.error):
        return value
