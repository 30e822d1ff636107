"""Sphinx builds these pages from the repository's Markdown, the docstrings and the guide's scripts.

The source folder is the repository's root, so that links between Markdown files work unchanged.
The build needs no network, and the pages load nothing from other hosts: formulas are MathML.
"""

import re
import sys
from pathlib import Path
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "docs")]

from mathematics import SOURCE, contents, with_links_to_sections, write_sections  # noqa: E402
from reference import write_pages  # noqa: E402 (both from the two folders above)

project = "Manifolio"
author = "The Manifolio authors"
copyright = author
extensions = ["myst_parser", "sphinx_gallery.gen_gallery"]
root_doc = "docs/index"
include_patterns = [
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "benchmarks/README.md",
    "findings/README.md",
    "gplvm_core/*.md",
    "docs/**",
]
exclude_patterns = [
    ".venv",
    ".git",
    "build",
    "tests",
    "assets",
    "pages",
    "**/__pycache__",
    # Sphinx-Gallery writes the pages of these three folders to docs/gallery.
    "docs/guide",
    "docs/examples",
    "docs/exercises",
]

sphinx_gallery_conf = {
    "examples_dirs": [str(ROOT / "docs" / each) for each in ("guide", "examples", "exercises")],
    "gallery_dirs": [f"docs/gallery/{each}" for each in ("guide", "examples", "exercises")],
    "filename_pattern": "",
    "within_subsection_order": "FileNameSortKey",
    # Run unchanged scripts, too: their output changes if the library changes.
    "run_stale_examples": True,
    "abort_on_example_error": True,
    "capture_repr": (),
    "download_all_examples": False,
    "show_signature": False,
    "write_computation_times": False,
}

html_theme = "furo"
html_title = "Manifolio"
html_static_path = ["static"]
html_css_files = ["pages.css"]
html_favicon = str(ROOT / "assets" / "icon.png")
html_show_copyright = False
html_show_sphinx = False
html_copy_source = False
html_use_index = False
smartquotes = False  # names of options stay as they are typed: "rbf"
html_math_renderer = "mathml"

myst_enable_extensions = ["deflist", "dollarmath"]
myst_fence_as_directive = ["math"]
myst_heading_anchors = 3


def write_generated_pages(app: Any) -> None:
    write_pages(ROOT / "docs")
    write_sections(ROOT / "docs")


def sections_of_mathematics(app: Any, name: str, content: list[str]) -> None:
    """Show MATHEMATICS.md as its contents, and correct the links to its sections."""
    text = contents(ROOT / "docs") if name == SOURCE else content[0]
    content[0] = with_links_to_sections(ROOT / "docs", name, text)


def github_maths(app: Any, name: str, content: list[str]) -> None:
    """Convert GitHub's $`x`$, which no Markdown rule can garble, to MyST's $x$."""
    content[0] = re.sub(r"\$`(.+?)`\$", r"$\1$", content[0])


def inline_formula(translator: Any, node: nodes.math) -> None:
    translator.body.append(convert(node.astext()))
    raise nodes.SkipNode


def displayed_formula(translator: Any, node: nodes.math_block) -> None:
    # The converter does not know "aligned"; "align*" is the same environment outside formulas.
    formula = node.astext().replace("{aligned}", "{align*}")
    translator.body.append(f'<div class="math">{convert(formula, display="block")}</div>')
    raise nodes.SkipNode


def setup(app: Any) -> None:
    app.add_html_math_renderer("mathml", (inline_formula, None), (displayed_formula, None))
    app.connect("builder-inited", write_generated_pages)
    app.connect("source-read", sections_of_mathematics)
    app.connect("source-read", github_maths)
