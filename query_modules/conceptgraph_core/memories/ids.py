"""What new memories are called: in the order in which they are kept.

The worker goes through memories by their ids. Where these are in the order in which a store file
has the memories, a batch of it writes neighbouring pages, not one for each memory.
"""

import time
from typing import Final

_MILLISECONDS: Final = 2**48 - 1
# What tells apart what is kept in one millisecond: the microsecond, and chance.
_MICROSECONDS: Final = 2**42 - 1
_CHANCE_BITS: Final = 32


def made(now_ms: int) -> str:
    """Return a new UUID of version 7 (RFC 9562), greater than those made before it.

    It begins with *now_ms*, unix ms, which a call may have set; of the same *now_ms*, the one that
    was made later is the greater as long as the host's clock goes on.
    """
    # Not imported: a reload would drop it, and with it everything that begins with "uuid".
    uuid = __import__("uuid")
    chance = uuid.uuid4().int & (2**_CHANCE_BITS - 1)
    rest = (time.time_ns() // 1_000 & _MICROSECONDS) << _CHANCE_BITS | chance
    high, low = rest >> 62, rest & (2**62 - 1)
    number = (max(0, now_ms) & _MILLISECONDS) << 80 | 7 << 76 | high << 64 | 2 << 62 | low
    return str(uuid.UUID(int=number))
