"""A question asked in a project: notes of others stay out, unless they are about the user."""

from itertools import count

import pytest

from concept_graph_mcp import calls
from conceptgraph_core.verbs.arguments import THIS
from conceptgraph_core.verbs.errors import InvalidContext

USER = "default"
IN_BILLING = "The deployment of the parser waits for a review of Lena"
IN_CAKE = "The deployment of the oven waits for a new thermostat"


@pytest.fixture
def keep(memory):
    """Store a text as a message of a thread of its own."""
    numbers = count(1)

    def kept(text, *tags, speaker="user"):
        made = str(next(numbers))
        said = {"id": made, "thread": made, "said_at": memory.now_ms, "text": text}
        said |= {"speaker": speaker, "tags": [*tags]}
        memory.run(calls.memories.ingest(USER, [said]))
        return made

    return kept


@pytest.fixture
def both(keep):
    keep(IN_BILLING, "project billing-api")
    keep(IN_CAKE, "project cake")


def recalled(memory, message, project=THIS, **given):
    call = calls.everyday.recall(USER, message, project=project, **given)
    [row] = memory.run(call._replace(context={**call.context, "chances": [0, 0]}))
    return [str(line["parts"]) for line in row["lines"]]


def found(memory, query, project=THIS, **given):
    rows = memory.run(calls.everyday.search(USER, query, project=project, **given))
    return {row["text"] for row in rows}


ASKED = "What does the deployment wait for?"


@pytest.mark.usefixtures("both")
def test_without_a_project_all_are_one(memory):
    assert len(recalled(memory, ASKED)) == 2
    assert found(memory, "deployment") == {IN_BILLING, IN_CAKE}


@pytest.mark.usefixtures("both")
@pytest.mark.parametrize("project", ["cake", "CAKE"])
def test_notes_of_another_project_stay_out(memory, project):
    [line] = recalled(memory, ASKED, project)
    assert IN_CAKE in line
    assert found(memory, "deployment", project) == {IN_CAKE}


@pytest.mark.usefixtures("both")
@pytest.mark.parametrize("name", ["billing-api", "Billing API", "billing api's"])
def test_a_message_that_names_a_project_brings_its_notes(memory, name):
    assert IN_BILLING in found(memory, f"{name} deployment", "cake")


@pytest.mark.usefixtures("both")
def test_a_recall_that_names_a_project_brings_its_notes(memory):
    asked = "What does the deployment in billing-api wait for?"
    assert any(IN_BILLING in line for line in recalled(memory, asked, "cake"))


@pytest.mark.usefixtures("both")
def test_a_part_of_its_name_names_no_project(memory):
    assert found(memory, "deployment billing", "cake") == {IN_CAKE}


@pytest.mark.usefixtures("both")
def test_another_wording_names_a_project_too(memory):
    assert IN_BILLING in found(memory, "deployment", "cake", also=("billing-api",))


def test_a_note_of_no_project_is_seen_everywhere(memory, keep):
    keep("The deployment waits for Friday", "work")
    assert found(memory, "deployment", "cake") == {"The deployment waits for Friday"}


@pytest.mark.parametrize(
    "said",
    [
        "I prefer tabs over spaces in a deployment",
        "Never run a deployment on Friday",
        "I work at Siemens on the deployment",
        "My sister Clara runs the deployment",
        "Ich mag keine Mocks im deployment",
    ],
)
def test_a_note_about_the_user_is_seen_everywhere(memory, keep, said):
    keep(said, "project billing-api")
    assert found(memory, "deployment", "cake") == {said}


def test_a_note_that_is_kept_always_is_seen_everywhere(memory, keep):
    keep("The deployment needs a token", "project billing-api", "preserved")
    assert found(memory, "deployment", "cake") == {"The deployment needs a token"}


@pytest.mark.parametrize(
    ("said", "speaker"),
    [
        ("My test of the deployment fails", "user"),
        ("I prefer tabs in a deployment", "assistant"),
    ],
)
def test_work_and_what_the_assistant_says_is_not_about_the_user(memory, keep, said, speaker):
    keep(said, "project billing-api", speaker=speaker)
    assert found(memory, "deployment", "cake") == set()


def test_a_link_does_not_lead_into_another_project(memory, keep):
    here, there = keep(IN_CAKE, "project cake"), keep("Lena is ill", "project billing-api")
    memory.run(calls.memories.link(here, there, "relates_to", 1.0))
    assert any("Lena" in line for line in recalled(memory, ASKED))
    assert not any("Lena" in line for line in recalled(memory, ASKED, "cake"))


@pytest.mark.usefixtures("both")
def test_a_question_for_a_time_is_asked_in_a_project_too(memory):
    asked = "What was said?"
    then = (0, 9_000_000_000_000)
    assert len(recalled(memory, asked, told_in=then)) == 2
    [line] = recalled(memory, asked, "cake", told_in=then)
    assert IN_CAKE in line


@pytest.mark.parametrize("project", ["", 7])
def test_a_project_without_a_name_is_refused(memory, project):
    with pytest.raises(Exception, match="project must be a non-empty text") as raised:
        recalled(memory, ASKED, project)
    assert issubclass(raised.value.kind, InvalidContext)
