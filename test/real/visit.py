"""What does the official Python client see of a server? See visit.ts, which runs this with one argument, as JSON, and reads one JSON document."""

import asyncio
import json
import sys
import time

import httpx2
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CreateMessageResult, ElicitResult, Implementation, ListRootsResult, Root, TextContent

told = json.loads(sys.argv[1])
target, errand = told["target"], told["errand"]
heard = []


def shown(model):
    return None if model is None else model.model_dump(mode="json", by_alias=True, exclude_none=True)


async def sample(_context, params):
    heard.append(shown(params))
    return CreateMessageResult(model="m", role="assistant", content=TextContent(type="text", text="sampled é"))


async def agree(_context, params):
    heard.append(shown(params))
    return ElicitResult(action="accept", content={"name": "Ada é", "sure": True})


async def roots(_context):
    return ListRootsResult(roots=[Root(uri=f"file://{errand['root']}", name="R")])


async def put(client, method, params):
    try:
        match method:
            case "tools/call":
                return shown(await client.call_tool(params["name"], params.get("arguments")))
            case "prompts/get":
                return shown(await client.get_prompt(params["name"], params.get("arguments")))
            case "resources/read":
                return shown(await client.read_resource(params["uri"]))
            case "resources/templates/list":
                return shown(await client.list_resource_templates())
            case _:
                kind, _, _ = method.partition("/")
                return shown(await getattr(client, f"list_{kind}")())
    except MCPError as error:
        return {"error": {"code": error.error.code, "message": error.error.message}}


async def answer(client, question):
    limit = time.monotonic() + 15
    while True:
        given = await put(client, question["method"], question.get("params", {}))
        if question.get("until", "") in json.dumps(given, ensure_ascii=False):
            return given
        if time.monotonic() > limit:
            raise TimeoutError(f"never said: {question}")
        await asyncio.sleep(0.01)


async def visit(server):
    client = Client(
        server,
        mode=told["mode"],
        client_info=Implementation(name="visitor", version="1"),
        sampling_callback=sample,
        elicitation_callback=agree,
        list_roots_callback=roots,
    )
    async with client:
        answers = [await answer(client, question) for question in errand["questions"]]
        return {
            "server": shown(client.server_info),
            "capabilities": shown(client.server_capabilities),
            "instructions": client.instructions,
            "answers": answers,
            "heard": heard,
        }


async def main():
    if target["kind"] == "program":
        command, *args = target["command"]
        return await visit(StdioServerParameters(command=command, args=args, cwd=target["cwd"], env=target["env"]))
    async with httpx2.AsyncClient(headers=told["headers"], timeout=60) as http:
        return await visit(streamable_http_client(target["url"], http_client=http))


print(json.dumps(asyncio.run(main())))
