"""Draw the graph on a web page, on this machine or inside an MCP host."""
