"""The least that an MCP server can be: the SDK and one tool that returns its argument."""

from mcp.server.mcpserver import MCPServer

server = MCPServer("echo")


@server.tool()
def echo(text: str) -> str:
    """Return *text*."""
    return text


server.run("stdio")
