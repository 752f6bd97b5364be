"""The page of the drop-ins: each example runs, without a model, where its package is installed."""

import doctest
import os
import sys
from itertools import groupby
from pathlib import Path

import pytest
from tests.markdown import ROOT, blocks

PAGE = ROOT / "docs/guide/dropins.md"
# The package that the example of a section needs.
PACKAGES = {
    "LangGraph": "langgraph.store.base",
    "Claude's memory tool": "anthropic.tools.memory",
    "OpenAI Agents": "agents.mcp",
    "pydantic-ai": "pydantic_ai.mcp",
    "LlamaIndex": "llama_index.tools.mcp",
    "Google ADK": "google.adk.tools.mcp_tool",
    "CrewAI": "crewai.mcp",
}
EXAMPLES = {
    heading: "\n".join(one.text for one in found)
    for heading, found in groupby(
        (one for one in blocks(PAGE) if one.language == "python"), lambda one: one.heading
    )
}


@pytest.mark.parametrize("heading", EXAMPLES)
def test_the_example_of_a_section_does_what_it_says(tmp_path, monkeypatch, heading):
    # Some packages write there as they are imported, and so does the server that an example starts.
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    pytest.importorskip(PACKAGES[heading])
    monkeypatch.chdir(tmp_path)
    test = doctest.DocTestParser().get_doctest(EXAMPLES[heading] + "\n", {}, heading, str(PAGE), 0)
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    out: list[str] = []
    runner = doctest.DocTestRunner(optionflags=flags)
    runner.run(test, out=out.append)
    assert test.examples
    assert not runner.failures, "".join(out)
