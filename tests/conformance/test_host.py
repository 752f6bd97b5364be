"""Every host treats procedures as Memgraph does, asked through `modules/host_probe.py`."""

import ast
import math

import pytest
from expect import ProbeFailed


def got(probe, procedure, *arguments):
    """Return what a probe says it got, one text a row."""
    texts = [row["got"] for row in probe.call(procedure, *arguments)]
    return texts[0] if len(texts) == 1 else texts


@pytest.fixture
def things(probe):
    """Two nodes, one and two, and an edge between them."""
    ids = [probe.call("make_node", ["Thing"], {"name": name})[0]["id"] for name in ("one", "two")]
    probe.call("make_edge", *ids, "LIKES", {"weight": 0.5})
    return ids


# Arguments


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ([], "()"),
        ([1, "two", 3.0, [4, [5]]], "(1, 'two', 3.0, (4, (5,)))"),
        ([[None]], "((None,),)"),
        ((1, 2), "(1, 2)"),
        ([{"a": [1]}], "({'a': (1,)},)"),
    ],
)
def test_a_list_arrives_as_a_tuple_all_the_way_down(probe, value, expected):
    assert got(probe, "list_value", value) == expected
    assert got(probe, "any_value", value) == expected


@pytest.mark.parametrize(
    "value", [{}, {"a": None}, {"a": {"b": 1}}, {"日本": True, "": 1.5}], ids=repr
)
def test_a_map_arrives_as_a_dictionary(probe, value):
    assert ast.literal_eval(got(probe, "map_value", value)) == value


@pytest.mark.parametrize(
    "value",
    [
        0,
        1,
        -1,
        2**63 - 1,
        -(2**63),
        1.0,
        -0.5,
        1e300,
        5e-324,
        True,
        False,
        "",
        "x",
        "日本 🍎",
        "a\nb",
    ],
    ids=repr,
)
def test_a_plain_value_arrives_as_it_is(probe, value):
    assert got(probe, "any_value", value) == repr(value)
    assert got(probe, "any_or_null", value) == repr(value)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf], ids=repr)
def test_a_float_need_not_be_finite(probe, value):
    assert got(probe, "float_value", value) == repr(value)


@pytest.mark.parametrize(
    ("procedure", "value", "expected"),
    [
        ("any_or_null", None, "None"),
        ("nullable_list_value", [None, 1], "(None, 1)"),
        ("nullable_float_value", None, "None"),
        ("node_value", None, "NoneType"),
    ],
)
def test_a_nullable_argument_takes_null(probe, procedure, value, expected):
    assert got(probe, procedure, value) == expected


@pytest.mark.parametrize(
    ("procedure", "value", "expected"),
    [
        ("float_value", 1.5, "1.5"),
        ("int_value", 1, "1"),
        ("number_value", 1, "1"),
        ("number_value", 1.5, "1.5"),
        ("bool_value", True, "True"),
        ("text_value", "x", "'x'"),
        ("texts", ["x", "y"], "('x', 'y')"),
    ],
)
def test_a_value_of_the_type_is_taken(probe, procedure, value, expected):
    assert got(probe, procedure, value) == expected


REJECTED = {
    "any_value": ("value", "ANY", [None]),
    "list_value": ("xs", "LIST OF ANY", [None, 1, "x", {}, [None], [1, None]]),
    "nullable_list_value": ("xs", "LIST OF ANY", [None, 1, {}]),
    "texts": ("xs", "LIST OF STRING", [None, "x", [1], [None], ["x", 1]]),
    "map_value": ("value", "MAP", [None, 1, "x", [], [{}]]),
    "float_value": ("x", "FLOAT", [None, 2, True, "2.0", []]),
    "nullable_float_value": ("x", "FLOAT", [2, True, "2.0"]),
    "int_value": ("x", "INTEGER", [None, 1.0, True, "1"]),
    "number_value": ("x", "NUMBER", [None, True, "1", [1]]),
    "bool_value": ("x", "BOOLEAN", [None, 0, 1, "true"]),
    "text_value": ("x", "STRING", [None, 1, True, ["x"]]),
    "node_value": ("x", "NODE", [1, "x", {}, []]),
}


@pytest.mark.parametrize(
    ("procedure", "value"),
    [(procedure, value) for procedure, (_, _, values) in REJECTED.items() for value in values],
    ids=repr,
)
def test_a_value_of_another_type_is_refused_by_name_and_position(probe, procedure, value):
    name, kind, _ = REJECTED[procedure]
    message = (
        f"'host_probe.{procedure}' argument named '{name}' at position 0 must be of type {kind}"
    )
    with pytest.raises(ProbeFailed) as failure:
        probe.call(procedure, value)
    assert message in str(failure.value)


@pytest.mark.parametrize(
    ("procedure", "value", "kind"),
    [
        ("nullable_float_value", 2, "FLOAT?"),
        ("nullable_list_value", 1, "LIST OF ANY?"),
        ("node_value", 1, "NODE?"),
    ],
)
def test_a_type_that_takes_null_is_named_with_a_question_mark(probe, procedure, value, kind):
    with pytest.raises(ProbeFailed) as failure:
        probe.call(procedure, value)
    assert str(failure.value).endswith(f"must be of type {kind}.")


@pytest.mark.parametrize("count", [0, 1, 5])
def test_a_wrong_number_of_arguments_is_refused(probe, count):
    with pytest.raises(
        ProbeFailed, match=r"'host_probe\.two_to_four' requires between 2 and 4 arguments\."
    ):
        probe.call("two_to_four", *range(count))


def test_a_wrong_number_of_arguments_without_defaults_is_refused(probe):
    with pytest.raises(ProbeFailed, match=r"'host_probe\.nothing' requires no arguments\."):
        probe.call("nothing", 1)
    with pytest.raises(ProbeFailed, match=r"'host_probe\.any_value' requires exactly 1 argument\."):
        probe.call("any_value", 1, 2)
    with pytest.raises(
        ProbeFailed, match=r"'host_probe\.make_node' requires exactly 2 arguments\."
    ):
        probe.call("make_node", [])


def test_an_unknown_procedure_is_refused(probe):
    with pytest.raises(ProbeFailed, match=r"There is no procedure named 'host_probe\.nosuch'\."):
        probe.call("nosuch")


def test_what_is_left_out_has_its_default(probe):
    assert got(probe, "two_to_four", 1, 2) == "(1, 2, 3, 4)"
    assert got(probe, "two_to_four", 1, 2, 7) == "(1, 2, 7, 4)"
    assert got(probe, "defaults") == "(None, 7, {}, ())"


def test_a_default_is_copied_for_every_call(probe):
    # The procedure changes the map that it got.
    assert [got(probe, "defaults") for _ in range(3)] == ["(None, 7, {}, ())"] * 3


def test_a_null_is_not_a_default(probe):
    assert got(probe, "defaults", None) == "(None, 7, {}, ())"
    with pytest.raises(ProbeFailed, match="'seven' at position 1 must be of type INTEGER"):
        probe.call("defaults", None, None)
    with pytest.raises(ProbeFailed, match="'mapping' at position 2 must be of type MAP"):
        probe.call("defaults", None, 7, None)


# Results


@pytest.mark.parametrize("value", [0, 1, True, "x", [1.0], {}], ids=repr)
def test_a_result_is_no_more_converted_than_an_argument(probe, value):
    for procedure in ("float_result", "nullable_float_result"):
        with pytest.raises(
            ProbeFailed, match=r"Unable to insert field 'score' with value: '.*'; did you set"
        ):
            probe.call(procedure, value)


@pytest.mark.parametrize("value", [1.0, True, "1", None, [1]], ids=repr)
def test_an_integer_result_is_an_integer(probe, value):
    assert probe.call("int_result", 1) == [{"count": 1}]
    with pytest.raises(ProbeFailed, match="Unable to insert field 'count'"):
        probe.call("int_result", value)


@pytest.mark.parametrize("value", [1, 1.5])
def test_a_number_result_is_either(probe, value):
    (row,) = probe.call("number_result", value)
    assert (row["number"], type(row["number"])) == (value, type(value))


@pytest.mark.parametrize("value", [0, [1.0], [None], [[1]], "x", {}], ids=repr)
def test_the_elements_of_a_list_result_are_checked(probe, value):
    assert probe.call("list_result", [1, 2]) == [{"xs": [1, 2]}]
    with pytest.raises(ProbeFailed, match="Unable to insert field 'xs'"):
        probe.call("list_result", value)


@pytest.mark.parametrize("value", [0, "x", [1], [{}]], ids=repr)
def test_a_map_result_is_a_map(probe, value):
    assert probe.call("map_result", {"a": [1, None]}) == [{"value": {"a": [1, None]}}]
    with pytest.raises(ProbeFailed, match="Unable to insert field 'value'"):
        probe.call("map_result", value)


def test_a_nullable_result_may_be_null(probe):
    assert probe.call("nullable_float_result", None) == [{"score": None}]


def test_a_field_left_out_is_null(probe):
    assert probe.call("missing_result") == [{"there": 1, "missing": None}]


def test_a_field_that_was_not_declared_is_refused(probe):
    with pytest.raises(ProbeFailed, match="Unable to insert field 'unknown' with value: '2'"):
        probe.call("unknown_result")


def test_a_single_record_is_a_row(probe):
    assert probe.call("single_result") == [{"there": 1}]


def test_a_generator_is_refused(probe):
    with pytest.raises(ProbeFailed, match=r"TypeError: Value '<generator .*mgp\.Record"):
        probe.call("generator_result")


def test_a_dictionary_is_no_record(probe):
    with pytest.raises(ProbeFailed, match=r"is not an instance of 'mgp\.Record'"):
        probe.call("dict_result")


def test_a_procedure_with_fields_has_to_return_something(probe):
    with pytest.raises(ProbeFailed, match="returned None"):
        probe.call("none_result")


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("tuple", [1, "two", 3.0]),
        ("list", [1, [2, [3]]]),
        ("map", {"a": {"b": [1, None]}}),
        ("none", None),
        ("-2**63", -(2**63)),
        ("inf", math.inf),
        ("bool", True),
        ("text", "日本 🍎"),
        ("list of none", [None]),
    ],
)
def test_a_result_of_any_type_leaves_as_it_is(probe, kind, expected):
    (row,) = probe.call("special_result", kind)
    assert (row["value"], type(row["value"])) == (expected, type(expected))


# What can be stored

STORABLE = {
    "tuple": "(1, 'two', 3.0)",
    "list": "(1, (2, (3,)))",
    "map": "{'a': {'b': (1, None)}}",
    "none": "None",
    "nan": "nan",
    "inf": "inf",
    "bool": "True",
    "int": "1",
    "float": "1.0",
    "text": "'日本 🍎'",
    "-2**63": "-9223372036854775808",
    "list of none": "(None,)",
}

UNSTORABLE = {
    "bytes": "ValueError: Unsupported",
    "set": "ValueError: Unsupported",
    "object": "ValueError: Unsupported",
    "list of bytes": "ValueError: Unsupported",
    "keys": "ValueError: Dictionary keys must be strings",
    "2**63": "OverflowError: Python integer is out of range",
    "2**70": "OverflowError: Python integer is out of range",
}


@pytest.mark.parametrize(("kind", "expected"), STORABLE.items())
def test_a_property_comes_back_as_it_was_set_but_lists_as_tuples(probe, kind, expected):
    assert got(probe, "property_of", kind) == expected


@pytest.mark.parametrize(("kind", "error"), UNSTORABLE.items())
def test_what_cannot_be_stored_is_refused_at_once(probe, kind, error):
    assert got(probe, "property_of", kind).startswith(f"builtins.{error}")


@pytest.mark.parametrize(("kind", "error"), UNSTORABLE.items())
def test_what_cannot_be_stored_cannot_be_returned(probe, kind, error):
    with pytest.raises(ProbeFailed, match=error.replace("*", r"\*")):
        probe.call("special_result", kind)


def test_a_temporal_value_is_kept_or_refused_but_never_changed(probe):
    if probe.host == "embedded":
        assert got(probe, "property_of", "date").startswith("builtins.ValueError: Temporal values")
    else:
        assert got(probe, "property_of", "date") == "datetime.date(2025, 6, 15)"


def test_a_property_set_to_null_is_no_property(probe):
    assert got(probe, "property_given", None) == "(None, False)"
    assert got(probe, "property_given", 0) == "(0, True)"
    assert got(probe, "property_removed") == "[]"


def test_properties_are_stored_with_their_types(probe):
    properties = {
        "name": "one",
        "int": 1,
        "float": 1.0,
        "bool": True,
        "list": [1, 2.0, [True, "x"]],
        "map": {"a": [1], "日本": {"b": 1.5}},
        "empty": [],
        "text": "日本 🍎 \u2028 \x7f \"'\\",
        "long": 2**63 - 1,
        "small": 5e-324,
    }
    probe.call("make_node", ["Thing", "日本"], properties)
    probe.reopen()
    (row,) = probe.call("find", "one")
    node = row["node"]
    stored = node.properties if probe.host == "embedded" else dict(node)
    assert repr(sorted(stored.items())) == repr(sorted(properties.items()))
    assert set(node.labels) == {"Thing", "日本"}


# Reading and writing


def test_nodes_arrive_in_lists_and_maps(probe, things):
    if probe.host == "embedded":
        pytest.skip("embedded, nobody but a look-up can hand a node to a procedure")
    rows = probe.rows(
        "MATCH (n:Thing) WITH collect(n) AS found"
        " CALL host_probe.nodes_inside(found + ['x'], {found: found}) YIELD got RETURN got"
    )
    assert rows == [{"got": "Vertex Vertex str Vertex Vertex"}]


def test_a_node_is_itself_however_it_was_found(probe, things):
    if probe.host == "embedded":
        pytest.skip("embedded, nobody but a look-up can hand a node to a procedure")
    rows = probe.rows(
        "MATCH (n:Thing) WITH collect(n) AS found"
        " CALL host_probe.same_nodes(found) YIELD got RETURN got"
    )
    assert rows == [{"got": "(2, True, True)"}]


def test_a_read_procedure_cannot_write(probe, things):
    assert got(probe, "read_writes", "one") == ["mgp.ImmutableObjectError"] * 9
    assert len(probe.call("find", "one")) == 1


def test_a_vertex_that_does_not_exist_is_an_index_error(probe, things):
    for vertex_id in (10**9, -1):
        assert got(probe, "vertex_by_id", vertex_id).startswith("builtins.IndexError")
    assert "Vertex" in got(probe, "vertex_by_id", things[0])


def test_what_a_call_writes_it_sees(probe):
    assert got(probe, "seen_within") == [
        "2",
        "['Thing']",
        "['LIKES']",
        "[True]",
        "(True, True)",
        "True",
        "(1, None, 0)",
        "(None, None, 1)",
        "'default'",
        "builtins.KeyError: ",
    ]


def test_an_edge_from_a_vertex_to_itself_is_one_out_and_one_in(probe):
    assert got(probe, "loop") == "(1, 1)"


def test_what_is_deleted_is_gone_within_the_call(probe):
    outcomes = [text.partition(":")[0] for text in got(probe, "deletes")]
    assert outcomes == [
        "mgp.LogicErrorError",  # A vertex with edges is not deleted,
        "1",
        "None",  # an edge is,
        "mgp.DeletedObjectError",
        "(0, 0)",
        "'LIKES'",
        "None",  # and a vertex together with its edges.
        "mgp.DeletedObjectError",
        "mgp.DeletedObjectError",
        "[]",
        "builtins.IndexError",
        "mgp.DeletedObjectError",
        "None",
        "0",
    ]


def test_what_was_deleted_is_not_stored(probe):
    probe.call("deletes")
    probe.reopen()
    assert probe.call("find", "first") == []


def test_graph_objects_end_with_their_call(probe, things):
    assert got(probe, "keep", "one") == "(True, True, True)"
    valid, *uses = got(probe, "use_kept")
    assert valid == "(False, False, False)"
    assert uses == ["mgp.InvalidContextError: "] * 12


# Errors


def test_an_exception_is_told_by_its_class_and_message(probe):
    with pytest.raises(ProbeFailed, match="ValueError: the message"):
        probe.call("write_and_fail", "new", "the message")


def test_an_exception_takes_everything_back(probe, things):
    with pytest.raises(ProbeFailed):
        probe.call("write_and_fail", "new", "the message")
    for _ in range(2):
        assert probe.call("find", "new") == probe.call("find", "changed") == []
        assert len(probe.call("find", "one")) == len(probe.call("find", "two")) == 1
        # It finds the edge that the failed call had deleted.
        assert got(probe, "keep", "one") == "(True, True, True)"
        probe.reopen()


def test_a_wrong_result_takes_everything_back(probe):
    with pytest.raises(ProbeFailed):
        probe.call("write_and_answer_wrongly", "new")
    assert probe.call("find", "new") == []


def test_a_failed_call_does_not_disturb_the_next(probe):
    with pytest.raises(ProbeFailed):
        probe.call("write_and_fail", "new", "the message")
    probe.call("make_node", ["Thing"], {"name": "new"})
    assert len(probe.call("find", "new")) == 1


# Functions


def test_a_function_is_called_like_a_procedure(probe):
    assert probe.function("doubled", 2) == 4
    assert probe.function("doubled", 2, 3) == 6
    assert probe.function("doubled", 2.5) == 5.0


def test_a_function_checks_its_arguments(probe):
    with pytest.raises(
        ProbeFailed, match="argument named 'x' at position 0 must be of type NUMBER"
    ):
        probe.function("doubled", "x")
    with pytest.raises(
        ProbeFailed, match="argument named 'times' at position 1 must be of type INT"
    ):
        probe.function("doubled", 2, None)
    with pytest.raises(ProbeFailed, match="requires between 1 and 2 arguments"):
        probe.function("doubled")
