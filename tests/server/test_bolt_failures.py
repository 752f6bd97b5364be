"""Telling failures of a database call apart by what the driver raises."""

from unittest.mock import AsyncMock

import anyio
import pytest
from neo4j.exceptions import (
    ClientError,
    DatabaseError,
    Neo4jError,
    ServiceUnavailable,
    SessionExpired,
    TransientError,
)

from concept_graph_mcp.errors import Full, Misdeployed, Refused, StoreError, Unavailable, Unwritable
from concept_graph_mcp.hosts.memgraph import caller
from concept_graph_mcp.hosts.memgraph.probes import (
    find_unreplicated,
    is_conflict,
    is_ended,
    refusal,
    unsent,
)
from concept_graph_mcp.hosts.memgraph.store import BoltStore

CODE = "Memgraph.ClientError.MemgraphError.MemgraphError"


def failed(message: str, code: str = CODE) -> Neo4jError:
    """Return the driver's exception for a failure as Memgraph words it."""
    error = Neo4jError._hydrate_neo4j(code=code, message=message)
    assert isinstance(error, Neo4jError)
    return error


def traceback_of(*last: str) -> str:
    lines = [
        "conceptgraph.relation_add: Traceback (most recent call last):",
        '  File "/modules/conceptgraph.py", line 5, in relation_add',
        "    return [mgp.Record(**relations.add(Graph(ctx, context), source, target, type))]",
    ]
    return "\n".join([*lines, *last]) + "\n"


CONFLICTS = [
    failed(traceback_of("mgp.SerializationError: Operation cannot be serialized.")),
    failed("Unable to commit due to unique constraint violation on :Concept(name)"),
    failed("Cannot resolve conflicting transactions.", "Memgraph.TransientError.MemgraphError.X"),
]


def test_the_failures_are_what_the_driver_makes_of_them():
    assert [type(error) for error in CONFLICTS] == [ClientError, ClientError, TransientError]


@pytest.mark.parametrize("error", CONFLICTS, ids=["in a procedure", "at commit", "in plain Cypher"])
def test_conflicts_are_tried_again(error):
    assert is_conflict(error) is True


def test_a_refusal_is_not_tried_again_whatever_the_names_in_it_say():
    last = 'conceptgraph_core.verbs.errors.Tautology: from and to are both "cannot be serialized"'
    assert is_conflict(failed(traceback_of(last))) is False


@pytest.mark.parametrize("kind", ["ClientError", "TransientError"])
def test_what_was_written_but_not_to_every_replica_is_not_written_again(kind):
    said = (
        "At least one SYNC replica has not confirmed committing last transaction, cannot be"
        " serialized. Transaction is still committed on the main instance."
    )
    error = failed(said, f"Memgraph.{kind}.MemgraphError.MemgraphError")
    assert type(error).__name__ == kind
    assert is_conflict(error) is False
    assert find_unreplicated(error) == str(refusal(error))
    assert str(refusal(error)).startswith(
        "written, but not to every replica; do not write it again:"
    )


TRANSIENT = "Memgraph.TransientError.MemgraphError.MemgraphError"
ENDED = [
    failed("Transaction was asked to abort by another user.", TRANSIENT),
    failed("Transaction was asked to abort because of transaction timeout.", TRANSIENT),
    failed(traceback_of("mgp.AbortError")),
    failed(traceback_of("AbortError: ")),
]


@pytest.mark.parametrize("error", ENDED)
def test_a_query_that_was_ended_is_no_conflict_and_not_tried_again(error):
    assert is_ended(error) is True
    assert is_conflict(error) is False


@pytest.mark.parametrize(
    "error",
    [
        *CONFLICTS,
        failed(
            traceback_of('conceptgraph_core.verbs.errors.NameTaken: "AbortError" is taken already')
        ),
        failed("'m.p' argument named 'Transaction was asked to abort' must be of type STRING."),
        ServiceUnavailable("Transaction was asked to abort"),
    ],
)
def test_nothing_else_was_ended(error):
    assert is_ended(error) is False


@pytest.mark.parametrize(
    "error",
    [
        failed("'m.p' requires exactly 5 arguments."),
        failed("Memory limit exceeded! Attempting to allocate a chunk of 6.55TiB", TRANSIENT),
        failed(traceback_of("conceptgraph_core.verbs.errors.Tautology: relation: tautology")),
        ServiceUnavailable("Failed to read from defunct connection"),
        SessionExpired("Failed to write data to connection"),
        ServiceUnavailable("the answer to 'unique constraint violation' was lost"),
        OSError("cannot be serialized"),
        ValueError("cannot be serialized"),
    ],
)
def test_nothing_else_is_tried_again(error):
    assert is_conflict(error) is False


@pytest.mark.parametrize(
    "error",
    [
        ServiceUnavailable("Couldn't connect to localhost:7687 (resolved to ('127.0.0.1:7687',))"),
        ServiceUnavailable("Unable to retrieve routing information"),
        ConnectionRefusedError(111, "Connect call failed ('127.0.0.1', 7687)"),
        ValueError("Cannot resolve address nowhere.invalid:7687"),
        ServiceUnavailable("Failed to DNS resolve address nowhere.invalid:7687: [Errno -2] Name …"),
    ],
)
def test_a_connection_that_was_never_made_has_sent_nothing(error):
    assert unsent(error) is True


@pytest.mark.parametrize(
    "error",
    [
        ServiceUnavailable("Failed to read from defunct connection IPv4Address(...)"),
        SessionExpired("Failed to write data to connection"),
        ServiceUnavailable("it said: Couldn't connect to"),
        ConnectionResetError(104, "Connection reset by peer"),
        TimeoutError("timed out"),
        OSError(),
    ],
)
def test_a_connection_lost_later_may_have_sent_something(error):
    assert unsent(error) is False


def test_a_refusal_of_the_rules_is_its_own_line():
    message = 'relation: tautology: from and to are both "apple"'
    error = refusal(failed(traceback_of(f"conceptgraph_core.verbs.errors.Tautology: {message}")))
    assert type(error) is Refused
    assert str(error) == message


def test_a_refusal_after_others_in_a_chain_is_the_last_one():
    error = refusal(
        failed(
            traceback_of(
                "conceptgraph_core.verbs.errors.InvalidText: name: must not be empty",
                "",
                "During handling of the above exception, another exception occurred:",
                "",
                "Traceback (most recent call last):",
                "conceptgraph_core.verbs.errors.InvalidRow: row 3: name: must not be empty",
            )
        )
    )
    assert type(error) is Refused
    assert str(error) == "row 3: name: must not be empty"


def test_what_a_name_contains_is_not_taken_for_an_error_class():
    line = 'concept: "conceptgraph_core.verbs.errors.X: y" is the name of an episode'
    error = refusal(failed(traceback_of(f"conceptgraph_core.verbs.errors.NameTaken: {line}")))
    assert str(error) == line


def test_any_other_exception_in_a_procedure_is_an_internal_error_without_its_traceback():
    error = refusal(failed(traceback_of("ZeroDivisionError: division by zero")))
    assert type(error) is StoreError
    assert str(error) == "internal error: ZeroDivisionError: division by zero"


@pytest.mark.parametrize(
    "error",
    [
        failed("Memory limit exceeded! Attempting to allocate a chunk of 1.50MiB", TRANSIENT),
        failed(traceback_of("_mgp.UnableToAllocateError: Unable to allocate memory.")),
        failed(traceback_of("MemoryError")),
        failed("conceptgraph.export: (Python exception details unavailable)"),
        failed(
            traceback_of(
                "_mgp.UnableToAllocateError: Unable to allocate memory.",
                "",
                "The above exception was the direct cause of the following exception:",
                "",
                "SystemError: <class 'mgp.ProcCtx'> returned a result with an exception set",
            )
        ),
    ],
)
def test_a_full_memgraph_says_what_to_do_and_can_still_be_read(error):
    assert is_conflict(error) is False
    told = refusal(error)
    assert type(told) is Full
    assert isinstance(told, Unwritable)
    assert str(told).startswith("Memgraph is at its memory limit and wrote nothing; ")


def test_a_text_that_speaks_of_memory_fills_none():
    line = 'concept: "Memory limit exceeded" is the name of an episode'
    error = refusal(failed(traceback_of(f"conceptgraph_core.verbs.errors.NameTaken: {line}")))
    assert str(error) == line


def test_a_procedure_that_is_not_there_is_a_deployment_to_correct():
    error = refusal(failed("There is no procedure named 'conceptgraph.recall'."))
    assert type(error) is Misdeployed
    assert "conceptgraph.recall" in str(error)
    assert "doctor" in str(error)


def test_a_call_that_does_not_fit_the_signature_is_refused_in_its_own_words():
    line = "'m.p' argument named 'xs' at position 0 must be of type LIST OF ANY."
    error = refusal(failed(line))
    assert type(error) is Refused
    assert str(error) == line


@pytest.mark.parametrize("message", ["", "\n", "  \n  "])
def test_a_failure_that_says_nothing_is_still_a_line(message):
    error = refusal(DatabaseError._hydrate_neo4j(code=CODE, message=message))
    assert str(error).strip()
    assert "\n" not in str(error)


@pytest.mark.parametrize("module", ["errors", "memories.errors", "entities.rules.identity"])
def test_what_any_module_of_the_core_refuses_is_a_refusal(module):
    told = refusal(failed(traceback_of(f"conceptgraph_core.{module}.Bad: a: is b")))
    assert type(told) is Refused
    assert str(told) == "a: is b"


def test_a_restore_beside_clients_that_write_all_the_time_says_what_to_do(monkeypatch):
    async def restoring() -> None:
        bolt = BoltStore("bolt://db:7687", "", "")
        monkeypatch.setattr(bolt, "open", AsyncMock())
        monkeypatch.setattr(bolt, "_empty", AsyncMock(side_effect=CONFLICTS[-1]))
        await bolt.restore(None)

    monkeypatch.setattr(caller, "_RETRY_S", 0)
    with pytest.raises(Unavailable) as told:
        anyio.run(restoring)
    assert str(told.value).endswith(
        ": others write to it all the time; nothing was changed;"
        " stop the servers and the worker that use it, and try again"
    )
