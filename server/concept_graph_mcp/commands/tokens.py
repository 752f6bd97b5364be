"""Make, list and revoke the access tokens of a server over HTTP (`tokens`)."""

from datetime import UTC, datetime
from time import time
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import click
from rich.table import Table

from conceptgraph_core import text
from conceptgraph_core.errors import ConceptGraphError

from .. import settings
from .common import AS_JSON, Failure, Number, configured
from .group import Topic
from .notes import note
from .terminal import narrow, out, print_json, say, wide

if TYPE_CHECKING:
    from ..http.tokens import Tokens

_DAY_S = 86_400


@click.group(cls=Topic)
def tokens() -> None:
    """Create, list and revoke access tokens of a server over HTTP (serve).

    A token names the user whose memory a client reads and writes. The file of the tokens keeps
    hashes of them only. It is beside the store file, or in the data directory; the variable
    CONCEPT_GRAPH_TOKENS names another one.
    """


@tokens.command()
@click.argument("user")
@click.option(
    "--read-only", is_flag=True, help="Allow the token only to read, without counting accesses."
)
@click.option(
    "--days", type=Number(min=0, min_open=True, max=36_500), help="End after so many days."
)
@AS_JSON
@click.pass_obj
def add(
    embedded: str | None, user: str, read_only: bool, days: float | None, as_json: bool
) -> None:
    """Create a token for USER and print it; it is shown only once."""
    from ..http.asking import READ, SCOPES

    try:
        user = text.user(user, "USER")
    except ConceptGraphError as error:
        raise Failure(str(error)) from None
    expires_at = None if days is None else int(time() + days * _DAY_S)
    made = tokens_of(embedded).add(user, [READ] if read_only else [*SCOPES], expires_at)
    if as_json:
        print_json({"user": user, "token": made})
    else:
        say(made)
    note("Keep it like a password; it is not shown again.")


@tokens.command(name="list")
@AS_JSON
@click.pass_obj
def list_(embedded: str | None, as_json: bool) -> None:
    """List the tokens: their ids and users, what they may do, when they end and were last used."""
    zone = configured(embedded, whole=True).zone
    rows = [
        {
            "id": one.id,
            "user": one.user_id,
            "scopes": list(one.scopes),
            "created": _time(one.created_at, zone),
            "expires": _time(one.expires_at, zone),
            "expired": one.is_expired,
            "last_used": _time(one.used_at, zone),
        }
        for one in tokens_of(embedded).list_tokens()
    ]
    if as_json:
        print_json(rows)
    elif rows:
        out.print(_table(rows))
    else:
        note("There are no tokens; concept-graph-mcp tokens add USER makes one.")


@tokens.command()
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@AS_JSON
@click.pass_obj
def revoke(embedded: str | None, ids: tuple[str, ...], as_json: bool) -> None:
    """Revoke the tokens with these ids (tokens list) immediately, also on running servers."""
    gone = tokens_of(embedded).revoke(ids)
    if as_json:
        print_json({"revoked": list(gone)})
    for one in () if as_json else gone:
        say(one)
    if missing := [one for one in ids if one not in gone]:
        raise Failure(f"there is no token {missing[0]!r}; tokens list shows the ids")


def tokens_of(embedded: str | None) -> "Tokens":
    from ..http.tokens import Tokens

    return Tokens(settings.tokens_file(configured(embedded, whole=True)))


def _time(seconds: int | None, zone: ZoneInfo) -> str | None:
    if seconds is None:
        return None
    return datetime.fromtimestamp(seconds, UTC).astimezone(zone).isoformat(timespec="seconds")


def _table(rows: list[dict[str, Any]]) -> Table:
    table = Table(
        *(narrow("id"), wide("user"), wide("may")),
        *(narrow("created"), narrow("expires"), narrow("last used")),
    )
    for row in rows:
        may = ", ".join(scope.partition(":")[2] for scope in row["scopes"])
        # Days, and minutes where they count, leave room for the user within 80 columns.
        expires = "expired" if row["expired"] else (row["expires"] or "never")[:10]
        used = (row["last_used"] or "never")[:16].replace("T", " ")
        table.add_row(row["id"], row["user"], may, row["created"][:10], expires, used)
    return table
