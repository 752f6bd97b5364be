"""The contract of LangGraph's `BaseStore`, for any store: `class TestMine(BaseStoreTests)`.

`differing` names the tests that a store fails, each with the reason: pytest then expects that. The
contract is the docstrings of `langgraph.store.base`, and what the official stores do.
"""

import asyncio
import math
import time
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import pytest
from langgraph.store.base import (
    BaseStore,
    GetOp,
    InvalidNamespaceError,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchOp,
)

# Some stores count in seconds.
_SECOND = 1.1 / 60
USERS = ("users",)
ANN = ("users", "ann")
# Values as programs have them.
VALUES: list[dict[str, Any]] = [
    {},
    {"text": "plain"},
    {"deep": {"list": [1, 2.5, None, True, {"a": []}]}},
    {"ü\U0001f600": "e\u0301 \u202e\x1f\x7f", "blank": " \n\t"},
    {"nul": "a\0b"},
    {"large": 2**53, "small": -0.5, "exact": 0.1},
    {"$eq": 1, "a.b": 2, "": 3},
]
KEYS = ["a.b", "a/b", "a\nb", "..", "%2F", "*", "\u00fc", "u\u0308", "\U0001f600", " ", "k" * 200]
FILTERED: dict[str, dict[str, Any]] = {
    "a": {"n": 1, "color": "red", "nested": {"x": 1}},
    "b": {"n": 2, "color": "blue", "ok": True},
    "c": {"n": 3.5, "color": "red", "tags": ["x", "y"]},
    "d": {"n": -4, "color": None},
}

NAMESPACES: list[tuple[str, ...]] = [
    ("a", "b", "c"),
    ("a", "b", "d", "e"),
    ("a", "b", "d", "i"),
    ("a", "b", "f"),
    ("a", "c", "f"),
    ("x", "b", "f"),
    ("a",),
]


class BaseStoreTests:
    """The tests; a subclass has the fixture `store`, which is empty."""

    # The names of tests that the store fails, with the reason.
    differing: ClassVar[Mapping[str, str]] = {}
    # Whether put takes a ttl, and how to wait for its end.
    supports_ttl: ClassVar[bool] = True
    supports_sync: ClassVar[bool] = True
    supports_async: ClassVar[bool] = True

    @pytest.fixture
    def store(self) -> Iterator[BaseStore]:
        raise NotImplementedError("a subclass has the fixture `store`")

    @pytest.fixture(autouse=True)
    def _expected(self, request: pytest.FixtureRequest) -> None:
        reason = self.differing.get(request.node.originalname)
        if reason is not None:
            request.applymarker(pytest.mark.xfail(reason=reason, strict=False))

    def wait(self, minutes: float) -> None:
        """Let *minutes* pass for the store."""
        time.sleep(minutes * 60)

    def sweep(self, store: BaseStore) -> None:
        """Let the store remove what is expired."""
        store.sweep_ttl()

    # put and get

    @pytest.mark.parametrize("value", VALUES, ids=str)
    def test_a_value_is_got_as_it_was_put(self, store: BaseStore, value: dict[str, Any]) -> None:
        store.put(ANN, "k", value)
        item = store.get(ANN, "k")
        assert item is not None
        assert (item.namespace, item.key, item.value) == (ANN, "k", value)

    def test_what_is_missing_is_none(self, store: BaseStore) -> None:
        assert store.get(ANN, "k") is None
        store.put(ANN, "k", {"a": 1})
        assert store.get(ANN, "K") is None
        assert store.get(("users", "Ann"), "k") is None
        assert store.get(USERS, "k") is None
        assert store.get((*ANN, "x"), "k") is None

    @pytest.mark.parametrize("key", KEYS)
    def test_a_key_may_be_any_text(self, store: BaseStore, key: str) -> None:
        store.put(ANN, key, {"is": key})
        store.put(ANN, "other", {"is": "other"})
        item = store.get(ANN, key)
        assert item is not None
        assert (item.key, item.value) == (key, {"is": key})
        assert {one.key for one in store.search(ANN)} == {key, "other"}

    def test_a_value_of_a_megabyte_is_kept(self, store: BaseStore) -> None:
        value = {"text": "word \u00fc " * 150_000}
        store.put(ANN, "k", value)
        item = store.get(ANN, "k")
        assert item is not None
        assert item.value == value

    def test_a_put_replaces_the_whole_value(self, store: BaseStore) -> None:
        store.put(ANN, "k", {"a": 1, "b": 2})
        store.put(ANN, "k", {"a": 3})
        item = store.get(ANN, "k")
        assert item is not None
        assert item.value == {"a": 3}
        assert len(store.search(ANN)) == 1

    def test_a_put_changes_when_it_was_updated_but_not_when_it_was_created(
        self, store: BaseStore
    ) -> None:
        store.put(ANN, "k", {"a": 1})
        first = store.get(ANN, "k")
        self.wait(_SECOND)
        store.put(ANN, "k", {"a": 2})
        second = store.get(ANN, "k")
        assert first is not None
        assert second is not None
        assert second.created_at == first.created_at
        assert second.updated_at > first.updated_at

    def test_a_value_that_is_changed_afterwards_is_kept_as_it_was(self, store: BaseStore) -> None:
        value = {"list": [1]}
        store.put(ANN, "k", value)
        value["list"].append(2)
        item = store.get(ANN, "k")
        assert item is not None
        assert item.value == {"list": [1]}

    def test_a_deleted_item_is_gone(self, store: BaseStore) -> None:
        store.put(ANN, "k", {"a": 1})
        store.delete(ANN, "k")
        store.delete(ANN, "never")
        assert store.get(ANN, "k") is None
        assert store.search(ANN) == []
        store.put(ANN, "k", {"a": 2})
        item = store.get(ANN, "k")
        assert item is not None
        assert item.value == {"a": 2}

    def test_a_namespace_without_items_is_none(self, store: BaseStore) -> None:
        store.put(ANN, "k", {"a": 1})
        store.delete(ANN, "k")
        assert store.list_namespaces() == []

    def test_a_missing_item_makes_no_namespace(self, store: BaseStore) -> None:
        store.get(ANN, "k")
        assert store.list_namespaces() == []

    @pytest.mark.parametrize(
        "namespace", [(), ("",), ("a.b",), ("a", ""), ("langgraph", "x"), (1,), ("a\0",)], ids=repr
    )
    def test_a_wrong_namespace_is_refused(self, store: BaseStore, namespace: Any) -> None:
        with pytest.raises(InvalidNamespaceError):
            store.put(namespace, "k", {"a": 1})
        assert store.search(()) == []

    # batch

    def test_a_batch_returns_the_results_in_its_order(self, store: BaseStore) -> None:
        store.put(ANN, "a", {"n": 1})
        found = store.batch(
            [
                PutOp(ANN, "b", {"n": 2}),
                GetOp(ANN, "a"),
                SearchOp(USERS),
                ListNamespacesOp(),
                GetOp(ANN, "missing"),
            ]
        )
        assert found[0] is None
        assert found[1].value == {"n": 1}
        assert [one.key for one in found[2]] == ["a"]
        assert found[3] == [ANN]
        assert found[4] is None

    def test_a_batch_reads_what_was_there_before_it(self, store: BaseStore) -> None:
        store.put(ANN, "k", {"n": 1})
        [_, item] = store.batch([PutOp(ANN, "k", {"n": 2}), GetOp(ANN, "k")])
        assert item.value == {"n": 1}

    def test_the_last_put_of_a_key_in_a_batch_counts(self, store: BaseStore) -> None:
        store.batch([PutOp(ANN, "k", {"n": 1}), PutOp(ANN, "k", {"n": 2}), PutOp(ANN, "x", None)])
        store.batch([PutOp(ANN, "y", {"n": 1}), PutOp(ANN, "y", None)])
        assert [(one.key, one.value) for one in store.search(ANN)] == [("k", {"n": 2})]

    def test_an_empty_batch_does_nothing(self, store: BaseStore) -> None:
        assert store.batch([]) == []

    def test_a_batch_takes_an_iterator(self, store: BaseStore) -> None:
        assert store.batch(PutOp(ANN, str(n), {"n": n}) for n in range(3)) == [None] * 3
        assert len(store.search(ANN)) == 3

    # search

    def test_a_search_finds_what_is_below_a_namespace(self, store: BaseStore) -> None:
        for namespace in (USERS, ANN, ("users", "bob"), ("users2",), ("usersx", "ann")):
            store.put(namespace, "k", {"at": list(namespace)})

        def found(*prefix: str) -> set[tuple[str, ...]]:
            return {one.namespace for one in store.search(prefix)}

        assert found("users") == {USERS, ANN, ("users", "bob")}
        assert found("users", "ann") == {ANN}
        assert found("USERS") == found("nobody") == set()
        assert len(found()) == 5

    def test_a_namespace_is_no_pattern(self, store: BaseStore) -> None:
        for label in ("a*", "ab", "a_", "a%", "[a]", "a?"):
            store.put((label,), "k", {"a": 1})
        for label in ("a*", "a_", "a%", "[a]", "a?"):
            assert [one.namespace for one in store.search((label,))] == [(label,)]

    @pytest.mark.parametrize(
        ("wanted", "keys"),
        [
            ({"color": "red"}, "ac"),
            ({"color": "red", "n": 1}, "a"),
            ({"n": {"$eq": 2}}, "b"),
            ({"n": {"$gt": 1}}, "bc"),
            ({"n": {"$gte": 2, "$lt": 3.5}}, "b"),
            ({"n": {"$lte": -4}}, "d"),
            ({"n": {"$lt": 10**30}}, "abcd"),
            ({"n": {"$eq": 10**30}}, ""),
            ({"color": {"$ne": "red"}, "n": {"$ne": -4}}, "b"),
            ({"ok": True}, "b"),
            ({"n": 3.5}, "c"),
            ({"color": "green"}, ""),
        ],
        ids=str,
    )
    def test_a_filter_compares_fields(
        self, store: BaseStore, wanted: dict[str, Any], keys: str
    ) -> None:
        for key, value in FILTERED.items():
            store.put(ANN, key, value)
        assert "".join(sorted(one.key for one in store.search(ANN, filter=wanted))) == keys

    def test_a_filter_compares_texts_in_their_order(self, store: BaseStore) -> None:
        for key, value in FILTERED.items():
            store.put(ANN, key, value)
        found = store.search(ANN, filter={"color": {"$gt": "blue"}})
        assert {one.key for one in found} == {"a", "c"}

    def test_a_filter_compares_lists_and_maps(self, store: BaseStore) -> None:
        for key, value in FILTERED.items():
            store.put(ANN, key, value)
        assert [one.key for one in store.search(ANN, filter={"tags": ["x", "y"]})] == ["c"]
        assert [one.key for one in store.search(ANN, filter={"nested": {"x": 1}})] == ["a"]

    def test_none_in_a_filter_is_a_field_that_is_none_or_missing(self, store: BaseStore) -> None:
        for key, value in FILTERED.items():
            store.put(ANN, key, value)
        assert [one.key for one in store.search(ANN, filter={"color": None})] == ["d"]
        assert {one.key for one in store.search(ANN, filter={"ok": None})} == {"a", "c", "d"}

    def test_ne_finds_what_lacks_the_field(self, store: BaseStore) -> None:
        for key, value in FILTERED.items():
            store.put(ANN, key, value)
        assert {one.key for one in store.search(ANN, filter={"ok": {"$ne": True}})} == set("acd")

    def test_an_order_leaves_out_what_has_no_such_field(self, store: BaseStore) -> None:
        for key, value in FILTERED.items():
            store.put(ANN, key, value)
        store.put(ANN, "e", {"n": "many"})
        assert [one.key for one in store.search(ANN, filter={"ok": {"$gt": 0}})] in ([], ["b"])
        assert {one.key for one in store.search(ANN, filter={"n": {"$gt": 1}})} == {"b", "c"}

    def test_an_unknown_operator_is_refused(self, store: BaseStore) -> None:
        store.put(ANN, "a", {"n": 1})
        with pytest.raises(ValueError, match=r"\$near"):
            store.search(ANN, filter={"n": {"$near": 1}})

    def test_limit_and_offset_page_through_all_of_it(self, store: BaseStore) -> None:
        for number in range(7):
            store.put(ANN, str(number), {"n": number, "even": number % 2 == 0})
        assert len(store.search(ANN)) == 7
        pages = [store.search(ANN, limit=3, offset=offset) for offset in (0, 3, 6, 9)]
        assert [len(page) for page in pages] == [3, 3, 1, 0]
        assert {one.key for page in pages for one in page} == {str(n) for n in range(7)}
        assert len(store.search(ANN, filter={"even": True}, limit=3, offset=1)) == 3
        assert store.search(ANN, limit=0) == []

    def test_ten_items_are_returned_if_nothing_is_said(self, store: BaseStore) -> None:
        store.batch([PutOp(ANN, str(number), {"n": number}) for number in range(12)])
        assert len(store.search(ANN)) == 10

    def test_the_latest_updated_comes_first(self, store: BaseStore) -> None:
        for key in "abc":
            store.put(ANN, key, {"n": 1})
            self.wait(_SECOND)
        store.put(ANN, "a", {"n": 2})
        assert [one.key for one in store.search(ANN)] == ["a", "c", "b"]

    def test_a_query_without_an_index_is_a_search(self, store: BaseStore) -> None:
        store.put(ANN, "a", {"text": "tea"})
        store.put(ANN, "b", {"text": "rain"}, index=False)
        store.put(ANN, "c", {"text": "snow"}, index=["text"])
        found = store.search(ANN, query="something else altogether")
        assert {one.key for one in found} == {"a", "b", "c"}

    # namespaces

    @pytest.mark.parametrize(
        ("asked", "listed"),
        [
            ({}, sorted(NAMESPACES)),
            ({"prefix": ("a", "b")}, [NAMESPACES[n] for n in (0, 1, 2, 3)]),
            (
                {"prefix": ("a", "b"), "max_depth": 3},
                [("a", "b", "c"), ("a", "b", "d"), ("a", "b", "f")],
            ),
            ({"max_depth": 1}, [("a",), ("x",)]),
            ({"suffix": ("f",)}, [("a", "b", "f"), ("a", "c", "f"), ("x", "b", "f")]),
            ({"suffix": ("b", "f")}, [("a", "b", "f"), ("x", "b", "f")]),
            ({"prefix": ("*", "b")}, [*sorted(NAMESPACES[:4]), ("x", "b", "f")]),
            ({"prefix": ("a", "*", "f")}, [("a", "b", "f"), ("a", "c", "f")]),
            ({"suffix": ("d", "*")}, [("a", "b", "d", "e"), ("a", "b", "d", "i")]),
            ({"prefix": ("a",), "suffix": ("f",)}, [("a", "b", "f"), ("a", "c", "f")]),
            ({"prefix": ("nowhere",)}, []),
            ({"limit": 2, "offset": 1}, [("a", "b", "c"), ("a", "b", "d", "e")]),
            ({"limit": 2, "offset": 6}, [("x", "b", "f")]),
        ],
        ids=str,
    )
    def test_namespaces_are_listed_in_order(
        self, store: BaseStore, asked: dict[str, Any], listed: list[tuple[str, ...]]
    ) -> None:
        for namespace in reversed(NAMESPACES):
            store.put(namespace, "k", {"a": 1})
            store.put(namespace, "l", {"a": 1})
        assert store.list_namespaces(**asked) == listed

    def test_several_conditions_all_count(self, store: BaseStore) -> None:
        for namespace in NAMESPACES:
            store.put(namespace, "k", {"a": 1})
        conditions = (
            MatchCondition("prefix", ("a",)),
            MatchCondition("suffix", ("f",)),
            MatchCondition("prefix", ("*", "c")),
        )
        assert store.batch([ListNamespacesOp(conditions)]) == [[("a", "c", "f")]]

    # time to live, in minutes

    def _needs_ttl(self) -> None:
        if not self.supports_ttl:
            pytest.skip("the store has no TTL")

    def test_an_item_expires(self, store: BaseStore) -> None:
        self._needs_ttl()
        store.put(ANN, "short", {"a": 1}, ttl=1 / 60)
        store.put(ANN, "long", {"a": 1}, ttl=60)
        store.put(ANN, "ever", {"a": 1}, ttl=None)
        assert len(store.search(ANN)) == 3
        self.wait(3 / 60)
        self.sweep(store)
        assert store.get(ANN, "short") is None
        assert {one.key for one in store.search(ANN)} == {"long", "ever"}

    def test_an_expired_item_is_gone_before_it_is_swept(self, store: BaseStore) -> None:
        self._needs_ttl()
        store.put(ANN, "k", {"a": 1}, ttl=1 / 60)
        self.wait(3 / 60)
        assert store.get(ANN, "k", refresh_ttl=False) is None
        assert store.search(ANN, refresh_ttl=False) == []
        assert store.list_namespaces() == []

    def test_reading_an_item_lets_it_live_longer(self, store: BaseStore) -> None:
        self._needs_ttl()
        store.put(ANN, "got", {"a": 1}, ttl=4 / 60)
        store.put(ANN, "found", {"a": 1}, ttl=4 / 60)
        store.put(ANN, "left", {"a": 1}, ttl=4 / 60)
        self.wait(2.5 / 60)
        store.get(ANN, "got")
        store.search(ANN, limit=10, filter={"a": 1}, refresh_ttl=False)
        store.get(ANN, "left", refresh_ttl=False)
        store.get(ANN, "found", refresh_ttl=True)
        self.wait(2.5 / 60)
        self.sweep(store)
        assert {one.key for one in store.search(ANN, refresh_ttl=False)} == {"got", "found"}

    def test_a_put_without_ttl_lets_it_live(self, store: BaseStore) -> None:
        self._needs_ttl()
        store.put(ANN, "k", {"a": 1}, ttl=1 / 60)
        store.put(ANN, "k", {"a": 2}, ttl=None)
        self.wait(3 / 60)
        self.sweep(store)
        assert store.get(ANN, "k") is not None

    @pytest.mark.parametrize("ttl", [-1, -math.inf, math.nan])
    def test_a_negative_ttl_is_refused(self, store: BaseStore, ttl: float) -> None:
        self._needs_ttl()
        with pytest.raises(ValueError, match="ttl"):
            store.put(ANN, "k", {"a": 1}, ttl=ttl)
        assert store.get(ANN, "k") is None

    # coroutines

    def test_the_coroutines_do_the_same(self, store: BaseStore) -> None:
        if not self.supports_async:
            pytest.skip("the store has no coroutines")

        async def use() -> None:
            await store.aput(ANN, "k", {"a": 1})
            item = await store.aget(ANN, "k")
            assert item is not None
            assert item.value == {"a": 1}
            assert [one.key for one in await store.asearch(USERS, filter={"a": 1})] == ["k"]
            assert await store.alist_namespaces() == [ANN]
            await asyncio.gather(*(store.aput(ANN, str(n), {"a": n}) for n in range(5)))
            assert len(await store.asearch(ANN)) == 6
            await store.adelete(ANN, "k")
            assert await store.aget(ANN, "k") is None

        asyncio.run(use())
