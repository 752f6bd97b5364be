"""What is decoded together is what each would be by itself."""

import pytest

from concept_graph_mcp.hosts.sqlite.cache import decode, decode_all
from concept_graph_mcp.hosts.sqlite.opening import Unsound

PLAIN = '{"strength":0.5,"created_at":1750000000000}'


@pytest.mark.parametrize(
    "stored",
    [
        [],
        [PLAIN],
        [PLAIN, "{}", ' {"count": 2} ', '{"by":"hand","on":true,"off":null}'],
        [PLAIN, '{"said":"a { and a }, and {"}', '{"said":"[1, 2]"}'],
        [PLAIN, '{"tags":["a","b"]}', '{"metadata":{"a":{"b":[1]}}}'],
    ],
)
def test_together_they_are_what_each_is(stored: list[str]) -> None:
    assert decode_all(stored) == [decode(one) for one in stored]


@pytest.mark.parametrize(
    "stored",
    [
        [PLAIN, "", PLAIN],
        [PLAIN, "[]"],
        [f"{PLAIN},{PLAIN}"],
        [f"{PLAIN},{PLAIN}", ""],
        ["1", f"{PLAIN},{PLAIN}"],
        ['{"a":1', '"b":2}'],
        ['{"a":{}}', "1"],
    ],
)
def test_what_is_no_map_is_refused_whatever_is_beside_it(stored: list[str]) -> None:
    with pytest.raises(Unsound, match="a dict is not as it is stored"):
        decode_all(stored)
