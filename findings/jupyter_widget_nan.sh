#!/usr/bin/env bash
# Question: A widget has the number NaN and a list with a NaN. What does the saved notebook hold?
# Guessed: null, as JSON has no NaN
# Seen: The text 'nan', and 'inf' for infinity, so the widget's script meets text among numbers. A page
#   exported by marimo holds null
# Versions: anywidget 0.11.0, ipywidgets 8.1.9, ipykernel 7.4.0, jupyter_client 8.10.0, nbclient 0.11.0,
#   marimo 0.25.2; Python 3.11
set -euo pipefail
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"
python3 -m venv --without-pip venv
python3 -m pip --python venv install --quiet --no-compile --disable-pip-version-check anywidget==0.11.0 ipywidgets==8.1.9 ipykernel==7.4.0 jupyter_client==8.10.0 nbclient==0.11.0 nbformat==5.11.1 marimo==0.25.2
cat > page.py <<'PY'
import marimo

app = marimo.App()


@app.cell
def _():
    import anywidget, traitlets

    class Panel(anywidget.AnyWidget):
        _esm = "export default {render() {}}"
        number = traitlets.Float(float("nan")).tag(sync=True)
        several = traitlets.List([1.5, float("nan"), float("inf")]).tag(sync=True)

    panel = Panel()
    panel
    return
PY
export JUPYTER_PATH="$room/venv/share/jupyter" JUPYTER_RUNTIME_DIR="$room" IPYTHONDIR="$room"
PATH="$room/venv/bin:$PATH" venv/bin/python -W ignore - <<'PY'
import re
import subprocess

import nbformat
from nbclient import NotebookClient

cell = re.search(r"    import.*    panel\n", open("page.py").read(), flags=re.DOTALL)[0]
code = re.sub(r"^    ", "", cell, flags=re.MULTILINE)
notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)])
NotebookClient(notebook, timeout=60).execute()
saved = notebook.metadata.widgets["application/vnd.jupyter.widget-state+json"]["state"]
state = next(each["state"] for each in saved.values() if "number" in each["state"])
print(state["number"], state["several"])
assert state["number"] == "nan" and state["several"] == [1.5, "nan", "inf"]
subprocess.run(["marimo", "export", "html", "page.py", "-o", "page.html"], check=True)
found = re.search(r'"number": (.*?), "several": (.*?\])', open("page.html").read())
print(found.groups())
assert found.groups() == ("null", "[1.5, null, null]")
PY
