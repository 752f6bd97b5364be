"""Run a query from within a procedure, through Memgraph's C API: Python's `mgp` offers no index.

The query is a transaction of its own. It sees what was committed when it begins: nothing that the
calling transaction wrote, and maybe what that one does not see. So an id that it returns may be
missing for the caller, and two calls of one transaction may both miss what the first one made.
"""

import functools
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from .primitives import Lookup

# Not imported: a reload would drop these, and with them all names that begin so.
ctypes: Final[Any] = __import__("ctypes")
_thread: Final[Any] = __import__("_thread")
_POINTER = ctypes.c_void_p
_WORD = ctypes.sizeof(_POINTER)
# The words of CPython's object head; then come a graph's own two pointers.
_HEAD = 2
# Memgraph 3.12 may abort where a query within a call meets the memory limit, so none begins unless
# so much is left. Other callers cannot take it in the milliseconds of a look-up.
_ROOM: Final = 64 * 1024 * 1024
_PAGE: Final = 4_096
_LIMITS: Final = ("memory_limit", "global_memory_limit", "allocation_limit")
_UNITS: Final = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
_KINDS: Final = ("null", "bool", "int", "double", "string", "list", "map")


class QueryFailed(Exception):
    """The database refused or ended the query."""


class NestedQueries:
    """The functions of the server that run a query; `problem` says why they cannot be used."""

    failed = QueryFailed

    def __init__(self, kind: type) -> None:
        """Prepare queries on graphs of *kind*, the class below `mgp.Graph`."""
        self.problem = _problem(kind)
        self._most_memory: float | None = None
        if not self.problem:
            self._bind()

    def _bind(self) -> None:
        # The first kind of library releases the interpreter's lock during a call, and a query may
        # call procedures; the second keeps it, because its functions take nanoseconds.
        runs, reads = ctypes.CDLL(None), ctypes.PyDLL(None)
        self._execute = _function(runs, "mgp_execute_query", 5)
        self._pull = _function(runs, "mgp_pull_one", 4)
        self._end = _function(runs, "mgp_execution_result_destroy", 1, None)
        self._timestamp = _function(reads, "mgp_graph_get_start_timestamp", 2)
        self._new = {one: _function(reads, f"mgp_value_make_{one}", 3) for one in _KINDS}
        for one, kind in (
            ("bool", ctypes.c_int),
            ("int", ctypes.c_int64),
            ("double", ctypes.c_double),
            ("string", ctypes.c_char_p),
        ):
            self._new[one].argtypes = [kind, _POINTER, _POINTER]
        for one in ("null", "list", "map"):
            self._new[one] = _function(reads, f"mgp_value_make_{one}", 2)
        self._new_list = _function(reads, "mgp_list_make_empty", 3)
        self._new_list.argtypes = [ctypes.c_size_t, _POINTER, _POINTER]
        self._append = _function(reads, "mgp_list_append_extend", 2)
        self._new_map = _function(reads, "mgp_map_make_empty", 2)
        self._insert = _function(reads, "mgp_map_insert", 3)
        self._drop_value = _function(reads, "mgp_value_destroy", 1, None)
        self._drop_map = _function(reads, "mgp_map_destroy", 1, None)
        self._kind = _function(reads, "mgp_value_get_type", 2)
        self._get = {one: _function(reads, f"mgp_value_get_{one}", 2) for one in _KINDS[1:]}
        self._size = _function(reads, "mgp_list_size", 2)
        self._at = _function(reads, "mgp_list_at", 3)
        self._at.argtypes = [_POINTER, ctypes.c_size_t, _POINTER]
        self._items = _function(reads, "mgp_map_iter_items", 3)
        self._item = _function(reads, "mgp_map_items_iterator_get", 2)
        self._next_item = _function(reads, "mgp_map_items_iterator_next", 2)
        self._drop_items = _function(reads, "mgp_map_items_iterator_destroy", 1, None)
        self._item_key = _function(reads, "mgp_map_item_key", 2)
        self._item_value = _function(reads, "mgp_map_item_value", 2)

    def timestamp(self, graph: Any) -> int:
        """Return what names the transaction of *graph*, the one below `mgp.Graph`."""
        found = ctypes.c_int64()
        _check(self._timestamp(_pointers(graph)[0], ctypes.byref(found)))
        return int(found.value)

    def has_room(self, graph: Any) -> bool:
        """Tell whether the server is far enough from its memory limit for a query."""
        if self._most_memory is None:
            said = {
                row["storage info"]: row["value"]
                for row in self.rows(graph, "SHOW STORAGE INFO", {})
            }
            self._most_memory = _bytes(next((said[one] for one in _LIMITS if one in said), "0B"))
        # A reload would drop `pathlib`.
        with open("/proc/self/statm", encoding="ascii") as sizes:  # noqa: PTH123
            taken = int(sizes.read().split()[1]) * _PAGE
        return taken + _ROOM <= self._most_memory

    def rows(self, graph: Any, text: str, given: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Run *text* with the parameters *given* and return its rows, of plain values.

        It runs in a thread of its own, where a limit of the calling query does not count: Memgraph
        3.12 raises that it is exceeded where nothing can catch it, and aborts. See `has_room` too.
        """
        answer: list[Any] = []
        ended = _thread.allocate_lock()
        ended.acquire()

        def run() -> None:
            try:
                answer.append(self._rows(graph, text, given))
            except BaseException as error:  # noqa: BLE001 (raised below)
                answer.append(error)
            finally:
                ended.release()

        _thread.start_new_thread(run, ())
        ended.acquire()
        [found] = answer
        if isinstance(found, BaseException):
            raise found
        return list(found)

    def _rows(self, graph: Any, text: str, given: Mapping[str, Any]) -> list[dict[str, Any]]:
        at, memory = _pointers(graph)
        parameters = self._map(given, memory)
        result, row = _POINTER(), _POINTER()
        try:
            _check(self._execute(at, memory, text.encode(), parameters, ctypes.byref(result)))
        finally:
            self._drop_map(parameters)
        found: list[dict[str, Any]] = []
        try:
            while True:
                _check(self._pull(result, at, memory, ctypes.byref(row)))
                if not row.value:
                    return found
                try:
                    found.append(self._read_map(row, memory))
                finally:
                    self._drop_map(row)
        finally:
            self._end(result)

    def _map(self, given: Mapping[str, Any], memory: Any) -> Any:
        made = _POINTER()
        _check(self._new_map(memory, ctypes.byref(made)))
        try:
            for key, one in given.items():
                value = self._value(one, memory)
                try:
                    _check(self._insert(made, key.encode(), value))
                finally:
                    self._drop_value(value)
        except BaseException:
            self._drop_map(made)
            raise
        return made

    def _value(self, one: Any, memory: Any) -> Any:
        made = _POINTER()
        out = ctypes.byref(made)
        if one is None:
            _check(self._new["null"](memory, out))
        elif isinstance(one, bool):
            _check(self._new["bool"](one, memory, out))
        elif isinstance(one, int):
            _check(self._new["int"](one, memory, out))
        elif isinstance(one, float):
            _check(self._new["double"](one, memory, out))
        elif isinstance(one, str):
            _check(self._new["string"](one.encode(), memory, out))
        elif isinstance(one, Mapping):
            _check(self._new["map"](self._map(one, memory), out))
        elif isinstance(one, Sequence):
            _check(self._new["list"](self._list(one, memory), out))
        else:
            raise QueryFailed(f"no parameter can be a {type(one).__name__}")
        return made

    def _list(self, given: Sequence[Any], memory: Any) -> Any:
        made = _POINTER()
        _check(self._new_list(len(given), memory, ctypes.byref(made)))
        for one in given:
            value = self._value(one, memory)
            try:
                _check(self._append(made, value))
            finally:
                self._drop_value(value)
        return made

    def _read(self, value: Any, memory: Any) -> Any:
        number = ctypes.c_int()
        _check(self._kind(value, ctypes.byref(number)))
        kind = _KINDS[number.value] if number.value < len(_KINDS) else "null"
        if kind == "null":
            return None
        found = _TYPES[kind]()
        _check(self._get[kind](value, ctypes.byref(found)))
        if kind == "string":
            return found.value.decode()
        if kind == "bool":
            return bool(found.value)
        if kind == "list":
            return self._read_list(found, memory)
        return self._read_map(found, memory) if kind == "map" else found.value

    def _read_list(self, at: Any, memory: Any) -> list[Any]:
        size, value = ctypes.c_size_t(), _POINTER()
        _check(self._size(at, ctypes.byref(size)))
        found, out = [], ctypes.byref(value)
        for index in range(size.value):
            _check(self._at(at, index, out))
            found.append(self._read(value, memory))
        return found

    def _read_map(self, at: Any, memory: Any) -> dict[str, Any]:
        items, item, value = _POINTER(), _POINTER(), _POINTER()
        key = ctypes.c_char_p()
        _check(self._items(at, memory, ctypes.byref(items)))
        found: dict[str, Any] = {}
        try:
            _check(self._item(items, ctypes.byref(item)))
            while item.value:
                _check(self._item_key(item, ctypes.byref(key)))
                _check(self._item_value(item, ctypes.byref(value)))
                found[(key.value or b"").decode()] = self._read(value, memory)
                _check(self._next_item(items, ctypes.byref(item)))
        finally:
            self._drop_items(items)
        return found


_TYPES: Final[Mapping[str, Callable[[], Any]]] = {
    "bool": ctypes.c_int,
    "int": ctypes.c_int64,
    "double": ctypes.c_double,
    "string": ctypes.c_char_p,
    "list": _POINTER,
    "map": _POINTER,
}


def _bytes(said: str) -> float:
    """Return a size such as "21.19GiB" in bytes."""
    number = said.rstrip("BKMGTi")
    unit = said[len(number) :]
    return float(number) * _UNITS[unit] if number and unit in _UNITS else float("inf")


def _function(library: Any, name: str, arguments: int, result: Any = ctypes.c_int) -> Any:
    function = library[name]
    function.argtypes = [_POINTER] * arguments
    function.restype = result
    return function


def _check(error: int) -> None:
    if error:
        raise QueryFailed(f"Memgraph's error {error}")


def _pointers(graph: Any) -> tuple[Any, Any]:
    words = (_POINTER * (_HEAD + 2)).from_address(id(graph))
    return _POINTER(words[_HEAD]), _POINTER(words[_HEAD + 1])


def _problem(kind: type) -> str:
    """Return why no query can run on graphs of *kind*; "" if it can."""
    library = ctypes.CDLL(None)
    names = ("mgp_execute_query", "mgp_pull_one", "mgp_graph_get_start_timestamp")
    lacking = next((one for one in names if not hasattr(library, one)), None)
    if lacking is not None:
        return f"this server has no {lacking}"
    if object.__basicsize__ != _HEAD * _WORD or kind.__basicsize__ != (_HEAD + 2) * _WORD:
        return "the Python of this server keeps a graph in another way"
    return ""


re: Final[Any] = __import__("re")

# It stands above the layers, whose declarations it reads.
_PLANNING: Final = "conceptgraph_core.graph.cypher.planning"
_ELSEWHERE: Final = "only Memgraph runs a query within a call"
_MODULES: Final = "conceptgraph|memorygraph|entitygraph|everyday"
_LITERAL: Final = re.compile(
    r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`[^`]*`|//[^\n]*|/\*.*?\*/""", re.DOTALL
)
_WRITING: Final = re.compile(
    r"(?<!\.)\b(CREATE|MERGE|SET|DELETE|REMOVE|FOREACH|LOAD|DROP)\b", re.IGNORECASE
)
_CALLED: Final = re.compile(r"\bCALL\s+([\w.]+)\s*\(", re.IGNORECASE)
# How many transactions are remembered; two statements of one are never this far apart.
_REMEMBERED: Final = 1_000


class BareCalls:
    """The look-ups of bare calls in this server; `problem` says why there are none."""

    def __init__(self) -> None:
        self._queries: Any = None
        self.problem: str | None = None
        # The transactions in which a bare call wrote: the one thing that outlives a call here.
        self._wrote: deque[int] = deque(maxlen=_REMEMBERED)

    def check(self, graph: Any) -> str:
        """Return why no look-up can run on *graph*, the one below `mgp.Graph`; "" if it can."""
        if self.problem is None:
            self.problem = self._load(graph)
        return self.problem

    def _load(self, graph: Any) -> str:
        # The embedded host has look-ups of its own, and a later `mgp` may hide what lies below.
        if graph is None or hasattr(graph, "look_up"):
            return _ELSEWHERE

        self._queries = NestedQueries(type(graph))
        return str(self._queries.problem)

    def look_ups(
        self, ctx: Any, name: str, writes: bool, now_ms: int
    ) -> Callable[[Lookup], Mapping[str, Any] | None] | None:
        """Return what runs the look-ups of the procedure *name*; None if nothing can."""
        graph = getattr(ctx.graph, "_graph", None)
        if self.check(graph):
            return None
        try:
            if not self._queries.has_room(graph) or not self._is_first(graph, name, writes):
                return None
        except self._queries.failed:
            # It may have been ended together with the call.
            ctx.check_must_abort()
            return None
        run = functools.partial(self._queries.rows, graph)
        planning = __import__(_PLANNING, fromlist=["*"])

        def answer(lookup: Lookup) -> Mapping[str, Any] | None:
            try:
                told: Mapping[str, Any] = planning.answer(run, lookup, now_ms)
            except self._queries.failed:
                ctx.check_must_abort()
                return None
            return told

        return answer

    def _is_first(self, graph: Any, name: str, writes: bool) -> bool:
        """Tell whether nothing else can have been written in the transaction of this call."""
        transaction = self._queries.timestamp(graph)
        if transaction in self._wrote:
            return False
        mine = [
            row["query"]
            for row in self._queries.rows(graph, "SHOW TRANSACTIONS", {})
            if row["query"] and name in row["query"][-1]
        ]
        # Another's cannot be told from one's own, so all of them must be alone.
        if not mine or not all(len(one) == 1 and is_alone(one[0]) for one in mine):
            return False
        if writes:
            self._wrote.append(transaction)
        return True


def is_alone(query: str) -> bool:
    """Tell whether *query* writes by nothing but one procedure of these modules."""
    text = _LITERAL.sub(" ", query)
    called = _CALLED.findall(text)
    ours = [one for one in called if re.fullmatch(rf"(?:{_MODULES})\.\w+", one)]
    return not _WRITING.search(text) and len(called) == len(ours) == 1


BARE: Final = BareCalls()
