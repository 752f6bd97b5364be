"""What each kind looks like is data of the server; the page draws and explains what it is told."""

import re

from tests.markdown import ROOT, table
from tests.view.browsing import Page

from concept_graph_mcp import calls
from concept_graph_mcp.view import looks
from conceptgraph_core.concepts.schema import LAYER as CONCEPTS
from conceptgraph_core.entities.schema import LAYER as ENTITIES
from conceptgraph_core.memories.schema import LAYER as MEMORIES

SHAPES = ("circle", "diamond", "square", "hexagon")


# Those whose nodes the page asks for; the legend explains nothing that is never drawn.
DRAWN = (CONCEPTS, MEMORIES, ENTITIES)
# These are told in the panel of the entity that they are of.
TOLD = {"session", "mention", "merge", "fact"}


def test_every_kind_of_node_that_is_walked_and_every_relation_has_a_look():
    walked = [kind.kind for layer in DRAWN for kind in layer.nodes if kind.label in layer.walked]
    assert [look.kind for look in looks.KINDS] == [kind for kind in walked if kind not in TOLD]
    assert {look.layer for look in looks.KINDS} == {layer.name for layer in DRAWN}
    relations = [
        edge.name
        for layer in DRAWN
        for edge in layer.edges
        if not {kind.kind for kind in layer.nodes if kind.label in _ends(edge)} & TOLD
    ]
    assert [look.type for look in looks.RELATIONS] == relations


def test_a_type_of_two_layers_has_one_line():
    assert len({(look.type, look.line) for look in looks.RELATIONS}) == len(
        {look.type for look in looks.RELATIONS}
    )


def _ends(edge):
    return {*(edge.sources or ()), *(edge.targets or ())}


def test_the_rows_that_are_drawn_call_the_kinds_alike(memory):
    memory.episode_add("an apple a day", ["apple"])
    rows = memory.run(calls.concepts.neighbourhood(["apple"], 1, 10))
    drawn = [look.kind for look in looks.KINDS if look.layer == CONCEPTS.name]
    assert [row["kind"] for row in rows] == drawn


def test_every_look_is_one_that_the_page_can_draw():
    sources = ROOT / "server/page/src"
    shapes = re.findall(r"^  (\w+): \{ corners", (sources / "shapes.js").read_text(), re.MULTILINE)
    assert tuple(shapes) == SHAPES
    assert {look.shape for look in looks.KINDS} <= set(shapes)
    assert {look.colour for look in looks.KINDS} <= set(looks.COLOURS)
    dashes = re.search(r"DASHES = \{(.*)\}", (sources / "looks.js").read_text())
    assert {look.line for look in looks.RELATIONS} <= set(re.findall(r"(\w+):", dashes[1]))


def test_the_lines_that_the_page_draws_by_itself_have_looks():
    source = (ROOT / "server/page/src/names.js").read_text()
    types = re.findall(r'^const SA\w+ = "(.+)";', source, re.MULTILINE)
    assert tuple(types) == tuple(look.type for look in looks.DRAWN)


def test_the_documentation_tells_the_looks():
    told = dict(table(ROOT / "docs/guide/view.md", "what is seen", "is"))
    for kind in looks.KINDS:
        assert kind.shape in told["shape"]
        assert kind.kind in told["shape"]
    for relation in (*looks.RELATIONS, *looks.DRAWN, looks.TOGETHER):
        assert relation.type in told["line"].split(relation.line)[1].split(";")[0]


def test_a_further_kind_is_drawn_and_explained_from_the_data_alone(browser, flight):
    page = Page.at(browser, flight)
    drawn = page.run(
        """
        const { picture } = conceptGraphView;
        const kinds = arguments[0].map((shape) =>
          ({ kind: `a ${shape}`, shape, colour: "trust" }));
        const trust = { label: "trust", light: ["#000000", "#808080", "#00ff00"], dark: [] };
        picture.looks = new picture.looks.constructor({
          kinds, relations: [{ type: "knows", line: "dotted" }], colours: { trust },
        });
        picture.show(false);
        const draw = ({ kind }) => {
          const canvas = new OffscreenCanvas(40, 40);
          const context = canvas.getContext("2d");
          const node = { id: -1, kind, trust: 1, x: 20, y: 20, arousal_level: 1,
            accessed_at: picture.time };
          picture.graph.nodeCanvasObject()(node, context, 1);
          const { data } = context.getImageData(0, 0, 40, 40);
          return data.filter((_, index) => index % 4 === 1)
            .map((green) => Number(green > 200)).join("");
        };
        return { pictures: kinds.map(draw), dashes: picture.looks.dashOf({ type: "knows" }) };
        """,
        SHAPES,
    )
    assert len(set(drawn["pictures"])) == len(SHAPES)
    assert all("1" in picture for picture in drawn["pictures"])
    assert drawn["dashes"]
    page.settle()
    page.run("conceptGraphView.explain()")
    assert page.text("#legend").split("\n") == [
        "trust", "arousal", "a circle", "a diamond", "a square", "a hexagon", "knows", "weight",
    ]  # fmt: skip


def test_a_kind_that_nothing_was_said_about_is_shown_all_the_same(browser, flight):
    page = Page.at(browser, flight)
    seen = page.run(
        "const { looks } = conceptGraphView.picture; const node = { kind: 'dream' };"
        " return [looks.shapeOf(node), looks.valueOf(node)]"
    )
    assert seen == ["circle", None]
