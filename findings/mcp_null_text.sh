#!/usr/bin/env bash
# Question: A client gives the text "null", or "[1]", to a tool's argument of type `str | None`. What does
#   the tool get?
# Guessed: The same text
# Seen: None for "null", and an error for "[1]" and "{}": the server reads such text as JSON first. An
#   argument of type `str` keeps all of them
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
def plain(text: str) -> str:
    return repr(text)


@app.tool()
def optional(text: str | None = None) -> str:
    return repr(text)


app.run("stdio")
PY
venv/bin/python - <<'PY'
import asyncio
import sys

from mcp import Client, StdioServerParameters


async def main():
    async with Client(StdioServerParameters(command=sys.executable, args=["server.py"])) as client:
        found = {}
        for tool in ("plain", "optional"):
            for text in ("a", "null", "[1]", "{}", "true", "1"):
                answer = await client.call_tool(tool, {"text": text})
                found[tool, text] = "error" if answer.is_error else answer.structured_content["result"]
                print(tool, repr(text), found[tool, text])
    for text in ("a", "null", "[1]", "{}", "true", "1"):
        assert found["plain", text] == repr(text)
    assert found["optional", "null"] == "None"
    assert found["optional", "[1]"] == found["optional", "{}"] == "error"
    assert all(found["optional", text] == repr(text) for text in ("a", "true", "1"))


asyncio.run(main())
PY
