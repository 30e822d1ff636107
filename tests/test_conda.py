"""Tests that the conda recipe has the version and the dependencies of pyproject.toml."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
RECIPE = ROOT / "packaging" / "conda" / "recipe.yaml"
RENAMED = {"matplotlib": "matplotlib-base"}  # the package without a window system


def listed(section: str) -> list[str]:
    """Return the entries of a list of requirements in the recipe."""
    text = RECIPE.read_text(encoding="utf-8")
    found = re.search(rf"^  {section}:\n((?:    - .*\n)+)", text, re.MULTILINE)
    assert found is not None
    return [line.removeprefix("    - ") for line in found[1].splitlines()]


def in_conda(lines: list[str]) -> list[str]:
    given = [Requirement(line) for line in lines]
    return [f"{RENAMED.get(each.name, each.name)} {each.specifier}" for each in given]


def test_the_recipe_is_that_of_the_project():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    python = f"python {project['requires-python']}"
    assert listed("run") == [python, *in_conda(project["dependencies"] + extras["app"])]
    assert listed("run_constraints") == in_conda(extras["mcp"])
    text = RECIPE.read_text(encoding="utf-8")
    assert f'version: "{project["version"]}"\n' in text
    assert f"- manifolio = {project['scripts']['manifolio']}\n" in text


def test_the_recipe_can_be_rendered():
    """If py-rattler-build is installed: it knows every field, and reads every version."""
    tool = pytest.importorskip("rattler_build")
    recipe = tool.Stage0Recipe.from_yaml(RECIPE.read_text(encoding="utf-8"))
    (found,) = recipe.render(tool.VariantConfig())
    assert found.recipe.to_dict()["package"]["name"] == "manifolio"
