"""Define the MCP tools, one module for each toolset."""
