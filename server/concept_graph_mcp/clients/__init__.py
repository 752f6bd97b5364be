"""Edit the configuration files of MCP clients, without touching what others wrote into them."""
