#!/usr/bin/env bash
# Question: A tool of an MCP server returns a number that is NaN. What does the client get?
# Guessed: null, as JSON has no NaN
# Seen: The server answers without an error: text with NaN, structured content with null, and a schema
#   that says number. The SDK's own client refuses this answer: RuntimeError, and the call is lost
# Versions: mcp 2.3.0, pydantic 2.14.4; Python 3.11
set -euo pipefail
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"
python3 -m venv --without-pip venv
python3 -m pip --python venv install --quiet --no-compile --disable-pip-version-check mcp==2.3.0 pydantic==2.14.4
cat > server.py <<'PY'
from mcp.server.mcpserver import MCPServer

app = MCPServer("probe", log_level="ERROR")


@app.tool()
def mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else float("nan")


@app.tool()
def optional(values: list[float]) -> float | None:
    return float("nan")


app.run("stdio")
PY
venv/bin/python - <<'PY'
import asyncio
import sys

from mcp import Client, StdioServerParameters


async def main():
    async with Client(StdioServerParameters(command=sys.executable, args=["server.py"])) as client:
        assert (await client.call_tool("mean", {"values": [1.0, 2.0]})).structured_content == {"result": 1.5}
        try:
            await client.call_tool("mean", {"values": []})
        except RuntimeError as error:
            told = str(error).splitlines()[0]
        print(told)
        assert told.endswith("None is not of type 'number'")
        found = await client.call_tool("optional", {"values": []})
        print(found.content[0].text, found.structured_content)
        assert (found.content[0].text, found.structured_content) == ("NaN", {"result": None})


asyncio.run(main())
PY
