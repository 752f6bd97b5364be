"""A Bolt server that lets nobody in: what a client meets whose password is wrong."""

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_VERSION = bytes([0, 0, 2, 5])  # Bolt 5.2
_CODE = "Memgraph.ClientError.Security.Unauthenticated"


def _text(value: str) -> bytes:
    return b"\xd0" + bytes([len(value)]) + value.encode()


def _failure() -> bytes:
    """Return the chunked message FAILURE {code, message}."""
    fields = _text("code") + _text(_CODE) + _text("message") + _text("Authentication failure")
    message = b"\xb1\x7f\xa2" + fields
    return len(message).to_bytes(2) + message + b"\0\0"


class _Locked(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        self.rfile.read(20)  # what every client begins with: a magic number and four versions
        self.wfile.write(_VERSION)
        while size := int.from_bytes(self.rfile.read(2)):
            self.rfile.read(size + 2)
            self.wfile.write(_failure())


@contextmanager
def locked() -> Iterator[str]:
    """The URI of such a server."""
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), _Locked) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"bolt://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()
