"""hmem for agents, over the Model Context Protocol: `hmem mcp`. Needs the extra `hmem[mcp]`."""
