"""Name the store file of each user in a directory that has one for every user."""

import hashlib
import re
import unicodedata
from pathlib import Path

SUFFIX = ".db"
# A directory of stores is named with a separator at its end, so that no file is taken for one.
MARK = "/"
_MOST_READABLE = 40
_UNSAFE = re.compile(r"[^a-z0-9@_]+")
_NAME = re.compile(r"[a-z0-9@_.-]+-[0-9a-f]{16}" + re.escape(SUFFIX))


def file_of(directory: Path, user_id: str) -> Path:
    """Return the file of *user_id*: a readable part for people, and a digest that tells all apart.

    The name is safe on every file system, whatever the id is: it is short, in ASCII and in lower
    case, and users whose ids differ in case only have different digests.
    """
    plain = unicodedata.normalize("NFKD", user_id).encode("ascii", "ignore").decode().lower()
    readable = ".".join(filter(None, _UNSAFE.split(plain)))[:_MOST_READABLE].strip(".")
    digest = hashlib.sha256(user_id.encode()).hexdigest()[:16]
    return directory / f"{readable or 'user'}-{digest}{SUFFIX}"


def files(directory: Path) -> list[Path]:
    """Return the store files in *directory*, by name. Raises OSError."""
    return sorted(one for one in directory.iterdir() if _NAME.fullmatch(one.name))
