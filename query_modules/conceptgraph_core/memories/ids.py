"""Create the ids of new memories, in the order of their creation.

The worker goes through memories by id. If this is also their order in a store file, a batch writes
neighbouring pages instead of one page for each memory.
"""

import time
from typing import Final

_MILLISECONDS: Final = 2**48 - 1
# Ids of one millisecond differ by the microsecond, and by random bits.
_MICROSECONDS: Final = 2**42 - 1
_CHANCE_BITS: Final = 32


def make_id(now_ms: int) -> str:
    """Return a new UUID of version 7 (RFC 9562), greater than those made before it.

    It begins with *now_ms* (unix ms), which a call may have set. Among ids of one *now_ms*, the
    later one is greater as long as the host's clock does not go back.
    """
    # Not imported: a reload would drop it, and with it all names that begin with "uuid".
    uuid = __import__("uuid")
    chance = uuid.uuid4().int & (2**_CHANCE_BITS - 1)
    rest = (time.time_ns() // 1_000 & _MICROSECONDS) << _CHANCE_BITS | chance
    high, low = rest >> 62, rest & (2**62 - 1)
    number = (max(0, now_ms) & _MILLISECONDS) << 80 | 7 << 76 | high << 64 | 2 << 62 | low
    return str(uuid.UUID(int=number))


def make_bound(now_ms: int) -> str:
    """Return what is less than every id that was made at *now_ms* or later, by time."""
    digits = f"{max(0, now_ms) & _MILLISECONDS:012x}"
    return f"{digits[:8]}-{digits[8:]}"


def item_id(scope: str, path: str) -> str:
    """Return the id of the value of *scope* at *path*, so that two writers of it conflict."""
    uuid = __import__("uuid")
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"{scope}\x1f{path}"))
