"""Clients that are slow, or never end: the others notice nothing."""

import asyncio
import socket
from contextlib import ExitStack

import pytest
import uvicorn
from http_running import Held, running
from starlette.applications import Starlette
from uvicorn.server import ServerState

from concept_graph_mcp.http import serving
from concept_graph_mcp.http.limits import Limits
from concept_graph_mcp.settings import KNOWN_TOOLSETS


def is_closed(connection: socket.socket) -> bool:
    """Wait until the server has closed *connection* without an answer."""
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True


def answered(connection: socket.socket) -> bytes:
    """Return the status line and all the rest that the server sends."""
    data = b""
    while b"\r\n\r\n" not in data:
        data += connection.recv(65_536)
    return data


@pytest.mark.parametrize("sent", ["nothing", "half a head", "half a body"])
def test_half_a_request_is_not_waited_for(embedded, tokens, monkeypatch, sent):
    monkeypatch.setattr(serving, "PATIENCE_S", 0.5)
    with running(embedded, tokens) as server, server.connected() as connection:
        whole = server.whole("search", "ann", query="x")
        head = whole.index(b"\r\n\r\n")
        pieces = {
            "nothing": b"",
            "half a head": whole[: head // 2],
            "half a body": whole[:-5],
        }
        connection.sendall(pieces[sent])
        assert is_closed(connection)
        assert server.post().status_code == 200


def test_a_second_request_in_halves_is_not_waited_for_either(embedded, tokens, monkeypatch):
    monkeypatch.setattr(serving, "PATIENCE_S", 1.0)
    with running(embedded, tokens) as server, server.connected() as connection:
        whole = server.whole("search", "ann", query="x")
        connection.sendall(whole + whole[:-5])
        assert b" 200 OK" in answered(connection)
        while connection.recv(65_536):
            pass


def test_small_pieces_are_sent_at_once(embedded, tokens, monkeypatch):
    sent_at_once = []
    made = serving.Connection.connection_made

    def noting(self, transport):
        made(self, transport)
        accepted = transport.get_extra_info("socket")
        sent_at_once.append(accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))

    monkeypatch.setattr(serving.Connection, "connection_made", noting)
    with running(embedded, tokens) as server:
        server.post()
    assert sent_at_once
    assert all(sent_at_once)


def test_two_requests_at_once_are_both_answered(served):
    with served.connected() as connection:
        connection.sendall(served.whole("search", "ann", query="x") * 2)
        with connection.makefile("rb") as stream:
            assert stream.read().count(b"HTTP/1.1 200 OK") == 2


def test_beyond_the_most_connections_the_slowest_goes(embedded, tokens, monkeypatch):
    monkeypatch.setattr(serving, "MOST", 20)
    with running(embedded, tokens) as server, ExitStack() as open_:
        idle = [open_.enter_context(server.connected()) for _ in range(60)]
        for one in idle[:30]:
            one.sendall(b"POST /mcp HTTP/1.1\r\nhost: ")
        # Each of these finds its place, although none of the slow ones has given up.
        for _ in range(5):
            assert server.post().status_code == 200
        assert is_closed(idle[0])


def test_many_newcomers_each_displace_another(monkeypatch):
    """The loop accepts some hundred connections before it notices that one has ended."""
    monkeypatch.setattr(serving, "MOST", 20)

    class Transport(asyncio.Transport):
        aborted = False

        def abort(self):
            self.aborted = True

        def close(self):
            pass

    async def connect():
        config, state = (
            uvicorn.Config(Starlette(), ws="none", interface="asgi3", log_config=None),
            ServerState(),
        )
        config.load()
        transports = [Transport() for _ in range(100)]
        for one in transports:
            made = serving.Connection(config, state, {})
            made.connection_made(one)
        assert len(state.connections) == 20
        assert [one.aborted for one in transports] == [True] * 80 + [False] * 20
        for one in [*state.connections]:
            one.connection_lost(None)

    asyncio.run(connect())


def test_a_call_in_flight_is_not_given_up_for_newcomers(embedded, tokens, monkeypatch):
    monkeypatch.setattr(serving, "MOST", 3)
    held = Held(embedded, "ann")
    with running(held, tokens) as server, ExitStack() as open_, server.connected() as calling:
        calling.sendall(server.whole("search", "ann", query="x"))
        assert held.begun.acquire(timeout=60)
        for _ in range(10):
            open_.enter_context(server.connected())
        assert server.post(user="bob").status_code == 200
        held.let_go()
        assert b" 200 OK" in answered(calling)


def test_a_client_that_never_reads_is_let_go(embedded, tokens, monkeypatch):
    monkeypatch.setattr(serving, "PATIENCE_S", 0.5)
    options = {"toolsets": KNOWN_TOOLSETS, "limits": Limits(per_second=1_000_000.0)}
    with running(embedded, tokens, **options) as server, server.connected() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)

        def send_on():
            # Each answer is some hundred times as long as its request, and none is read.
            while True:
                connection.sendall(server.listing("ann"))

        with pytest.raises((ConnectionResetError, BrokenPipeError)):
            send_on()
        assert server.post().status_code == 200


@pytest.mark.parametrize("line", [b"\x16\x03\x01\x02\x00", b"nonsense\r\n\r\n", b"\n" * 100_000])
def test_what_is_no_http_is_refused(served, line):
    with served.connected() as connection:
        connection.sendall(line)
        connection.shutdown(socket.SHUT_WR)
        data = b""
        try:
            while more := connection.recv(65_536):
                data += more
        except ConnectionResetError:
            pass
        assert data == b"" or b" 400 " in data.splitlines()[0]
    assert served.post().status_code == 200
