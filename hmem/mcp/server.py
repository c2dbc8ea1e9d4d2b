"""The server: translates between the protocol and the tools. The only file that imports `mcp`."""

from __future__ import annotations

from functools import partial
from typing import Any

import anyio
import mcp_types as types
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server

from hmem.errors import HmemError
from hmem.mcp.schemas import TOOLS
from hmem.mcp.tools import Tools
from hmem.version import __version__

INSTRUCTIONS = (
    "The user's own notes, wikis and source code, indexed on this machine. Search before you guess; cite the paths. "
    "Remember what will be useful later, with `supersedes` for what it replaces."
)


def serve(store: str | None = None) -> None:
    """Answer calls on stdin and stdout until stdin ends."""
    tools = Tools(store)
    try:
        anyio.run(partial(_serve, tools))
    finally:
        tools.close()


async def _serve(tools: Tools) -> None:
    async def list_tools(context: Any, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=_tools())

    async def call_tool(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        return await anyio.to_thread.run_sync(_answer, tools, params.name, params.arguments or {})

    server: Server[Any] = Server(
        "hmem", version=__version__, instructions=INSTRUCTIONS, on_list_tools=list_tools, on_call_tool=call_tool
    )
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


def _tools() -> list[types.Tool]:
    return [
        types.Tool(
            name=tool.name,
            description=tool.description,
            input_schema=tool.schema,
            annotations=types.ToolAnnotations(read_only_hint=not tool.writes, destructive_hint=False),
        )
        for tool in TOOLS.values()
    ]


def _answer(tools: Tools, name: str, arguments: dict[str, Any]) -> types.CallToolResult:
    """Return what the tool says; an error of hmem is an answer too, with what to do next."""
    try:
        answer = tools.call(name, arguments)
    except HmemError as error:
        text = f"error: {error.message}" + (f"\nhint: {error.hint}" if error.hint else "")
        return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=True)
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=answer.text)], structured_content=answer.data
    )
