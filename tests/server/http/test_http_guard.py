"""Requests over HTTP that are refused before anything is read: hosts, origins, methods, bodies."""

import gzip
import json
import socket

import httpx2
import pytest
from http_running import running

from concept_graph_mcp.http import guard
from concept_graph_mcp.http.limits import Limits

PAGE = "https://chat.example.com"
CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}


def reason(answer):
    return answer.json()["error"]["message"]


@pytest.mark.parametrize("host", ["example.com", "127.0.0.1", "127.0.0.1:1", "localhost.evil.net"])
def test_a_host_that_is_not_allowed_is_refused_with_421(served, host):
    assert served.post(headers={"host": host}).status_code == 421


def test_a_page_of_another_origin_is_refused_with_403(served):
    assert served.post(headers={"origin": "https://evil.example.com"}).status_code == 403
    preflight = {"origin": "https://evil.example.com", "access-control-request-method": "POST"}
    assert served.post(verb="OPTIONS", headers=preflight).status_code == 403


def test_a_page_of_an_allowed_origin_may_call_and_read(embedded, tokens):
    with running(embedded, tokens, origins=[PAGE]) as server:
        preflight = {
            "origin": PAGE,
            "access-control-request-method": "POST",
            "access-control-request-headers": "authorization,content-type,mcp-protocol-version",
        }
        asked = httpx2.options(server.url, headers=preflight)
        assert asked.status_code == 200
        assert asked.headers["access-control-allow-origin"] == PAGE
        allowed = asked.headers["access-control-allow-headers"].lower()
        assert {"authorization", "mcp-protocol-version"} <= {
            one.strip() for one in allowed.split(",")
        }
        answer = server.post(headers={"origin": PAGE})
        assert answer.status_code == 200
        assert answer.headers["access-control-allow-origin"] == PAGE
        refused = server.post(user=None, headers={"origin": PAGE})
        assert refused.status_code == 401
        assert "www-authenticate" in refused.headers["access-control-expose-headers"].lower()


@pytest.mark.parametrize("path", ["/ready", "/metrics"])
def test_a_site_whose_name_leads_here_reads_neither_readiness_nor_metrics(served, path):
    def status(host):
        return httpx2.get(f"{served.base}{path}", headers={"host": host}).status_code

    assert status("evil.example.com") == 421
    assert status("127.0.0.1.evil.example.com") == 421
    # A probe and Prometheus call a pod by its address.
    assert status("10.1.2.3:8080") == status("[::1]:8080") == status(served.base[7:]) == 200


def test_a_slash_at_the_end_of_the_address_is_no_redirect(served):
    assert served.post(url=f"{served.url}/").status_code == 200
    assert served.post(url=f"{served.base}/health/").status_code == 404


@pytest.mark.parametrize("verb", ["GET", "DELETE", "PUT", "HEAD"])
def test_there_are_no_streams_and_no_sessions(served, verb):
    answer = served.post(verb=verb)
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


@pytest.mark.parametrize("name", ["access_token", "token", "api_key", "Authorization"])
def test_a_token_in_the_address_is_refused(served, name):
    token = served.token("ann")
    answer = served.post(user=None, url=f"{served.url}?{name}={token}")
    assert answer.status_code == 400
    assert "Authorization" in reason(answer)
    assert token not in answer.text


def test_a_compressed_body_is_refused(served):
    bomb = gzip.compress(b"[" * 10_000_000)
    answer = served.post(content=bomb, headers={"content-encoding": "gzip"})
    assert answer.status_code == 415
    assert "Content-Encoding" in reason(answer)


def pieces(size):
    for _ in range(size // 50_000):
        yield b" " * 50_000


@pytest.mark.parametrize("announced", [True, False])
def test_a_body_that_is_too_large_is_refused_and_others_are_served(embedded, tokens, announced):
    with running(embedded, tokens, limits=Limits(bytes=100_000)) as server:
        body = b" " * 200_000 if announced else pieces(200_000)
        answer = server.post(content=body)
        assert answer.status_code == 413
        if announced:
            assert reason(answer) == "a request may have 100,000 bytes; send less at a time"
        assert server.post(content=json.dumps(CALL).encode()).status_code == 200


def test_a_body_of_a_hundred_megabytes_is_refused_before_it_is_sent(served):
    beginning = served.beginning("ann", **{"content-length": "100000000"})
    with served.connected() as connection:
        connection.sendall(beginning)
        assert b" 413 " in connection.makefile("rb").readline()


def test_a_client_without_a_token_sends_no_body(served):
    beginning = served.beginning(None, **{"content-length": "100000"})
    with served.connected() as connection:
        connection.sendall(beginning)
        assert b" 401 " in connection.makefile("rb").readline()


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"{", b"[]", b"null", b"1", b'"text"', b"\xff\xfe", b"[" * 50_000),
        *(b'{"jsonrpc": "2.0"}', b'{"jsonrpc": "2.0", "id": 1}', b'[{"jsonrpc": "2.0"}]'),
        b'{"jsonrpc": "2.0", "id": ' + b"9" * 5_000 + b', "method": "ping"}',
    ],
    ids=lambda body: body[:20].decode(errors="replace"),
)
@pytest.mark.parametrize("version", ["2025-06-18", "2026-07-28", "1999-01-01"])
def test_a_body_that_is_no_request_is_refused(served, body, version):
    answer = served.post(content=body, headers={"mcp-protocol-version": version})
    assert 400 <= answer.status_code < 500, answer.text
    assert served.post().status_code == 200


def body_of(params):
    return json.dumps({**CALL, "method": "ping", "params": params}).encode()


@pytest.mark.parametrize(
    ("params", "status", "line"),
    [
        ({"a": [[]] * 200_000}, 413, "a request may have 10,000 values; send less at a time"),
        ({str(n): 0 for n in range(60_000)}, 413, "a request may have 10,000 values"),
        (json.loads("[" * 80 + "]" * 80), 400, "a request may be 64 levels deep"),
        ({"a": '[{,\\"' * 20_000}, 200, ""),
        ({"a": [1, 2, 3] * 2_000}, 200, ""),
    ],
    ids=["lists", "keys", "depth", "text", "numbers"],
)
def test_a_body_that_is_long_to_parse_is_refused_before(served, params, status, line):
    answer = served.post(content=body_of(params))
    assert answer.status_code == status
    assert not line or reason(answer).startswith(line)


def test_counting_values_takes_no_longer_with_any_body():
    for body in (b'"\\' * 500_000, b'"' * 1_000_000, b"\\" * 1_000_000, b'[",' * 330_000):
        # A quadratic search would take hours.
        assert 0 <= guard.count_values(body) <= 2 * len(body)
        assert guard.depth(body) >= 0


@pytest.mark.slow
def test_a_long_request_counts_as_several(embedded, tokens):
    with running(embedded, tokens, limits=Limits(per_second=4.0)) as server:
        long = body_of({"a": [0] * 9_000})
        statuses = [server.post(content=long).status_code for _ in range(3)]
        assert statuses[0] == 200
        assert 429 in statuses
        assert server.post(user="bob").status_code == 200


def test_lone_surrogates_are_refused_in_one_line(served):
    call = json.dumps(
        {
            **CALL,
            "method": "tools/call",
            "params": {"name": "remember", "arguments": {"text": "\ud800"}},
        }
    )
    answer = served.post(content=call.encode())
    assert answer.status_code in (200, 400)
    if answer.status_code == 200:
        assert answer.json()["result"]["isError"]


def test_who_has_no_token_gets_401_and_a_challenge(served):
    for header in ({}, {"authorization": "Bearer cgm_wrong"}, {"authorization": "Basic YTpi"}):
        answer = served.post(user=None, headers=header)
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"].startswith("Bearer ")


def test_health_and_metrics_need_no_token(served):
    served.called("recall", message="hello")
    assert httpx2.get(f"{served.base}/health").json() == {"status": "ok"}
    assert httpx2.get(f"{served.base}/ready").json() == {"status": "ready"}
    counted = served.metrics()
    assert 'concept_graph_http_calls_total{outcome="ok",tool="recall"} 1.0' in counted
    assert 'concept_graph_http_call_seconds_count{tool="recall"} 1.0' in counted
    assert "ann" not in counted


@pytest.mark.parametrize(
    "name", [["recall"], {}, 1, None, "", "x" * 1_000], ids=lambda name: str(name)[:9]
)
def test_a_name_that_no_tool_can_have_is_refused_in_the_answer(served, name):
    answer = served.post("tools/call", params={"name": name, "arguments": {}}).json()
    assert "error" in answer or answer["result"]["isError"]
    assert "Traceback" not in str(answer)
    assert served.post().status_code == 200


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("tools/call", {"name": "x" * 300_000}),
        ("prompts/get", {"name": "x" * 300_000}),
        ("resources/read", {"uri": f"ui://{'x' * 300_000}"}),
        ("x" * 300_000, {}),
    ],
    ids=lambda value: value[:14] if isinstance(value, str) else "",
)
def test_a_long_name_is_not_repeated(served, caplog, method, params):
    answer = served.post(method, params=params)
    assert len(answer.text) < 1_000
    assert "x" * 90 in answer.text
    assert "xxx" not in caplog.text


def test_tools_that_do_not_exist_are_counted_under_one_name(served):
    served.called("no-such-tool")
    assert 'concept_graph_http_calls_total{outcome="error",tool="unknown"} 1.0' in served.metrics()


@pytest.mark.slow
def test_two_requests_at_once_are_both_answered(served):
    with served.connected() as connection:
        connection.sendall(served.whole("search", "ann", query="x") * 2)
        with connection.makefile("rb") as stream:
            assert stream.read().count(b"HTTP/1.1 200 OK") == 2


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
