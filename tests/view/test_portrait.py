"""The picture of groups, its sentence and the card: nothing overlaps, and no name is markup."""

import shutil
import threading
from dataclasses import replace
from itertools import combinations
from xml.etree import ElementTree

import half_year
import pytest
from click.testing import CliRunner
from known import NOW_MS
from tests.conftest import Memory

from concept_graph_mcp import calls
from concept_graph_mcp.__main__ import main
from concept_graph_mcp.hosts.sqlite.store import EmbeddedStore
from concept_graph_mcp.view import drawing, people
from concept_graph_mcp.view.drawing import draw_card
from concept_graph_mcp.view.people import is_person
from concept_graph_mcp.view.portrait import (
    LINE,
    cut,
    draw_portrait,
    group_names,
    measure,
    place_names,
)

USER = "default"
NASTY = '<script>alert("1")</script>&\x1b[31m\u202e'


@pytest.fixture
def ids(memory):
    return half_year.live(memory, NOW_MS)


@pytest.fixture
def drawn(ids, session, portal):
    return portal.call(draw_portrait, session)


@pytest.mark.parametrize("aspect", [0.5, 1.0, 1.8])
def test_no_two_of_sixty_names_meet(aspect):
    labels = [f"{'Wilhelmina ' * (1 + number % 3)}{number}" for number in range(60)]
    weights = [float(60 - number) for number in range(60)]
    groups = [list(range(first, 60, 7)) for first in range(7)]
    layout = place_names(groups, labels, weights, aspect)
    boxes = []
    for island in layout.islands:
        for at in island.circles:
            half = max(at.radius, measure(cut(labels[at.name])) / 2)
            box = at.x - half, at.y - at.radius, at.x + half, at.y + at.radius + LINE
            assert island.box.x - island.box.width / 2 <= box[0]
            assert box[2] <= island.box.x + island.box.width / 2
            boxes.append(box)
    assert len(boxes) == 60
    assert all(one[0] >= 0 and one[2] <= layout.width for one in boxes)
    assert all(one[1] >= 0 and one[3] <= layout.height for one in boxes)
    for one, other in combinations(boxes, 2):
        assert one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]


def test_few_groups_stand_in_rows_and_none_in_a_corner_of_its_own():
    labels = [f"Name {number}" for number in range(30)]
    groups = [list(range(first, first + 6)) for first in range(0, 30, 6)]
    layout = place_names(groups, labels, [float(30 - number) for number in range(30)], 1.7)
    rows = {round(island.box.y) for island in layout.islands}
    assert len(rows) == 2


def test_a_group_without_labels_keeps_no_room_for_them():
    bare, named = (place_names([[0, 1]], labels, [1.0, 1.0]) for labels in (["", ""], ["A", "B"]))
    [island], [other] = bare.islands, named.islands
    assert island.box.height < other.box.height - LINE
    assert island.circles[0].y == island.box.y


def test_a_long_label_is_cut_between_words():
    assert cut("The Ministry of Sound in London") == "The Ministry of Sound…"
    assert cut("Bartholomew Egger-Hohenstein") == "Bartholomew Egger-Hohen…"
    assert cut("Ann") == "Ann"


def test_a_card_leaves_out_the_weakest_rather_than_be_too_small_to_read(drawn):
    names = (replace(one, label="Wilhelmina Castro-Berger") for one in drawn.names)
    long = replace(drawn, names=tuple(names))
    card, figures = draw_card(long, None), [figure for figure, _ in drawn.figures()]
    shown = card.count('class="name"')
    assert 10 <= shown < len(drawn.names)
    assert draw_card(drawn, None).count('class="name"') == len(drawn.names)
    assert all(f">{figure}<" in card for figure in figures)


def test_who_is_left_alone_joins_the_others(drawn):
    few = drawn.keep_strongest(5)
    assert sorted(one for group in few.groups for one in group) == [0, 1, 2, 3, 4]
    assert [len(group) == 1 for group in few.groups[:-1]].count(True) == 0


def test_what_is_tied_is_one_group_and_what_is_not_is_none():
    ties = {(0, 1): 1.0, (1, 2): 1.0, (0, 2): 1.0, (3, 4): 1.0, (2, 3): 0.1}
    assert group_names(ties, [1, 3, 2, 5, 1, 9]) == ([[1, 2, 0], [3, 4]], [5])
    assert group_names({}, []) == ([], [])


def test_groups_are_those_of_a_life_and_are_called_after_their_strongest(drawn):
    family = set(half_year.CIRCLES["family"])
    [group] = [one for one in drawn.groups if "Peter" in [drawn.names[n].label for n in one]]
    labels = [drawn.names[number].label for number in group]
    assert len(family & set(labels)) > len(labels) * 0.8
    weights = [drawn.names[number].present for number in group]
    assert weights == sorted(weights, reverse=True)
    assert f"around {labels[0]}<" in draw_card(drawn, None)


def test_one_sentence_says_how_often_since_when_who_and_what_is_ahead(drawn):
    who = [one.label for one in drawn.names if one.is_person][:3]
    close = f"{who[0]}, {who[1]} and {who[2]}"
    assert drawn.sentence() == f"Half a year with {close}. Next: Kyoto in April."
    assert drawn.sentence(names=False) == f"{drawn.days} days of talk since 3 September 2025."
    assert drawn.figures()[1] == ("43", "people")
    assert len(drawn.figures()) == 3


def test_what_was_said_last_is_most_present(memory, session, portal):
    for days, name in ((150, "Ann"), (150, "Ann"), (2, "Bea"), (2, "Bea")):
        half_year.say(memory, NOW_MS - days * half_year.DAY_MS, name)
    portrait = portal.call(draw_portrait, session)
    assert [one.label for one in portrait.names] == ["Bea", "Ann"]
    assert portrait.names[0].present > portrait.names[1].present > 0


def test_another_user_is_neither_seen_nor_counted(memory, session, portal):
    half_year.say(memory, NOW_MS, "Bob's Secret", user="bob")
    portrait = portal.call(draw_portrait, session)
    assert (portrait.names, portrait.days, portrait.people) == ((), 0, 0)
    assert portrait.sentence() == "Nothing is remembered yet."
    assert "Secret" not in draw_card(portrait, None)


def test_one_name_is_one_circle(memory, session, portal):
    half_year.say(memory, NOW_MS, "Ann", kind="sister")
    portrait = portal.call(draw_portrait, session)
    assert portrait.sentence() == "A day with Ann."
    assert draw_card(portrait, None).count("<circle") == 1
    # No figure is 0.
    assert portrait.figures() == [("1", "day of talk"), ("1", "person")]


def test_a_name_is_never_markup_and_a_card_may_have_none(memory, session, portal):
    half_year.say(memory, NOW_MS, NASTY)
    half_year.say(memory, NOW_MS, "נועה לוי")
    portrait = portal.call(draw_portrait, session)
    for drawn in (draw_card(portrait, None), draw_card(portrait, 2026)):
        root = ElementTree.fromstring(drawn)
        assert not [one for one in root.iter() if one.tag.endswith("script")]
        assert "\u202e" not in drawn
        assert "נועה לוי" in "".join(root.itertext())
    bare = draw_card(portrait, 2026, names=False)
    assert "נועה" not in bare
    assert bare.count("<circle") == 2


def test_kinds_of_people_are_told_from_those_of_things():
    assert all(map(is_person, ("person", "sister", "dentist", "family", "Freundin")))
    assert all(map(is_person, ("great-aunt", "mother-in-law", "ex-wife", "Großtante", "tia-avó")))
    assert not any(map(is_person, (None, "place", "project", "entity", "pet", "step-ladder")))


@pytest.mark.parametrize(
    ("label", "said", "expected"),
    [
        ("Marta", "Lunch with Marta.", True),
        ("Keiko", "Keiko said yes to the book!", True),
        ("Keiko", "Our host Keiko met us at the station.", True),
        ("Owen", "Owen and I want to bring out a book.", True),
        ("Tamsin", "Tamsin sent me a recording.", True),
        ("Tidewater", "Tidewater wants a second interview!", False),
        ("Kyoto", "We are in Kyoto.", False),
        ("Haruto", "We made bowls with a potter, Haruto.", True),
        ("Rory", "Dinner with Ines and Rory: we chose the flowers.", True),
        ("Jordan", "I read a letter with Jordan.", True),
        ("Jordan", "We flew to Jordan with Ines.", False),
        ("Kyoto", "I am busy with Kyoto and Rory.", False),
        ("Lulu", "Biscuit and Lulu sleep on one blanket.", False),
    ],
)
def test_without_a_kind_a_person_is_known_by_what_is_said(label, said, expected):
    assert is_person(None, label, [said]) is expected


def test_the_users_own_name_and_occupation_are_nobody_else(memory, session, portal):
    said = "My name is Tobias and I work as a data engineer. I met Karin."
    memory.now_ms = NOW_MS
    memory.run(calls.entities.observe("s", "m", "user", said), user_id=USER)
    half_year.say(memory, NOW_MS, "Tobias", "son", user="bob")
    shown = portal.call(draw_portrait, session)
    assert [one.label for one in shown.names] == ["Karin"]
    assert shown.sentence() == "A day with Karin."


def test_a_thousand_names_cost_one_long_pattern():
    people._find_acts.cache_clear()
    assert not any(is_person(None, f"Thing {number}", ["It fell."]) for number in range(1_000))
    assert people._find_acts.cache_info().misses == 1


def test_neither_the_user_nor_my_manager_is_a_name(memory, session, portal):
    for label in ("the user", "My manager", "Ann"):
        half_year.say(memory, NOW_MS, label)
    assert [one.label for one in portal.call(draw_portrait, session).names] == ["Ann"]


def test_what_computes_long_runs_beside_the_event_loop(ids, asked, portal, monkeypatch):
    loop, seen = portal.call(threading.get_ident), []

    def drew(*given, **more):
        seen.append(threading.get_ident())
        return draw_card(*given, **more)

    monkeypatch.setattr(drawing, "draw_card", drew)
    assert asked.get("api/poster").status == 200
    assert loop not in seen
    assert len(seen) == 1


@pytest.fixture
def file(tmp_path, portal, monkeypatch):
    """A store of two people in a file, which the commands use."""
    path = tmp_path / "memory.db"
    store = EmbeddedStore(path)
    portal.call(store.open)
    for name in ("Ann", "Bea"):
        half_year.say(Memory(store, portal), NOW_MS, name, kind="friend")
    portal.call(store.close)
    monkeypatch.setenv("CONCEPT_GRAPH_EMBEDDED", str(path))
    return path


def run(*arguments):
    return CliRunner().invoke(main, ["card", "--at", "2026-03-02", *map(str, arguments)])


def test_the_command_writes_the_card(file, tmp_path, monkeypatch):
    target = tmp_path / "card.svg"
    assert run("--output", target).exit_code == 0
    assert "Ann" in target.read_text("utf-8")
    again = run("--output", target)
    assert (again.exit_code, "--force overwrites it" in again.output) == (1, True)
    bare = run("--no-names", "--year", "2026", "--output", "-")
    assert bare.output.startswith("<svg ")
    assert ">2</text>" in bare.output
    assert "Ann" not in bare.output
    assert run("--output", tmp_path / "card.gif").exit_code == 2
    monkeypatch.chdir(tmp_path)
    assert "The card is in card-2026.svg." in run("--year", "2026").output
    assert (tmp_path / "card-2026.svg").exists()


def test_a_memory_of_nothing_has_no_card_and_before_the_first_write_the_demo_has_one(
    file, tmp_path, monkeypatch
):
    monkeypatch.delenv("CONCEPT_GRAPH_EMBEDDED")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    told = run()
    assert told.exit_code == 1
    assert "nothing is remembered of that time, so there is no card to draw" in told.output
    (tmp_path / "concept-graph-mcp").mkdir(exist_ok=True)
    shutil.copy(file, tmp_path / "concept-graph-mcp" / "demo.db")
    told = run("--output", "-")
    assert "nothing is stored yet; this is the demo." in told.output
    assert ">2</text>" in told.output


def test_a_plan_that_was_forgotten_is_not_ahead(memory, ids, session, portal):
    now, year = NOW_MS, 366 * half_year.DAY_MS
    [row] = memory.run(calls.everyday.profile(USER, since=now, until=now + year), user_id=USER)
    plan = next(one["id"] for one in row["lines"] if one["part"] == "ahead")
    memory.run(calls.everyday.forget(USER, plan), user_id=USER)
    assert portal.call(draw_portrait, session).ahead is None
