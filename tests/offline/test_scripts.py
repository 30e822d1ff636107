"""Tests of the scripts of assets/canvas, joined into one scope."""

import re
from collections import Counter
from pathlib import Path

import pytest

from gplvm_core.offline.scripts import ASSETS, script

STREAMLIT = sorted(f"streamlit/{path.name}" for path in (ASSETS / "streamlit").glob("*.js"))
ENTRIES = [*STREAMLIT, "offline/offline.js", "offline/compare.js"]
DECLARED = re.compile(
    r"^(?:export default )?(?:async )?(?:class|function\*?|const|let) (\w+|\[[^\]]*\])", re.M
)


def write(folder: Path, **texts: str) -> Path:
    for name, text in texts.items():
        (folder / f"{name}.js").write_text(text, encoding="utf-8")
    return folder


def test_imports_come_first_and_only_once(tmp_path):
    folder = write(
        tmp_path,
        base="export const one = 1;\n",
        left='import { one } from "./base.js";\n\nexport const two = one + one;\n',
        right='import { one } from "./base.js";\nexport class Right {}\n',
        top=(
            'import { two } from "./left.js";\nimport {\n  Right,\n} from "./right.js";\n'
            "export default function top() {}\n"
        ),
    )
    lines = [line for line in script("top.js", folder=folder).split("\n") if line]
    assert lines == [
        "const one = 1;",
        "const two = one + one;",
        "class Right {}",
        "export default function top() {}",
    ]


@pytest.mark.parametrize(
    "text",
    [
        'import { one as other } from "./base.js";\n',
        'import * as base from "./base.js";\n',
        'import "./base.js";\n',
        "const a = 1;\nexport { a };\n",
    ],
)
def test_scripts_that_cannot_be_joined_are_refused(tmp_path, text):
    folder = write(tmp_path, base="export const one = 1;\n", top=text)
    with pytest.raises(ValueError, match="Scripts are joined into one"):
        script("top.js", folder=folder)


def test_circular_imports_are_refused_and_named(tmp_path):
    folder = write(
        tmp_path,
        a='import { b } from "./b.js";\nexport const a = 1;\n',
        b='import { a } from "./a.js";\nexport const b = 1;\n',
    )
    with pytest.raises(ValueError, match=r"circle: a\.js → b\.js → a\.js"):
        script("a.js", folder=folder)


@pytest.mark.parametrize("name", ENTRIES)
def test_no_name_is_declared_twice_in_one_scope(name):
    found = DECLARED.findall(script(name))  # also several at once: const [A, B] = …
    counts = Counter(own for each in found for own in re.findall(r"\w+", each))
    assert [declared for declared, count in counts.items() if count > 1] == []


@pytest.mark.parametrize("name", ["map/explorer.js", "painter/painter.js", "player/player.js"])
def test_offline_scripts_work_without_streamlit(name):
    text = script(name)
    assert "export" not in re.findall(r"^\w+", text, re.M)
    assert "manifolio" not in text
