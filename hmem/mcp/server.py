"""The server: translates between the protocol and the tools. The only file that imports `mcp`."""

from __future__ import annotations

import os
import signal
from functools import partial
from typing import Any, Final

import anyio
import mcp_types as types
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server

from hmem.cli.boundary import EXIT_INTERRUPTED
from hmem.errors import HmemError
from hmem.mcp.schemas import TOOLS
from hmem.mcp.tools import Tools
from hmem.version import __version__

INSTRUCTIONS = (
    "The user's own notes, wikis and source code, indexed on this machine. Search before you guess; cite the paths. "
    "Remember what will be useful later, with `supersedes` for what it replaces."
)


IDLE_SECONDS: Final = 10.0
"""After so long without a call old index files are let go; the next call opens the new ones."""


def serve(store: str | None = None) -> None:
    """Answer calls on stdin and stdout until stdin ends, or a signal ends it at once.

    A signal cannot wait: the thread that reads stdin does not wake up for it. Whatever is under way is safe to kill.
    """
    for number, code in ((signal.SIGINT, EXIT_INTERRUPTED), (signal.SIGTERM, 0)):
        signal.signal(number, lambda *_, code=code: os._exit(code))
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
    async with anyio.create_task_group() as group:
        group.start_soon(anyio.to_thread.run_sync, tools.warm_up)
        group.start_soon(_rest_when_idle, tools)
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())
        group.cancel_scope.cancel()


async def _rest_when_idle(tools: Tools) -> None:
    while True:
        await anyio.sleep(IDLE_SECONDS)
        tools.rest(IDLE_SECONDS)


def _tools() -> list[types.Tool]:
    return [
        types.Tool(
            name=tool.name,
            description=tool.description,
            input_schema=tool.schema,
            output_schema=tool.answer_schema,
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
