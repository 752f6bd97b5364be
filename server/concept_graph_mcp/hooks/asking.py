"""Ask a running server to answer a hook, and import nothing that this does not need.

A host starts a process for each prompt, and most of its time would go into imports: those of this
module take a few milliseconds, those of a store half a second. Servers listen on sockets in a
folder of the user's (see `listening`), because a session of an agent has a server of its own. Where
none is there, one is started that answers hooks alone, and ends when none has come for a while.
"""

import os
import sys

# The message: so many bytes for the length of the fields, which NUL separates, the fields, and the
# JSON of the host. The answer: one byte, and what the hook prints.
LENGTH = 4
MINE = b"+"
NOT_MINE = b"-"
MOST_BYTES = 1_000_000
# Seconds after its start at which a hook gives up, at the latest, and those of a session's start.
MOST_S = 4.2
MOST_START_S = 9.0
# The events that are answered with notes, which need a store, and the one that starts a session.
_START = "SessionStart"
NOTES = (_START, "UserPromptSubmit")
# The name of the process that listens, in its command line and in the journal.
LISTEN = "listen"
_SENT = ("CONCEPT_GRAPH_", "MEMGRAPH_", "TZ", "AROUSAL_TAU_MS")
_SECRET = "MEMGRAPH_PASSWORD"
# The variable that hands the process that listens its socket: the number and the path.
SOCKET = "CONCEPT_GRAPH_HOOK_SOCKET"
# So many hooks may wait while it starts.
_WAITING = 64
_given: list[bytes] = []


class Late(Exception):
    """A server did not answer in time. One that *is_taken* by it notes that itself."""

    def __init__(self, is_taken: bool) -> None:
        self.is_taken = is_taken


def answer_by_server(called: list[str]) -> bool:
    """Answer the hook that the arguments *called* name, and return whether a server could.

    A server is started for an event that needs a store. Raises Late.
    """
    parsed = parse_call(called)
    if parsed is None or parsed[1] == LISTEN or not hasattr(os, "getuid"):
        return False
    names, needs_store = list_servers(), parsed[1] in NOTES
    if not names and not needs_store:
        return False
    given = read_stdin()
    _given.append(given)
    if len(given) > MOST_BYTES // 2:
        return False
    most_s = MOST_START_S if parsed[1] == _START else MOST_S
    answer = ask_servers(names, write_message(parsed, dict(os.environ), given), most_s)
    if answer is None and needs_store and (name := _start_server(parsed)):
        answer = ask_servers([name], write_message(parsed, dict(os.environ), given), most_s)
    if answer is None:
        return False
    while answer:
        answer = answer[os.write(1, answer) :]
    return True


def _start_server(parsed: tuple[str, ...]) -> str:
    """Start a process that answers hooks alone, and return the path of its socket; "": none.

    It gets the socket from here, so that the first question waits for it, and others find it.
    """
    import _socket

    made = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    name = os.path.join(find_folder(), f"h{os.getpid()}")
    given = os.open(os.devnull, os.O_RDWR)
    try:
        make_folder()
        made.bind(name)
        os.chmod(name, 0o600)
        made.listen(_WAITING)
        os.set_inheritable(made.fileno(), True)
        start = os.path.join(os.path.dirname(os.path.dirname(__file__)), "start.py")
        store, _, client = parsed
        called = [sys.executable, start, *filter(None, [store]), "hook", LISTEN]
        # The host waits until nobody has its pipes any more.
        quiet = [(os.POSIX_SPAWN_DUP2, given, at) for at in range(3)]
        os.posix_spawn(
            sys.executable,
            [*called, "--client", client],
            {**os.environ, SOCKET: f"{made.fileno()}:{name}"},
            file_actions=quiet,
            setsid=True,
        )
    except (OSError, NotImplementedError, ValueError):
        if os.path.exists(name):
            os.unlink(name)
        return ""
    finally:
        made.close()
        os.close(given)
    return name


def parse_call(called: list[str]) -> tuple[str, ...] | None:
    """Return the option of the store ("" if there is none), the event and the client of *called*.

    Return None for a call in another form than that which `setup` writes.
    """
    store, rest = "", called
    if rest and (rest[0] == "--embedded" or rest[0].startswith("--embedded=")):
        store, rest = rest[0], rest[1:]
    if len(rest) not in (2, 4) or rest[0] != "hook" or rest[1].startswith("-"):
        return None
    if len(rest) == 4 and rest[2] != "--client":
        return None
    return store, rest[1], rest[3] if len(rest) == 4 else "unknown"


def find_data() -> str:
    """Return `settings.data_directory`, with nothing imported where it can be told so."""
    if sys.platform == "win32":
        import platformdirs

        return platformdirs.user_data_dir("concept-graph-mcp", appauthor=False)
    if sys.platform == "darwin":
        data = os.path.expanduser("~/Library/Application Support")
    else:
        data = os.environ.get("XDG_DATA_HOME", "").strip() or os.path.expanduser("~/.local/share")
    return os.path.join(data, "concept-graph-mcp")


def find_folder() -> str:
    """Return the folder of the sockets."""
    return os.path.join(find_data(), "hooks", "servers")


def make_folder() -> None:
    """Make the folder of the sockets, for its user alone. Raises OSError, ValueError."""
    folder = find_folder()
    hooks = os.path.dirname(folder)
    for place in (os.path.dirname(hooks), hooks, folder):
        os.makedirs(place, 0o700, exist_ok=True)
    if not is_private(os.lstat(folder)):
        raise ValueError(f"{folder}: others can read or change it; run chmod 700 on it")


def list_servers() -> list[str]:
    """Return the paths of the sockets, the newest first; none in a folder open to others."""
    try:
        folder = find_folder()
        if not is_private(os.lstat(folder)):
            return []
        names = [os.path.join(folder, one) for one in os.listdir(folder)]
        return sorted(names, key=lambda one: -os.lstat(one).st_mtime)
    except OSError:
        return []


def is_private(found: os.stat_result) -> bool:
    """Return whether *found* is a folder of this user's that nobody else can read or change."""
    is_folder = found.st_mode & 0o170000 == 0o040000
    return is_folder and found.st_uid == os.getuid() and not found.st_mode & 0o077


def read_stdin() -> bytes:
    """Return what the host sent, which may have been read to ask a server."""
    if _given:
        return _given.pop()
    # A host may have closed it.
    return b"" if sys.stdin is None else sys.stdin.buffer.read()


def write_message(parsed: tuple[str, ...], environment: dict[str, str], given: bytes) -> bytes:
    """Return the message: the age of this process, the call, the variables of a store, the JSON."""
    fields = [str(read_age()), *parsed]
    for name, value in environment.items():
        if name.startswith(_SENT) and name != _SECRET:
            fields.append(f"{name}={value}")
    told = "\0".join(fields).encode(errors="surrogateescape")
    return len(told).to_bytes(LENGTH, "big") + told + given


def ask_servers(names: list[str], message: bytes, most_s: float = MOST_S) -> bytes | None:
    """Return the answer of the first server whose store it is; None: there is none. Raises Late."""
    # The module in C: that in Python takes as long to import as Python to start.
    import _socket

    for name in names:
        made = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        made.settimeout(max(0.1, most_s - read_age()))
        try:
            made.connect(name)
        except OSError:
            # A killed server left it; the next one removes it.
            made.close()
            continue
        parts: list[bytes] = []
        try:
            made.sendall(message)
            made.shutdown(_socket.SHUT_WR)
            while part := made.recv(65_536):
                parts.append(part)
        except TimeoutError:
            raise Late(bool(parts)) from None
        except OSError:
            continue
        finally:
            made.close()
        answer = b"".join(parts)
        if answer[:1] == MINE:
            return answer[1:]
    return None


def read_age() -> float:
    """Return the seconds since this process was started, as far as the system tells."""
    try:
        with open("/proc/self/stat", "rb") as file:
            started = int(file.read().rpartition(b")")[2].split()[19])
        with open("/proc/uptime", "rb") as file:
            return max(0.0, float(file.read().split()[0]) - started / os.sysconf("SC_CLK_TCK"))
    except (OSError, ValueError, IndexError):
        return 0.0
