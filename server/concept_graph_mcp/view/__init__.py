"""The page that draws the graph, on this machine or inside an MCP host."""
