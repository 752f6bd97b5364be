"""The least that an MCP server can be: the SDK and one tool that returns its argument.

With a port it serves over HTTP, without sessions, as ours does.
"""

import sys

from mcp.server.mcpserver import MCPServer

server = MCPServer("echo", log_level="WARNING")


@server.tool()
def echo(text: str) -> str:
    """Return *text*."""
    return text


if len(sys.argv) > 1:
    server.run("streamable-http", port=int(sys.argv[1]), stateless_http=True, json_response=True)
else:
    server.run("stdio")
