"""Serve over HTTP (`serve`), and manage the access tokens of the server (`tokens`)."""

import dataclasses
import ipaddress
import os
import socket
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from time import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

import click

from conceptgraph_core.texts import text
from conceptgraph_core.verbs.context import OWN, WHOSE
from conceptgraph_core.verbs.errors import ConceptGraphError

from .. import settings, user_files
from ..hosts.per_user import MOST_OPEN, prepare
from ..http.limits import Limits
from .common import (
    AS_JSON,
    FOLDER,
    Failure,
    Number,
    configured,
    need_extra,
    note,
    print_columns,
    print_json,
    say,
)
from .group import Topic

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
    from ..http.access import READ, SCOPES

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
        print_columns([*_list_cells(rows)])
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


def _list_cells(rows: list[dict[str, Any]]) -> Iterator[tuple[str, ...]]:
    yield "id", "user", "may", "created", "expires", "last used"
    for row in rows:
        may = ", ".join(scope.partition(":")[2] for scope in row["scopes"])
        expires = "expired" if row["expired"] else (row["expires"] or "never")[:10]
        used = (row["last_used"] or "never")[:16].replace("T", " ")
        yield row["id"], row["user"], may, row["created"][:10], expires, used


_LOOPBACK = ("127.0.0.1", "::1", "localhost")
_ANY = ("0.0.0.0", "::")
_CLAIM = "sub"
# A store file runs one call at a time. Another one keeps it busy; each further one would stand
# before the calls of other users.
_ON_A_FILE = 2
_DEFAULT = Limits()
_WHOLE = click.IntRange(1)
# The option of each limit: its name, its type and its help.
_LIMITS: dict[str, tuple[str, Any, str]] = {
    "per_second": (
        *("--calls-per-second", Number(min=0.01)),
        "The number of calls a user may make per second.",
    ),
    "at_once_each": (
        *("--calls-at-once", _WHOLE),
        "The number of calls of one user that run at once; others wait.",
    ),
    "at_once": (
        *("--calls-in-all", _WHOLE),
        f"How many calls of all users run at a time; default: {_DEFAULT.at_once}, on a store file"
        f" {_ON_A_FILE}.",
    ),
    "bytes": ("--most-bytes", _WHOLE, "The maximum size of a request in bytes."),
    "records": (
        *("--most-records", _WHOLE),
        "The number of memories and entities a user may store; default: any number.",
    ),
    "timeout_s": ("--timeout", Number(min=0.1), "End calls that take longer."),
}


def _take_limits(command: Callable[..., Any]) -> Callable[..., Any]:
    for field, (name, type_, told) in reversed(_LIMITS.items()):
        given: dict[str, Any] = {"type": type_, "show_default": True, "help": told}
        given["default"] = None if field == "at_once" else getattr(_DEFAULT, field)
        given["metavar"] = "SECONDS" if field == "timeout_s" else None
        command = click.option(name, field, **given)(command)
    return command


def _address(_ctx: click.Context, _param: click.Parameter, value: str) -> tuple[str, int]:
    """Return HOST:PORT, or PORT on the loopback interface, as host and port."""
    host, _, port = value.rpartition(":")
    if not port.isdecimal() or int(port) > 65_535:
        raise click.BadParameter(f"{value!r} is not like 127.0.0.1:8080")
    return host.removeprefix("[").removesuffix("]") or "127.0.0.1", int(port)


@click.command()
@click.option(
    "--http",
    "address",
    metavar="[HOST:]PORT",
    callback=_address,
    required=True,
    help="Listen on this address; without HOST, only for this machine.",
)
@click.option("--public-url", metavar="URL", help="The address that clients use, behind a proxy.")
@click.option(
    "--allow-host",
    "hosts",
    metavar="HOST",
    multiple=True,
    help="Also accept this Host in requests.",
)
@click.option(
    "--allow-origin",
    "origins",
    metavar="ORIGIN",
    multiple=True,
    help="Accept requests from pages of this website, e.g. https://chat.example.com.",
)
@click.option(
    "--trust-proxy",
    "proxies",
    metavar="ADDRESS",
    multiple=True,
    help="Trust the X-Forwarded headers of this proxy.",
)
@click.option("--issuer", metavar="URL", help="Admit tokens of this OpenID Connect issuer.")
@click.option("--audience", help="Their audience; default: the address of the endpoint.")
@click.option(
    "--user-claim", default=_CLAIM, show_default=True, help="Their claim that names the user."
)
@click.option(
    "--shared-concepts",
    is_flag=True,
    help="Share concepts among all users; default: each has their own.",
)
@_take_limits
@click.option(
    "--store-per-user",
    "directory",
    metavar="DIR",
    type=FOLDER,
    help="Keep each user in a store file of their own, in DIR; like --embedded=DIR/.",
)
@click.option(
    "--most-open",
    type=click.IntRange(1),
    default=MOST_OPEN,
    show_default=True,
    help="The number of user files open at a time.",
)
@click.option("--page", is_flag=True, help="Show users their memory in a browser too, at /page/.")
@click.option("--log", type=click.Choice(["text", "json"]), default="text", help="How to log.")
@click.pass_context
def serve(
    ctx: click.Context,
    /,
    address: tuple[str, int],
    *,
    public_url: str | None,
    hosts: tuple[str, ...],
    origins: tuple[str, ...],
    proxies: tuple[str, ...],
    issuer: str | None,
    audience: str | None,
    user_claim: str,
    shared_concepts: bool,
    directory: Path | None,
    most_open: int,
    page: bool,
    log: str,
    **limits: Any,
) -> None:
    """Serve many users over Streamable HTTP, each with their own memory, until SIGTERM.

    The endpoint is /mcp. A client's token names its user: tokens add makes tokens, --issuer admits
    those of an OpenID Connect issuer. Without either the server is for this machine only, and
    every caller is the user of CONCEPT_GRAPH_USER. /health, /ready and /metrics need no token.
    With --page a browser shows each user their own memory, as view does, once they have entered
    their token.
    """
    need_extra("serve --http", "http", "prometheus_client")
    from ..http.app import PATH, Web
    from ..http.app import serve as run
    from ..http.oidc import Issuer, is_safe
    from ..http.tokens import Tokens

    options = ctx.find_root().params
    embedded = options["embedded"] if directory is None else f"{directory}{user_files.MARK}"
    # A server for nobody in particular is on the store of the commands, such as tokens.
    given = options["toolsets"]
    chosen = configured(embedded, given, whole=True, is_server=given is not None)
    chosen = dataclasses.replace(chosen, concepts=WHOSE[0] if shared_concepts else OWN)
    if issuer is None and (audience is not None or user_claim != _CLAIM):
        raise Failure("--audience and --user-claim: only tokens of an --issuer have them")
    for option, named in {"--issuer": issuer, "--public-url": public_url}.items():
        if named is not None and not is_safe(named):
            raise Failure(f"{option}: {named}: must begin with https://, except on this machine")
        if named is not None and {"?", "#"} & {*named}:
            raise Failure(f"{option}: {named}: must be an address without ? and #")
    _check_addresses(hosts, origins, proxies)
    kept = Tokens(settings.tokens_file(chosen))
    known = kept.exist() or issuer is not None
    host, _ = address
    if not known and (public_url is not None or host not in _LOOPBACK):
        raise Failure(
            "without tokens the server is for this machine only; run tokens add USER, or name an"
            " --issuer"
        )
    if shared_concepts and chosen.per_user:
        raise Failure("--shared-concepts: users of different stores can share no concepts")
    if directory is not None and options["embedded"] is not None:
        raise Failure("--store-per-user and --embedded name different stores; leave one out")
    if host in _ANY and not (public_url or hosts):
        raise Failure(f"{host}: name the --public-url, or with --allow-host how clients call it")
    if limits["at_once"] is None:
        is_on_a_file = chosen.embedded is not None and chosen.per_user is None
        limits["at_once"] = _ON_A_FILE if is_on_a_file else _DEFAULT.at_once
    if chosen.per_user is not None:
        prepare(chosen.per_user)
    with _listening(address) as opened:
        url = _url(public_url, host, opened.getsockname()[1], PATH)
        served = Web(
            url=url,
            hosts=_hosts(url, host, hosts),
            origins=[*origins, *([_origin(public_url)] if public_url is not None else [])],
            tokens=kept if kept.exist() else None,
            issuer=Issuer(issuer, audience or url, user_claim) if issuer else None,
            alone=None if known else chosen.user_id,
            limits=Limits(**limits),
            page=page,
        )
        run(
            chosen,
            served,
            opened,
            without_worker=options["no_worker"],
            trusted=proxies,
            log=log,
            most_open=most_open,
        )


def _check_addresses(hosts: Sequence[str], origins: Sequence[str], proxies: Sequence[str]) -> None:
    """Raise Failure if one of these could never be that of a request."""
    for host in hosts:
        if {"/", "*", "@"} & {*host} or not host:
            raise Failure(f"--allow-host: {host!r} is not like memory.example.com")
    for origin in origins:
        if _origin(origin) != origin or not urlsplit(origin).netloc or "*" in origin:
            raise Failure(f"--allow-origin: {origin!r} is not like https://chat.example.com")
    for proxy in proxies:
        try:
            ipaddress.ip_network(proxy)
        except ValueError:
            if proxy != "*":
                raise Failure(
                    f"--trust-proxy: {proxy!r} is not like 10.0.0.5 or 10.0.0.0/8"
                ) from None


def _listening(address: tuple[str, int]) -> socket.socket:
    # Imports uvicorn, which the help of the commands does not need.
    from ..view.serving import listening

    host, port = address
    try:
        return listening(host, port)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise Failure(f"cannot listen on {host} port {port}: {reason}") from None


def _url(public_url: str | None, host: str, port: int, path: str) -> str:
    """Return the address of the endpoint for clients."""
    named = f"[{host}]" if ":" in host else host
    base = public_url or f"http://{named}:{port}"
    return base.removesuffix("/").removesuffix(path) + path


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def _hosts(url: str, host: str, named: Sequence[str]) -> list[str]:
    """Return the values of Host that are served."""
    here = host in _LOOPBACK or urlsplit(url).hostname in _LOOPBACK
    local = ("127.0.0.1", "localhost", "[::1]") if here else ()
    allowed = [urlsplit(url).netloc, *named]
    # A client leaves out the port of its scheme, and may name any other.
    return [*allowed, *local, *(f"{one}:*" for one in (*allowed, *local) if ":" not in one)]
