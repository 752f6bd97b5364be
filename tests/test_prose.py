"""The prose of the source: docstrings, comments, help texts and descriptions of tools."""

import pytest
from tests.markdown import ROOT
from tests.prose import of_file, of_source, opens_with_a_clause

SOURCES = [ROOT / each for each in ("server", "query_modules", "benchmarks")]
FILES = sorted(
    file for source in SOURCES for file in source.rglob("*.py") if "node_modules" not in file.parts
)


@pytest.mark.slow
def test_no_sentence_of_source_opens_with_a_clause_in_place_of_its_subject():
    assert FILES
    assert [
        (str(file.relative_to(ROOT)), one)
        for file in FILES
        for one in of_file(file)
        if opens_with_a_clause(one)
    ] == []


def test_a_sentence_of_source_that_opens_with_a_clause_would_be_noticed():
    source = '''
"""Return it: What now? What is kept stays."""
# What now?
# Of these
# one is kept.
x = 1  # Whose it is
# What follows is another comment.
field(description="Who said it.", title="Who is who", help="Who?")

def f():
    """Who calls, is told.

    * Of two.
    """
'''
    found = [one for one in of_source(source) if opens_with_a_clause(one)]
    assert found == [
        *("What is kept stays.", "Who calls, is told.", "* Of two.", "Who said it."),
        *("Of these one is kept.", "Whose it is", "What follows is another comment."),
    ]
