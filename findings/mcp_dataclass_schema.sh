#!/usr/bin/env bash
# Question: A tool returns a dataclass whose fields have a unit and a lower limit (Annotated, Field). Are both
#   in the published schema, and is the limit checked?
# Guessed: Yes, as for a model of pydantic
# Seen: Neither: the field is a number without a description, and -1 passes a limit of 0. With a model of
#   pydantic both are published
# Versions: mcp 2.3.0, pydantic 2.14.4; Python 3.11
set -euo pipefail
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"
python3 -m venv --without-pip venv
python3 -m pip --python venv install --quiet --no-compile --disable-pip-version-check mcp==2.3.0 pydantic==2.14.4
venv/bin/python - <<'PY'
import asyncio
from dataclasses import dataclass
from typing import Annotated

from mcp import Client
from mcp.server.mcpserver import MCPServer
from pydantic import BaseModel, Field

Length = Annotated[float, Field(description="in mm", ge=0)]
app = MCPServer("probe", log_level="CRITICAL")


@dataclass
class Plain:
    length: Length


class Model(BaseModel):
    length: Length


@app.tool()
def as_dataclass() -> Plain:
    return Plain(-1.0)


@app.tool()
def as_model() -> Model:
    return Model(length=1.0)


async def main():
    async with Client(app) as client:
        tools = {tool.name: tool.output_schema for tool in (await client.list_tools()).tools}
        found = await client.call_tool("as_dataclass")
    fields = {name: schema["properties"]["length"] for name, schema in tools.items()}
    print(fields, found.structured_content)
    plain = {"title": "Length", "type": "number"}
    assert fields == {"as_dataclass": plain, "as_model": plain | {"description": "in mm", "minimum": 0}}
    assert found.structured_content == {"length": -1.0}



asyncio.run(main())
PY
