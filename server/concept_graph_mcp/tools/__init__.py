"""The MCP tools, one file a toolset."""
