"""Keep access tokens in a file: of each its hash, its user and its end, never the token."""

import hashlib
import logging
import secrets
import sqlite3
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from time import time
from typing import NamedTuple

from mcp.server.auth.provider import AccessToken

from ..errors import Unavailable
from ..logs import tell

logger = logging.getLogger(__name__)

# Tools that look for leaked secrets, and people, recognise a token by it.
PREFIX = "cgm_"
# Seconds between two notes of a token's last use.
_NOTED_EVERY_S = 60
# Seconds for which a writer waits for another one.
_PATIENCE_S = 5.0
_NOW = time
_TABLE = """
CREATE TABLE IF NOT EXISTS tokens (
    id TEXT PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    user_id TEXT NOT NULL,
    scopes TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    used_at INTEGER
)"""


class Kept(NamedTuple):
    """A token as it is stored; times are unix seconds."""

    id: str
    user_id: str
    scopes: tuple[str, ...]
    created_at: int
    expires_at: int | None
    used_at: int | None

    @property
    def is_expired(self) -> bool:
        return self.expires_at is not None and self.expires_at <= _NOW()


class Tokens:
    """The tokens in *file*.

    Each look-up asks the file, so that a revoked token ends at once, and opens it anew if it has
    changed, so that a file that is replaced (as mounted secrets are) counts from then on.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        # Opening takes six times as long as a look-up.
        self._opened: sqlite3.Connection | None = None
        self._opened_as: tuple[int, ...] = ()
        # Why the file could not be read the last time; "" if it could.
        self._told = ""
        self._close: Callable[[], object] = lambda: None

    def exist(self) -> bool:
        """Return whether the file exists: revoking the last token does not open a server to all."""
        return self.file.exists()

    def add(self, user_id: str, scopes: Sequence[str], expires_at: int | None) -> str:
        """Add a token of *user_id*, and return it; it cannot be read again."""
        token = PREFIX + secrets.token_urlsafe(32)
        row = (secrets.token_hex(4), _hash(token), user_id, " ".join(scopes), int(_NOW()))
        self.file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.file.touch(0o600)
        with self._changing() as database:
            database.execute(_TABLE)
            database.execute(
                "INSERT INTO tokens VALUES (?, ?, ?, ?, ?, ?, NULL)", [*row, expires_at]
            )
        return token

    def list_tokens(self) -> list[Kept]:
        """Return all tokens, the oldest first."""
        if not self.exist():
            return []
        with self._told_in_one_line(), closing(self._connect()) as database:
            return [
                _read_row(row) for row in database.execute(f"{_SELECT} ORDER BY created_at, id")
            ]

    def revoke(self, ids: Sequence[str]) -> list[str]:
        """Remove the tokens with *ids*, and return those of them that were there."""
        if not self.exist():
            return []
        with self._changing() as database:
            return [
                one
                for one in dict.fromkeys(ids)
                if database.execute("DELETE FROM tokens WHERE id = ?", [one]).rowcount
            ]

    def revoke_user(self, user_id: str) -> list[str]:
        """Remove all tokens of *user_id*, and return their ids."""
        return self.revoke([one.id for one in self.list_tokens() if one.user_id == user_id])

    async def verify_token(self, token: str) -> AccessToken | None:
        """Return what *token* allows; None if it is unknown or expired (a `TokenVerifier`)."""
        if not token.startswith(PREFIX):
            return None
        try:
            # All rows, so that the statement is over and holds up no writer.
            rows = self._open().execute(f"{_SELECT} WHERE hash = ?", [_hash(token)]).fetchall()
        except (OSError, sqlite3.Error) as error:
            # Without a file or a table nobody has a token. It is logged once, or whoever runs the
            # server would look for the reason elsewhere.
            if self._told != (why := str(error)):
                self._told = why
                tell(logger, "tokens cannot be read", logging.WARNING, file=self.file, why=why)
            return None
        self._told = ""
        if not rows or (kept := _read_row(rows[0])).is_expired:
            return None
        self._note_use(kept)
        return AccessToken(
            token=token, client_id=kept.id, scopes=[*kept.scopes], subject=kept.user_id
        )

    def _note_use(self, kept: Kept) -> None:
        now = int(_NOW())
        if kept.used_at is not None and now - kept.used_at < _NOTED_EVERY_S:
            return
        # A file that cannot be written, such as a mounted secret, admits its users all the same.
        with suppress(Unavailable), self._changing(patience_s=0.0) as database:
            database.execute("UPDATE tokens SET used_at = ? WHERE id = ?", [now, kept.id])

    def _open(self) -> sqlite3.Connection:
        """Return a connection to the file as it is now. Raises OSError, sqlite3.Error."""
        found = self.file.stat()
        now = (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)
        if self._opened is None or now != self._opened_as:
            self._close()
            self._opened = self._connect(check_same_thread=False)
            self._opened_as = now
            self._close = weakref.finalize(self, self._opened.close)
        return self._opened

    @contextmanager
    def _changing(self, patience_s: float = _PATIENCE_S) -> Iterator[sqlite3.Connection]:
        with (
            self._told_in_one_line(),
            closing(sqlite3.connect(self.file, timeout=patience_s)) as database,
            database,
        ):
            yield database

    @contextmanager
    def _told_in_one_line(self) -> Iterator[None]:
        """Raise Unavailable if the file is of another kind, damaged or not writable."""
        try:
            yield
        except sqlite3.Error as error:
            raise Unavailable(
                f"{self.file}: cannot be used as the file of the tokens: {error}; put a copy of it"
                " back, or remove it and make new tokens"
            ) from None

    def _connect(self, check_same_thread: bool = True) -> sqlite3.Connection:
        address = f"{self.file.absolute().as_uri()}?mode=ro"
        return sqlite3.connect(
            address, uri=True, timeout=_PATIENCE_S, check_same_thread=check_same_thread
        )


_SELECT = "SELECT id, user_id, scopes, created_at, expires_at, used_at FROM tokens"


def _read_row(row: tuple[str, str, str, int, int | None, int | None]) -> Kept:
    token_id, user_id, scopes, created_at, expires_at, used_at = row
    return Kept(token_id, user_id, tuple(scopes.split()), created_at, expires_at, used_at)


def _hash(token: str) -> bytes:
    # A fast hash is enough, because a token has 256 random bits.
    return hashlib.sha256(token.encode()).digest()
