"""A TCP proxy that can be stopped, cut and started again: a database that comes and goes."""

import contextlib
import socket
import threading
from typing import Self


class Proxy:
    """Forwards 127.0.0.1:`port`, which stays the same, to a target.

    Once a client has sent `lose_answer_after`, it gets no more data on that connection; when it
    sends `cut_before`, the connection is cut instead of forwarding that.
    """

    def __init__(self, host: str, port: int) -> None:
        self._target = (host, port)
        self._listener: socket.socket | None = None
        self._pairs: set[tuple[socket.socket, socket.socket]] = set()
        self._threads: list[threading.Thread] = []
        self._lock = threading.Lock()
        self.port = 0
        self.lose_answer_after: bytes | None = None
        self.cut_before: bytes | None = None
        self.start()

    def start(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", self.port))
        self.port = self._listener.getsockname()[1]
        self._run(self._accept, self._listener)

    def stop(self) -> None:
        """Refuse new connections and cut those that there are."""
        if self._listener is not None:
            with contextlib.suppress(OSError):
                self._listener.shutdown(socket.SHUT_RDWR)
            self._listener.close()
            self._listener = None
        self.cut()
        for thread in self._threads:
            thread.join()
        self._threads.clear()

    def cut(self) -> None:
        """Cut all connections; new ones are possible."""
        with self._lock:
            pairs, self._pairs = self._pairs, set()
        for pair in pairs:
            for end in pair:
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)

    def _run(self, function: object, *arguments: object) -> None:
        thread = threading.Thread(target=function, args=arguments, daemon=True)  # type: ignore[arg-type]
        self._threads.append(thread)
        thread.start()

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(self._target)
            except OSError:
                client.close()
                continue
            with self._lock:
                self._pairs.add((client, server))
            self._run(self._serve, client, server)

    def _serve(self, client: socket.socket, server: socket.socket) -> None:
        losing = threading.Event()
        back = threading.Thread(target=self._answers, args=(client, server, losing), daemon=True)
        back.start()
        with contextlib.suppress(OSError):
            while data := client.recv(65_536):
                if self.cut_before is not None and self.cut_before in data:
                    break
                if self.lose_answer_after is not None and self.lose_answer_after in data:
                    losing.set()
                server.sendall(data)
        for end in (client, server):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        back.join()
        client.close()
        server.close()

    def _answers(
        self, client: socket.socket, server: socket.socket, losing: threading.Event
    ) -> None:
        with contextlib.suppress(OSError):
            while data := server.recv(65_536):
                if not losing.is_set():
                    client.sendall(data)
        with contextlib.suppress(OSError):
            client.shutdown(socket.SHUT_RDWR)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def closed_port() -> int:
    """Return a port that nothing listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
    return port
