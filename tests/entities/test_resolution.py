"""The sieve: what is certain decides, likeness only asks, centrality has no say."""

from dataclasses import replace

from conceptgraph_core.entities.identity import resolution
from conceptgraph_core.entities.identity.resolution import Known, Sought

NOW = 1_000_000


def known(name, **changes) -> Known:
    return replace(
        Known(
            id=name,
            label=name,
            name=name,
            canonical_name=name,
            node_type="entity",
            kind=None,
            valid_from=0,
            valid_until=None,
            last_activated=0,
            canonical_id=name,
        ),
        **changes,
    )


def sought(name, **changes) -> Sought:
    return replace(Sought(name, "entity", None, NOW), **changes)


def decided(one, named=(), others=()):
    return resolution.decide(one, named, others, resolution.likeness)


def test_the_very_name_of_its_type_is_the_same():
    max_ = known("max")
    assert decided(sought("max"), [max_]).same == max_
    # Told of late: it was first told of after that.
    assert decided(sought("max"), [known("max", valid_from=NOW + 1)]).same is not None
    for other in (
        known("max", node_type="topic"),
        known("max", kind="person"),
    ):
        assert decided(sought("max", kind="pet"), [other]).same is None


def test_the_name_of_one_who_died_means_that_one_unless_another_lives():
    dead = known("max", valid_until=NOW - 1, last_activated=9)
    living = known("max", id="new", canonical_id="new", last_activated=1)
    assert decided(sought("max"), [dead]).same == dead
    assert decided(sought("max"), [dead, living]).same == living


def test_prefers_the_claimed_one_then_its_kind_then_the_latest():
    old = known("max", id="old", canonical_id="old", last_activated=9)
    new = known("max", id="new", canonical_id="new", last_activated=5, kind="pet")
    assert decided(sought("max"), [old, new]).same == old
    assert decided(sought("max", kind="pet"), [old, new]).same == new
    assert decided(sought("max", claimed="new"), [old, new]).same == new
    assert [one.id for one, _ in decided(sought("max"), [old, new]).candidates] == ["new"]


def test_the_bare_name_means_the_one_from_the_office_only_while_they_speak_of_her():
    hour = 3_600_000
    child = known("lena", id="child", canonical_id="child")
    office = known("lena", id="office", canonical_id="office", qualifier="from the office")
    for minutes, meant in ((5, office), (70, child)):
        asked = sought("lena", now_ms=hour + minutes * 60_000)
        both = [child, replace(office, last_activated=hour)]
        assert decided(asked, both).same.id == meant.id
        assert len(decided(asked, both).candidates) == 1
    # Her kind says which one it is, as the qualifier does.
    asked = sought("lena", now_ms=9 * hour, kind="office")
    assert decided(asked, both).same.id == "office"
    # She is the only one of that name.
    assert decided(sought("lena", now_ms=9 * hour), [office]).same == office


def test_what_is_alike_is_asked_about_and_never_the_same():
    smith = known("anna smith")
    decision = decided(sought("anna smyth"), (), [smith])
    assert (decision.same, decision.status) == (None, "ambiguous")
    assert resolution.proposed(decision) == [(smith, 0.9)]
    topic = replace(smith, node_type="topic")
    assert decided(sought("anna smyth"), (), [topic]).status == "provisional"
    assert decided(sought("max"), (), [smith]).status == "provisional"


def test_names_with_different_numbers_are_not_asked_about():
    for one, other in (("30,000 yen", "400,000 yen"), ("june 1st", "june 7th"), ("b12", "b 6")):
        assert decided(sought(one), [], [known(other)]).candidates == ()
        vectors = {"embedding": (1.0, 0.0)}
        assert decided(sought(one, **vectors), [], [known(other, **vectors)]).candidates == ()
    for one, other in (
        ("30 000 yen", "30,000 yen"),
        ("june", "june 1st"),
        ("12 month", "12 months"),
    ):
        assert len(decided(sought(one), [], [known(other)]).candidates) == 1


def test_at_most_three_are_proposed_each_component_once():
    alike = [known(f"anna {letter}", last_activated=3) for letter in "abcdef"]
    merged = [replace(one, canonical_id="anna a") for one in alike[:3]] + alike[3:]
    asked = sought("anna z")
    assert len(resolution.proposed(decided(asked, (), alike))) == 3
    ids = {one.canonical_id for one, _ in resolution.proposed(decided(asked, (), merged))}
    assert ids == {"anna a", "anna d", "anna e"}


def test_candidates_are_the_ten_latest_and_the_five_nearest_those_of_the_type_first():
    late = [known(f"late {number}", last_activated=100 - number) for number in range(30)]
    near = [known(f"maximilian {number}") for number in range(9)]
    asked = sought("maximilian")
    found = resolution.candidates([*late, *near], asked, resolution.likeness)
    assert [one.id for one in found[:10]] == [f"late {number}" for number in range(10)]
    assert {one.id for one in found[10:]} == {f"maximilian {number}" for number in range(5)}
    typed = resolution.candidates(
        [known("max", node_type="topic"), known("may")], asked, resolution.likeness
    )
    assert [one.id for one in typed] == ["may", "max"]


def test_boss_and_manager_stay_two_however_alike_their_embeddings_are():
    boss = known("my boss", embedding=(1.0, 0.0, 0.25))
    manager = sought("my manager", embedding=(1.0, 0.0, 0.0))
    assert resolution.likeness(boss, manager) > 0.97
    decision = decided(manager, (), [boss])
    assert (decision.same, decision.status) == (None, "ambiguous")
    unmet = {"they never occurred in one session": False}
    assert resolution.may_merge(unmet, 0.97) == ["they never occurred in one session"]
    assert resolution.may_merge({}, 0.84) == ["its confidence 0.84 is below 0.85"]
    assert resolution.may_merge({"they never occurred in one session": True}, 0.85) == []
